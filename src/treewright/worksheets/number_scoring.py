"""Impurity of numeric targets: squared error, Poisson deviance, absolute error."""

from abc import abstractmethod
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import measures
from treewright._kernels.learners import number_sides
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.fill_statistics import median
from treewright.worksheets.node_rows import rows_by_part
from treewright.worksheets.scoring import Codes, Mask, ScoredGroup, Scorer, ValuesHere
from treewright.worksheets.training import Share, Training


def distances(values: Floats, weights: Floats) -> float:
    """Sum of weight x distance from the median; `values` are ascending, weights may be 0.

    >>> distances(np.array([1.0, 2.0, 6.0]), np.ones(3))
    5.0
    """
    running = np.cumsum(weights)
    if len(running) == 0 or running[-1] <= 0:
        return 0.0
    median = values[np.searchsorted(running, running[-1] / 2)]
    return float(weights @ np.abs(values - median))


def ranks_of(values: Floats) -> NDArray[np.intp]:
    """The rank of each number in ascending order.

    >>> ranks_of(np.array([6.0, 1.0, 2.0])).tolist()
    [2, 0, 1]
    """
    ranks = np.empty(len(values), dtype=np.intp)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks


def running_distances(
    values: Floats, weights: Floats, ranks: NDArray[np.intp], ends: NDArray[np.intp]
) -> Floats:
    """For each prefix length in `ends`, the sum of distances of its rows from their median.

    `ranks` are the ranks of the rows by value; there may be gaps between them.

    The medians of all prefixes are found together, in log2(rows) steps. Rows are sorted by the
    highest bit of their rank, then by the next one, and so on. After each step a prefix is again a
    range of rows, and the weight of its lower half says which half contains the median.

    >>> values = np.array([6.0, 1.0, 2.0])
    >>> running_distances(values, np.ones(3), ranks_of(values), np.array([0, 1, 2, 3])).tolist()
    [0.0, 0.0, 5.0, 5.0]
    """
    if len(values) == 0:
        return np.zeros(len(ends))
    moments = weights * values
    weight, total = _running(weights)[ends], _running(moments)[ends]
    low, high = np.zeros(len(ends), dtype=np.intp), ends.astype(np.intp)
    weight_below, total_below = np.zeros(len(ends)), np.zeros(len(ends))
    order = np.arange(len(values))
    for bit in reversed(range(int(ranks.max()).bit_length())):
        is_upper = (ranks[order] >> bit & 1).astype(bool)
        n_lower = np.concatenate([[0], np.cumsum(~is_upper)])
        order = np.concatenate([order[~is_upper], order[is_upper]])
        running = _running(weights[order])
        low_below, high_below = n_lower[low], n_lower[high]
        lower_weight = running[high_below] - running[low_below]
        goes_up = weight_below + lower_weight < weight / 2
        totals = _running(moments[order])
        weight_below += np.where(goes_up, lower_weight, 0.0)
        total_below += np.where(goes_up, totals[high_below] - totals[low_below], 0.0)
        first_upper = n_lower[-1]
        low = np.where(goes_up, first_upper + low - low_below, low_below)
        high = np.where(goes_up, first_upper + high - high_below, high_below)
    median = values[order[np.minimum(low, len(order) - 1)]]
    above = (total - total_below) - median * (weight - weight_below)
    below = median * weight_below - total_below
    return np.where(weight > 0, np.maximum(above + below, 0.0), 0.0)


def _running(numbers: Floats) -> Floats:
    running = np.zeros(len(numbers) + 1)
    np.cumsum(numbers, out=running[1:])
    return running


class NumberScorer(Scorer):
    """What the criteria for numeric targets share."""

    def __init__(self, training: Training, share: Share) -> None:
        super().__init__(training, share)
        assert training.values is not None
        self.values = training.values[share.rows]

    @abstractmethod
    def impurity(self, values: Floats, weights: Floats) -> float:
        """Of a group of rows, per unit of weight."""

    @cached_property
    def moments(self) -> Floats:
        """Weight x target of each row."""
        return self.share.weights * self.values

    def sums(self, codes: Codes, n_codes: int) -> Floats:
        n_rows = self._counted_rows(codes, n_codes)
        weight = n_rows if self.is_counted else self._added(codes, n_codes, self.share.weights)
        return np.column_stack([n_rows, weight, self._added(codes, n_codes, self.moments)])

    def groups(self, side_of_row: Codes, n_sides: int) -> list[ScoredGroup]:
        here = Share(np.arange(self.share.n_rows), self.share.weights)
        return [self._group(side) for side in rows_by_part(here, side_of_row, n_sides)]

    def _group(self, side: Share) -> ScoredGroup:
        if side.n_rows == 0:
            return ScoredGroup(0, 0.0, 0.0, 0.0)
        values = self.values[side.rows]
        start = float(values[0])  # makes the mean of equal numbers exact
        mean = start + float(np.average(values - start, weights=side.weights))
        impurity = self.impurity(values, side.weights)
        median = self.median(values, side.weights)
        return ScoredGroup(side.n_rows, side.weight, side.weight, impurity, (), mean, median)

    def median(self, values: Floats, weights: Floats) -> float:
        """NaN unless the criterion is the absolute error."""
        return nan


class SquaresScorer(NumberScorer):
    """Squared distances from the mean."""

    def impurity(self, values: Floats, weights: Floats) -> float:
        return measures.variance(values, weights)

    def groups(self, side_of_row: Codes, n_sides: int) -> list[ScoredGroup]:
        weights = None if self.is_counted else self.share.weights
        sides = np.ascontiguousarray(side_of_row, dtype=np.int32)
        lines: Any = number_sides(self.values, weights, sides, n_sides)
        return [self.group_of_line(line) for line in lines.reshape(n_sides, -1)]

    def group_of_line(self, line: Floats) -> ScoredGroup:
        """The group with this number of rows, weight, mean and sum of squared distances."""
        n_rows, weight, mean, squares = line.tolist()
        if n_rows == 0:
            return ScoredGroup(0, 0.0, 0.0, 0.0)
        return ScoredGroup(int(n_rows), weight, weight, squares / weight, (), mean)

    @cached_property
    def moments(self) -> Floats:
        """Weight x distance from the node's mean, which keeps the sums small."""
        return self.share.weights * (self.values - self.node.mean)

    def totals(self, sums: Floats, whole: Floats) -> Floats:
        # The sum of squares of all rows is the same for every split and is left out.
        _, weight, first = np.moveaxis(sums, -1, 0)
        squares = np.divide(first**2, weight, out=np.zeros_like(first), where=weight > 0)
        return np.asarray(-squares)


class PoissonScorer(NumberScorer):
    """Half of the Poisson deviance, as in growth."""

    def impurity(self, values: Floats, weights: Floats) -> float:
        return measures.poisson_deviance(values, weights) / 2

    def totals(self, sums: Floats, whole: Floats) -> Floats:
        _, weight, total = np.moveaxis(sums, -1, 0)
        mean = np.divide(total, weight, out=np.ones_like(total), where=(weight > 0) & (total > 0))
        return np.asarray(-total * np.log(mean))


class DistanceScorer(NumberScorer):
    """Absolute distances from the median, which need the rows in order: sums are not enough."""

    def impurity(self, values: Floats, weights: Floats) -> float:
        return measures.absolute_error(values, weights)

    def median(self, values: Floats, weights: Floats) -> float:
        return median(values, weights)

    @cached_property
    def centered(self) -> Floats:
        """Centered, so that sums lose no digits."""
        return self.values - np.median(self.values)

    @cached_property
    def ranks(self) -> Codes:
        return ranks_of(self.values)

    def sums(self, codes: Codes, n_codes: int) -> Floats:
        n_rows = self._counted_rows(codes, n_codes)
        return np.column_stack([n_rows, self._added(codes, n_codes, self.share.weights)])

    def totals(self, sums: Floats, whole: Floats) -> Floats:
        raise AssertionError("distances from a median cannot be computed from sums")

    def of_prefixes(
        self, here: ValuesHere, order: Codes, *, with_missing: bool, whole: Floats
    ) -> tuple[Floats, Floats]:
        place = np.full(here.n_values + 1, len(order))  # the last: rows that are left out
        place[order] = np.arange(len(order))
        if with_missing:
            place[-1] = -1
        place_of_row = place[here.value_of_row]
        sequence = np.argsort(place_of_row, kind="stable")
        ends = np.searchsorted(place_of_row[sequence], np.arange(len(order) + 1))
        sequence = sequence[: ends[-1]]
        weights = self.share.weights[sequence]
        running = np.concatenate([[0.0], np.cumsum(weights)])
        sums = np.column_stack([ends, running[ends]])
        distance = self.centered[sequence]
        return sums, running_distances(distance, weights, self.ranks[sequence], ends)

    def of_values(
        self, here: ValuesHere, *, with_missing: bool, whole: Floats
    ) -> tuple[Floats, Floats]:
        sums = here.sums + here.missing if with_missing else here.sums
        rows = Share(np.arange(self.share.n_rows), self.share.weights)
        *by_value, missing = rows_by_part(rows, here.value_of_row, here.n_values + 1)
        if with_missing:
            by_value = [part.joined_with(missing) for part in by_value]
        impurities = [self.impurity(self.values[part.rows], part.weights) for part in by_value]
        return sums, np.array([part.weight for part in by_value]) * impurities

    def median_of(self, rows: Mask) -> float:
        """The median of some of the node's rows."""
        return median(self.values[rows], self.share.weights[rows])

    def of_sets(
        self, here: ValuesHere, sets: Mask, *, with_missing: bool, whole: Floats
    ) -> tuple[Floats, Floats]:
        by_size = np.argsort(self.values, kind="stable")
        values, weights = self.values[by_size], self.share.weights[by_size]
        value_of_row = here.value_of_row[by_size]
        is_in = np.column_stack([sets, np.full(len(sets), with_missing)])
        totals = np.array([distances(values, weights * line[value_of_row]) for line in is_in])
        return is_in.astype(np.float64) @ np.vstack([here.sums, here.missing]), totals
