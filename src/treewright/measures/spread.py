"""Distances of the numbers of a group from the prediction of a leaf."""

import numpy as np
from numpy.typing import ArrayLike

from treewright.arrays import Floats
from treewright.errors import DataError
from treewright.measures.counts import as_counts


def variance(y: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Mean squared distance from the mean.

    >>> variance([1, 2, 3, 4])
    1.25
    >>> variance([1, 3], weights=[3, 1])
    0.75
    """
    numbers, weight = _numbers(y, weights)
    return least_squares(numbers, weight) / float(weight.sum()) if weight.any() else 0.0


def least_squares(y: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Sum of squared distances from the mean, which regression trees minimize.

    >>> least_squares([1, 2, 3, 4])
    5.0
    """
    numbers, weight = _numbers(y, weights)
    return float(weight @ np.square(numbers - _mean(numbers, weight)))


def absolute_error(y: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Mean distance from the median.

    >>> absolute_error([1, 2, 6])
    1.6666666666666667
    """
    numbers, weight = _numbers(y, weights)
    if not weight.any():
        return 0.0
    distance = np.abs(numbers - _median(numbers, weight))
    return float(weight @ distance) / float(weight.sum())


def poisson_deviance(y: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Mean deviance of counts from their mean: 2 x mean of y ln(y / mean).

    Growing with `criterion="poisson"` uses half of it, as scikit-learn's trees do.

    >>> round(poisson_deviance([1, 3]), 10)
    0.5232481438
    >>> poisson_deviance([2, 2, 2])
    0.0
    """
    numbers, weight = _numbers(y, weights)
    if (numbers < 0).any():
        row = int(np.flatnonzero(numbers < 0)[0])
        raise DataError(f"`y`[{row}] is {numbers[row]}; the Poisson measure needs y >= 0")
    mean = _mean(numbers, weight)
    if mean == 0.0:
        return 0.0
    ratio = numbers / mean
    logarithm = np.log(ratio, out=np.zeros_like(ratio), where=ratio > 0)
    # The terms y - mean add up to zero, but keep each term from rounding below zero.
    each = numbers * logarithm - (numbers - mean)
    return max(2.0 * float(weight @ each) / float(weight.sum()), 0.0)


def _mean(numbers: Floats, weight: Floats) -> float:
    if not weight.any():
        return 0.0
    # Relative to one of the numbers, so that the mean of equal numbers is exact.
    start = float(numbers[0])
    return start + float(weight @ (numbers - start)) / float(weight.sum())


def _median(numbers: Floats, weight: Floats) -> float:
    """The smallest number with half of the weight at or below it."""
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(weight[order])
    return float(numbers[order][np.searchsorted(reached, reached[-1] / 2)])


def _numbers(y: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    numbers = np.asarray(y, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise DataError("`y` has to be a list of finite numbers")
    weight = np.ones_like(numbers) if weights is None else as_counts(weights)
    if len(weight) != len(numbers):
        raise DataError(f"`weights` has {len(weight)} numbers and `y` {len(numbers)}")
    return numbers, weight
