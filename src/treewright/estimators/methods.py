"""Common methods of classifiers and of regressors; class weights."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.arrays import Floats
from treewright.data.target import ClassTarget, encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.estimators.class_costs import row_factors
from treewright.estimators.training import TrainingRows


class ClassifierMethods(ClassifierMixin):  # type: ignore[misc]
    """Common methods of classifiers."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on these rows; targets and weights are read as in `fit`."""
        target = encode_classes(y)
        weights = check_weights(sample_weight, target.n_rows)
        labels = target.classes[target.codes]
        return float(super().score(X, labels, sample_weight=weights))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of the probabilities."""
        probabilities: Floats = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            logarithms: Floats = np.log(probabilities)
        return logarithms


class RegressorMethods(RegressorMixin):  # type: ignore[misc]
    """Common methods of regressors."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared on these rows; targets and weights are read as in `fit`."""
        target = encode_numbers(y)
        weights = check_weights(sample_weight, target.n_rows)
        return float(super().score(X, target.values, sample_weight=weights))


def class_factors_of_rows(rows: TrainingRows, class_weight: Any) -> Floats | None:
    """The factor of `class_weight` on the weight of each row; None without class weights."""
    if class_weight is None:
        return None
    target = class_target(rows)
    return row_factors(class_weight, target.codes, target.classes, rows.weights)


def weighted_by_class(rows: TrainingRows, class_weight: Any) -> TrainingRows:
    """The rows with the weights of `class_weight`."""
    factors = class_factors_of_rows(rows, class_weight)
    return rows if factors is None else rows.times(factors)


def class_target(rows: TrainingRows) -> ClassTarget:
    """The target of rows with classes."""
    assert isinstance(rows.target, ClassTarget)
    return rows.target
