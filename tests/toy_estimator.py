"""One more estimator, as a newcomer would write it: this module, and an entry in the registry.

`contracts/test_one_more_estimator.py` adds the entry and tries everything that follows from it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.target import encode_classes
from treewright.errors import ModelFileError
from treewright.estimators.base import Model, OtherModel
from treewright.estimators.declaration import param
from treewright.estimators.fitted import Fitted, frozen, learned
from treewright.estimators.methods import ClassifierMethods
from treewright.estimators.params import CATEGORICAL_FEATURES, HANDLE_UNKNOWN, N_JOBS
from treewright.estimators.training import TrainingRows, class_target
from treewright.persistence.values import floats
from treewright.registry import CLASSIFICATION, Entry

PRIOR_COUNT = param(0.0, "Added to the count of every class.", type=float, low=0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedToy(Fitted):
    """How often each class occurs."""

    prediction_params = Fitted.prediction_params | {"prior_count": PRIOR_COUNT}

    counts: Floats = learned(floats(1))

    def predict(self, X: Any, settings: Any) -> NDArray[Any]:
        assert self.classes is not None
        return self.classes[self.predict_proba(X, settings).argmax(axis=1)]

    def predict_proba(self, X: Any, settings: Any) -> Floats:
        counts = self.counts + settings.prior_count
        n_rows = len(self.encode(X, settings))
        return np.repeat(counts[np.newaxis] / counts.sum(), n_rows, axis=0)

    def check(self) -> None:
        if len(self.counts) != self.n_classes or not (self.counts > 0).all():
            raise ModelFileError("learned: `counts_` is not one count for each class")


class ToyClassifier(ClassifierMethods, OtherModel, Model[FittedToy]):
    """Predict the most frequent class.

    Examples
    --------
    >>> ToyClassifier().fit([[1], [2], [3]], ["a", "b", "b"]).predict([[9]]).tolist()
    ['b']
    """

    prior_count: float = PRIOR_COUNT
    handle_unknown: str = HANDLE_UNKNOWN
    categorical_features: Any = CATEGORICAL_FEATURES
    n_jobs: int | None = N_JOBS

    state_type = FittedToy
    encode_target = staticmethod(encode_classes)

    def learn(self, rows: TrainingRows) -> FittedToy:
        target = class_target(rows)
        counts = np.bincount(target.codes, rows.weights, target.n_classes).astype(np.float64)
        return FittedToy(
            schema=Schema.of(rows.table), classes=target.classes, counts=frozen(counts)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


ENTRY = Entry(
    "toy_estimator",
    CLASSIFICATION,
    model="toy",
    family="toys",
    state="toy_estimator.FittedToy",
)
