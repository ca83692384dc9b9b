"""What a tree was grown from: rows, what is to be predicted, weights, settings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.induction.settings import GrowthSettings

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """Some rows, and the part of their weight that is here."""

    rows: Positions
    weights: Floats

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def weight(self) -> float:
        return float(self.weights.sum())

    def where(self, chosen: NDArray[np.bool_]) -> "Share":
        return Share(self.rows[chosen], self.weights[chosen])

    def in_order(self, order: Positions) -> "Share":
        return Share(self.rows[order], self.weights[order])

    def times(self, factor: float) -> "Share":
        return Share(self.rows, self.weights * factor)

    def and_also(self, other: "Share") -> "Share":
        return Share(
            np.concatenate([self.rows, other.rows]), np.concatenate([self.weights, other.weights])
        )


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """The rows of a fit in the columns of its tree, and what growth was asked to do."""

    table: Table
    codes: NDArray[np.int32] | None  # class of each row
    values: Floats | None  # number of each row, where numbers are predicted
    n_classes: int  # 0 where numbers are predicted
    weights: Floats
    settings: GrowthSettings

    @property
    def everything(self) -> Share:
        return Share(np.arange(self.table.n_rows), self.weights)

    def numbers(self, feature: int) -> Floats:
        """A column as numbers: its values or the codes of its levels, NaN where missing."""
        column = self.table.columns[feature]
        if isinstance(column, NumericColumn):
            return np.asarray(column.values, dtype=np.float64)
        return np.where(column.codes < 0, np.nan, column.codes.astype(np.float64))

    def is_nominal(self, feature: int) -> bool:
        """Whether a column is split by its levels, not by a threshold."""
        column = self.table.columns[feature]
        return isinstance(column, NominalColumn) and not column.ordered

    def class_weights(self, share: Share) -> Floats:
        """The weight of each class among some rows."""
        assert self.codes is not None
        return np.bincount(self.codes[share.rows], share.weights, self.n_classes).astype(np.float64)
