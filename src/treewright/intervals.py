"""Confidence intervals: all that are shown, and the limits that pruning compares.

To use another interval for shares, such as Jeffreys or Clopper-Pearson, change `share_interval`.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.distributions import normal_quantile, student_quantile

NORMAL_95 = 1.959963984540054  # 95 % of a normal distribution lie this close to its middle


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the range that the true value lies in, at some confidence."""

    mean: float
    low: float
    high: float

    def within(self, least: float, most: float) -> "Interval":
        """The part of the range that is possible: no accuracy is above 1.

        >>> Interval(0.9, 0.7, 1.1).within(0.0, 1.0)
        Interval(mean=0.9, low=0.7, high=1.0)
        """
        if self.low != self.low:
            return self
        return Interval(self.mean, max(self.low, least), min(self.high, most))


def share_interval(
    share: ArrayLike, n_rows: ArrayLike, quantile: float = NORMAL_95
) -> tuple[Floats, Floats]:
    """The ends of Wilson's score interval, for a share seen in so many rows.

    `n_rows` need not be whole. Training rows count by their weight, which is how many rows a weight
    stands for. Test rows of different weights count as fewer: `effective_rows`. The interval stays
    within 0 and 1 and is sensible for few rows; without any it is 0 to 1.

    >>> low, high = share_interval(0.9, 100)
    >>> round(float(low), 4), round(float(high), 4)
    (0.8256, 0.9448)
    """
    p, rows = np.asarray(share, dtype=np.float64), np.asarray(n_rows, dtype=np.float64)
    has_rows = rows > 0
    n = np.where(has_rows, rows, 1.0)
    squared = quantile * quantile
    middle = (p + squared / (2 * n)) / (1 + squared / n)
    half = quantile * np.sqrt(p * (1 - p) / n + squared / (4 * n**2)) / (1 + squared / n)
    low = np.where(has_rows, np.maximum(middle - half, 0.0), 0.0)
    return low, np.where(has_rows, np.minimum(middle + half, 1.0), 1.0)


def effective_rows(weights: Floats) -> float:
    """The number of equal rows that would give a mean as certain as these weights do (Kish).

    >>> effective_rows(np.array([2.0, 2.0])), effective_rows(np.array([3.0, 1.0]))
    (2.0, 1.6)
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def mean_interval(
    mean: Any, error: Any, freedom: float | None = None, confidence: float = 0.95
) -> tuple[Any, Any]:
    """The ends of the interval of a mean, or of many, with this standard error.

    It is Student's for so many degrees of freedom, and the normal one without them.
    """
    quantile = two_sided(confidence)
    if freedom is not None:
        quantile = student_quantile(float(freedom), (1 + confidence) / 2)
    return mean - quantile * error, mean + quantile * error


def two_sided(confidence: float) -> float:
    """Standard deviations around the mean that hold this share of a normal distribution."""
    return normal_quantile((1 + confidence) / 2)


def percentile_interval(values: list[float], coverage: float) -> tuple[float, float]:
    """Two of the values that at least this share of them lie between, as in a bootstrap.

    >>> percentile_interval([1.0, 2.0, 3.0, 4.0, 5.0], 0.6)
    (1.0, 5.0)
    """
    tail = (1 - coverage) / 2
    low = np.quantile(values, tail, method="lower")
    return float(low), float(np.quantile(values, 1 - tail, method="higher"))


# ---------------------------------------------------------------------------- C4.5's upper limits


def upper_quantile(confidence: float) -> float:
    """Standard deviations above the mean that are exceeded with this probability."""
    return max(0.0, -normal_quantile(confidence))


def pessimistic_rate(weight: float, errors: float, confidence: float) -> float:
    """Upper limit, at this confidence, of the error rate seen as `errors` in `weight`.

    The limit of a binomial share: exact without errors, a straight line up to one error, then the
    normal approximation with continuity correction. Without any weight the rate is 1.
    """
    if weight <= 0:
        return 1.0
    if errors >= 1:
        return _normal_rate(weight, errors, confidence)
    none = 1.0 - portable.exp_of(portable.log_of(confidence) / weight)
    return none + errors * (_normal_rate(weight, 1.0, confidence) - none)


def _normal_rate(weight: float, errors: float, confidence: float) -> float:
    if errors + 0.5 >= weight:
        return 1.0
    z = -normal_quantile(confidence)
    share = (errors + 0.5) / weight
    spread = sqrt(share * (1 - share) / weight + z * z / (4 * weight * weight))
    return (share + z * z / (2 * weight) + z * spread) / (1 + z * z / weight)
