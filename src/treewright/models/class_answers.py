"""What all classifiers do alike, of one tree or of many: weights of classes, logarithms."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import ClassTarget, encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.estimators.training import TrainingRows
from treewright.models.class_costs import row_factors

Float64Array = NDArray[np.float64]


class LogProbabilities:
    """A classifier whose probabilities are also given as logarithms."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows, by weight, whose class is predicted."""
        target = encode_classes(y)
        weights = check_weights(sample_weight, target.n_rows)
        labels = target.classes[target.codes]
        return float(super().score(X, labels, sample_weight=weights))  # type: ignore[misc]

    def predict_log_proba(self, X: Any) -> Float64Array:
        """Logarithm of the probabilities."""
        probabilities: Float64Array = self.predict_proba(X)  # type: ignore[attr-defined]
        with np.errstate(divide="ignore"):
            logarithms: Float64Array = np.log(probabilities)
        return logarithms


class NumberScore:
    """A regressor whose `score` takes targets and weights as `fit` does."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared: the share of the variance of y, by weight, that is predicted."""
        target = encode_numbers(y)
        weights = check_weights(sample_weight, target.n_rows)
        return float(super().score(X, target.values, sample_weight=weights))  # type: ignore[misc]


def class_factors_of_rows(rows: TrainingRows, class_weight: Any) -> Float64Array | None:
    """The factor that `class_weight` puts on the weight of each row; None for no such thing."""
    if class_weight is None:
        return None
    target = class_target(rows)
    return row_factors(class_weight, target.codes, target.classes, rows.weights)


def weighted_by_class(rows: TrainingRows, class_weight: Any) -> TrainingRows:
    """The rows with the weights that `class_weight` gives them."""
    factors = class_factors_of_rows(rows, class_weight)
    return rows if factors is None else rows.times(factors)


def class_target(rows: TrainingRows) -> ClassTarget:
    """The target of rows that are to be classified."""
    assert isinstance(rows.target, ClassTarget)
    return rows.target
