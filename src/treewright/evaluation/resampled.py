"""What scores over overlapping folds allow to say: means, intervals, comparisons.

Folds share training rows, so their scores vary less than those of fresh data would. Nadeau and
Bengio (2003) put the variance of the mean of J scores at (1/J + n_test / n_train) s2 in place of
s2/J; the same scale gives the Bayesian correlated t-test of Corani and Benavoli (2015).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

FloatArray = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first model against the second, by one measure: positive differences favour the first."""

    measure: str
    difference: float  # mean over the splits
    deviation: float  # standard deviation over the splits
    t: float  # corrected resampled t statistic
    p_value: float  # two-sided
    first_better: float  # posterior probabilities: they add up to 1
    equal: float  # within the region of practical equivalence
    second_better: float
    rope: float


def corrected_error(scores: FloatArray, test_share: float) -> float:
    """Standard error of the mean; `test_share` is n_test / n_train.

    >>> round(corrected_error(np.array([0.8, 0.9]), 1 / 9), 6)
    0.055277
    """
    if len(scores) < 2:
        return float("nan")
    return float(np.sqrt((1 / len(scores) + test_share) * scores.var(ddof=1)))


def interval(scores: FloatArray, test_share: float, confidence: float = 0.95) -> Interval:
    """The mean of the scores that are defined, with its confidence interval."""
    defined = scores[~np.isnan(scores)]
    if not len(defined):
        return Interval(np.nan, np.nan, np.nan)
    mean = float(defined.mean())
    reach = corrected_error(defined, test_share)
    if len(defined) > 1:
        reach *= float(stdtrit(len(defined) - 1, (1 + confidence) / 2))
    return Interval(mean, mean - reach, mean + reach)


def compared(
    measure: str, difference: FloatArray, test_share: float, rope: float = 0.01
) -> Comparison:
    """Judge differences that were measured on the same splits.

    With no variation at all, a difference is certain.
    """
    defined = difference[~np.isnan(difference)]
    n = len(defined)
    mean = float(defined.mean()) if n else np.nan
    error = corrected_error(defined, test_share)
    if n < 2:
        nothing = np.nan
        return Comparison(measure, mean, nothing, nothing, nothing, nothing, nothing, nothing, rope)
    deviation = float(defined.std(ddof=1))
    if error == 0:
        first, second = float(mean > rope), float(mean < -rope)
        t = np.copysign(np.inf, mean) if mean else 0.0
        p = 0.0 if mean else 1.0
        return Comparison(measure, mean, deviation, t, p, first, 1 - first - second, second, rope)
    t = mean / error
    above = float(stdtr(n - 1, (mean - rope) / error))
    below = float(stdtr(n - 1, (-rope - mean) / error))
    return Comparison(
        measure,
        mean,
        deviation,
        t,
        float(2 * stdtr(n - 1, -abs(t))),
        above,
        max(0.0, 1 - above - below),
        below,
        rope,
    )
