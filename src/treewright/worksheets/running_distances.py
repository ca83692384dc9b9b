"""Distances from the median, of the first rows of a sequence, however many."""

import numpy as np
from numpy.typing import NDArray

from treewright.worksheets.training import Floats


def distances(values: Floats, weights: Floats) -> float:
    """Weight x distance from the median, of numbers that rise; some may weigh nothing.

    >>> distances(np.array([1.0, 2.0, 6.0]), np.ones(3))
    5.0
    """
    running = np.cumsum(weights)
    if len(running) == 0 or running[-1] <= 0:
        return 0.0
    median = values[np.searchsorted(running, running[-1] / 2)]
    return float(weights @ np.abs(values - median))


def ranks_of(values: Floats) -> NDArray[np.intp]:
    """The place of each number in rising order.

    >>> ranks_of(np.array([6.0, 1.0, 2.0])).tolist()
    [2, 0, 1]
    """
    ranks = np.empty(len(values), dtype=np.intp)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks


def running_distances(
    values: Floats, weights: Floats, ranks: NDArray[np.intp], ends: NDArray[np.intp]
) -> Floats:
    """For each end, the distances of the rows before it from their median.

    `ranks` puts the rows in the order of their values, also if it leaves places out.

    >>> values = np.array([6.0, 1.0, 2.0])
    >>> running_distances(values, np.ones(3), ranks_of(values), np.array([0, 1, 2, 3])).tolist()
    [0.0, 0.0, 5.0, 5.0]
    """
    if len(values) == 0:
        return np.zeros(len(ends))
    return _Prefixes(values, weights, ranks).distances(ends)


class _Prefixes:
    """Prefixes of a sequence, all asked at once for the row in their middle.

    The rows are sorted by the highest bit of their rank, then by the next one, and so on: a
    prefix is a range of rows again after each step, and the weight of its lower half says which
    half holds the median. This takes log2(rows) steps for all prefixes together.
    """

    def __init__(self, values: Floats, weights: Floats, ranks: NDArray[np.intp]) -> None:
        self.values = values
        self.weights = weights
        self.moments = weights * values
        self.ranks = ranks

    def distances(self, ends: NDArray[np.intp]) -> Floats:
        weight, total = _running(self.weights)[ends], _running(self.moments)[ends]
        low, high = np.zeros(len(ends), dtype=np.intp), ends.astype(np.intp)
        weight_below, total_below = np.zeros(len(ends)), np.zeros(len(ends))
        order = np.arange(len(self.values))
        for bit in reversed(range(int(self.ranks.max()).bit_length())):
            is_upper = (self.ranks[order] >> bit & 1).astype(bool)
            n_lower = np.concatenate([[0], np.cumsum(~is_upper)])
            order = np.concatenate([order[~is_upper], order[is_upper]])
            weights = _running(self.weights[order])
            low_below, high_below = n_lower[low], n_lower[high]
            lower_weight = weights[high_below] - weights[low_below]
            goes_up = weight_below + lower_weight < weight / 2
            totals = _running(self.moments[order])
            weight_below += np.where(goes_up, lower_weight, 0.0)
            total_below += np.where(goes_up, totals[high_below] - totals[low_below], 0.0)
            first_upper = n_lower[-1]
            low = np.where(goes_up, first_upper + low - low_below, low_below)
            high = np.where(goes_up, first_upper + high - high_below, high_below)
        median = self.values[order[np.minimum(low, len(order) - 1)]]
        above = (total - total_below) - median * (weight - weight_below)
        below = median * weight_below - total_below
        return np.where(weight > 0, np.maximum(above + below, 0.0), 0.0)


def _running(numbers: Floats) -> Floats:
    running = np.zeros(len(numbers) + 1)
    np.cumsum(numbers, out=running[1:])
    return running
