"""Where to cut a numeric column into intervals: pure functions of values, weights and classes.

Cuts rise, and a value up to and including a cut lies below it. A weight of two is the row
twice, a weight of zero the row left out; missing values (NaN) are left out too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, isinf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import DataError, ParameterError

Floats = NDArray[np.float64]

LARGEST = float(np.finfo(np.float64).max)
TIE = 1e-12  # of the total entropy: cuts closer than this are equally good
BLOCK = 1 << 20  # numbers held at once while a column is scanned
MAX_PROTOTYPES = 2048  # distinct values that k-means tells apart


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
    """Cuts half-way between the centres of the best possible k-means clusters.

    On a line the best clusters are found for certain, without a random start. Above 2048
    distinct values, neighbours are merged first.

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
    centres = np.add.reduceat(weight * points, starts) / mass
    return np.unique([midpoint(a, b) for a, b in pairwise(centres)])


def given_cuts(cuts: ArrayLike, *, column: str) -> Floats:
    """The user's own cuts for `column`, checked."""
    array = np.asarray(cuts, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all() or (np.diff(array) <= 0).any():
        raise ParameterError(
            f"cut_points of `{column}` are {array.tolist()}; they must be finite and rising"
        )
    return array


def mdl_cuts(values: ArrayLike, classes: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Cuts that pay for their own description, after Fayyad and Irani (1993).

    The cut that leaves least entropy is kept if its gain exceeds the cost of naming it;
    then both sides are cut in the same way. `classes` are codes from 0 upwards.

    >>> mdl_cuts([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 1, 1, 1, 1]).tolist()
    [4.5]
    >>> mdl_cuts([1, 2, 3, 4], [0, 1, 0, 1]).tolist()
    []
    """
    groups = _ClassGroups.of(values, classes, weights)
    cuts: list[float] = []
    waiting = [(0, len(groups.distinct))]  # ranges of distinct values still to be cut
    while waiting:
        start, stop = waiting.pop()
        cut = groups.best_cut(start, stop)
        if cut is not None and groups.pays_for_itself(start, cut, stop):
            cuts.append(midpoint(groups.distinct[cut - 1], groups.distinct[cut]))
            waiting += [(start, cut), (cut, stop)]
    return np.sort(np.array(cuts, dtype=np.float64))


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


@dataclass(frozen=True, slots=True)
class _ClassGroups:
    """Rows sorted by value. Group g, with one distinct value, is rows first[g] : first[g + 1]."""

    distinct: Floats
    first: NDArray[np.intp]
    classes: NDArray[np.intp]
    weight: Floats
    n_classes: int

    @classmethod
    def of(cls, values: ArrayLike, classes: ArrayLike, weights: ArrayLike | None) -> "_ClassGroups":
        array = np.asarray(values, dtype=np.float64)
        codes = np.asarray(classes, dtype=np.intp)
        weight = np.ones(len(array)) if weights is None else np.asarray(weights, dtype=np.float64)
        order = np.argsort(array, kind="stable")
        order = order[~np.isnan(array[order]) & (weight[order] > 0)]
        distinct, first = np.unique(array[order], return_index=True)
        n_classes = int(codes.max(initial=-1)) + 1
        starts = np.append(first, len(order))
        return cls(distinct, starts, codes[order], weight[order], n_classes)

    def class_weights(self, start: int, stop: int) -> Floats:
        """Weight of each class in the groups start : stop."""
        rows = slice(self.first[start], self.first[stop])
        counts = np.bincount(self.classes[rows], self.weight[rows], self.n_classes)
        return np.asarray(counts, dtype=np.float64)

    def best_cut(self, start: int, stop: int) -> int | None:
        """The group above the cut that leaves least entropy; the lowest on a tie."""
        total = self.class_weights(start, stop)
        if stop - start < 2 or np.count_nonzero(total) < 2:
            return None
        best, least = None, np.inf
        tolerance = TIE * float(_total_entropy(total))
        for at, left in self._running_class_weights(start, stop - 1):
            left_over = _total_entropy(left) + _total_entropy(np.maximum(total - left, 0.0))
            lowest = int(np.argmax(left_over <= left_over.min() + tolerance))
            if left_over[lowest] < least - tolerance:
                best, least = at + lowest + 1, float(left_over[lowest])
        return best

    def _running_class_weights(self, start: int, stop: int) -> Iterator[tuple[int, Floats]]:
        """(first group, class weights from `start` up to each group) in blocks of groups."""
        before = np.zeros(self.n_classes)
        n_groups = max(1, BLOCK // max(self.n_classes, 1))
        for at in range(start, stop, n_groups):
            end = min(at + n_groups, stop)
            rows = slice(self.first[at], self.first[end])
            group = np.repeat(np.arange(end - at), np.diff(self.first[at : end + 1]))
            cell = group * self.n_classes + self.classes[rows]
            counts = np.bincount(cell, self.weight[rows], (end - at) * self.n_classes)
            running = before + counts.reshape(end - at, self.n_classes).cumsum(axis=0)
            yield at, running
            before = running[-1]

    def pays_for_itself(self, start: int, cut: int, stop: int) -> bool:
        """Whether the gain exceeds (log2(N - 1) + delta) / N."""
        whole = self.class_weights(start, stop)
        sides = [self.class_weights(start, cut), self.class_weights(cut, stop)]
        n_places = max(float(whole.sum()) - 1, 1.0)  # below a weight of two, none to pay for
        gain = _total_entropy(whole) - sum(_total_entropy(side) for side in sides)
        n_present = np.count_nonzero(whole)
        delta = np.log2(3.0**n_present - 2) if n_present < 600 else n_present * np.log2(3)
        delta -= _entropy_by_class(whole) - sum(_entropy_by_class(side) for side in sides)
        return bool(gain > np.log2(n_places) + delta)


def _total_entropy(class_weights: Floats) -> Floats:
    """Weight x entropy over the last axis."""
    total = class_weights.sum(axis=-1)
    return np.asarray(_x_log2_x(total) - _x_log2_x(class_weights).sum(axis=-1))


def _entropy_by_class(class_weights: Floats) -> float:
    """Number of classes present x entropy."""
    mean_entropy = float(_total_entropy(class_weights)) / float(class_weights.sum())
    return np.count_nonzero(class_weights) * mean_entropy


def _x_log2_x(x: Floats) -> Floats:
    return np.asarray(x * np.log2(x, out=np.zeros_like(x), where=x > 0))


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
    """Runs of neighbouring values as their means, so that at most MAX_PROTOTYPES are left."""
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
