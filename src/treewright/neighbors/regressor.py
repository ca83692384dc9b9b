"""KNeighborsRegressor: the mean of the nearest rows."""

from typing import Any

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import NumericTarget, encode_numbers
from treewright.estimators.methods import RegressorMethods
from treewright.estimators.training import TrainingRows
from treewright.neighbors.base import NearestNeighbors
from treewright.neighbors.fitted import FittedNumberNeighbors


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
        return self.checked_state().predict(X, self)
