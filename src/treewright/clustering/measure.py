"""The distance of two rows: the contribution of each column."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.weights import in_range, weighted_deviation, weighted_variance
from treewright.errors import DataError
from treewright.neighbors.distances import LEAST_RANGE

LARGEST = 1e140  # larger numbers would make sums of squares overflow
COUNTS_NOTHING = float(np.finfo(np.float64).max)  # divisor of an ignored column


@dataclass(frozen=True, slots=True)
class Measure:
    """The squared distance of two rows, a sum over their columns.

    A numeric column adds ((x - y) / divisor) squared, a nominal one `gamma` if the categories
    differ. A missing value in one of the rows adds nothing.
    """

    n_levels: NDArray[np.int32]  # of each column; -1 for a numeric one
    divisors: Floats  # of numeric columns; 1 for nominal ones
    gamma: float

    @classmethod
    def of(cls, schema: Schema, divisors: Floats, gamma: float) -> "Measure":
        levels = [-1 if spec.is_numeric else len(spec.levels) for spec in schema.columns]
        return cls(np.array(levels, dtype=np.int32), divisors, gamma)

    @property
    def is_nominal(self) -> NDArray[np.bool_]:
        return self.n_levels >= 0

    @property
    def divisors_if_any(self) -> Floats | None:
        return None if (self.divisors == 1).all() else self.divisors

    @property
    def factors(self) -> Floats:
        """Factors of numeric differences, and the contribution of a different category."""
        return np.where(self.is_nominal, self.gamma, 1.0 / self.divisors)

    def squares(self, differences: Floats) -> Floats:
        """The contribution of each column (the last axis) to the squared distance."""
        levels = np.where(differences != 0, self.gamma, 0.0)
        return np.where(self.is_nominal, levels, (differences / self.divisors) ** 2)


def divisors_of(table: Table, weights: Floats | None, scale: str | None) -> Floats:
    """The divisor of each column: its standard deviation ("standard"), its range, or 1.

    A constant column keeps 1. A column without values is ignored for new rows, too: its divisor is
    the largest number.
    """
    divisors = np.ones(table.n_columns)
    for at, column in enumerate(table.columns):
        if not isinstance(column, NumericColumn):
            continue
        if column.value(0) is None and column.n_missing == table.n_rows:
            divisors[at] = COUNTS_NOTHING
        elif scale is not None:
            divisors[at] = divisor_of(column, weights, scale)
    return divisors


def divisor_of(column: NumericColumn, weights: Floats | None, scale: str) -> float:
    """The standard deviation or range of the known values, or 1."""
    values, own = known_values(column, weights)
    if values.min() == values.max():
        return 1.0
    spread = float(np.ptp(values)) if scale == "range" else weighted_deviation(values, own)
    too_small = np.finfo(np.float64).tiny  # rows that differ have almost no weight
    return 1.0 if spread < too_small else spread


def gamma_of(table: Table, weights: Floats | None, divisors: Floats) -> float:
    """The gamma with which nominal and numeric columns have the same influence on average.

    The mean variance of the scaled numeric columns divided by the mean probability that two rows
    differ in a nominal column; 1 if either is zero.
    """
    spread = mean_variance(table, weights, divisors)
    chances = [
        chance_to_differ(column, weights)
        for column in table.columns
        if isinstance(column, NominalColumn)
    ]
    chance = float(np.mean(chances or [0.0]))
    return spread / chance if spread > 0 and chance > 0 else 1.0


def mean_variance(table: Table, weights: Floats | None, divisors: Floats) -> float:
    """The mean variance of the scaled numeric columns."""
    spreads = []
    for column, divisor in zip(table.columns, divisors, strict=True):
        if isinstance(column, NumericColumn):
            values, own = known_values(column, weights)
            if len(values):
                spreads.append(weighted_variance(values / divisor, own))
    return float(np.mean(spreads or [0.0]))


def known_values(column: NumericColumn, weights: Floats | None) -> tuple[Floats, Floats | None]:
    """The known values of a column, and their weights."""
    values = np.asarray(column.values, dtype=np.float64)
    known = ~np.isnan(values)
    if known.all():
        return values, weights
    return values[known], None if weights is None else weights[known]


def chance_to_differ(column: NominalColumn, weights: Floats | None) -> float:
    """The probability that two rows drawn with replacement differ in category."""
    known = column.codes >= 0
    own, _ = in_range(None if weights is None else weights[known])
    shares = np.bincount(column.codes[known], own)
    if not shares.any():
        return 0.0
    shares = shares / shares.sum()
    return float(1.0 - (shares * shares).sum())


def check_numbers(table: Table) -> bool:
    """Whether all columns are numeric without missing values; raise if a number is too large."""
    if table.matrix is not None:
        low, high = float(table.matrix.min()), float(table.matrix.max())  # NaN if any value is
        if low >= -LARGEST and high <= LARGEST:
            return True
    is_whole = True
    for column in table.columns:
        if isinstance(column, NumericColumn):
            check_column(column)
            is_whole = is_whole and not np.isnan(column.values).any()
        else:
            is_whole = False
    return is_whole


def check_column(column: NumericColumn) -> None:
    """Raise for infinite numbers, and for numbers whose squares overflow."""
    too_large = np.abs(column.values) > LARGEST
    if too_large.any():
        row = int(too_large.argmax())
        raise DataError(
            f"{column.values[row]:g} in column `{column.name}`, row {row}: distances from this "
            "number overflow",
            hint="leave the row out, replace the number by a missing value, or rescale the column",
        )


def check_range(table: Table, divisors: Floats) -> None:
    """Raise if rows differ by so little that all squared distances are 0."""
    widest, name = 0.0, ""
    for column, divisor in zip(table.columns, divisors, strict=True):
        if not isinstance(column, NumericColumn):
            return
        values, _ = known_values(column, None)
        width = float(np.ptp(values)) / divisor if len(values) else 0.0
        if width >= LEAST_RANGE:
            return
        if width > widest:
            widest, name = width, column.name
    if widest > 0:
        raise DataError(
            f"column `{name}`: its numbers differ by {widest:g} at most, no other column by more, "
            "and squares of that are 0",
            hint='use scale="range", or another unit for the column',
        )
