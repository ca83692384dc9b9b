"""Weighted means that neither overflow nor vanish, however large or small the weights are."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SMALLEST = float(np.finfo(np.float64).tiny)


def power_near(largest: float) -> float:
    """A power of two above the number, if there is one: dividing by it changes no digit."""
    return math.ldexp(1.0, min(math.frexp(largest)[1], 1023))


def in_range(weights: Floats | None) -> tuple[Floats | None, float]:
    """Weights over a power of two, the largest below 1, and that power.

    Their means have the same digits as before. A row that weighs next to nothing beside others
    still weighs something.
    """
    if weights is None or not len(weights):
        return weights, 1.0
    unit = power_near(float(weights.max()))
    return np.where(weights > 0, np.maximum(weights / unit, SMALLEST), 0.0), unit


def weighted_mean(values: Floats, weights: Floats | None) -> float:
    """The mean of some values, by weight if there are weights.

    >>> weighted_mean(np.array([1.0, 4.0]), np.array([2e-320, 1e-320]))
    2.0
    """
    return float(np.average(values, weights=in_range(weights)[0]))


def weighted_variance(values: Floats, weights: Floats | None) -> float:
    """The weighted mean of squared distances from the weighted mean."""
    own, _ = in_range(weights)
    mean = np.average(values, weights=own)
    return float(np.average((values - mean) ** 2, weights=own))


def weighted_deviation(values: Floats, weights: Floats | None) -> float:
    """The root of the variance, also where squares are beyond all numbers or vanish.

    >>> weighted_deviation(np.array([0.0, 2.0**-1000]), None) == 2.0**-1001
    True
    """
    size = power_near(float(np.abs(values).max()))
    return float(np.sqrt(weighted_variance(values / size, weights))) * size
