"""Out-of-bag predictions: each training row is predicted by the trees not trained on it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from treewright._kernels.learners import Drawing, ForestSettings, add_out_of_bag, draw_rows
from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.settings import drawing_of
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows, warn_user
from treewright.tree.predict import predict_leaves, predict_values, predicted_classes
from treewright.tree.tree import Tree

Rows = Table | NDArray[Any]


def mean_answers(trees: Sequence[Tree], rows: Rows, n_threads: int) -> Floats:
    """(n_rows, n_values): class shares or means, averaged over the trees."""
    if isinstance(trees, PackedTreeSequence):
        if trees.classes is None:
            return trees.mean_values(rows, n_threads)[:, None]
        return trees.mean_shares(rows, n_threads)
    total: Floats = sum(
        (predict_values(tree, rows, n_threads) for tree in trees), start=np.zeros(1)
    )
    return total / len(trees)


def vote_shares(trees: Sequence[Tree], rows: Rows, n_threads: int) -> Floats:
    """(n_rows, n_classes): the share of the trees that predict each class."""
    if isinstance(trees, PackedTreeSequence):
        return trees.mean_shares(rows, n_threads, hard=True)
    votes = sum((votes_of(tree, rows, n_threads) for tree in trees), start=np.zeros(1))
    shares: Floats = votes / len(trees)
    return shares


def votes_of(tree: Tree, rows: Rows, n_threads: int = 1) -> Floats:
    """(n_rows, n_classes): 1 for the class that a tree predicts, 0 for the others."""
    shares = predict_values(tree, rows, n_threads)
    votes = np.zeros_like(shares)
    votes[np.arange(len(votes)), predicted_classes(tree, shares)] = 1.0
    return votes


def leaves_of_trees(trees: Sequence[Tree], rows: Rows, n_threads: int) -> NDArray[np.int32]:
    """(n_rows, n_trees): the node of each tree that predicts each row."""
    if isinstance(trees, PackedTreeSequence):
        return trees.leaves(rows, n_threads)
    return np.stack([predict_leaves(tree, rows, n_threads) for tree in trees], axis=1)


def check_some_are_left_out(settings: ForestSettings) -> None:
    """Raises an error if every tree would get every row."""
    if settings.drawing == Drawing.all_rows:
        raise ParameterError(
            "oob_score=True, but no row is left out: every tree gets all of them",
            hint="use bootstrap=True, or max_samples=0.8 for trees on different rows",
        )


def out_of_bag_answers(task: ForestTask, trees: Sequence[Tree], *, hard: bool) -> Floats:
    """(n_rows, n_values): the mean prediction (or votes) of the trees not trained on a row.

    A row that every tree used gets NaN.
    """
    settings, rows = task.settings, task.rows
    sums = np.zeros((rows.n_rows, trees[0].value.shape[1]))
    n_answers = np.zeros(rows.n_rows, dtype=np.uint32)
    if isinstance(trees, PackedTreeSequence):
        every = drawing_of(settings)  # trees of an earlier fit predict too
        add_out_of_bag(trees.packed, task.table, every, hard, sums, n_answers, task.n_threads)
    else:
        add_members(trees, rows, settings, hard=hard, sums=sums, n_answers=n_answers)
    if not n_answers.all():
        warn_user(
            f"{np.sum(n_answers == 0):,} of {rows.n_rows:,} rows were sampled for every tree: they "
            "have no out-of-bag prediction; use more trees"
        )
    with np.errstate(invalid="ignore"):
        answers: Floats = sums / n_answers[:, None]
    return answers


def add_members(
    trees: Sequence[Tree],
    rows: TrainingRows,
    settings: ForestSettings,
    *,
    hard: bool,
    sums: Floats,
    n_answers: NDArray[np.uint32],
) -> None:
    """Adds up the predictions tree by tree."""
    for number, tree in enumerate(trees):
        left_out = np.flatnonzero(np.asarray(draw_rows(settings, number, rows.n_rows)) == 0)
        if len(left_out):
            some = rows.table[left_out]
            sums[left_out] += votes_of(tree, some) if hard else predict_values(tree, some)
            n_answers[left_out] += 1


def class_agreement(answers: Floats, codes: NDArray[np.integer]) -> float:
    """Accuracy on the rows with an out-of-bag prediction; NaN if there are none."""
    known = ~np.isnan(answers).any(axis=1)
    if not known.any():
        return float("nan")
    return float(np.mean(answers[known].argmax(axis=1) == codes[known]))


def share_explained(answers: Floats, values: Floats) -> float:
    """R squared on the rows with an out-of-bag prediction; NaN if there are none."""
    known = ~np.isnan(answers)
    if not known.any():
        return float("nan")
    own = values[known]
    spread = float(np.sum((own - own.mean()) ** 2))
    lost = float(np.sum((own - answers[known]) ** 2))
    return 1.0 - lost / spread if spread > 0 else float(lost == 0)


Leaves = NDArray[np.integer]


def proximity_of(leaves: Leaves, others: Leaves) -> Floats:
    """(n_rows, n_others): the share of the trees in which two rows lie in the same leaf.

    Examples
    --------
    >>> leaves = np.array([[1, 4], [1, 5], [2, 5]])  # three rows, two trees
    >>> proximity_of(leaves, leaves)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    n_nodes = 1 + max(leaves.max(initial=0), others.max(initial=0))
    met = leaf_table(leaves, n_nodes) @ leaf_table(others, n_nodes).T
    shares: Floats = met.toarray() / leaves.shape[1]
    return shares


def leaf_table(leaves: Leaves, n_nodes: int) -> csr_array:
    """(n_rows, n_trees * n_nodes): 1 where a row lies in a leaf."""
    n_rows, n_trees = leaves.shape
    column = leaves.astype(np.int64) + np.arange(n_trees) * int(n_nodes)
    starts = np.arange(n_rows + 1) * n_trees
    ones = np.ones(column.size)
    return csr_array((ones, column.ravel(), starts), shape=(n_rows, n_trees * int(n_nodes)))


ROWS_AT_ONCE = 512  # of those asked for: keeps the table of weights small
ROUNDING = 1e-10  # shares of weight closer than this are the same


class LeafTargets:
    """The targets of the training rows in each leaf of each tree."""

    def __init__(self, leaves: Leaves, targets: Floats, weights: Floats | None) -> None:
        order = np.argsort(targets, kind="stable")
        self.targets = targets[order]
        self.n_nodes = int(leaves.max(initial=0)) + 1
        in_leaf = leaf_table(leaves[order], self.n_nodes)
        row_weights = np.ones(len(order)) if weights is None else weights[order]
        by_leaf = (diags_array(row_weights) @ in_leaf).T.tocsr()
        totals = by_leaf.sum(axis=1)
        shares = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
        self.shares = csr_array(diags_array(shares) @ by_leaf)

    def quantiles(self, leaves: Leaves, wanted: Floats) -> Floats:
        """(n_rows, n_wanted): for rows in these leaves, the least targets that reach each share."""
        parts = [
            self._quantiles(leaves[start : start + ROWS_AT_ONCE], wanted)
            for start in range(0, len(leaves), ROWS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.empty((0, len(wanted)))

    def _quantiles(self, leaves: Leaves, wanted: Floats) -> Floats:
        weights = csr_array(leaf_table(leaves, self.n_nodes) @ self.shares)
        weights.sort_indices()  # targets in rising order
        reached = np.concatenate([[0.0], np.cumsum(weights.data)])
        low, high = reached[weights.indptr[:-1]], reached[weights.indptr[1:]]
        goal = low[:, None] + (high - low)[:, None] * wanted - ROUNDING
        at = np.searchsorted(reached, goal, side="left") - 1
        last = weights.indptr[1:] - 1
        at = np.clip(at, weights.indptr[:-1, None], last[:, None])
        found: Floats = self.targets[weights.indices[at]]
        return found


def checked_shares(quantiles: Any) -> Floats:
    """The quantiles asked for, as an array of shares."""
    shares = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
    if shares.ndim != 1 or not ((shares >= 0) & (shares <= 1)).all():
        raise ParameterError(
            f"quantiles={quantiles!r} is not allowed", hint="use shares from 0 to 1, such as 0.9"
        )
    return shares


def interval_shares(coverage: float) -> Sequence[float]:
    """The two quantiles between which `coverage` of the weight lies."""
    if not 0 < coverage < 1:
        raise ParameterError(
            f"coverage={coverage!r} is not allowed", hint="use a share between 0 and 1, such as 0.9"
        )
    return (1 - coverage) / 2, (1 + coverage) / 2
