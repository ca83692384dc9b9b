"""Statistics of scores over overlapping folds: means, intervals, comparisons.

Folds share training rows, so their scores vary less than those of fresh data would. Nadeau and
Bengio (2003) put the variance of the mean of J scores at (1/J + n_test / n_train) s2 in place of
s2/J; the same scale gives the Bayesian correlated t-test of Corani and Benavoli (2015).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from treewright.arrays import Floats
from treewright.evaluation.judging import Judgment
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.scores import row_brier, row_log_loss


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
    """The first model against the second, by one measure: positive differences favor the first."""

    measure: str
    difference: float  # mean over the splits
    deviation: float  # standard deviation over the splits
    t: float  # corrected resampled t statistic
    p_value: float  # two-sided
    first_better: float  # posterior probabilities: they add up to 1
    equal: float  # within the region of practical equivalence
    second_better: float
    rope: float


def corrected_error(scores: Floats, test_share: float) -> float:
    """Standard error of the mean; `test_share` is n_test / n_train.

    >>> round(corrected_error(np.array([0.8, 0.9]), 1 / 9), 6)
    0.055277
    """
    if len(scores) < 2:
        return float("nan")
    return float(np.sqrt((1 / len(scores) + test_share) * scores.var(ddof=1)))


def interval(scores: Floats, test_share: float, confidence: float = 0.95) -> Interval:
    """The mean of the scores that are defined, with its confidence interval."""
    defined = scores[~np.isnan(scores)]
    if not len(defined):
        return Interval(np.nan, np.nan, np.nan)
    mean = float(defined.mean())
    reach = corrected_error(defined, test_share)
    if len(defined) > 1:
        reach *= float(stdtrit(len(defined) - 1, (1 + confidence) / 2))
    return Interval(mean, mean - reach, mean + reach)


def compared(measure: str, difference: Floats, test_share: float, rope: float = 0.01) -> Comparison:
    """Test differences that were measured on the same splits.

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


def interval_over_rows(
    judgment: Judgment,
    rows: EvaluationRows,
    measure: str,
    confidence: float,
    costs: Floats | None = None,
) -> Interval:
    """The measure with its interval; without one where the measure is no mean over rows."""
    found = judgment.measures[measure]
    weights = rows.weight_of_rows[judgment.split.test]
    quantile = float(ndtri((1 + confidence) / 2))
    if measure == "accuracy":
        return wilson(found, float(weights.sum() ** 2 / (weights**2).sum()), quantile)
    values = row_values(judgment, rows, measure, costs)
    if values is None:
        return Interval(found, np.nan, np.nan)
    mean = float(np.average(values, weights=weights))
    error = float(np.sqrt(((weights * (values - mean)) ** 2).sum()) / weights.sum())
    low, high = mean - quantile * error, mean + quantile * error
    if measure == "rmse":
        low, high = float(np.sqrt(max(low, 0.0))), float(np.sqrt(high))
    return Interval(found, low, high)


def wilson(share: float, n_rows: float, quantile: float) -> Interval:
    """Wilson's interval for a share of n rows.

    >>> found = wilson(0.9, 100, 1.959964)
    >>> round(found.low, 4), round(found.high, 4)
    (0.8256, 0.9448)
    """
    squared = quantile**2 / n_rows
    middle = (share + squared / 2) / (1 + squared)
    reach = quantile / (1 + squared) * np.sqrt(share * (1 - share) / n_rows + squared / n_rows / 4)
    return Interval(share, float(middle - reach), float(middle + reach))


def row_values(
    judgment: Judgment, rows: EvaluationRows, measure: str, costs: Floats | None
) -> Floats | None:
    """What the measure is the mean of, row by row."""
    test = judgment.split.test
    if rows.codes is None:
        distance = judgment.predicted - rows.y[test]
        return {"mae": np.abs(distance), "rmse": distance**2}.get(measure)
    truth = rows.codes[test]
    if measure == "cost" and costs is not None:
        return np.asarray(costs[truth, judgment.predicted])
    if measure == "log_loss" and judgment.shares is not None:
        return row_log_loss(truth, judgment.shares)
    if measure == "brier" and judgment.shares is not None:
        return row_brier(truth, judgment.shares)
    return None
