"""Values that replace missing ones: pure functions of a column and the row weights.

A row of weight 2 counts as two rows; a row of weight 0 is ignored.
"""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import Column, Level, NominalColumn, NumericColumn
from treewright.data.cut_points import midpoint

Fill = float | Level  # replaces a missing value; for dates a number in their unit


def fill_of(column: Column, weights: Floats, strategy: str) -> Fill | None:
    """The mean, the median or the most frequent value of a column; None if it has no value.

    Nominal columns have no mean, and no median unless they are ordered: the most frequent
    category is used for both. Infinities are values, but a mean ignores them.

    >>> age = NumericColumn("age", np.array([20.0, 30.0, np.nan, 70.0]))
    >>> fill_of(age, np.ones(4), "mean"), fill_of(age, np.ones(4), "median")
    (40.0, 30.0)
    """
    known = ~np.asarray(column.is_missing) & (weights > 0)
    if isinstance(column, NominalColumn):
        return level_to_fill(column, known, weights, strategy)
    values = np.asarray(column.values, dtype=np.float64)
    if strategy == "mean":
        known &= np.isfinite(values)
    if not known.any():
        return None
    number = OF_NUMBERS[strategy](values[known], weights[known])
    return float(np.rint(number)) if column.unit else number


def level_to_fill(
    column: NominalColumn, known: NDArray[np.bool_], weights: Floats, strategy: str
) -> Level | None:
    """The median of ordered levels where that is asked for, else the most frequent one."""
    if not known.any():
        return None
    if strategy == "median" and column.ordered:
        code, _ = middle_values(column.codes[known].astype(np.float64), weights[known])
        return column.levels[int(code)]
    counts = np.bincount(column.codes[known], weights[known])
    return column.levels[int(np.argmax(counts))]


def mean(values: Floats, weights: Floats) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(np.average(values, weights=weights))
    if np.isfinite(found):
        return found
    size = float(np.abs(values).max())  # sums beyond the largest number: shares of the largest
    return float(np.average(values / size, weights=weights / weights.max())) * size


def median(values: Floats, weights: Floats) -> float:
    """Half-way between the two values in the middle, if there are two."""
    low, high = middle_values(values, weights)
    return midpoint(low, high) if low < high else low


def middle_values(values: Floats, weights: Floats) -> tuple[float, float]:
    """The least value that half of the weight does not exceed, and that more than half does not.

    Scaling rounds the weights, so two equal halves may differ in their last digits.
    """
    order = np.argsort(values, kind="stable")
    running = np.cumsum(weights[order] / weights.max())
    half, rounding = running[-1] / 2, 1e-12 * running[-1]
    low, high = np.searchsorted(running, [half - rounding, half + rounding])
    high = min(high, len(values) - 1)
    return float(values[order[low]]), float(values[order[high]])


def mode(values: Floats, weights: Floats) -> float:
    """The most frequent value; of equally frequent ones the least."""
    distinct, place = np.unique(values, return_inverse=True)
    return float(distinct[np.argmax(np.bincount(place, weights))])


OF_NUMBERS = {"mean": mean, "median": median, "mode": mode}


def fills_by_class(
    column: Column, weights: Floats, strategy: str, codes: NDArray[Any], n_classes: int
) -> list[Fill | None]:
    """The fill value for each class; None for a class without any value."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=n_classes))
    return [
        fill_of(column.take(rows), weights[rows], strategy) for rows in np.split(order, ends[:-1])
    ]


def filled(column: Column, fill: Fill, rows: NDArray[np.bool_] | None = None) -> Column:
    """The column with its missing values filled, or only those in `rows`.

    >>> town = NominalColumn("town", np.array([0, -1], dtype=np.int32), ("Ulm",))
    >>> filled(town, "Bonn").to_numpy().tolist()
    ['Ulm', 'Bonn']
    """
    missing = np.asarray(column.is_missing)
    if rows is not None:
        missing = missing & rows
    if not missing.any():
        return column
    if isinstance(column, NumericColumn):
        values = np.asarray(column.values, dtype=np.float64)
        return replace(column, values=np.where(missing, float(fill), values))
    level = cast(Level, fill)
    if level not in column.levels:
        column = replace(column, levels=(*column.levels, level))
    code = column.levels.index(level)
    return replace(column, codes=np.where(missing, code, column.codes).astype(np.int32))
