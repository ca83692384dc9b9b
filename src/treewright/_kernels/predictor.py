"""Prediction by compiled code."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native

# A matrix of float32 or float64, or a list of columns: float32 or float64 where the column is
# numeric, int32 codes where it is nominal or ordered. Any strides.
RowArrays = NDArray[Any] | Sequence[NDArray[Any]]


class FlatTree(Protocol):
    """What has the arrays of `treewright.tree.Tree`; the kernel reads them by name."""

    @property
    def kind(self) -> NDArray[np.uint8]: ...
    @property
    def first_child(self) -> NDArray[np.int32]: ...
    @property
    def n_children(self) -> NDArray[np.int32]: ...


class RowParts(NamedTuple):
    """The nodes where rows end; a row that is spread ends in several parts."""

    row: NDArray[np.int64]
    node: NDArray[np.int32]
    share: NDArray[np.float64]  # of the row; those of one row add up to 1


class Predictor:
    """A tree arranged for walking many rows at once; threads may share it."""

    __slots__ = ("_native", "n_values")

    def __init__(
        self,
        tree: FlatTree,
        predictions: NDArray[np.float64],
        n_levels: NDArray[np.int32],
        *,
        unseen_to_majority: bool = False,
    ) -> None:
        """`predictions` are (n_nodes, n_values); `n_levels` per column, -1 for a numeric one."""
        self._native = _native.Predictor(tree, predictions, n_levels, unseen_to_majority)
        self.n_values = predictions.shape[1]

    def values(self, rows: RowArrays, n_threads: int = 1) -> NDArray[np.float64]:
        """(n_rows, n_values): the prediction of the node each row ends at."""
        out = np.empty((_n_rows(rows), self.n_values))
        self._native.values(rows, out, n_threads)
        return out

    def leaves(self, rows: RowArrays, n_threads: int = 1) -> NDArray[np.int32]:
        """(n_rows,): the node each row ends at; of several, the one with the largest share."""
        out = np.empty(_n_rows(rows), dtype=np.int32)
        self._native.leaves(rows, out, n_threads)
        return out

    def parts(self, rows: RowArrays) -> RowParts:
        """Where every row ends, row by row, the parts of a row from left to right."""
        return RowParts(*self._native.parts(rows))


def _n_rows(rows: RowArrays) -> int:
    if isinstance(rows, np.ndarray):
        return len(rows)
    return len(rows[0]) if rows else 0
