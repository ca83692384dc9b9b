"""Common methods of classifiers and of regressors; class weights."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.scan import Scan
from treewright.data.target import encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.errors import DataError, ParameterError
from treewright.estimators.class_costs import cost_matrix
from treewright.estimators.training import (
    TrainingRows,
    check_has_target,
    check_scan_alone,
    weighted_by_class,
    with_costs,
)


def by_block(X: Any, state: Any, predict: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
    """The predictions of a fitted model for X; for a scan, those of its blocks in turn."""
    if not isinstance(X, Scan):
        return predict(X)
    parts = [predict(rows) for rows in X.blocks_for(state.schema)]
    if not parts:
        raise DataError(f"{X.source.name} has no rows")
    return np.concatenate(parts)


def target_of_scan(scan: Scan, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """The target and the weights of a scan, which must be given no others."""
    check_scan_alone(y, sample_weight)
    check_has_target(scan)
    return scan.read_target()


class ClassifierMethods(ClassifierMixin):  # type: ignore[misc]
    """What all classifiers share: predictions, and their score."""

    classes_: NDArray[Any]
    n_classes_: int

    costs: Any = None  # parameters of most classifiers
    class_weight: Any = None

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the most probable one, or with `costs` the one of least cost.

        Ties go to the first class in `classes_`.
        """
        state = self.state_
        return by_block(X, state, lambda rows: state.predict(rows, self))

    def weighted_rows(self, rows: TrainingRows) -> TrainingRows:
        """The rows with the weights of their classes, and the costs of errors."""
        rows = weighted_by_class(with_costs(rows, self.costs), self.class_weight)
        return rows if self.keeps_empty_classes else rows.without_empty_classes()

    def with_costs(self, costs: Any) -> Self:
        """A copy of the fitted model that predicts the class of least expected cost.

        Nothing is trained again, and the probabilities stay the same. `costs` is read like the
        parameter; None predicts the most probable class.
        """
        if "costs" not in self._get_param_names():
            raise ParameterError(
                f"{type(self).__name__} has no costs",
                hint="its predictions do not come from class probabilities",
            )
        state = self.state_
        matrix = None if costs is None else cost_matrix(costs, state.classes)
        copy: Self = self.with_state(state.with_costs(matrix))
        copy.costs = costs
        return copy

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, in the order of `classes_`."""
        state = self.state_
        return by_block(X, state, lambda rows: state.predict_proba(rows, self))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy on these rows; targets and weights are read as in `fit`."""
        if isinstance(X, Scan):
            y, sample_weight = target_of_scan(X, y, sample_weight)
        target = encode_classes(y)
        weights = check_weights(sample_weight, target.n_rows)
        labels = target.classes[target.codes]
        return float(super().score(X, labels, sample_weight=weights))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of the probabilities."""
        probabilities: Floats = self.predict_proba(X)
        return portable.log(probabilities)


class RegressorMethods(RegressorMixin):  # type: ignore[misc]
    """What all regressors share: predictions, and their score."""

    def predict(self, X: Any) -> Floats:
        """The predicted number of each row."""
        state = self.state_
        return by_block(X, state, lambda rows: state.predict(rows, self))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R squared on these rows; targets and weights are read as in `fit`."""
        if isinstance(X, Scan):
            y, sample_weight = target_of_scan(X, y, sample_weight)
        target = encode_numbers(y)
        weights = check_weights(sample_weight, target.n_rows)
        return float(super().score(X, target.values, sample_weight=weights))
