"""Distances between rows of numbers, levels and holes: the definitions.

Every distance puts together the differences of the columns. Two levels differ by 0 if they are the
same and by 1 if not; two numbers, already scaled, by what lies between them. Ordered levels are
numbers: their places in the order.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.neighbors import Measure
from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.weights import weighted_deviation, weighted_mean
from treewright.errors import DataError, ParameterError

Flags = NDArray[np.bool_]

LEAST_RANGE = 1e-140  # of a column: squares of what differs in it must not vanish

MEASURES = {
    "heom": Measure(squares=True, missing="one"),
    "euclidean": Measure(squares=True, missing="one"),  # of rows without levels and holes
    "manhattan": Measure(squares=False, missing="one"),
    "gower": Measure(squares=False, missing="left_out"),
    "ibl": Measure(squares=True, missing="farthest"),
}
IN_WORDS = {
    "heom": "the root of the sum of squared differences; a missing value differs by 1",
    "euclidean": "the root of the sum of squared differences",
    "manhattan": "the sum of the differences; a missing value differs by 1",
    "gower": "the mean of the differences over the columns that both rows know",
    "ibl": "the root of the sum of squared differences; a missing value differs as much as it can",
}


def level_columns(schema: Schema) -> NDArray[np.uint8]:
    """Of each column 1 if its values are the same or not, 0 if they are numbers."""
    return np.array([spec.kind == "nominal" for spec in schema.columns], dtype=np.uint8)


def matrix_of(rows: Table | NDArray[np.floating]) -> Floats:
    """(n_rows, n_columns): numbers and codes of levels, NaN where a value is missing."""
    given = rows.matrix if isinstance(rows, Table) else rows
    if given is not None:
        return np.ascontiguousarray(given, dtype=np.float64)
    assert isinstance(rows, Table)
    matrix = np.empty(rows.shape)
    for at, column in enumerate(rows.columns):
        if isinstance(column, NumericColumn):
            matrix[:, at] = column.values
        else:
            matrix[:, at] = np.where(column.codes < 0, np.nan, column.codes)
    return matrix


def check_distance(distance: str, scale: str | None) -> None:
    """Refuse a distance that needs another scale."""
    if distance == "ibl" and scale != "range":
        raise ParameterError(
            f'metric="ibl" and scale={scale!r} do not fit: how far a missing number can be is '
            "known of numbers from 0 to 1 only",
            hint='use scale="range", or metric="heom"',
        )


def check_plain(rows: Floats, schema: Schema) -> None:
    """Refuse what the Euclidean distance of plain numbers cannot do: levels and holes."""
    levels = [spec.name for spec in schema.columns if spec.kind == "nominal"]
    if levels:
        raise DataError(
            f'column `{levels[0]}` holds levels, and metric="euclidean" is for numbers',
            hint='metric="heom" is the same for numbers, and takes levels and holes',
        )
    holes = np.isnan(rows)
    if holes.any():
        row, column = (int(at) for at in np.argwhere(holes)[0])
        raise DataError(
            f"column `{schema.names[column]}`, row {row}: a missing value, and "
            'metric="euclidean" needs all',
            hint='metric="heom" is the same where nothing is missing',
        )


def check_range(rows: Floats, schema: Schema, distance: str) -> None:
    """Refuse numbers that are not scaled and so close that their squared differences are 0."""
    if not MEASURES[distance].squares:
        return
    for spec, values in zip(schema.columns, rows.T, strict=True):
        known = values[np.isfinite(values)]
        width = float(np.ptp(known)) if spec.kind != "nominal" and len(known) else 0.0
        if 0 < width < LEAST_RANGE:
            raise DataError(
                f"column `{spec.name}`: its numbers differ by {width:g} at most, and squares of "
                "that are 0",
                hint='use scale="range", metric="manhattan", or another unit for the column',
            )


def column_differences(one: Floats, rows: Floats, is_level: Flags, missing: str) -> Floats:
    """(n_rows, n_columns): by how much each column of `rows` differs from that of `one`.

    A column that is left out differs by NaN.
    """
    both = ~np.isnan(one) & ~np.isnan(rows)
    with np.errstate(invalid="ignore"):
        differences = np.where(is_level, 1.0, np.abs(rows - one))
    differences = np.where(rows == one, 0.0, differences)
    if missing == "left_out":
        return np.where(both, differences, np.nan)
    otherwise = np.ones(rows.shape)
    if missing == "farthest":
        known = np.where(np.isnan(rows), one, rows)
        can_be = np.maximum(known, 1 - known)
        otherwise = np.where(is_level | np.isnan(known), 1.0, can_be)
    return np.where(both, differences, otherwise)


def distances_by(differences: Floats, measure: Measure) -> Floats:
    """(n_rows,): what the differences of the columns come to."""
    if measure.missing == "left_out":
        n_known = np.count_nonzero(~np.isnan(differences), axis=1)
        sums = np.nansum(differences, axis=1)
        return np.where(n_known > 0, sums / np.maximum(n_known, 1), 1.0)
    if measure.squares:
        roots: Floats = np.sqrt(np.square(differences).sum(axis=1))
        return roots
    return np.asarray(differences.sum(axis=1))


LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True)
class Scale:
    """For each column what is taken off, and what the rest is divided by.

    A width of 0 belongs to a column of one value: it says nothing, and all its numbers become 0.
    Columns of levels have origin 0 and width 1: codes stay as they are.
    """

    origin: Floats
    width: Floats

    @classmethod
    def of(
        cls,
        rows: Floats,
        is_level: NDArray[np.uint8],
        how: str | None,
        weights: Floats | None = None,
    ) -> "Scale":
        """The scale of a training table: by "range", by "standard" deviation, or None."""
        n_columns = rows.shape[1]
        origin, width = np.zeros(n_columns), np.ones(n_columns)
        if how is not None:
            ends = by_range if how == "range" else by_deviation
            for at in np.flatnonzero(is_level == 0):
                known = np.isfinite(rows[:, at])
                of_known = None if weights is None else weights[known]
                if known.any():
                    origin[at], width[at] = ends(rows[known, at], of_known)
        return cls(origin, width)

    @property
    def changes(self) -> bool:
        """Whether any number becomes another."""
        return bool(self.origin.any() or (self.width != 1).any())

    def apply(self, rows: Floats) -> Floats:
        """The rows scaled; infinite values stay so."""
        if not self.changes:
            return rows
        with np.errstate(over="ignore"):
            scaled: Floats = (rows - self.origin) / np.where(self.width == 0, 1.0, self.width)
        constant = (self.width == 0) & np.isfinite(rows)
        if constant.any():
            scaled[constant] = 0.0
        return scaled


def by_range(values: Floats, _: Floats | None) -> tuple[float, float]:
    """From 0 for the smallest number to 1 for the largest."""
    low, high = float(values.min()), float(values.max())
    if high - low > LARGEST:  # the range itself is no number any more
        return 0.0, max(-low, high)
    return low, high - low


def by_deviation(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean 0 and standard deviation 1, of the training rows."""
    size = float(np.abs(values).max())
    if size == 0 or (values == values[0]).all():
        return float(values[0]), 0.0
    mean = weighted_mean(values / size, weights) * size  # sums stay in range
    return mean, weighted_deviation(values, weights)
