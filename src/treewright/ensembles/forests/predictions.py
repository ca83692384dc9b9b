"""What many trees predict together: means, votes, leaves, quantiles."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import BinnedTable
from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.ensembles.packed import EnsembleRows, PackedTreeSequence
from treewright.errors import ParameterError
from treewright.tree.predict import predict_leaves, predict_values, predicted_classes
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows = Table | NDArray[Any]


def mean_predictions(trees: Sequence[Tree], rows: Rows, n_threads: int) -> Floats:
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


def leaves_of_trees(trees: Sequence[Tree], rows: EnsembleRows, n_threads: int) -> NDArray[np.int32]:
    """(n_rows, n_trees): the node of each tree that predicts each row."""
    if isinstance(trees, PackedTreeSequence):
        return trees.leaves(rows, n_threads)
    assert not isinstance(rows, BinnedTable)
    return np.stack([predict_leaves(tree, rows, n_threads) for tree in trees], axis=1)


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


def leaf_table(leaves: Leaves, n_nodes: int) -> "csr_array":
    """(n_rows, n_trees * n_nodes): 1 where a row lies in a leaf."""
    from scipy.sparse import csr_array  # slow to load, and most predictions never need it

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
        from scipy.sparse import csr_array, diags_array

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
        from scipy.sparse import csr_array

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
