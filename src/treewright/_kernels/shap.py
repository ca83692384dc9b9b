"""Shapley values of one tree, by compiled code."""

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native
from treewright._kernels.predictor import FlatTree, RowArrays
from treewright.arrays import Floats


class ShapTree:
    """A tree arranged for computing Shapley values."""

    __slots__ = ("_native",)

    def __init__(
        self,
        tree: FlatTree,
        predictions: Floats,
        n_levels: NDArray[np.int32],
        *,
        unseen_to_majority: bool = False,
    ) -> None:
        """`predictions` are (n_nodes, n_values); `n_levels` per column, -1 for a numeric one."""
        self._native = _native.ShapTree(tree, predictions, n_levels, unseen_to_majority)

    def expected(self) -> Floats:
        """(n_values,): the base value, if no column is known: the mean by training weight."""
        return np.asarray(self._native.expected(), dtype=np.float64)

    def add_by_weight(self, rows: RowArrays, out: Floats, n_threads: int = 1) -> None:
        """Add to `out` (n_rows, n_columns, n_values); training rows stand for unknown columns."""
        self._native.add_by_weight(rows, out, n_threads)

    def add_of_pairs(self, rows: RowArrays, out: Floats, n_threads: int = 1) -> None:
        """Add half of each interaction to `out` (n_rows, n_columns, n_columns, n_values)."""
        self._native.add_of_pairs(rows, out, n_threads)

    def add_against(
        self, rows: RowArrays, background: RowArrays, out: Floats, n_threads: int = 1
    ) -> None:
        """Add to `out` (n_rows, n_columns, n_values); background rows stand for unknown columns."""
        self._native.add_against(rows, background, out, n_threads)
