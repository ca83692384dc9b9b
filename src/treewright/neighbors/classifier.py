"""KNeighborsClassifier: the class of the nearest rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import encode_classes
from treewright.estimators.fitted import learned
from treewright.estimators.methods import ClassifierMethods, class_target
from treewright.estimators.training import TrainingRows, warn_of_many_classes
from treewright.neighbors.base import FittedNeighbors, NearestNeighbors
from treewright.neighbors.params import K_NEIGHBORS_CLASSIFIER_PARAMS
from treewright.persistence.values import ints


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClassNeighbors(FittedNeighbors):
    targets: NDArray[np.int32] = learned(ints(1, "int32"))


class KNeighborsClassifier(ClassifierMethods, NearestNeighbors):
    """The class that most of the nearest training rows have, on numbers, words and holes.

    Parameters
    ----------
    n_neighbors
        How many of the nearest rows answer. Rows are counted by their weights: the nearest are
        taken until these come to `n_neighbors`, so a row of weight 2 is the same as two rows.
    weights
        "uniform": every neighbor counts alike. "distance": by 1 / distance; rows at distance 0
        answer alone.
    metric
        How the differences of the columns become a distance. Two levels differ by 0 or 1, two
        numbers by what lies between them on their scale; ordered levels are numbers. "heom": the
        root of the sum of squares, a missing value differs by 1; for numbers without holes that is
        the Euclidean distance. "euclidean": that, and levels or holes are refused. "manhattan": the
        sum, a missing value differs by 1. "gower": the mean over the columns that both rows know.
        "ibl": as "heom", but a missing number is as far as it can be from the one known (Aha,
        Kibler and Albert, 1991; Weka's IBk).
    scale
        "range": numbers become 0 for the smallest and 1 for the largest of the training rows.
        "standard": mean 0 and standard deviation 1. None: they stay as they are, and a column in
        grams counts a thousand times as much as one in kilograms.
    ties
        Of rows that are as far as the last neighbor "all" count, so that the order of the rows
        does not matter; distances that only the rounding of scaled numbers can tell apart are the
        same. "rounded": all whose distance is the same number (as in Weka's IBk). "first": of
        these the first in the table, as many as are wanted.
    smooth
        What every class counts before the neighbors do. 0 gives plain shares; Weka's IBk uses 1
        divided by the number of training rows.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The answers are always the same.

    Attributes
    ----------
    classes_
        The classes, sorted.
    rows_, targets_
        The training rows that count, numbers and codes of levels, and the codes of their classes.
    origin_, width_
        What is taken off the numbers of each column, and what the rest is divided by.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> model = tw.KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> row = {"outlook": "Rain", "temperature": "Hot", "humidity": "High", "wind": "Weak"}
    >>> model.predict([row]).tolist(), model.predict_proba([row]).round(2).tolist()
    (['Yes'], [[0.33, 0.67]])
    """

    params = K_NEIGHBORS_CLASSIFIER_PARAMS
    state_type = FittedClassNeighbors
    encode_target = staticmethod(encode_classes)

    classes_: NDArray[Any]
    n_classes_: int

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "uniform",
        metric: str = "heom",
        scale: str | None = "range",
        ties: str = "all",
        smooth: float = 0.0,
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.scale = scale
        self.ties = ties
        self.smooth = smooth
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def learn(self, rows: TrainingRows) -> FittedNeighbors:
        warn_of_many_classes(class_target(rows))
        return super().learn(rows)

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        return class_target(rows).codes

    def predict(self, X: Any) -> NDArray[Any]:
        """The class that counts most among the neighbors of each row.

        Ties go to the first class in `classes_`.
        """
        state = self.state_
        assert state.classes is not None
        most = self._shares(self._queries(X, state), state).argmax(axis=1)
        labels: NDArray[Any] = state.classes[most]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """What share of the neighbors each class has, in the order of `classes_`."""
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
