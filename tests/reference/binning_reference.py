"""Where a column is cut into bins, by sorting all its values."""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

LARGEST = float(np.finfo(np.float64).max)


def cuts_of(values: NDArray, n_bins: int, weights: NDArray | None = None) -> list[float]:
    """The cut points: bins of about equal weight, or one for each value if that is enough."""
    distinct, weight = weighted_values(values, weights)
    pairs = list(pairwise(distinct))
    if len(distinct) <= n_bins:
        return [between(low, high) for low, high in pairs]
    cuts: list[float] = []
    rest, in_bin, bins_left = sum(weight), 0, n_bins
    for i, (low, high) in enumerate(pairs):
        in_bin += weight[i]
        share = float(rest) / bins_left
        overfull = float(in_bin + weight[i + 1]) - share
        if float(in_bin) < share and overfull <= share - float(in_bin):
            continue  # the bin has room, and the next value brings it nearer to its share
        if bins_left == 1:
            break
        cuts.append(between(low, high))
        rest, in_bin, bins_left = rest - in_bin, 0, bins_left - 1
    return cuts


def weighted_values(values: NDArray, weights: NDArray | None) -> tuple[list[float], list[int]]:
    """Different known values in rising order and their weights; weight 0 is left out.

    Weights are whole numbers of a unit that divides them all, so that sums are exact.
    """
    numbers = values.astype(np.float64) + 0.0  # -0.0 is 0.0
    given = np.ones(len(numbers)) if weights is None else weights
    counts = ~np.isnan(numbers) & (given > 0)
    distinct, place = np.unique(numbers[counts], return_inverse=True)
    if weights is None:
        return distinct.tolist(), np.bincount(place, minlength=len(distinct)).tolist()
    unit = 0 if not counts.any() else int(np.frexp(given[counts])[1].min()) - 53
    total = [0] * len(distinct)
    for at, weight in zip(place.tolist(), given[counts].tolist(), strict=True):
        total[at] += int(math.ldexp(weight, -unit))
    return distinct.tolist(), total


def between(low: float, high: float) -> float:
    """A finite number that separates two values: not below `low`, below `high`."""
    if np.isinf(low) and np.isinf(high):
        return 0.0
    if np.isinf(low):
        return -LARGEST
    if np.isinf(high):
        return LARGEST
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def bins_of(values: NDArray, cuts: list[float]) -> NDArray[np.uint8]:
    """The bin of each value: that of the first cut not below it; 255 if it is missing."""
    numbers = values.astype(np.float64)
    bins = np.searchsorted(np.array(cuts), numbers, side="left")
    return np.where(np.isnan(numbers), 255, bins).astype(np.uint8)
