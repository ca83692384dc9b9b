"""How sure a measure is that was taken on one set of rows: hold-out, or a saved model on a table.

Accuracy has the interval of Wilson (1927), which stays sensible near 0 and 1. A measure that is the
mean of something per row (costs, log loss, Brier score, absolute and squared errors) has the normal
interval of that mean. Weights count by their effective number, (sum of weights)² / sum of squares.
The other measures have none.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from treewright.evaluation.class_scores import row_brier, row_log_loss
from treewright.evaluation.judging import Judgement
from treewright.evaluation.resampled import Interval
from treewright.evaluation.rows import EvaluationRows

FloatArray = NDArray[np.float64]


def interval_over_rows(
    judgement: Judgement,
    rows: EvaluationRows,
    measure: str,
    confidence: float,
    costs: FloatArray | None = None,
) -> Interval:
    """The measure with its interval; without one where the measure is no mean over rows."""
    found = judgement.measures[measure]
    weights = rows.weight_of_rows[judgement.split.test]
    quantile = float(ndtri((1 + confidence) / 2))
    if measure == "accuracy":
        return wilson(found, float(weights.sum() ** 2 / (weights**2).sum()), quantile)
    values = row_values(judgement, rows, measure, costs)
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
    judgement: Judgement, rows: EvaluationRows, measure: str, costs: FloatArray | None
) -> FloatArray | None:
    """What the measure is the mean of, row by row."""
    test = judgement.split.test
    if rows.codes is None:
        distance = judgement.predicted - rows.y[test]
        return {"mae": np.abs(distance), "rmse": distance**2}.get(measure)
    truth = rows.codes[test]
    if measure == "cost" and costs is not None:
        return np.asarray(costs[truth, judgement.predicted])
    if measure == "log_loss" and judgement.shares is not None:
        return row_log_loss(truth, judgement.shares)
    if measure == "brier" and judgement.shares is not None:
        return row_brier(truth, judgement.shares)
    return None
