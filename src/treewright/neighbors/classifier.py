"""KNeighborsClassifier: the class of the nearest rows."""

from typing import Any

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import encode_classes
from treewright.estimators.methods import ClassifierMethods
from treewright.estimators.training import TrainingRows, class_target, warn_of_many_classes
from treewright.neighbors.base import NearestNeighbors
from treewright.neighbors.fitted import FittedClassNeighbors, FittedNeighbors
from treewright.neighbors.params import K_NEIGHBORS_CLASSIFIER_PARAMS


class KNeighborsClassifier(ClassifierMethods, NearestNeighbors):
    """k-nearest-neighbors classifier for numeric and nominal columns with missing values.

    Parameters
    ----------
    n_neighbors
        Number of neighbors. Rows are counted by weight: the nearest rows are used until their
        weights add up to `n_neighbors`, so a row of weight 2 counts as two rows.
    weights
        "uniform": all neighbors have the same weight. "distance": neighbors are weighted by
        1 / distance; if some are at distance 0, only these count.
    metric
        Distance between two rows. Two categories differ by 0 or 1, two numbers by their scaled
        difference; ordered categories count as numbers. "heom": square root of the sum of squared
        differences, where a missing value differs by 1; this is the Euclidean distance for numbers
        without missing values. "euclidean": the same, but categories and missing values raise an
        error. "manhattan": sum of the differences, where a missing value differs by 1. "gower":
        mean difference over the columns known in both rows. "ibl": like "heom", but a missing
        number has the largest possible difference from a known one (Aha, Kibler and Albert, 1991;
        Weka's IBk).
    scale
        How to scale numeric columns: "range" scales the training rows to 0 ... 1, "standard" to
        mean 0 and standard deviation 1. None does not scale, so a column in grams counts a
        thousand times as much as one in kilograms.
    ties
        What to do with rows at the same distance as the last neighbor. "all" uses all of them, so
        the order of the rows does not matter; distances that differ only by rounding count as
        equal. "rounded" uses all rows with exactly the same floating-point distance (as in Weka's
        IBk). "first" uses the first ones in the table, up to `n_neighbors`.
    smooth
        Initial count of every class. 0 gives plain shares; Weka's IBk uses 1 divided by the number
        of training rows.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The predictions
        are always the same.

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

    params = K_NEIGHBORS_CLASSIFIER_PARAMS
    state_type = FittedClassNeighbors
    encode_target = staticmethod(encode_classes)

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
        """The class with the largest count among the neighbors of each row.

        Ties go to the first class in `classes_`.
        """
        return self.checked_state().predict(X, self)

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class among the neighbors, in the order of `classes_`."""
        return self.checked_state().predict_proba(X, self)

    def predict_one(self, query: Floats) -> tuple[Any, Floats | None]:
        shares = self.checked_state().answers(query, self)[0]
        return self.classes_.tolist()[int(shares.argmax())], shares
