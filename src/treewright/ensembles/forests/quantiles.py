"""Quantiles from a forest after Meinshausen (2006).

A tree answers a row with the training rows of its leaf, each by its share of the leaf's weight. The
mean of these shares over the trees makes every training row a weight, and so the training targets
a distribution for the row that is asked for.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from treewright.ensembles.forests.proximity import leaf_table
from treewright.errors import ParameterError

Float64Array = NDArray[np.float64]
Leaves = NDArray[np.integer]

ROWS_AT_ONCE = 512  # of those asked for: keeps the table of weights small
ROUNDING = 1e-10  # shares of weight closer than this are the same


class LeafTargets:
    """The targets of the training rows in each leaf of each tree."""

    def __init__(self, leaves: Leaves, targets: Float64Array, weights: Float64Array | None) -> None:
        order = np.argsort(targets, kind="stable")
        self.targets = targets[order]
        self.n_nodes = int(leaves.max(initial=0)) + 1
        in_leaf = leaf_table(leaves[order], self.n_nodes)
        row_weights = np.ones(len(order)) if weights is None else weights[order]
        by_leaf = (diags_array(row_weights) @ in_leaf).T.tocsr()
        totals = by_leaf.sum(axis=1)
        shares = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
        self.shares = csr_array(diags_array(shares) @ by_leaf)

    def quantiles(self, leaves: Leaves, wanted: Float64Array) -> Float64Array:
        """(n_rows, n_wanted): for rows in these leaves, the least targets that reach each share."""
        parts = [
            self._quantiles(leaves[start : start + ROWS_AT_ONCE], wanted)
            for start in range(0, len(leaves), ROWS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.empty((0, len(wanted)))

    def _quantiles(self, leaves: Leaves, wanted: Float64Array) -> Float64Array:
        weights = csr_array(leaf_table(leaves, self.n_nodes) @ self.shares)
        weights.sort_indices()  # targets in rising order
        reached = np.concatenate([[0.0], np.cumsum(weights.data)])
        low, high = reached[weights.indptr[:-1]], reached[weights.indptr[1:]]
        goal = low[:, None] + (high - low)[:, None] * wanted - ROUNDING
        at = np.searchsorted(reached, goal, side="left") - 1
        last = weights.indptr[1:] - 1
        at = np.clip(at, weights.indptr[:-1, None], last[:, None])
        found: Float64Array = self.targets[weights.indices[at]]
        return found


def checked_shares(quantiles: Any) -> Float64Array:
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
