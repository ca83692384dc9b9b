"""Encode cells as the numbers that splits and equations use.

A missing value is replaced by the mean of its column, or by its most frequent category. Categories
are ranked by the mean target of their rows, ordered ones by their own order. A split, and a term of
an equation, separate the first of them from the rest.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.fill_statistics import fill_of
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.errors import ModelFileError
from treewright.estimators.training import TrainingRows

Int64Array = NDArray[np.int64]
Rows = Table | NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """How the cells of each column become numbers."""

    schema: Schema
    fills: Floats  # (n_columns,) what replaces a missing value: a number or a code
    rank_starts: Int64Array  # (n_columns + 1,) where the ranks of a column begin
    level_ranks: Int64Array

    @classmethod
    def of(cls, rows: TrainingRows, y: Floats) -> Self:
        """The coding for these rows and targets."""
        table = rows.table
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        fills = np.zeros(table.n_columns)
        ranks: list[Int64Array] = []
        for at, column in enumerate(table.columns):
            fill = fill_of(column, weights, "mean")
            if isinstance(column, NumericColumn):
                fills[at] = 0.0 if fill is None else float(fill)
                ranks.append(np.zeros(0, dtype=np.int64))
            else:
                fills[at] = 0 if fill is None else column.levels.index(fill)
                ranks.append(ranks_of(column, int(fills[at]), weights, y))
        starts = np.cumsum([0, *map(len, ranks)], dtype=np.int64)
        schema = Schema.of(table, rows.target.format)
        return cls(schema, fills, starts, np.concatenate([*ranks, np.zeros(0, np.int64)]))

    def ranks(self, at: int) -> Int64Array:
        """The rank of each category of a column."""
        return self.level_ranks[self.rank_starts[at] : self.rank_starts[at + 1]]

    def upper_levels(self, at: int, cut: int) -> tuple[Any, ...]:
        """The categories of a column from a rank on."""
        levels = self.schema.columns[at].levels
        return tuple(
            level for level, rank in zip(levels, self.ranks(at), strict=True) if rank >= cut
        )

    def numbers(self, rows: Rows, at: int) -> Floats:
        """One column as numbers without missing values: values, or ranks of categories."""
        if isinstance(rows, np.ndarray):
            return self._filled(rows[:, at], at)
        if rows.matrix is not None:
            return self._filled(rows.matrix[:, at], at)
        column = rows.columns[at]
        if isinstance(column, NumericColumn):
            return self._filled(column.values, at)
        codes = np.where(column.codes < 0, int(self.fills[at]), column.codes)
        ranks = self.ranks(at)
        return ranks[codes].astype(np.float64) if len(ranks) else np.zeros(len(codes))

    def _filled(self, values: NDArray[Any], at: int) -> Floats:
        numbers = np.asarray(values, dtype=np.float64)
        return np.where(np.isnan(numbers), self.fills[at], numbers)

    def fill_number(self, at: int) -> float:
        """What replaces a missing value in a split: a value, or a rank."""
        ranks = self.ranks(at)
        return float(ranks[int(self.fills[at])]) if len(ranks) else float(self.fills[at])

    def check(self) -> None:
        """Raise unless fills and ranks are those of the columns."""
        n_levels = np.array([len(spec.levels) for spec in self.schema.columns], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(n_levels)])
        if len(self.fills) != len(n_levels) or not np.array_equal(self.rank_starts, starts):
            raise ModelFileError("learned: fills and ranks are not those of the columns")
        if len(self.level_ranks) != starts[-1]:
            raise ModelFileError("learned: a category has no rank")
        for at, (spec, fill) in enumerate(zip(self.schema.columns, self.fills, strict=True)):
            ranks = self.ranks(at)
            if not np.array_equal(np.sort(ranks), np.arange(len(ranks))):
                raise ModelFileError(f"learned: the categories of `{spec.name}` have no order")
            if len(ranks) and fill not in range(len(ranks)):
                raise ModelFileError(f"learned: `{spec.name}` is filled by no category of it")


def ranks_of(column: NominalColumn, fill: int, weights: Floats, y: Floats) -> Int64Array:
    """The rank of each category by its mean of y; without rows, it has the mean of all."""
    n_levels = len(column.levels)
    if column.ordered or n_levels == 0:
        return np.arange(n_levels, dtype=np.int64)
    codes = np.where(column.codes < 0, fill, column.codes)
    total = np.bincount(codes, weights, n_levels)
    sums = np.bincount(codes, weights * y, n_levels)
    means = np.full(n_levels, sums.sum() / total.sum())
    np.divide(sums, total, out=means, where=total > 0)
    ranks = np.empty(n_levels, dtype=np.int64)
    ranks[np.argsort(means, kind="stable")] = np.arange(n_levels)
    return ranks
