"""What all classifiers do alike, of one tree or of many: weights of classes, logarithms."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import ClassTarget
from treewright.estimators.training import TrainingRows
from treewright.models.class_costs import row_factors

Float64Array = NDArray[np.float64]


class LogProbabilities:
    """A classifier whose probabilities are also given as logarithms."""

    def predict_log_proba(self, X: Any) -> Float64Array:
        """Logarithm of the probabilities."""
        probabilities: Float64Array = self.predict_proba(X)  # type: ignore[attr-defined]
        with np.errstate(divide="ignore"):
            logarithms: Float64Array = np.log(probabilities)
        return logarithms


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
