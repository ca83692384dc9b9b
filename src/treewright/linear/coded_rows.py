"""Rows of a table as the kernels of linear models take them: numbers scaled, levels as slots."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright._kernels.learners import LinearRows
from treewright.arrays import Floats
from treewright.data.column import NominalColumn
from treewright.data.table import Table
from treewright.data.weights import weighted_mean
from treewright.errors import DataError
from treewright.linear.terms import NominalPlaces, Terms

LANES = 4  # numbers of a row are filled up to a multiple of this
LARGEST = 1e150  # the squares of larger numbers are infinite
LEAST = 1e-150  # part of the largest number that may be a scale: light rows stay in range


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """What is taken from each number, and what it is then divided by."""

    means: Floats  # of the known values: what a missing number counts as
    centers: Floats
    scales: Floats

    @classmethod
    def none(cls, means: Floats) -> "Scaling":
        """Numbers as they are."""
        return cls(means, np.zeros(len(means)), np.ones(len(means)))

    @property
    def centered(self) -> "Scaling":
        """The same scales around the means."""
        return Scaling(self.means, self.means, self.scales)


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """What the kernels go through."""

    numbers: Floats  # (n_rows, 1 + n_numbers, filled up): ones, then scaled numbers
    slots: NDArray[np.int32]  # (n_rows, n_nominal)
    shares: Floats  # (n_rows,) of all weight
    n_numbers: int  # with the ones
    n_slots: int

    @property
    def n_rows(self) -> int:
        return len(self.shares)

    @property
    def n_terms(self) -> int:
        return self.n_numbers + self.n_slots

    def for_kernels(self) -> LinearRows:
        """The rows, checked once for many passes."""
        return LinearRows(self.numbers, self.n_numbers, self.slots, self.n_slots, self.shares)

    def mean_squares(self) -> Floats:
        """The mean square of each number over the rows, by weight."""
        return portable.weighted_sum(self.shares, np.square(self.numbers))


def code_rows(
    terms: Terms,
    table: Table | NDArray[Any],
    scaling: Scaling,
    shares: Floats,
    usual_slots: NDArray[np.int32] | None = None,
) -> CodedRows:
    """The rows of a table that fits the schema; unseen levels (-2) take the usual slot."""
    n_rows, n_numbers = len(table), 1 + terms.n_numbers
    numbers = np.zeros((n_rows, -(-n_numbers // LANES) * LANES))
    numbers[:, 0] = 1.0
    for at, column in enumerate(terms.number_columns):
        values = number_values(terms, table, column)
        filled = np.where(np.isnan(values), scaling.means[at], values)
        numbers[:, 1 + at] = (filled - scaling.centers[at]) / scaling.scales[at]
    slots = np.zeros((n_rows, len(terms.nominal)), dtype=np.int32)
    for at, places in enumerate(terms.nominal):
        assert isinstance(table, Table)
        codes = table.columns[places.column].codes  # type: ignore[union-attr]
        usual = None if usual_slots is None else int(usual_slots[at])
        slots[:, at] = slots_of_codes(codes, places, usual)
    return CodedRows(numbers, slots, shares, n_numbers, terms.n_slots)


def slots_of_codes(
    codes: NDArray[np.int32], places: NominalPlaces, usual: int | None
) -> NDArray[np.int32]:
    """The slot of each row's level; missing values have the last."""
    slots = np.where(codes >= 0, places.first + codes, places.end - 1)
    if usual is not None:
        slots = np.where(codes < -1, usual, slots)
    return slots.astype(np.int32)


def number_values(terms: Terms, table: Table | NDArray[Any], column: int) -> Floats:
    """The numbers of a column, NaN where missing; an infinite one is an error that names it."""
    if not isinstance(table, Table):
        values = np.asarray(table[:, column], dtype=np.float64)
    elif table.matrix is not None:
        values = np.asarray(table.matrix[:, column], dtype=np.float64)
    else:
        found = table.columns[column]
        if isinstance(found, NominalColumn):
            values = np.where(found.codes >= 0, found.codes, np.nan).astype(np.float64)
        else:
            values = np.asarray(found.values, dtype=np.float64)
    too_large = np.abs(values) > LARGEST
    if too_large.any():
        row = int(too_large.argmax())
        raise DataError(
            f"{values[row]:g} in column `{terms.schema.names[column]}`, row {row}: linear models "
            "cannot multiply numbers that large",
            hint="leave the row out, or set the value to missing",
        )
    return values


def scaling_of(
    terms: Terms, table: Table, weights: Floats | None, shares: Floats, *, standardize: bool
) -> Scaling:
    """Mean and standard deviation of each number by weight; missing ones count as the mean."""
    means, scales = np.zeros(terms.n_numbers), np.ones(terms.n_numbers)
    for at, column in enumerate(terms.number_columns):
        values = number_values(terms, table, column)
        known = ~np.isnan(values)
        if not known.any():
            continue
        # From a value of the column itself: a constant column has no spread, to the last digit.
        base = values[int(known.argmax())]
        away = np.where(known, values - base, 0.0)
        largest = float(np.abs(away).max())
        shift = weighted_mean(away[known], None if weights is None else weights[known])
        means[at] = base + shift
        if largest > 0:
            spread = np.where(known, away - shift, 0.0) / largest
            scales[at] = largest * max(float(np.sqrt((shares * np.square(spread)).sum())), LEAST)
    if not standardize:
        return Scaling.none(means)
    return Scaling(means, means.copy(), np.where(scales > 0, scales, 1.0))


def shares_of(weights: Floats | None, n_rows: int) -> Floats:
    """Each row's share of all weight."""
    if weights is None:
        return np.full(n_rows, 1.0 / n_rows)
    parts = weights / weights.max()
    return np.asarray(parts / parts.sum(), dtype=np.float64)
