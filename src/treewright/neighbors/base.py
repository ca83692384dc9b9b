"""Common code of the nearest-neighbor models: store the training rows, find the nearest."""

from typing import Any, Self

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.errors import ParameterError
from treewright.estimators import params as shared
from treewright.estimators.base import Model
from treewright.estimators.declaration import leading_param, param, set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.training import TrainingRows
from treewright.neighbors.distances import (
    MEASURES,
    rows_and_scale,
)
from treewright.neighbors.fitted import N_NEIGHBORS, TIES, WEIGHTS, FittedNeighbors, check_enough
from treewright.neighbors.reading import NeighborsReading
from treewright.neighbors.sheet import NeighborSheet


class NearestNeighbors(NeighborsReading, Model[FittedNeighbors]):
    """A model that predicts by the nearest training rows."""

    n_neighbors: int = leading_param(N_NEIGHBORS, default=5, kw_only=False)
    weights: str = WEIGHTS
    metric: str = param(
        "heom",
        "Distance between two rows. Two categories differ by 0 or 1, two numbers by their scaled "
        'difference; ordered categories count as numbers. "heom": square root of the sum of '
        "squared differences, where a missing value differs by 1; this is the Euclidean distance "
        'for numbers without missing values. "euclidean": the same, but categories and missing '
        'values raise an error. "manhattan": sum of the differences, where a missing value '
        'differs by 1. "gower": mean difference over the columns known in both rows. "ibl": like '
        '"heom", but a missing number has the largest possible difference from a known one (Aha, '
        "Kibler and Albert, 1991; Weka's IBk).",
        choices=tuple(MEASURES),
    )
    scale: str | None = param(
        "range",
        'How to scale numeric columns: "range" scales the training rows to 0 ... 1, "standard" to '
        "mean 0 and standard deviation 1. None does not scale, so a column in grams counts a "
        "thousand times as much as one in kilograms.",
        choices=("range", "standard"),
    )
    ties: str = TIES
    handle_unknown: str = shared.MISSING_OR_ERROR
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS

    # Set by fit.
    rows_: Floats = set_by_fit()
    weights_: Floats | None = set_by_fit()
    origin_: Floats = set_by_fit()
    width_: Floats = set_by_fit()
    distance_: str = set_by_fit()
    targets_: NDArray[Any] = set_by_fit()

    def learn(self, rows: TrainingRows) -> FittedNeighbors:
        schema = Schema.of(rows.table, rows.target.format)
        matrix, scale = rows_and_scale(
            rows.table, schema, self.metric, self.scale, rows.weights, type(self).__name__
        )
        check_enough(self.n_neighbors, rows.n_rows, rows.total_weight)
        target = rows.target
        kind: Any = self.state_type
        return kind(  # type: ignore[no-any-return]
            schema=schema,
            classes=target.classes if isinstance(target, ClassTarget) else None,
            rows=frozen(matrix.copy() if matrix is rows.table.matrix else matrix),
            weights=None if rows.weights is None else frozen(rows.weights.copy()),
            origin=frozen(scale.origin),
            width=frozen(scale.width),
            distance=self.metric,
            targets=frozen(self._targets(rows).copy()),
            costs=rows.costs,
        )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Store the rows of X, and arrange them for the search.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            The target, one value per row.
        sample_weight
            Weights of the rows. Integer weights count identical rows; if any weight is not an
            integer, only their ratios matter. A row of weight 0 is ignored.
        """
        super().fit(X, y, sample_weight)
        self.state_.search  # noqa: B018 -- made now, not by the first prediction
        return self

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        raise NotImplementedError

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, *, return_distance: bool = True
    ) -> Any:
        """The nearest training rows of each row, the nearest first.

        Parameters
        ----------
        X
            The rows to find neighbors for; None for the training rows, where no row is its own
            neighbor.
        n_neighbors
            Number of neighbors; None for that of the model.
        return_distance
            Whether to return the distances too.

        Returns
        -------
        (n_rows, n_neighbors) arrays: distances, and positions of the neighbors in the training
        table without rows of weight 0; or only the positions. Ties go to the rows that come first
        in the table.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [5]], [0, 1, 5])
        >>> distances, rows = model.kneighbors([[2]])
        >>> distances.tolist(), rows.tolist()
        ([[0.2, 0.4]], [[1, 0]])
        """
        state = self.state_
        wanted = self.n_neighbors if n_neighbors is None else n_neighbors
        self.param_named("n_neighbors").check(wanted)
        most = state.n_rows - (X is None)
        if wanted > most:
            raise ParameterError(
                f"Expected n_neighbors <= n_samples_fit: n_neighbors={wanted} and {most} rows that "
                "can be neighbors",
                hint=f"use a whole number from 1 to {most}" if most else "fit more rows",
            )
        queries = None if X is None else state.queries(X, self)
        n_queries = state.n_rows if queries is None else len(queries)
        threads = state.search_threads(n_queries, self)
        rows, distances = state.search.nearest(queries, int(wanted), threads)
        return (distances, rows) if return_distance else rows

    def checked_state(self) -> FittedNeighbors:
        """The state; an error if `set_params` has set what is not allowed since."""
        state = self.state_
        self.check_params()
        return state

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> NeighborSheet:
        return NeighborSheet.of(self, X, y)
