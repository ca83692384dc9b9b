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
from treewright.persistence.values import floats


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNumberNeighbors(FittedNeighbors):
    targets: Floats = learned(floats(1))


class KNeighborsRegressor(RegressorMethods, NearestNeighbors):
    """k-nearest-neighbors regressor for numeric and nominal columns with missing values.

    Attributes
    ----------
    rows_, targets_
        The training rows of positive weight, as numbers and category codes, and their targets.
    origin_, width_
        Offset and scale of each numeric column.

    Examples
    --------
    >>> import treewright as tw
    >>> X = [["house", 120], ["house", 90], ["flat", 60], ["flat", None]]
    >>> model = tw.KNeighborsRegressor(n_neighbors=2).fit(X, [400, 300, 210, 190])
    >>> model.predict([["house", 100], ["flat", 50]]).tolist()
    [350.0, 200.0]
    """

    state_type = FittedNumberNeighbors
    encode_target = staticmethod(encode_numbers)

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        assert isinstance(rows.target, NumericTarget)
        return rows.target.values

    def predict(self, X: Any) -> Floats:
        """The weighted mean of the neighbors of each row."""
        state = self.state_
        return self._means(self._queries(X, state), state)

    def _means(self, queries: Floats, state: FittedNeighbors) -> Floats:
        threads = self._n_search_threads(len(queries), state)
        return state.search.mean_answers(queries, self.voting_of(state), state.targets, threads)

    def answer_to(self, query: Floats) -> tuple[Any, Floats | None]:
        return float(self._means(query, self.state_)[0]), None
