"""KNeighborsRegressor: the mean of the nearest rows."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import NumericTarget, encode_numbers
from treewright.estimators.fitted import learned
from treewright.estimators.methods import RegressorMethods
from treewright.estimators.training import TrainingRows
from treewright.neighbors.base import FittedNeighbors, NearestNeighbors
from treewright.neighbors.params import K_NEIGHBORS_REGRESSOR_PARAMS
from treewright.persistence.values import floats


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNumberNeighbors(FittedNeighbors):
    targets: Floats = learned(floats(1))


class KNeighborsRegressor(RegressorMethods, NearestNeighbors):
    """The mean of the nearest training rows, on numbers, words and holes.

    Parameters
    ----------
    n_neighbors
        How many of the nearest rows answer. Rows are counted by their weights: the nearest are
        taken until these come to `n_neighbors`, so a row of weight 2 is the same as two rows.
    weights
        "uniform": every neighbor counts alike. "distance": by 1 / distance; rows at distance 0
        answer alone.
    metric
        "heom", "euclidean", "manhattan", "gower" or "ibl": as in `KNeighborsClassifier`.
    scale
        "range", "standard" or None: as in `KNeighborsClassifier`.
    ties
        Of rows that are as far as the last neighbor "all" count, so that the order of the rows
        does not matter; distances that only the rounding of scaled numbers can tell apart are the
        same. "rounded": all whose distance is the same number (as in Weka's IBk). "first": of
        these the first in the table, as many as are wanted.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The answers are always the same.

    Attributes
    ----------
    rows_, targets_
        The training rows that count, numbers and codes of levels, and their targets.
    origin_, width_
        What is taken off the numbers of each column, and what the rest is divided by.

    Examples
    --------
    >>> import treewright as tw
    >>> X = [["house", 120], ["house", 90], ["flat", 60], ["flat", None]]
    >>> model = tw.KNeighborsRegressor(n_neighbors=2).fit(X, [400, 300, 210, 190])
    >>> model.predict([["house", 100], ["flat", 50]]).tolist()
    [350.0, 200.0]
    """

    params = K_NEIGHBORS_REGRESSOR_PARAMS
    state_type = FittedNumberNeighbors
    encode_target = staticmethod(encode_numbers)

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "uniform",
        metric: str = "heom",
        scale: str | None = "range",
        ties: str = "all",
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.scale = scale
        self.ties = ties
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        assert isinstance(rows.target, NumericTarget)
        return rows.target.values

    def predict(self, X: Any) -> Floats:
        """The mean of the neighbors of each row, each as often as it counts."""
        state = self.state_
        return self._means(self._queries(X, state), state)

    def _means(self, queries: Floats, state: FittedNeighbors) -> Floats:
        threads = self._n_search_threads(len(queries), state)
        return state.search.mean_answers(queries, self.voting_of(state), state.targets, threads)

    def answer_to(self, query: Floats) -> tuple[Any, Floats | None]:
        return float(self._means(query, self.state_)[0]), None
