"""Common code of the nearest-neighbor models: store the training rows, find the nearest."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.neighbors import NeighborSearch, Voting
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.errors import DataError, ModelFileError, ParameterError
from treewright.estimators.base import Model, OtherModel
from treewright.estimators.fitted import Fitted, frozen, learned
from treewright.estimators.rows import check_finite
from treewright.estimators.threads import n_threads
from treewright.estimators.training import TrainingRows
from treewright.neighbors.distances import (
    MEASURES,
    Scale,
    check_plain,
    level_columns,
    matrix_of,
    rows_and_scale,
)
from treewright.neighbors.explanation import RowNeighbors
from treewright.neighbors.params import DISTANCE_NAMES, N_NEIGHBORS
from treewright.neighbors.sheet import NeighborSheet
from treewright.persistence.values import floats, optional, word_of

PAIRS_WORTH_THREADS = 2_000_000  # of rows: about a hundredth of a second


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNeighbors(Fitted):
    """The training rows, and how they are compared."""

    # As they were given: numbers, and codes of levels.
    rows: Floats = learned(floats(2, finite=False))
    weights: Floats | None = learned(optional(floats(1)))
    origin: Floats = learned(floats(1))  # of the scale of each column
    width: Floats = learned(floats(1))
    distance: str = learned(word_of(*DISTANCE_NAMES))
    targets: NDArray[Any]  # of the rows: codes of classes, or numbers

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def scale(self) -> Scale:
        return Scale(self.origin, self.width)

    @cached_property
    def search(self) -> NeighborSearch:
        """The rows, ready to be compared."""
        return NeighborSearch(
            np.ascontiguousarray(self.scale.apply(self.rows)),
            level_columns(self.schema),
            MEASURES[self.distance],
        )

    def check(self) -> None:
        check_fits_together(self)


class NearestNeighbors(OtherModel, Model[FittedNeighbors]):
    """A model that predicts by the nearest training rows."""

    n_neighbors: int
    weights: str
    metric: str
    scale: str | None
    ties: str

    # Set by fit.
    rows_: Floats
    weights_: Floats | None
    origin_: Floats
    width_: Floats
    distance_: str
    targets_: NDArray[Any]

    def learn(self, rows: TrainingRows) -> FittedNeighbors:
        schema = Schema.of(rows.table)
        matrix, scale = rows_and_scale(
            rows.table, schema, self.metric, self.scale, rows.weights, type(self).__name__
        )
        check_enough(self.n_neighbors, rows.n_rows, rows.total_weight)
        target = rows.target
        kind: Any = self.state_type
        state: FittedNeighbors = kind(
            schema=schema,
            classes=target.classes if isinstance(target, ClassTarget) else None,
            rows=frozen(matrix.copy() if matrix is rows.table.matrix else matrix),
            weights=None if rows.weights is None else frozen(rows.weights.copy()),
            origin=frozen(scale.origin),
            width=frozen(scale.width),
            distance=self.metric,
            targets=frozen(self._targets(rows).copy()),
        )
        state.search  # noqa: B018 -- made now, not by the first prediction
        return state

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        raise NotImplementedError

    def predict_one(self, query: Floats) -> tuple[Any, Floats | None]:
        """The prediction for one scaled row, and the shares of the classes."""
        raise NotImplementedError

    @property
    def n_samples_fit_(self) -> int:
        """Number of training rows in the model."""
        return self.state_.n_rows

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
        N_NEIGHBORS.check(wanted)
        most = state.n_rows - (X is None)
        if wanted > most:
            raise ParameterError(
                f"Expected n_neighbors <= n_samples_fit: n_neighbors={wanted} and {most} rows that "
                "can be neighbors",
                hint=f"use a whole number from 1 to {most}" if most else "fit more rows",
            )
        queries = None if X is None else self._queries(X, state)
        n_queries = state.n_rows if queries is None else len(queries)
        threads = self._n_search_threads(n_queries, state)
        rows, distances = state.search.nearest(queries, int(wanted), threads)
        return (distances, rows) if return_distance else rows

    def matrix_of(self, X: Any, state: FittedNeighbors) -> Floats:
        """Rows of the user: numbers, and codes of categories."""
        encoded = self.encode_rows(X, state)
        check_finite(encoded, type(self).__name__, state.schema.names)
        rows = matrix_of(encoded)
        if state.distance == "euclidean":
            check_plain(rows, state.schema)
        return rows

    def _queries(self, X: Any, state: FittedNeighbors) -> Floats:
        """Rows of the user, scaled for the search."""
        return np.ascontiguousarray(state.scale.apply(self.matrix_of(X, state)))

    def voting_of(self, state: FittedNeighbors) -> Voting:
        self.check_params()
        total = state.n_rows if state.weights is None else float(state.weights.sum())
        check_enough(self.n_neighbors, state.n_rows, total)
        return Voting(
            float(self.n_neighbors),
            state.weights,
            self.ties != "first",
            self.weights == "distance",
            rounds=self.ties == "all" and state.scale.changes,
        )

    def _n_search_threads(self, n_queries: int, state: FittedNeighbors) -> int:
        pairs = n_queries * state.n_rows
        return n_threads(self.n_jobs, worth_it=pairs >= PAIRS_WORTH_THREADS)

    def explain(self, row: Any) -> RowNeighbors:
        """The neighbors that predict one row: their values, distances and weights.

        The row is a dict, a list of values, a row of a data frame, or a table of one row.
        """
        return RowNeighbors.of(self, row)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> NeighborSheet:
        return NeighborSheet.of(self, X, y)

    def summary(self) -> str:
        """Number of training rows, and the distance."""
        state = self.state_
        weights = "equal weights" if self.weights == "uniform" else "weights by distance"
        return (
            f"{type(self).__name__}: the {self.n_neighbors} nearest of {state.n_rows} rows, "
            f"{weights}; distance {state.distance} of {state.n_features_in} columns"
        )


def check_enough(n_neighbors: int, n_rows: int, total_weight: float) -> None:
    """Raise for more neighbors than there are rows, by number and by weight."""
    if n_neighbors > max(n_rows, total_weight):
        raise DataError(
            f"n_neighbors={n_neighbors}, but there are n_samples={n_rows} rows",
            hint=f"use n_neighbors={n_rows} or less, or more rows",
        )


def check_fits_together(state: FittedNeighbors) -> None:
    """Raise a `ModelFileError` unless rows, targets, weights and scale belong together."""
    n_rows, n_columns = state.rows.shape
    weights = state.weights
    is_level = level_columns(state.schema).astype(bool)
    if n_columns != state.schema.n_columns or n_rows == 0:
        raise ModelFileError("learned: `rows_` has another number of columns, or no rows")
    if np.isinf(state.rows).any():
        raise ModelFileError("learned: `rows_` has infinite numbers")
    if len(state.targets) != n_rows or (weights is not None and len(weights) != n_rows):
        raise ModelFileError("learned: `targets_` and `weights_` are not one for each row")
    if weights is not None and not (weights > 0).all():
        raise ModelFileError("learned: `weights_` are not above 0")
    if len(state.origin) != n_columns or len(state.width) != n_columns:
        raise ModelFileError("learned: `origin_` and `width_` are not one for each column")
    if (state.width < 0).any():
        raise ModelFileError("learned: `width_` below 0")
    changed = is_level & ((state.origin != 0) | (state.width != 1))
    if changed.any():
        name = state.schema.names[int(changed.argmax())]
        raise ModelFileError(
            f"learned: `origin_` and `width_` of `{name}` change codes of categories: they "
            "must be 0 and 1"
        )
    check_codes(state.rows, state.schema)
    if state.distance == "euclidean" and (is_level.any() or np.isnan(state.rows).any()):
        raise ModelFileError("learned: categories or missing values for the Euclidean distance")
    if state.classes is not None:
        codes = state.targets
        if ((codes < 0) | (codes >= len(state.classes))).any():
            raise ModelFileError("learned: `targets_` that are not classes")


def check_codes(rows: Floats, schema: Schema) -> None:
    """Raise unless the codes are those of categories."""
    for at, spec in enumerate(schema.columns):
        if spec.is_numeric:
            continue
        codes = rows[:, at][~np.isnan(rows[:, at])]
        if ((codes < 0) | (codes >= len(spec.levels)) | (codes != np.floor(codes))).any():
            raise ModelFileError(
                f"learned: `rows_` has codes of `{spec.name}` that are no categories"
            )
