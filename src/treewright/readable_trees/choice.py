"""Which way to a readable tree predicts new rows best: cross-validation of all of them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats, distinct
from treewright.data.row_hash import row_hashes
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.estimators.training import TrainingRows
from treewright.pruning.cross_validation import folds_for
from treewright.readable_trees.candidates import TAUGHT, WAYS, Ground, gap_to_optimal
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
FIRST_CHOICES = ("distilled, lookahead", "CART, pruned")  # the first one that was tried
FEW_ROWS, FOLDS_OF_FEW, FOLDS = 1000, 5, 3
FEWEST_ROWS = 10  # with fewer different rows, there is nothing to choose by
MOST_ROWS = 50_000  # the search takes a sample of larger tables; leaves count all rows
LEAST_PROBABILITY = 1e-6  # of a class, in the log loss


@dataclass(frozen=True, slots=True)
class Limits:
    """What the user asks of the tree."""

    min_samples_leaf: float
    max_depth: int | None
    distils: bool
    handle_unknown: str
    n_threads: int
    n_jobs: int | None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tree with the counts of its rows, how it was made, and what it was chosen from."""

    tree: Tree
    by: Candidate
    choice: Choice


def chosen_trees(rows: TrainingRows, limits: Limits, sizes: Sequence[int]) -> dict[int, Chosen]:
    """For each number of leaves, the best tree that was found and what it was chosen from.

    Several sizes share the boosted models, which take most of the time.
    """
    return {most: found[0] for most, found in trees_of_ways(rows, limits, sizes, only_best=True)}


def trees_of_ways(
    rows: TrainingRows, limits: Limits, sizes: Sequence[int], *, only_best: bool
) -> Iterator[tuple[int, list[Chosen]]]:
    """For each number of leaves, the trees of all candidates, the best first; or only that."""
    searched = sampled(rows)
    fold_of_row = folds_of(searched)
    if fold_of_row is None:
        yield from ((most, [without_choice(rows, limits, most)]) for most in sizes)
        return
    teachers = Teachers(searched, fold_of_row, limits.n_jobs) if limits.distils else None
    scores = cross_validated(searched, fold_of_row, teachers, sizes, limits)
    teaching: dict[str, Any] = {}
    if teachers is not None:
        teaching = {"taught": teachers.labels(), "teach": teachers.mean_prediction}
    ground = ground_of(searched, limits, **teaching)
    for most in sizes:
        choice = scores.choice(most)
        found = []
        for one in choice.candidates[:1] if only_best else choice.candidates:
            sketch = final_sketch(ground, one, most)
            tree = filled_tree(sketch, rows, limits.handle_unknown)
            gap = gap_to_optimal(tree, ground) if only_best else None
            found.append(Chosen(tree, one, replace(choice, optimality_gap=gap)))
        yield most, found


def without_choice(rows: TrainingRows, limits: Limits, most: int) -> Chosen:
    """The tree for rows that are too few, or too much alike, to compare anything."""
    way = "CART, pruned"
    ground = ground_of(rows, limits)
    sketch = final_sketch(ground, Candidate(way, most, 0.0, 0.0, chosen=True), most)
    tree = filled_tree(sketch, rows, limits.handle_unknown)
    only = Candidate(way, tree.n_leaves, DEFAULT_STRENGTH, 0.0, chosen=True)
    choice = Choice((only,), measure_of(rows), 0, rows.n_rows, ensemble_score=None)
    return Chosen(tree, only, choice)


def measure_of(rows: TrainingRows) -> str:
    return "log loss" if isinstance(rows.target, ClassTarget) else "RMSE"


def sampled(rows: TrainingRows) -> TrainingRows:
    """The rows, or a sample of them that does not depend on their order."""
    if rows.n_rows <= MOST_ROWS:
        return rows
    hashes = row_hashes(rows.table, rows.target_values, seed=0)
    return rows.take(np.sort(np.argsort(hashes, kind="stable")[:MOST_ROWS]))


def folds_of(rows: TrainingRows) -> Rows | None:
    """The fold of each row; None if there is nothing to choose by."""
    values = rows.target_values
    n_different = len(distinct(row_hashes(rows.table, values, seed=0)))
    if (values == values[0]).all() or n_different < FEWEST_ROWS:
        return None
    n_folds = FOLDS_OF_FEW if rows.n_counted <= FEW_ROWS else FOLDS
    return folds_for(as_pruning_rows(rows), n_folds, np.random.default_rng(0))


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


def final_sketch(ground: Ground, chosen: Candidate, most: int) -> Draft:
    """The chosen way on all rows."""
    found = WAYS[chosen.way](ground, most)
    if found is None:  # a search that was feasible on folds, but is not on all rows
        found = WAYS["CART, pruned"](ground, most)
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
    """The losses of the rows of all folds in every trial."""

    losses: dict[Trial, Floats]  # (n_rows,) in the order of the folds
    weights: Floats  # of these rows
    ensemble: float | None  # its mean loss
    measure: str
    n_folds: int

    def mean(self, losses: Floats) -> float:
        return portable.dot(losses, self.weights) / float(self.weights.sum())

    def score(self, loss: float) -> float:
        return loss if self.measure == "log loss" else math.sqrt(loss)

    def choice(self, most: int) -> Choice:
        """The candidates of trees with at most this many leaves, the chosen one first.

        The first choice is the usual best way. Another one has to be better by more than one
        standard error: with few rows, the best of many ways is often best by chance.
        """
        own = {one: self.mean(losses) for one, losses in self.losses.items() if one.most == most}
        best: dict[str, Trial] = {}
        for trial in sorted(own, key=lambda one: (own[one], one.leaves, one.shrinkage)):
            best.setdefault(trial.way, trial)
        ranked = sorted(best.values(), key=own.__getitem__)
        chosen = best[next(way for way in FIRST_CHOICES if way in best)]
        if self.is_clearly_better(ranked[0], chosen):
            chosen = ranked[0]
        ranked.sort(key=lambda one: one is not chosen)  # stable
        candidates = tuple(
            Candidate(
                one.way, one.leaves, one.shrinkage, self.score(own[one]), chosen=one is chosen
            )
            for one in ranked
        )
        ensemble = None if self.ensemble is None else self.score(self.ensemble)
        return Choice(candidates, self.measure, self.n_folds, len(self.weights), ensemble)

    def is_clearly_better(self, one: Trial, other: Trial) -> bool:
        """Whether the mean loss is lower by more than a standard error of the differences."""
        saved = self.losses[other] - self.losses[one]
        mean = self.mean(saved)
        variance = self.mean(np.square(saved - mean))
        return mean > math.sqrt(variance / max(float(self.weights.sum()) - 1.0, 1.0))


def cross_validated(
    rows: TrainingRows,
    fold_of_row: Rows,
    teachers: Teachers | None,
    sizes: Sequence[int],
    limits: Limits,
) -> Scores:
    """The loss of all ways, sizes and strengths on rows that they did not learn from."""
    losses: dict[Trial, list[Floats]] = {}
    n_folds = int(fold_of_row.max()) + 1
    in_folds, of_ensemble = [], []
    for fold in range(n_folds):
        learned, judged = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
        some, others = rows.take(learned), rows.take(judged)
        in_folds.append(judged)
        teaching: dict[str, Any] = {}
        if teachers is not None:
            teacher = teachers.without(fold)
            of_ensemble.append(row_losses(others, teacher.predict(others.table)))
            teaching = {"taught": teachers.labels(fold)[learned], "teach": teacher.predict}
        ground = ground_of(some, limits, **teaching)
        for most in sizes:
            for trial, lost in trials(ground, some, others, most, limits):
                losses.setdefault(trial, []).append(lost)
    scores = Scores(
        # A way that was not feasible on one of the folds is out.
        {trial: np.concatenate(own) for trial, own in losses.items() if len(own) == n_folds},
        search_weights(rows)[np.concatenate(in_folds)],
        None,
        measure_of(rows),
        n_folds,
    )
    if teachers is None:
        return scores
    return replace(scores, ensemble=scores.mean(np.concatenate(of_ensemble)))


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
    # Exact sums: a row of weight 2 is the same as two rows, to the last digit.
    node.weight, node.n_rows = math.fsum(weights), len(weights)
    node.value = np.array([math.fsum(weights * column) for column in labels.T])
    if is_class:
        node.impurity = float(entropy_of((node.value / node.weight)[np.newaxis])[0])
    else:
        node.value = node.value / node.weight
        squares = np.square(labels[:, 0] - node.value)
        node.impurity = math.fsum(weights * squares) / node.weight
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
