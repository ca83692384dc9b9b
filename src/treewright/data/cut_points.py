"""Where to cut a numeric column into intervals: pure functions of values and weights.

Cuts rise, and a value up to and including a cut lies below it. A row of weight 2
counts as two rows; rows of weight 0 and missing values (NaN) are ignored.
"""

from collections.abc import Iterable
from itertools import pairwise
from math import floor, isfinite, isinf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import Floats
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.printed_thresholds import NONE_PRINTED, PrintedThresholds
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError

LARGEST = float(np.finfo(np.float64).max)
MAX_PROTOTYPES = 2048  # distinct values that k-means distinguishes


def equal_width_cuts(values: ArrayLike, weights: ArrayLike | None, n_bins: int) -> Floats:
    """Cuts into intervals of the same width between the least and the largest value.

    >>> equal_width_cuts([0, 1, 2, 10], None, 4).tolist()
    [2.5, 5.0, 7.5]
    """
    _check_bins(n_bins)
    known, _ = _known(values, weights)
    known = known[np.isfinite(known)]
    if len(known) == 0:
        return np.empty(0)
    low, high = float(known.min()), float(known.max())
    part = np.arange(1, n_bins) / n_bins
    cuts = np.unique(low * (1 - part) + high * part)
    return cuts[(cuts >= low) & (cuts < high)]


def equal_frequency_cuts(values: ArrayLike, weights: ArrayLike | None, n_bins: int) -> Floats:
    """Cuts into intervals of about the same weight; equal values stay together.

    >>> equal_frequency_cuts([1, 1, 1, 2, 3, 4], None, 2).tolist()
    [1.5]
    """
    _check_bins(n_bins)
    distinct, weight = _distinct(*_known(values, weights))
    if len(distinct) < 2:
        return np.empty(0)
    below = np.cumsum(weight)  # weight up to and including each value
    wanted = below[-1] * np.arange(1, n_bins) / n_bins
    # The boundary whose weight is nearest to what is wanted; the lower one of two.
    above = np.clip(np.searchsorted(below[:-1], wanted), 0, len(distinct) - 2)
    under = np.maximum(above - 1, 0)
    is_under = wanted - below[under] <= np.abs(below[above] - wanted)
    chosen = np.unique(np.where(is_under, under, above))
    return np.array([midpoint(distinct[at], distinct[at + 1]) for at in chosen])


def kmeans_cuts(values: ArrayLike, weights: ArrayLike | None, n_bins: int) -> Floats:
    """Cuts half-way between the centers of the best possible k-means clusters.

    On a line the best clusters are found for certain, without a random start. Above 2048
    distinct values, neighbors are merged first.

    >>> kmeans_cuts([1, 2, 3, 50, 51, 90], None, 3).tolist()
    [26.25, 70.25]
    """
    _check_bins(n_bins)
    known, weight = _known(values, weights)
    finite = np.isfinite(known)
    points, weight = _prototypes(*_distinct(known[finite], weight[finite]))
    if len(points) < 2:
        return np.empty(0)
    starts = _best_clusters(points, weight, min(n_bins, len(points)))
    mass = np.add.reduceat(weight, starts)
    centers = np.add.reduceat(weight * points, starts) / mass
    return np.unique([midpoint(a, b) for a, b in pairwise(centers)])


def given_cuts(cuts: ArrayLike, *, column: str) -> Floats:
    """The user's own cuts for `column`, checked."""
    array = np.asarray(cuts, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all() or (np.diff(array) <= 0).any():
        raise ParameterError(
            f"cut_points of `{column}` are {array.tolist()}; they must be finite and rising"
        )
    return array


def midpoint(lower: float, upper: float) -> float:
    """A finite number in [lower, upper), half-way where arithmetic allows."""
    lower, upper = float(lower), float(upper)
    if isinf(lower) and isinf(upper):
        return 0.0
    if isinf(lower):
        return -LARGEST
    if isinf(upper):
        return LARGEST
    half = (upper - lower) / 2
    middle = lower + half if isfinite(half) else lower / 2 + upper / 2
    return middle if middle < upper else lower


def interval_codes(values: ArrayLike, cuts: Floats) -> NDArray[np.int32]:
    """The number of the interval that each value lies in; -1 where it is missing.

    >>> interval_codes([1.0, 2.5, 3.0, float("nan")], np.array([2.5])).tolist()
    [0, 0, 1, -1]
    """
    array = np.asarray(values)
    codes = np.searchsorted(cuts, array, side="left").astype(np.int32)
    codes[np.isnan(array)] = -1
    return codes


def _best_clusters(points: Floats, weight: Floats, n_clusters: int) -> NDArray[np.intp]:
    """First point of each of the clusters with the least sum of squares.

    cost[j] is the best for points 0 .. j with one cluster fewer; the last cluster starts at
    the i that makes cost[i - 1] + (squares of i .. j) least, and i never falls as j rises.
    """
    points = points - np.average(points, weights=weight)  # keeps the squares small
    mass = np.concatenate([[0.0], np.cumsum(weight)])
    first = np.concatenate([[0.0], np.cumsum(weight * points)])
    second = np.concatenate([[0.0], np.cumsum(weight * points**2)])

    def squares(start: NDArray[np.intp], stop: int) -> Floats:
        of_mean = np.square(first[stop] - first[start]) / (mass[stop] - mass[start])
        return np.asarray(np.maximum(second[stop] - second[start] - of_mean, 0.0))

    n = len(points)
    origin = np.zeros(1, dtype=np.intp)
    cost = np.array([squares(origin, stop)[0] for stop in range(1, n + 1)])
    layers: list[NDArray[np.intp]] = []
    for layer in range(1, n_clusters):
        start_of = np.zeros(n, dtype=np.intp)
        new_cost = np.full(n, np.inf)
        low = layer
        for last in range(layer, n):
            starts = np.arange(low, last + 1)
            costs = cost[starts - 1] + squares(starts, last + 1)
            at = int(np.argmin(costs))
            start_of[last], new_cost[last] = starts[at], costs[at]
            low = int(starts[at])
        layers.append(start_of)
        cost = new_cost
    starts_found, last = [], n - 1
    for start_of in reversed(layers):
        starts_found.append(int(start_of[last]))
        last = starts_found[-1] - 1
    return np.array([0, *reversed(starts_found)], dtype=np.intp)


def _prototypes(distinct: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Runs of neighboring values as their means, so that at most MAX_PROTOTYPES are left."""
    if len(distinct) <= MAX_PROTOTYPES:
        return distinct, weight
    starts = np.linspace(0, len(distinct), MAX_PROTOTYPES, endpoint=False).astype(np.intp)
    mass = np.add.reduceat(weight, starts)
    return np.add.reduceat(weight * distinct, starts) / mass, mass


def _known(values: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    array = np.asarray(values, dtype=np.float64)
    weight = np.ones(len(array)) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(weight) != len(array):
        raise DataError(f"there are {len(array)} values and {len(weight)} weights")
    kept = ~np.isnan(array) & (weight > 0)
    return array[kept], weight[kept]


def _distinct(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """The distinct values in rising order, with the weight of each."""
    distinct, group = np.unique(values, return_inverse=True)
    of_each = np.bincount(group, weight, len(distinct))
    return distinct, np.asarray(of_each, dtype=np.float64)


def _check_bins(n_bins: int) -> None:
    if n_bins < 2:
        raise ParameterError(f"n_bins={n_bins} is below 2")


def interval_column(
    column: NumericColumn, cuts: ArrayLike, printed: PrintedThresholds | None = None
) -> NominalColumn:
    """The column as ordered levels, one for each interval between the cuts.

    `printed` says how the cuts are printed; None: exactly.

    >>> age = NumericColumn("age", np.array([20.0, 40.0, np.nan]))
    >>> interval_column(age, [30.0]).levels
    ('(-inf, 30]', '(30, inf)')
    """
    edges = np.asarray(cuts, dtype=np.float64)
    return NominalColumn(
        column.name,
        interval_codes(column.values, edges),
        interval_labels(column, edges, printed),
        ordered=True,
        declared=True,
        origin=f"numbers cut at {len(edges)} points",
    )


def interval_labels(
    column: NumericColumn, cuts: Floats, printed: PrintedThresholds | None = None
) -> tuple[str, ...]:
    """`(-inf, 2.5]`, `(2.5, 4]`, `(4, inf)`: the upper end belongs to the interval."""
    edges = ["-inf", *_edge_texts(column, cuts, printed or NONE_PRINTED), "inf"]
    closing = ["]"] * len(cuts) + [")"]
    return tuple(
        f"({low}, {high}{end}" for (low, high), end in zip(pairwise(edges), closing, strict=True)
    )


def _edge_texts(column: NumericColumn, cuts: Floats, printed: PrintedThresholds) -> list[str]:
    if column.unit:
        # The last date that is not after the cut: where a cut lies between two days,
        # the earlier one is the end of the interval. Two cuts must not look the same.
        dates = [str(column.with_unit(floor(cut))) for cut in cuts]
        return dates if len(set(dates)) == len(dates) else [repr(float(cut)) for cut in cuts]
    return [printed.text(cut) for cut in cuts.tolist()]


class IntervalTable(Table):
    """A table with columns cut into intervals; as an array it holds the intervals' numbers.

    So what follows in a pipeline may be a tree that reads the labels, or any estimator that
    wants numbers.
    """

    __slots__ = ()

    @classmethod
    def of_columns(cls, columns: Iterable[Any], like: Table) -> "IntervalTable":
        """Columns of a table whose names are as real as those of `like`."""
        return cls(tuple(columns), like.n_rows, has_names=like.has_names)

    def __array__(
        self,
        dtype: Any = None,
        copy: bool | None = None,  # noqa: FBT001 -- NumPy's protocol
    ) -> NDArray[Any]:
        if any(column.kind == "nominal" for column in self.columns):
            return super().__array__(dtype, copy)
        columns = [
            np.where(column.is_missing, np.nan, column.codes)
            if isinstance(column, NominalColumn)
            else column.values
            for column in self.columns
        ]
        return np.column_stack(columns).astype(dtype or np.float64, copy=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return IntervalTable._unpickled, (self.columns, self.n_rows, self.has_names)

    @classmethod
    def _unpickled(cls, columns: Any, n_rows: int, has_names: bool) -> "IntervalTable":  # noqa: FBT001
        return cls(columns, n_rows, has_names=has_names)

    def _like(self, columns: Any, n_rows: int) -> "IntervalTable":
        return IntervalTable(columns, n_rows, has_names=self.has_names)
