"""tw.frontier: how well trees predict by their number of leaves, however they are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright._kernels import portable
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows
from treewright.evaluation.judging import Progress, side_by_side
from treewright.evaluation.protocol import several
from treewright.evaluation.splits import check_n_folds
from treewright.plain_text import aligned
from treewright.pruning.cross_validation import folds_for
from treewright.readable_trees.candidates import WAYS
from treewright.readable_trees.choice import (
    Chosen,
    measure_of,
    row_losses,
    search_weights,
    trees_of_ways,
)
from treewright.readable_trees.estimators import (
    ReadableTree,
    ReadableTreeClassifier,
    ReadableTreeRegressor,
)
from treewright.readable_trees.teachers import ROUNDS, Teacher
from treewright.result import Result
from treewright.single_trees.growing import as_pruning_rows
from treewright.tree.predict import predict_values
from treewright.tree.shrinkage import shrunk

SIZES = (2, 4, 8, 16, 32)
CHOSEN = "readable"  # the way that is chosen inside each fold


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """The score of one way with a number of leaves."""

    way: str
    max_leaf_nodes: int
    mean_leaves: float  # over the folds
    score: float


@dataclass(frozen=True, slots=True, repr=False)
class Frontier(Result):
    """Scores of trees by their number of leaves, with boosted trees as the ceiling."""

    points: tuple[FrontierPoint, ...]
    measure: str  # log loss or RMSE, of rows that were not learned from; lower is better
    n_folds: int
    n_rows: int
    ensemble_score: float | None  # of boosted trees; None: not fitted
    baseline_score: float  # of a tree without a split

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways, the chosen one first."""
        return tuple(dict.fromkeys(point.way for point in self.points))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(point.max_leaf_nodes for point in self.points))

    def curve(self, way: str) -> tuple[FrontierPoint, ...]:
        """The points of one way, the fewest leaves first."""
        return tuple(point for point in self.points if point.way == way)

    def smallest(self, tolerance: float = 0.05) -> FrontierPoint:
        """The readable tree with the fewest leaves that does nearly as well as the best one.

        `tolerance` is the share of the gain over a tree without splits that may be lost.
        """
        own = self.curve(CHOSEN)
        best = min(point.score for point in own)
        enough = best + tolerance * max(self.baseline_score - best, 0.0)
        return next(point for point in own if point.score <= enough)

    @property
    def gains_nothing(self) -> bool:
        """Whether a tree without splits does as well as every readable tree."""
        return min(point.score for point in self.curve(CHOSEN)) >= self.baseline_score

    def to_text(self) -> str:
        """A table with a line for each number of leaves and a column for each way."""
        lines = [["leaves", *self.ways]]
        for size in self.sizes:
            scores = {p.way: f"{p.score:.4g}" for p in self.points if p.max_leaf_nodes == size}
            lines.append([str(size), *(scores.get(way, "-") for way in self.ways)])
        head = f"{self.measure}, {self.n_folds}-fold cross-validation (lower is better)"
        found = self.smallest()
        if self.gains_nothing:
            advice = "No readable tree of these sizes is better than a tree without splits."
        else:
            advice = (
                f"{found.max_leaf_nodes} leaves are enough: {self.measure} {found.score:.4g}, "
                f"within 5 % of what the best readable tree gains."
            )
        ends = [f"No split: {self.baseline_score:.4g}."]
        if self.ensemble_score is not None:
            ends.append(f"Boosted trees: {self.ensemble_score:.4g}.")
        return "\n".join([head, "", *aligned(lines), "", " ".join(ends), advice])


def frontier(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    leaves: Sequence[int] = SIZES,
    folds: int = 3,
    model: ReadableTree | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Compare trees of different sizes, however they are made, on rows that they did not learn.

    Every way of `ReadableTreeClassifier` or `ReadableTreeRegressor` (CART, pruned CART and C4.5,
    optimal trees, lookahead, distilled trees) is scored with each number of leaves, and so is the
    way that these estimators choose inside each fold. Boosted trees are the ceiling.

    Parameters
    ----------
    X, y, sample_weight
        The table, the target and the weights of the rows, as for `fit`.
    leaves
        The numbers of leaves to compare.
    folds
        Number of folds. Inside each, the readable tree makes its own choice by cross-validation.
    model
        The readable tree with its settings; `ReadableTreeRegressor()` predicts numbers. None: a
        classifier, unless the target holds floating-point numbers.
    n_jobs
        Number of folds at once; None uses all cores.
    progress
        Called with the number of folds that are done, and of all.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> found = tw.frontier(X, y, leaves=(2, 3), model=tw.ReadableTreeClassifier(distil=False))
    >>> found.smallest().max_leaf_nodes
    3
    """
    sizes = checked_sizes(leaves)
    model = usual_model(y) if model is None else model
    if not isinstance(model, ReadableTree):
        raise ParameterError(
            f"model is a {type(model).__name__}",
            hint="give a ReadableTreeClassifier or a ReadableTreeRegressor",
        )
    model.check_params()
    rows = model.training_rows(X, y, sample_weight)
    values = rows.target_values
    if (values == values[0]).all():
        raise ParameterError("all rows have the same target", hint="there is nothing to predict")
    if isinstance(folds, int):
        check_n_folds(folds, rows.n_rows)
    fold_of_row = folds_for(as_pruning_rows(rows), folds, np.random.default_rng(1))
    n_folds = int(fold_of_row.max()) + 1

    def judged(fold: int) -> dict[tuple[str, int], tuple[float, int]]:
        learned, others = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
        return losses_of_fold(model, rows.take(learned), rows.take(others), sizes)

    every = side_by_side(judged, list(range(n_folds)), n_jobs, progress)
    return joined(every, rows, n_folds)


def checked_sizes(leaves: Any) -> tuple[int, ...]:
    """Numbers of leaves in rising order."""
    found = several(leaves, "leaves", "(4, 8, 16)")
    if not all(isinstance(one, int | np.integer) and 2 <= one <= 1000 for one in found):
        raise ParameterError(f"leaves={found!r} is not allowed", hint="use integers from 2 to 1000")
    return tuple(sorted({int(one) for one in found}))


def usual_model(y: Any) -> ReadableTree:
    kind = getattr(np.asarray(y), "dtype", np.dtype(object)).kind
    return ReadableTreeRegressor() if kind == "f" else ReadableTreeClassifier()


def losses_of_fold(
    model: ReadableTree, learned: TrainingRows, others: TrainingRows, sizes: Sequence[int]
) -> dict[tuple[str, int], tuple[float, int]]:
    """The sum of the losses of the other rows, and the leaves, by way and maximum of leaves."""
    found: dict[tuple[str, int], tuple[float, int]] = {}
    limits = model.limits(learned)
    weights = search_weights(others)

    def loss_of(predicted: Any) -> float:
        return portable.dot(row_losses(others, predicted), weights)

    def of_tree(one: Chosen) -> tuple[float, int]:
        predicted = predict_values(shrunk(one.tree, one.by.shrinkage), others.table)
        return loss_of(predicted), one.tree.n_leaves

    for most, trees in trees_of_ways(learned, limits, sizes, only_best=False):
        found[CHOSEN, most] = of_tree(trees[0])
        found |= {(one.by.way, most): of_tree(one) for one in trees}
        root = trees[0].tree.to_leaves(1)
        found["", 1] = loss_of(predict_values(root, others.table)), 1
    if limits.distils:
        teacher = Teacher(learned, ROUNDS, limits.n_jobs)
        found["", 0] = loss_of(teacher.predict(others.table)), 0
    return found


def joined(
    every: Sequence[dict[tuple[str, int], tuple[float, int]]], rows: TrainingRows, n_folds: int
) -> Frontier:
    """The scores over all folds; a way that was not possible in one of them is left out."""
    weight = float(search_weights(rows).sum())
    measure = measure_of(rows)

    def score(key: tuple[str, int]) -> float:
        mean = sum(one[key][0] for one in every) / weight
        return mean if measure == "log loss" else float(np.sqrt(mean))

    keys = [key for key in every[0] if key[0] and all(key in one for one in every)]
    ways = [CHOSEN, *WAYS]
    keys.sort(key=lambda key: (ways.index(key[0]), key[1]))
    points = tuple(
        FrontierPoint(way, most, float(np.mean([one[way, most][1] for one in every])), score(key))
        for key in keys
        for way, most in [key]
    )
    ensemble = score(("", 0)) if ("", 0) in every[0] else None
    return Frontier(points, measure, n_folds, rows.n_rows, ensemble, score(("", 1)))
