"""Statistics of scores over overlapping folds: means, intervals, comparisons.

Folds share training rows, so their scores vary less than those of fresh data would. Nadeau and
Bengio (2003) put the variance of the mean of J scores at (1/J + n_test / n_train) s2 in place of
s2/J; the same scale gives the Bayesian correlated t-test of Corani and Benavoli (2015).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from treewright.arrays import Floats
from treewright.distributions import student_below
from treewright.evaluation.judging import Judgment
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.scores import MEASURES, row_brier, row_log_loss
from treewright.intervals import Interval, effective_rows, mean_interval, share_interval, two_sided


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

    @property
    def tested(self) -> dict[str, float]:
        """All that was found, by name."""
        return {name: value for name, value in asdict(self).items() if name != "measure"}


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
    error = corrected_error(defined, test_share)
    return Interval(mean, *mean_interval(mean, error, len(defined) - 1, confidence))


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
    above = student_below(n - 1, (mean - rope) / error)
    below = student_below(n - 1, (-rope - mean) / error)
    return Comparison(
        measure,
        mean,
        deviation,
        t,
        2 * student_below(n - 1, -abs(t)),
        above,
        max(0.0, 1 - above - below),
        below,
        rope,
    )


def mean_and_deviation(scores: Floats) -> tuple[float, float]:
    """Mean and standard deviation of the scores that are defined; NaN where there are too few."""
    defined = scores[~np.isnan(scores)]
    mean = float(defined.mean()) if len(defined) else np.nan
    return mean, float(defined.std(ddof=1)) if len(defined) > 1 else np.nan


def score_interval(
    judgments: Sequence[Judgment],
    rows: EvaluationRows,
    costs: Floats | None,
    measure: str,
    test_share: float,
    confidence: float = 0.95,
) -> Interval:
    """Mean and interval over the splits, of a single one over its rows; within what is possible."""
    if len(judgments) == 1:
        found = interval_over_rows(judgments[0], rows, measure, confidence, costs)
    else:
        scores = np.array([one.measures[measure] for one in judgments])
        found = interval(scores, test_share, confidence)
    known = MEASURES.get(measure)  # none of a scorer that the user has given
    return found if known is None else found.within(known.low, known.high)


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
    if measure == "accuracy":
        ends = share_interval(found, effective_rows(weights), two_sided(confidence))
        return Interval(found, *map(float, ends))
    values = row_values(judgment, rows, measure, costs)
    if values is None:
        return Interval(found, np.nan, np.nan)
    mean = float(np.average(values, weights=weights))
    error = float(np.sqrt(((weights * (values - mean)) ** 2).sum()) / weights.sum())
    low, high = mean_interval(mean, error, confidence=confidence)
    if measure == "rmse":
        low, high = float(np.sqrt(max(low, 0.0))), float(np.sqrt(high))
    return Interval(found, low, high)


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
