"""Distances between rows of numbers, categories and missing values.

Every distance combines the differences of the columns. Two categories differ by 0 if they are
equal and by 1 if not; two numbers differ by their scaled difference. Ordered categories count as
numbers: their positions in the order.
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
from treewright.estimators.rows import check_finite

Flags = NDArray[np.bool_]

LEAST_RANGE = 1e-140  # of a column: squared differences must not underflow

MEASURES = {
    "heom": Measure(squares=True, missing="one"),
    "euclidean": Measure(squares=True, missing="one"),  # without categories and missing values
    "manhattan": Measure(squares=False, missing="one"),
    "gower": Measure(squares=False, missing="left_out"),
    "ibl": Measure(squares=True, missing="farthest"),
}
IN_WORDS = {
    "heom": "the root of the sum of squared differences; a missing value differs by 1",
    "euclidean": "the root of the sum of squared differences",
    "manhattan": "the sum of the differences; a missing value differs by 1",
    "gower": "the mean of the differences over the columns known in both rows",
    "ibl": "the root of the sum of squared differences; a missing value differs by the maximum",
}


def level_columns(schema: Schema) -> NDArray[np.uint8]:
    """For each column 1 if it is nominal, 0 if it counts as numbers."""
    return np.array([spec.kind == "nominal" for spec in schema.columns], dtype=np.uint8)


def matrix_of(rows: Table | NDArray[np.floating]) -> Floats:
    """(n_rows, n_columns): numbers and codes of categories, NaN for missing values."""
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
    """Raise for a distance that needs another scale."""
    if distance == "ibl" and scale != "range":
        raise ParameterError(
            f'metric="ibl" does not work with scale={scale!r}: the largest possible difference '
            "of a missing number is only known for numbers from 0 to 1",
            hint='use scale="range", or metric="heom"',
        )


def check_plain(rows: Floats, schema: Schema) -> None:
    """Raise for categories and missing values, which have no Euclidean distance."""
    levels = [spec.name for spec in schema.columns if spec.kind == "nominal"]
    if levels:
        raise DataError(
            f'column `{levels[0]}` holds categories, but metric="euclidean" is for numbers',
            hint='metric="heom" is the same for numbers, and allows categories and missing values',
        )
    is_missing = np.isnan(rows)
    if is_missing.any():
        row, column = (int(at) for at in np.argwhere(is_missing)[0])
        raise DataError(
            f"column `{schema.names[column]}`, row {row}: a missing value, but "
            'metric="euclidean" needs all values',
            hint='metric="heom" is the same without missing values',
        )


def check_range(rows: Floats, schema: Schema, distance: str) -> None:
    """Raise for unscaled numbers that are so close that their squared differences are 0."""
    if not MEASURES[distance].squares:
        return
    for spec, values in zip(schema.columns, rows.T, strict=True):
        known = values[np.isfinite(values)]
        width = float(np.ptp(known)) if spec.kind != "nominal" and len(known) else 0.0
        if 0 < width < LEAST_RANGE:
            raise DataError(
                f"column `{spec.name}`: its numbers differ by at most {width:g}, and the square "
                "of that is 0",
                hint='use scale="range", metric="manhattan", or another unit for the column',
            )


def column_differences(one: Floats, rows: Floats, is_level: Flags, missing: str) -> Floats:
    """(n_rows, n_columns): the difference of each row from `one`; NaN for columns left out."""
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
    """(n_rows,): the distances from the differences of the columns."""
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
    """For each column the number to subtract, and the number to divide by.

    A column with a single value has width 0, and all its numbers become 0. Nominal columns have
    origin 0 and width 1: codes do not change.
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
        """Whether any number changes."""
        return bool(self.origin.any() or (self.width != 1).any())

    def apply(self, rows: Floats) -> Floats:
        """The scaled rows; infinite values stay infinite."""
        if not self.changes:
            return rows
        with np.errstate(over="ignore"):
            scaled: Floats = (rows - self.origin) / np.where(self.width == 0, 1.0, self.width)
        constant = (self.width == 0) & np.isfinite(rows)
        if constant.any():
            scaled[constant] = 0.0
        return scaled


def rows_and_scale(
    table: Table, schema: Schema, metric: str, how: str | None, weights: Floats | None, user: str
) -> tuple[Floats, Scale]:
    """The rows of a training table as a checked matrix, and the scale for them."""
    check_distance(metric, how)
    check_finite(table, user)
    rows = matrix_of(table)
    if metric == "euclidean":
        check_plain(rows, schema)
    if how is None:
        check_range(rows, schema, metric)
    return rows, Scale.of(rows, level_columns(schema), how, weights)


def by_range(values: Floats, _: Floats | None) -> tuple[float, float]:
    """From 0 for the smallest number to 1 for the largest."""
    low, high = float(values.min()), float(values.max())
    if high - low > LARGEST:  # the range itself overflows
        return 0.0, max(-low, high)
    return low, high - low


def by_deviation(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean 0 and standard deviation 1, of the training rows."""
    size = float(np.abs(values).max())
    if size == 0 or (values == values[0]).all():
        return float(values[0]), 0.0
    mean = weighted_mean(values / size, weights) * size  # sums stay in range
    return mean, weighted_deviation(values, weights)
