"""KNeighborsRegressor: the mean of the nearest rows."""

from typing import Any

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import NumericTarget, encode_numbers
from treewright.estimators.methods import RegressorMethods
from treewright.estimators.training import TrainingRows
from treewright.neighbors.base import NearestNeighbors
from treewright.neighbors.fitted import FittedNumberNeighbors
from treewright.neighbors.params import K_NEIGHBORS_REGRESSOR_PARAMS


class KNeighborsRegressor(RegressorMethods, NearestNeighbors):
    """k-nearest-neighbors regressor for numeric and nominal columns with missing values.

    Parameters
    ----------
    n_neighbors
        Number of neighbors. Rows are counted by weight: the nearest rows are used until their
        weights add up to `n_neighbors`, so a row of weight 2 counts as two rows.
    weights
        "uniform": all neighbors have the same weight. "distance": neighbors are weighted by
        1 / distance; if some are at distance 0, only these count.
    metric
        "heom", "euclidean", "manhattan", "gower" or "ibl": as in `KNeighborsClassifier`.
    scale
        "range", "standard" or None: as in `KNeighborsClassifier`.
    ties
        What to do with rows at the same distance as the last neighbor. "all" uses all of them, so
        the order of the rows does not matter; distances that differ only by rounding count as
        equal. "rounded" uses all rows with exactly the same floating-point distance (as in Weka's
        IBk). "first" uses the first ones in the table, up to `n_neighbors`.
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
        """The weighted mean of the neighbors of each row."""
        return self.checked_state().predict(X, self)

    def predict_one(self, query: Floats) -> tuple[Any, Floats | None]:
        return float(self.checked_state().answers(query, self)[0]), None
