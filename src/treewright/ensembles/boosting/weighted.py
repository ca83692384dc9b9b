"""Means and quantiles of weighted numbers."""

import numpy as np
from numpy.typing import NDArray

Float64Array = NDArray[np.float64]


def weighted_mean(values: Float64Array, weights: Float64Array | None) -> float:
    """The mean, each value counting as often as its weight says."""
    return float(np.average(values, weights=weights))


def weighted_quantile(values: Float64Array, weights: Float64Array | None, share: float) -> float:
    """The least value that `share` of the weight does not exceed; midway where it is exactly so.

    Examples
    --------
    >>> weighted_quantile(np.array([1.0, 2.0, 4.0, 9.0]), None, 0.5)
    3.0
    >>> weighted_quantile(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 3.0]), 0.5)
    9.0
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.ones(len(values)) if weights is None else weights[order])
    wanted = share * reached[-1]
    at = min(int(np.searchsorted(reached, wanted, side="left")), len(values) - 1)
    low = values[order[at]]
    if reached[at] == wanted and at + 1 < len(values):
        return float(low + (values[order[at + 1]] - low) * 0.5)
    return float(low)
