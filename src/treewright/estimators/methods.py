"""Common methods of classifiers and of regressors; class weights."""

from typing import Any

from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.target import encode_classes, encode_numbers
from treewright.data.weights import check_weights


class ClassifierMethods(ClassifierMixin):  # type: ignore[misc]
    """What all classifiers share: predictions, and their score."""

    classes_: NDArray[Any]
    n_classes_: int

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; ties go to the first class in `classes_`."""
        labels: NDArray[Any] = self.state_.predict(X, self)
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, in the order of `classes_`."""
        shares: Floats = self.state_.predict_proba(X, self)
        return shares

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on these rows; targets and weights are read as in `fit`."""
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
        numbers: Floats = self.state_.predict(X, self)
        return numbers

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared on these rows; targets and weights are read as in `fit`."""
        target = encode_numbers(y)
        weights = check_weights(sample_weight, target.n_rows)
        return float(super().score(X, target.values, sample_weight=weights))
