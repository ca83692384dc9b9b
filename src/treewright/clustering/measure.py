"""How far two rows are apart: what each column counts."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.weights import in_range, weighted_deviation, weighted_variance
from treewright.errors import DataError
from treewright.neighbors.distances import LEAST_RANGE

LARGEST = 1e140  # of a number: sums of squares must stay numbers
COUNTS_NOTHING = float(np.finfo(np.float64).max)  # as a divisor: even LARGEST over it squares to 0


@dataclass(frozen=True, slots=True)
class Measure:
    """The squared distance of two rows, a sum over their columns.

    A numeric column adds ((x - y) / divisor) squared, a nominal one `gamma` where the levels
    differ, and a column with a hole in one of the rows adds nothing.
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
    def of_divided(self) -> "Measure":
        """The same distances, of numbers that are divided already."""
        return replace(self, divisors=np.ones_like(self.divisors))

    @property
    def factors(self) -> Floats:
        """What differences of numbers are multiplied by, and what another level counts."""
        return np.where(self.is_nominal, self.gamma, 1.0 / self.divisors)

    def squares(self, differences: Floats) -> Floats:
        """What each column (the last axis) adds to the squared distance."""
        levels = np.where(differences != 0, self.gamma, 0.0)
        return np.where(self.is_nominal, levels, (differences / self.divisors) ** 2)


def divisors_of(table: Table, weights: Floats | None, scale: str | None) -> Floats:
    """What the numbers of each column are divided by: 1 where nothing else is asked for.

    "standard" is the standard deviation of the known values, "range" the largest less the least.
    A column that is the same everywhere keeps 1. One without any value has taught nothing, so
    values that come later must not count: it is divided by the largest number.
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
    """The spread of the known values, or 1."""
    values, own = known_values(column, weights)
    if values.min() == values.max():
        return 1.0
    spread = float(np.ptp(values)) if scale == "range" else weighted_deviation(values, own)
    too_small = np.finfo(np.float64).tiny  # what differs weighs nothing beside the rest
    return 1.0 if spread < too_small else spread


def gamma_of(table: Table, weights: Floats | None, divisors: Floats) -> float:
    """The gamma by which a nominal column counts as much as a numeric one, on average.

    The mean variance of the numeric columns, as they are divided, over the mean chance that two
    rows differ in a nominal column; 1 where either is nothing.
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
    """The mean of the variances of the numeric columns, as they are divided."""
    spreads = []
    for column, divisor in zip(table.columns, divisors, strict=True):
        if isinstance(column, NumericColumn):
            values, own = known_values(column, weights)
            if len(values):
                spreads.append(weighted_variance(values / divisor, own))
    return float(np.mean(spreads or [0.0]))


def known_values(column: NumericColumn, weights: Floats | None) -> tuple[Floats, Floats | None]:
    """The numbers that are there, and their weights."""
    values = np.asarray(column.values, dtype=np.float64)
    known = ~np.isnan(values)
    if known.all():
        return values, weights
    return values[known], None if weights is None else weights[known]


def chance_to_differ(column: NominalColumn, weights: Floats | None) -> float:
    """The chance that two rows, drawn with replacement, have different levels."""
    known = column.codes >= 0
    own, _ = in_range(None if weights is None else weights[known])
    shares = np.bincount(column.codes[known], own)
    if not shares.any():
        return 0.0
    shares = shares / shares.sum()
    return float(1.0 - (shares * shares).sum())


def check_numbers(table: Table) -> bool:
    """Whether there are no holes in a table of numbers; raise if one has no distance."""
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
    """Raise for infinities, and for numbers whose squares would be."""
    too_large = np.abs(column.values) > LARGEST
    if too_large.any():
        row = int(too_large.argmax())
        raise DataError(
            f"{column.values[row]:g} in column `{column.name}`, row {row}: distances from this "
            "number are beyond all numbers",
            hint="leave the row out, put a hole in its place, or divide the column",
        )


def check_range(table: Table, divisors: Floats) -> None:
    """Raise if rows differ, but in every column by so little that all squared distances are 0."""
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
