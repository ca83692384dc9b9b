"""Scores of predicted classes, probabilities and numbers on one set of test rows.

A measure that is not defined is NaN, such as the precision of a class that was never predicted, or
the area under the curve for rows of one class.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.errors import ParameterError, nearest

LEAST_SHARE = float(np.finfo(np.float64).eps)  # the logarithm of nothing is not defined


@dataclass(frozen=True, slots=True, eq=False)
class JudgedClasses:
    """Rows with their true classes, the classes predicted for them, and the shares predicted."""

    truth: NDArray[np.intp]  # class codes
    predicted: NDArray[np.intp]
    shares: Floats | None  # (n_rows, n_classes)
    weights: Floats
    n_classes: int

    def confusion(self) -> Floats:
        """Weight by true class (lines) and predicted class (columns)."""
        cell = self.truth * self.n_classes + self.predicted
        flat = np.bincount(cell, self.weights, self.n_classes**2)
        return flat.reshape(self.n_classes, self.n_classes).astype(np.float64)


def class_measures(judged: JudgedClasses, costs: Floats | None = None) -> dict[str, float]:
    """The measures of all classes together, by name."""
    table = judged.confusion()
    found = {
        "accuracy": accuracy(table),
        "balanced_accuracy": float(np.nanmean(sensitivity(table))),
        "kappa": kappa(table),
    }
    if costs is not None:
        found["cost"] = float((table * costs).sum() / table.sum())
    if judged.shares is not None:
        found["log_loss"] = log_loss(judged)
        found["brier"] = brier(judged)
        found["auc"] = mean_auc(judged)
    return found


def measures_by_class(table: Floats) -> dict[str, Floats]:
    """Sensitivity, specificity, precision and F1 of each class."""
    recall, exact = sensitivity(table), precision(table)
    both = np.diag(table) * 2
    return {
        "sensitivity": recall,
        "specificity": specificity(table),
        "precision": exact,
        "f1": _ratio(both, table.sum(axis=0) + table.sum(axis=1)),
    }


def accuracy(table: Floats) -> float:
    """Share of the weight that is predicted right.

    >>> accuracy(np.array([[3.0, 1.0], [0.0, 4.0]]))
    0.875
    """
    return float(np.trace(table) / table.sum())


def sensitivity(table: Floats) -> Floats:
    """Of the rows of each class, the share that is found (recall)."""
    return _ratio(np.diag(table), table.sum(axis=1))


def specificity(table: Floats) -> Floats:
    """Of the rows that are not of a class, the share that is not predicted as it."""
    wrongly_taken = table.sum(axis=0) - np.diag(table)
    others = table.sum() - table.sum(axis=1)
    return 1 - _ratio(wrongly_taken, others)


def precision(table: Floats) -> Floats:
    """Of the rows that are predicted as a class, the share that belongs to it."""
    return _ratio(np.diag(table), table.sum(axis=0))


def kappa(table: Floats) -> float:
    """Agreement beyond that of chance (Cohen): 1 is perfect, 0 what the class sizes alone give.

    >>> kappa(np.array([[3.0, 1.0], [1.0, 3.0]]))
    0.5
    """
    total = table.sum()
    by_chance = float(table.sum(axis=0) @ table.sum(axis=1) / total**2)
    return float((accuracy(table) - by_chance) / (1 - by_chance)) if by_chance < 1 else np.nan


def log_loss(judged: JudgedClasses) -> float:
    """Mean of -log(share of the true class), natural logarithm; shares of 0 count as 2.2e-16."""
    assert judged.shares is not None
    return float(np.average(row_log_loss(judged.truth, judged.shares), weights=judged.weights))


def row_log_loss(truth: NDArray[np.intp], shares: Floats) -> Floats:
    share = shares[np.arange(len(truth)), truth]
    return np.asarray(-np.log(np.clip(share, LEAST_SHARE, 1.0)))


def brier(judged: JudgedClasses) -> float:
    """Mean squared distance of the shares from the truth, over all classes (0 to 2)."""
    assert judged.shares is not None
    return float(np.average(row_brier(judged.truth, judged.shares), weights=judged.weights))


def row_brier(truth: NDArray[np.intp], shares: Floats) -> Floats:
    # Sum of (share - truth)² without a row of zeros and ones for each row.
    share = shares[np.arange(len(truth)), truth]
    return np.asarray((shares**2).sum(axis=1) - share**2 + (1 - share) ** 2)


def mean_auc(judged: JudgedClasses) -> float:
    """Area under the ROC curve: of the second class of two, or the mean of each against the rest.

    The mean is over the classes that the rows have, each counting the same.
    """
    assert judged.shares is not None
    if judged.n_classes == 2:
        return auc(judged.truth == 1, judged.shares[:, 1], judged.weights)
    areas = [
        auc(judged.truth == code, judged.shares[:, code], judged.weights)
        for code in distinct(judged.truth[judged.weights > 0])
    ]
    return float(np.mean(areas)) if areas else np.nan


def auc(is_class: NDArray[np.bool_], score: Floats, weights: Floats) -> float:
    """How often a row of the class has the higher score than one that is not; ties count half.

    >>> auc(np.array([True, True, False]), np.array([0.9, 0.4, 0.4]), np.ones(3))
    0.75
    """
    _, level = np.unique(score, return_inverse=True)
    inside = np.bincount(level, weights * is_class)
    outside = np.bincount(level, weights * ~is_class)
    pairs = inside.sum() * outside.sum()
    if pairs == 0:
        return float("nan")
    below = np.cumsum(outside) - outside / 2
    return float(inside @ below / pairs)


def _ratio(part: Any, whole: Any) -> Floats:
    result = np.full(len(whole), np.nan)
    np.divide(part, whole, out=result, where=np.asarray(whole) > 0)
    return result


INFINITY = float("inf")


@dataclass(frozen=True, slots=True)
class Measure:
    """A score of predictions."""

    name: str
    title: str
    low: float
    high: float
    less_is_better: bool = False


CLASS_MEASURES = (
    Measure("accuracy", "accuracy", 0.0, 1.0),
    Measure("balanced_accuracy", "balanced accuracy", 0.0, 1.0),
    Measure("kappa", "kappa", -1.0, 1.0),
    Measure("cost", "cost", -INFINITY, INFINITY, less_is_better=True),
    Measure("log_loss", "log loss", 0.0, INFINITY, less_is_better=True),
    Measure("brier", "Brier score", 0.0, 2.0, less_is_better=True),
    Measure("auc", "AUC", 0.0, 1.0),
)
NUMBER_MEASURES = (
    Measure("mae", "mean absolute error", 0.0, INFINITY, less_is_better=True),
    Measure("rmse", "root mean squared error", 0.0, INFINITY, less_is_better=True),
    Measure("r2", "R²", -INFINITY, 1.0),
)
MEASURES = {measure.name: measure for measure in (*CLASS_MEASURES, *NUMBER_MEASURES)}
ERRORS = frozenset(name for name, measure in MEASURES.items() if measure.less_is_better)
TITLES = {name: measure.title for name, measure in MEASURES.items()}


def checked_measure(name: str | None, *, of_classes: bool, with_costs: bool = False) -> str:
    """The measure that decides: the one named, else accuracy, or for numbers the RMSE.

    >>> checked_measure(None, of_classes=True)
    'accuracy'
    """
    if name is None:
        return "accuracy" if of_classes else "rmse"
    known = [one.name for one in (CLASS_MEASURES if of_classes else NUMBER_MEASURES)]
    if name == "cost" and of_classes and not with_costs:
        raise ParameterError("the measure `cost` needs costs", hint="give costs=")
    if name not in known:
        raise ParameterError(
            f"no measure `{name}` here", hint=nearest(str(name), known, "measures")
        )
    return name


def number_measures(truth: Floats, predicted: Floats, weights: Floats) -> dict[str, float]:
    """Mean absolute error, root of the mean squared error, and R2.

    R2 is 1 - squared error / squared error of the rows' own mean; NaN where all rows are equal.

    >>> number_measures(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.ones(2))
    {'mae': 0.5, 'rmse': 0.7071067811865476, 'r2': 0.5}
    """
    distance = predicted - truth
    squared = float(np.average(distance**2, weights=weights))
    spread = float(np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights))
    return {
        "mae": float(np.average(np.abs(distance), weights=weights)),
        "rmse": float(np.sqrt(squared)),
        "r2": 1 - squared / spread if spread > 0 else float("nan"),
    }
