"""Which way to a readable tree predicts new rows best: cross-validation of all of them."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.row_hash import row_hashes
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.estimators.training import TrainingRows
from treewright.pruning.cross_validation import folds_for
from treewright.readable_trees.candidates import TAUGHT, WAYS, Ground
from treewright.readable_trees.fitted import Candidate, Choice
from treewright.readable_trees.sketches import (
    Aim,
    Rows,
    divided,
    n_leaves,
    pruned,
    without_small_leaves,
)
from treewright.readable_trees.teachers import Teachers
from treewright.single_trees.growing import as_pruning_rows
from treewright.tree.drafting import Draft, drafted_arrays, in_order
from treewright.tree.layout import LEAF, STOP_REASONS
from treewright.tree.predict import predict_leaves
from treewright.tree.predictions import class_shares
from treewright.tree.regraft import entropy_of
from treewright.tree.shrinkage import shrunk_values
from treewright.tree.tree import Tree

STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # of shrinkage
DEFAULT_STRENGTH = 3.0  # where there are too few rows to choose by
SMALLER = (1.0, 0.6, 0.35)  # sizes to compare, as shares of the leaves that are allowed
FEW_ROWS, FOLDS_OF_FEW, FOLDS = 1000, 5, 3
FEWEST_ROWS = 10  # with fewer different rows, there is nothing to choose by
MOST_ROWS = 50_000  # the search takes a sample of larger tables; leaves count all rows
LEAST_PROBABILITY = 1e-6  # of a class, in the log loss


@dataclass(frozen=True, slots=True)
class Limits:
    """What the user asks of the tree."""

    max_leaf_nodes: int
    min_samples_leaf: float
    max_depth: int | None
    distils: bool
    handle_unknown: str
    n_threads: int
    n_jobs: int | None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tree with the counts of its rows, how strongly it is shrunk, and how it was chosen."""

    tree: Tree
    shrinkage: float
    choice: Choice


def chosen_tree(rows: TrainingRows, limits: Limits) -> Chosen:
    """The best tree that was found, and the candidates it was chosen from."""
    searched = sampled(rows)
    fold_of_row = folds_of(searched)
    if fold_of_row is None:
        return without_choice(rows, limits)
    teachers = Teachers(searched, fold_of_row, limits.n_jobs) if limits.distils else None
    scores = cross_validated(searched, fold_of_row, teachers, (limits.max_leaf_nodes,), limits)
    choice = scores.choice(limits.max_leaf_nodes)
    sketch = final_sketch(searched, teachers, choice.chosen, limits)
    tree = filled_tree(sketch, rows, limits.handle_unknown)
    return Chosen(tree, choice.chosen.shrinkage, choice)


def without_choice(rows: TrainingRows, limits: Limits) -> Chosen:
    """The tree for rows that are too few, or too much alike, to compare anything."""
    way, most = "CART, pruned", limits.max_leaf_nodes
    sketch = final_sketch(rows, None, Candidate(way, most, 0.0, 0.0, chosen=True), limits)
    tree = filled_tree(sketch, rows, limits.handle_unknown)
    only = Candidate(way, tree.n_leaves, DEFAULT_STRENGTH, 0.0, chosen=True)
    choice = Choice((only,), measure_of(rows), 0, rows.n_rows, ensemble_score=None)
    return Chosen(tree, DEFAULT_STRENGTH, choice)


def measure_of(rows: TrainingRows) -> str:
    return "log loss" if isinstance(rows.target, ClassTarget) else "RMSE"


def sampled(rows: TrainingRows) -> TrainingRows:
    """The rows, or a sample of them that does not depend on their order."""
    if rows.n_rows <= MOST_ROWS:
        return rows
    target = rows.target
    values: Any = target.codes if isinstance(target, ClassTarget) else target.values
    hashes = row_hashes(rows.table, values, seed=0)
    return rows.take(np.sort(np.argsort(hashes, kind="stable")[:MOST_ROWS]))


def folds_of(rows: TrainingRows) -> Rows | None:
    """The fold of each row; None if there is nothing to choose by."""
    target = rows.target
    values: Any = target.codes if isinstance(target, ClassTarget) else target.values
    if (values == values[0]).all():
        return None
    n_folds = FOLDS_OF_FEW if rows.n_counted <= FEW_ROWS else FOLDS
    found = folds_for(as_pruning_rows(rows), n_folds, np.random.default_rng(0))
    sizes = np.bincount(found)
    if len(sizes) < n_folds or rows.n_rows < FEWEST_ROWS:
        return None
    return found


def labels_of(rows: TrainingRows) -> Floats:
    """What a tree should predict for each row: 1 for its class, or its number."""
    if isinstance(rows.target, ClassTarget):
        return np.eye(rows.target.n_classes)[rows.target.codes]
    return rows.target.values[:, np.newaxis]


def search_weights(rows: TrainingRows) -> Floats:
    """Weights with mean 1, unless they are counts of rows."""
    if rows.weights is None:
        return np.ones(rows.n_rows)
    return rows.weights if rows.weights_are_counts else rows.weights / rows.weights.mean()


def ground_of(rows: TrainingRows, limits: Limits, **teaching: Any) -> Ground:
    classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
    return Ground(
        rows.table,
        classes,
        labels_of(rows),
        search_weights(rows),
        limits.min_samples_leaf,
        limits.max_depth,
        limits.n_threads,
        **teaching,
    )


def final_sketch(
    rows: TrainingRows, teachers: Teachers | None, chosen: Candidate, limits: Limits
) -> Draft:
    """The chosen way on all rows."""
    teaching: dict[str, Any] = {}
    if teachers is not None and chosen.way in TAUGHT:
        teaching = {"taught": teachers.labels(), "teach": teachers.mean_prediction}
    ground = ground_of(rows, limits, **teaching)
    found = WAYS[chosen.way](ground, limits.max_leaf_nodes)
    if found is None:  # a search that was feasible on folds, but is not on all rows
        found = WAYS["CART, pruned"](ground, limits.max_leaf_nodes)
    assert found is not None
    return smaller(found, ground.by_labels.aim, chosen.leaves)


def smaller(sketch: Draft, aim: Aim, most: int) -> Draft:
    """The sketch without leaves of too few rows, pruned to at most this many leaves."""
    found = without_small_leaves(sketch, aim, np.arange(aim.table.n_rows))
    return found if n_leaves(found) <= most else pruned(found, aim, most)


def sizes_up_to(most: int) -> list[int]:
    """The numbers of leaves to compare, the largest first."""
    return list(dict.fromkeys(max(2, math.ceil(share * most)) for share in SMALLER))


@dataclass(frozen=True, slots=True)
class Trial:
    """What is compared: a way, the leaves it was allowed, those it was pruned to, a strength."""

    way: str
    most: int
    leaves: int
    shrinkage: float


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The mean loss of every trial on the rows of all folds."""

    losses: dict[Trial, float]
    ensemble: float | None
    measure: str
    n_folds: int
    n_rows: int

    def score(self, loss: float) -> float:
        return loss if self.measure == "log loss" else math.sqrt(loss)

    def best(self, way: str, most: int) -> tuple[Trial, float] | None:
        """The best trial of a way; of equal ones the smallest tree, then the least shrinkage."""
        own = [
            (loss, one) for one, loss in self.losses.items() if (one.way, one.most) == (way, most)
        ]
        if not own:
            return None
        loss, trial = min(own, key=lambda pair: (pair[0], pair[1].leaves, pair[1].shrinkage))
        return trial, loss

    def choice(self, most: int) -> Choice:
        """The candidates of trees with at most this many leaves, best first."""
        found = [best for way in WAYS if (best := self.best(way, most)) is not None]
        found.sort(key=lambda pair: pair[1])  # stable: the simpler way of equals
        candidates = tuple(
            Candidate(one.way, one.leaves, one.shrinkage, self.score(loss), chosen=at == 0)
            for at, (one, loss) in enumerate(found)
        )
        ensemble = None if self.ensemble is None else self.score(self.ensemble)
        return Choice(candidates, self.measure, self.n_folds, self.n_rows, ensemble)


def cross_validated(
    rows: TrainingRows,
    fold_of_row: Rows,
    teachers: Teachers | None,
    sizes: Iterable[int],
    limits: Limits,
) -> Scores:
    """The loss of all ways, sizes and strengths on rows that they did not learn from."""
    total: dict[Trial, float] = {}
    n_folds = int(fold_of_row.max()) + 1
    n_judged: dict[Trial, int] = {}
    weight, of_ensemble = 0.0, 0.0
    for fold in range(n_folds):
        learned, judged = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
        some, others = rows.take(learned), rows.take(judged)
        weights = search_weights(rows)[judged]
        weight += float(weights.sum())
        teaching: dict[str, Any] = {}
        if teachers is not None:
            teacher = teachers.without(fold)
            of_ensemble += portable.dot(row_losses(others, teacher.predict(others.table)), weights)
            teaching = {"taught": teachers.labels(fold)[learned], "teach": teacher.predict}
        ground = ground_of(some, limits, **teaching)
        for most in sizes:
            for trial, losses in trials(ground, some, others, most, limits):
                total[trial] = total.get(trial, 0.0) + portable.dot(losses, weights)
                n_judged[trial] = n_judged.get(trial, 0) + 1
    # A way that was not feasible on one of the folds is out.
    means = {trial: loss / weight for trial, loss in total.items() if n_judged[trial] == n_folds}
    ensemble = None if teachers is None else of_ensemble / weight
    return Scores(means, ensemble, measure_of(rows), n_folds, rows.n_rows)


def trials(
    ground: Ground, some: TrainingRows, others: TrainingRows, most: int, limits: Limits
) -> Iterator[tuple[Trial, Floats]]:
    """The losses of the other rows by the trees of every way, in several sizes and strengths."""
    aim = ground.by_labels.aim
    for way, search in WAYS.items():
        if way in TAUGHT and ground.taught is None:
            continue
        sketch = search(ground, most)
        if sketch is None:
            continue
        for leaves in sizes_up_to(most):
            sketch = smaller(sketch, aim, leaves)
            tree = filled_tree(sketch, some, limits.handle_unknown)
            reached = predict_leaves(tree, others.table)
            value = tree.value
            if tree.classes is not None:
                value = class_shares(tree.value, np.ones(tree.n_values))
            for strength in STRENGTHS:
                predicted = shrunk_values(tree, value, strength)[reached]
                yield Trial(way, most, leaves, strength), row_losses(others, predicted)


def row_losses(rows: TrainingRows, predicted: Floats) -> Floats:
    """The log loss or the squared error of each row."""
    if isinstance(rows.target, ClassTarget):
        shares = predicted[np.arange(rows.n_rows), rows.target.codes]
        return -portable.log(np.clip(shares, LEAST_PROBABILITY, 1.0))
    return np.square(rows.target.values - predicted[:, 0])


def filled_tree(sketch: Draft, rows: TrainingRows, unseen: str) -> Tree:
    """The tree of a sketch with the counts or means of these rows in its nodes."""
    classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    labels = labels_of(rows)
    aim = Aim(rows.table, labels, weights, is_class=classes is not None, min_leaf=0.0)

    def fill(draft: Draft, own: Rows) -> Draft:
        """A copy with what these rows say; a split that has rows on one side only is left out."""
        if draft.kind != LEAF:
            left, right = divided(draft, aim, own)
            if len(left) and len(right):
                node = replace(draft)
                node.children = [fill(draft.children[0], left), fill(draft.children[1], right)]
            else:
                return fill(draft.children[0 if len(left) else 1], own)
        else:
            node = Draft(draft.value, 0.0, 0)
        return counted(node, weights[own], labels[own], is_class=classes is not None)

    root = fill(sketch, np.arange(rows.n_rows))
    finish(root)
    return Tree.from_arrays(
        drafted_arrays(root),
        schema=Schema.of(rows.table, rows.target.format),
        classes=classes,
        unseen=unseen,
    )


def counted(node: Draft, weights: Floats, labels: Floats, *, is_class: bool) -> Draft:
    """The node with the weight, value and impurity of its rows."""
    node.weight, node.n_rows = float(weights.sum()), len(weights)
    node.value = portable.weighted_sum(weights, labels)
    if is_class:
        node.impurity = float(entropy_of((node.value / node.weight)[np.newaxis])[0])
    else:
        node.value = node.value / node.weight
        squares = np.square(labels - node.value)
        node.impurity = float(portable.weighted_sum(weights, squares)[0]) / node.weight
    return node


def finish(root: Draft) -> None:
    """Number the splits from the top, compute their gains, and say why leaves are leaves."""
    n_splits = 0
    for draft in in_order(root):
        draft.twin = -1
        if draft.children:
            draft.split_order, n_splits = n_splits, n_splits + 1
            left = sum(child.weight * child.impurity for child in draft.children)
            draft.gain = draft.score = max(0.0, draft.impurity - left / draft.weight)
            draft.stop_reason = 0
        else:
            reason = "pure" if draft.impurity == 0 else "pruned"
            draft.stop_reason = STOP_REASONS.index(reason)
