"""KNeighborsClassifier: the class of the nearest rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import encode_classes
from treewright.estimators import params as shared
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.fitted import learned
from treewright.estimators.methods import ClassifierMethods, class_target
from treewright.estimators.training import TrainingRows, warn_of_many_classes
from treewright.neighbors.base import FittedNeighbors, NearestNeighbors
from treewright.persistence.values import ints


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClassNeighbors(FittedNeighbors):
    targets: NDArray[np.int32] = learned(ints(1, "int32"))


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

    smooth: float = param(
        0.0,
        "Initial count of every class. 0 gives plain shares; Weka's IBk uses 1 divided by the "
        "number of training rows.",
        low=0,
        below=shared.TOO_LARGE,
        before="handle_unknown",
    )

    classes_: NDArray[Any] = set_by_fit()
    n_classes_: int = set_by_fit()

    def learn(self, rows: TrainingRows) -> FittedNeighbors:
        warn_of_many_classes(class_target(rows))
        return super().learn(rows)

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        return class_target(rows).codes

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest count among the neighbors of each row.

        Ties go to the first class in `classes_`.
        """
        state = self.state_
        assert state.classes is not None
        most = self._shares(self._queries(X, state), state).argmax(axis=1)
        labels: NDArray[Any] = state.classes[most]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class among the neighbors, in the order of `classes_`."""
        state = self.state_
        return self._shares(self._queries(X, state), state)

    def _shares(self, queries: Floats, state: FittedNeighbors) -> Floats:
        threads = self._n_search_threads(len(queries), state)
        votes = state.search.class_votes(
            queries, self.voting_of(state), state.targets, state.n_classes, threads
        )
        with_smooth = votes + self.smooth
        shares: Floats = with_smooth / with_smooth.sum(axis=-1, keepdims=True)
        return shares

    def answer_to(self, query: Floats) -> tuple[Any, Floats | None]:
        shares = self._shares(query, self.state_)[0]
        return self.classes_.tolist()[int(shares.argmax())], shares
