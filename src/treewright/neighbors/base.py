"""What both models of nearest neighbors share: keeping the rows, and finding the near ones."""

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
from treewright.estimators import params as shared
from treewright.estimators.base import Model, OtherModel
from treewright.estimators.declaration import leading_param, param, set_by_fit
from treewright.estimators.fitted import Fitted, frozen, learned
from treewright.estimators.rows import check_finite
from treewright.estimators.threads import n_threads
from treewright.estimators.training import TrainingRows
from treewright.neighbors.distances import (
    MEASURES,
    Scale,
    check_distance,
    check_plain,
    check_range,
    level_columns,
    matrix_of,
)
from treewright.neighbors.explanation import RowNeighbors
from treewright.neighbors.sheet import NeighborSheet
from treewright.persistence.values import floats, optional, word_of

PAIRS_WORTH_THREADS = 2_000_000  # of rows compared: about a hundredth of a second


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNeighbors(Fitted):
    """The training rows, and how they are compared."""

    # As they were given: numbers, and codes of levels.
    rows: Floats = learned(floats(2, finite=False))
    weights: Floats | None = learned(optional(floats(1)))
    origin: Floats = learned(floats(1))  # of the scale of each column
    width: Floats = learned(floats(1))
    distance: str = learned(word_of(*MEASURES))
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
    """Predicts by the training rows that are nearest."""

    n_neighbors: int = leading_param(
        default=5,
        help="Number of neighbors. Rows are counted by weight: the nearest rows are used until "
        "their weights add up to `n_neighbors`, so a row of weight 2 counts as two rows.",
        kw_only=False,
        low=1,
    )
    weights: str = param(
        "uniform",
        'How to weight the neighbors: "uniform" gives all the same weight, "distance" weights '
        "them by 1 / distance; if some are at distance 0, only these count.",
        choices=("uniform", "distance"),
    )
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
    ties: str = param(
        "all",
        'What to do with rows at the same distance as the last neighbor. "all" uses all of them, '
        "so the order of the rows does not matter; distances that differ only by rounding count "
        'as equal. "rounded" uses all rows with exactly the same floating-point distance (as in '
        'Weka\'s IBk). "first" uses the first ones in the table, up to `n_neighbors`.',
        choices=("all", "rounded", "first"),
    )
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
        check_distance(self.metric, self.scale)
        check_finite(rows.table, type(self).__name__)
        check_enough(self.n_neighbors, rows.n_rows, rows.total_weight)
        schema = Schema.of(rows.table)
        matrix = matrix_of(rows.table)
        if self.metric == "euclidean":
            check_plain(matrix, schema)
        if self.scale is None:
            check_range(matrix, schema, self.metric)
        scale = Scale.of(matrix, level_columns(schema), self.scale, rows.weights)
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

    def answer_to(self, query: Floats) -> tuple[Any, Floats | None]:
        """What the neighbors of one scaled row predict, and the shares of the classes."""
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
        self.param_named("n_neighbors").check(wanted)
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
        """Rows of the user's: numbers, and codes of levels."""
        encoded = self.encode_rows(X, state)
        check_finite(encoded, type(self).__name__, state.schema.names)
        rows = matrix_of(encoded)
        if state.distance == "euclidean":
            check_plain(rows, state.schema)
        return rows

    def _queries(self, X: Any, state: FittedNeighbors) -> Floats:
        """Rows of the user's as the search compares them."""
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
        counts = "alike" if self.weights == "uniform" else "by distance"
        return (
            f"{type(self).__name__}: the {self.n_neighbors} nearest of {state.n_rows} rows "
            f"answer, {counts}; distance {state.distance} of {state.n_features_in} columns"
        )


def check_enough(n_neighbors: int, n_rows: int, total_weight: float) -> None:
    """Refuse more neighbors than there are, by number and by weight."""
    if n_neighbors > max(n_rows, total_weight):
        raise DataError(
            f"n_neighbors={n_neighbors}, and there are n_samples={n_rows} rows",
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
            f"learned: `origin_` and `width_` of `{name}` change codes of levels: they must be "
            "0 and 1"
        )
    check_codes(state.rows, state.schema)
    if state.distance == "euclidean" and (is_level.any() or np.isnan(state.rows).any()):
        raise ModelFileError("learned: levels or holes for a distance of plain numbers")
    if state.classes is not None:
        codes = state.targets
        if ((codes < 0) | (codes >= len(state.classes))).any():
            raise ModelFileError("learned: `targets_` that are no classes")


def check_codes(rows: Floats, schema: Schema) -> None:
    """Raise unless the codes of levels are such."""
    for at, spec in enumerate(schema.columns):
        if spec.is_numeric:
            continue
        codes = rows[:, at][~np.isnan(rows[:, at])]
        if ((codes < 0) | (codes >= len(spec.levels)) | (codes != np.floor(codes))).any():
            raise ModelFileError(f"learned: `rows_` has codes of `{spec.name}` that are no levels")
