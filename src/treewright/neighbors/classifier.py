"""KNeighborsClassifier: the class of the nearest rows."""

from typing import Any

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import encode_classes
from treewright.estimators import params as shared
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.methods import ClassifierMethods
from treewright.estimators.training import TrainingRows, class_target, warn_of_many_classes
from treewright.neighbors.base import NearestNeighbors
from treewright.neighbors.fitted import SMOOTH, FittedClassNeighbors, FittedNeighbors


class KNeighborsClassifier(ClassifierMethods, NearestNeighbors):
    """k-nearest-neighbors classifier for numeric and nominal columns with missing values.

    Attributes
    ----------
    classes_
        The classes, sorted.
    rows_, targets_
        The training rows of positive weight, as numbers and category codes, and their class codes.
    origin_, width_
        Offset and scale of each numeric column.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> model = tw.KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> row = {"outlook": "Rain", "temperature": "Hot", "humidity": "High", "wind": "Weak"}
    >>> model.predict([row]).tolist(), model.predict_proba([row]).round(2).tolist()
    (['Yes'], [[0.33, 0.67]])
    """

    state_type = FittedClassNeighbors
    encode_target = staticmethod(encode_classes)

    smooth: float = SMOOTH.but(before="handle_unknown")
    costs: Any = shared.COSTS_AT_PREDICTION.but(before="handle_unknown")

    classes_: NDArray[Any] = set_by_fit()
    n_classes_: int = set_by_fit()

    def learn(self, rows: TrainingRows) -> FittedNeighbors:
        warn_of_many_classes(class_target(rows))
        return super().learn(rows)

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        return class_target(rows).codes

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest count among the neighbors of each row.

        With `costs`, it is the class of least expected cost. Ties go to the first class in
        `classes_`.
        """
        return self.checked_state().predict(X, self)

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class among the neighbors, in the order of `classes_`."""
        return self.checked_state().predict_proba(X, self)
