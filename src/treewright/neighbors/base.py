"""What both models of nearest neighbours share: keeping the rows, and finding the near ones."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.neighbours import NeighbourSearch, Voting
from treewright.data.schema import Schema
from treewright.errors import DataError, ModelFileError, ParameterError
from treewright.models.finite_rows import check_finite
from treewright.models.learned_estimator import Learned, LearnedPredictor, frozen
from treewright.models.learned_kinds import Kind, floats, optional, word_of
from treewright.models.threads import n_threads
from treewright.models.training import TrainingRows
from treewright.neighbors.distances import (
    MEASURES,
    check_distance,
    check_plain,
    check_range,
    level_columns,
    matrix_of,
)
from treewright.neighbors.explanation import RowNeighbours
from treewright.neighbors.params import DISTANCE_NAMES, N_NEIGHBORS
from treewright.neighbors.scaling import Scale
from treewright.neighbors.sheet import NeighbourSheet

Float64Array = NDArray[np.float64]
PAIRS_WORTH_THREADS = 2_000_000  # of rows compared: about a hundredth of a second

LEARNS = {
    "rows_": floats(2, finite=False),
    "weights_": optional(floats(1)),
    "origin_": floats(1),
    "width_": floats(1),
    "distance_": word_of(*DISTANCE_NAMES),
}


class NearestNeighbours(LearnedPredictor):
    """Answers by the training rows that are nearest."""

    learns: ClassVar[dict[str, Kind]] = LEARNS

    n_neighbors: int
    weights: str
    distance: str
    scale: str | None
    ties: str

    # Set by fit.
    rows_: Float64Array  # as they were given: numbers, and codes of levels
    weights_: Float64Array | None
    origin_: Float64Array  # of the scale of each column
    width_: Float64Array
    distance_: str
    targets_: NDArray[Any]  # of the rows: codes of classes, or numbers
    _search: NeighbourSearch

    def _learn(self, rows: TrainingRows) -> Learned:
        check_distance(self.distance, self.scale)
        check_finite(rows.table, type(self).__name__)
        check_enough(self.n_neighbors, rows.n_rows, rows.total_weight)
        schema = Schema.of(rows.table)
        matrix = matrix_of(rows.table)
        if self.distance == "euclidean":
            check_plain(matrix, schema)
        if self.scale is None:
            check_range(matrix, schema, self.distance)
        scale = Scale.of(matrix, level_columns(schema), self.scale, rows.weights)
        values = {
            "rows_": frozen(matrix.copy() if matrix is rows.table.matrix else matrix),
            "weights_": None if rows.weights is None else frozen(rows.weights.copy()),
            "origin_": frozen(scale.origin),
            "width_": frozen(scale.width),
            "distance_": self.distance,
            "targets_": frozen(self._targets(rows).copy()),
        }
        return Learned(schema, values)

    def _targets(self, rows: TrainingRows) -> NDArray[Any]:
        raise NotImplementedError

    def _answer_to(self, query: Float64Array) -> tuple[Any, Float64Array | None]:
        """What the neighbours of one scaled row answer, and the shares of the classes."""
        raise NotImplementedError

    def _take_on(self, learned: Learned) -> None:
        check_fits_together(learned)
        values = learned.values
        scale = Scale(values["origin_"], values["width_"])
        search = NeighbourSearch(
            np.ascontiguousarray(scale.apply(values["rows_"])),
            level_columns(learned.schema),
            MEASURES[values["distance_"]],
        )
        super()._take_on(learned)
        self._search = search

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_search", None)
        return state

    @property
    def n_samples_fit_(self) -> int:
        """How many rows the model keeps."""
        self._check_is_fitted()
        return len(self.rows_)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, *, return_distance: bool = True
    ) -> Any:
        """The nearest training rows of each row, the nearest first.

        Parameters
        ----------
        X
            The rows whose neighbours are wanted; None for those of the training rows, of which
            none is its own neighbour.
        n_neighbors
            How many; None for the number that the model answers with.
        return_distance
            Whether distances are given, too.

        Returns
        -------
        (n_rows, n_neighbors) arrays: distances, and positions of the neighbours in the training
        table without rows of weight 0; or these alone. Always so many rows: of those whose
        distances are the same number, the ones that came first.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [5]], [0, 1, 5])
        >>> distances, rows = model.kneighbors([[2]])
        >>> distances.tolist(), rows.tolist()
        ([[0.2, 0.4]], [[1, 0]])
        """
        self._check_is_fitted()
        wanted = self.n_neighbors if n_neighbors is None else n_neighbors
        N_NEIGHBORS.check(wanted)
        most = self.n_samples_fit_ - (X is None)
        if wanted > most:
            raise ParameterError(
                f"Expected n_neighbors <= n_samples_fit: n_neighbors={wanted} and {most} rows that "
                "can be neighbours",
                hint=f"use a whole number from 1 to {most}" if most else "fit more rows",
            )
        queries = None if X is None else self._queries(X)
        n_queries = self.n_samples_fit_ if queries is None else len(queries)
        threads = self._n_search_threads(n_queries)
        rows, distances = self._search.nearest(queries, int(wanted), threads)
        return (distances, rows) if return_distance else rows

    def _matrix(self, X: Any) -> Float64Array:
        """Rows of the user's: numbers, and codes of levels."""
        encoded = self._encoded(X)
        check_finite(encoded, type(self).__name__, self.schema_.names)
        rows = matrix_of(encoded)
        if self.distance_ == "euclidean":
            check_plain(rows, self.schema_)
        return rows

    def _queries(self, X: Any) -> Float64Array:
        """Rows of the user's as the search compares them."""
        rows = self._matrix(X)
        return np.ascontiguousarray(self._scale().apply(rows))

    def _scale(self) -> Scale:
        return Scale(self.origin_, self.width_)

    def _voting(self) -> Voting:
        self._check_params()
        total = self.n_samples_fit_ if self.weights_ is None else float(self.weights_.sum())
        check_enough(self.n_neighbors, self.n_samples_fit_, total)
        return Voting(
            float(self.n_neighbors),
            self.weights_,
            self.ties != "first",
            self.weights == "distance",
            rounds=self.ties == "all" and self._scale().changes,
        )

    def _n_search_threads(self, n_queries: int) -> int:
        pairs = n_queries * self.n_samples_fit_
        return n_threads(self.n_jobs, worth_it=pairs >= PAIRS_WORTH_THREADS)

    def explain(self, row: Any) -> RowNeighbours:
        """The neighbours that answer for one row: their values, distances, and what each counts.

        The row is a dict, a list of values, a row of a data frame, or a table of one row.
        """
        self._check_is_fitted()
        return RowNeighbours.of(self, row)

    def _worksheet(self, X: Any, y: Any, sample_weight: Any) -> NeighbourSheet:
        self._check_is_fitted()
        return NeighbourSheet.of(self, X, y)

    def summary(self) -> str:
        """How many rows the model keeps, and how it compares them."""
        self._check_is_fitted()
        counts = "alike" if self.weights == "uniform" else "by distance"
        return (
            f"{type(self).__name__}: the {self.n_neighbors} nearest of {self.n_samples_fit_} rows "
            f"answer, {counts}; distance {self.distance_} of {self.n_features_in_} columns"
        )


def check_enough(n_neighbors: int, n_rows: int, total_weight: float) -> None:
    """Refuse more neighbours than there are, by number and by weight."""
    if n_neighbors > max(n_rows, total_weight):
        raise DataError(
            f"n_neighbors={n_neighbors}, and there are n_samples={n_rows} rows",
            hint=f"use n_neighbors={n_rows} or less, or more rows",
        )


def check_fits_together(learned: Learned) -> None:
    """Raise a `ModelFileError` unless rows, targets, weights and scale belong together."""
    values = learned.values
    n_rows, n_columns = values["rows_"].shape
    weights = values["weights_"]
    is_level = level_columns(learned.schema).astype(bool)
    if n_columns != learned.schema.n_columns or n_rows == 0:
        raise ModelFileError("learned: `rows_` has another number of columns, or no rows")
    if np.isinf(values["rows_"]).any():
        raise ModelFileError("learned: `rows_` has infinite numbers")
    if len(values["targets_"]) != n_rows or (weights is not None and len(weights) != n_rows):
        raise ModelFileError("learned: `targets_` and `weights_` are not one for each row")
    if weights is not None and not (weights > 0).all():
        raise ModelFileError("learned: `weights_` are not above 0")
    if len(values["origin_"]) != n_columns or len(values["width_"]) != n_columns:
        raise ModelFileError("learned: `origin_` and `width_` are not one for each column")
    if (values["width_"] < 0).any():
        raise ModelFileError("learned: `width_` below 0")
    changed = is_level & ((values["origin_"] != 0) | (values["width_"] != 1))
    if changed.any():
        name = learned.schema.names[int(changed.argmax())]
        raise ModelFileError(
            f"learned: `origin_` and `width_` of `{name}` change codes of levels: they must be "
            "0 and 1"
        )
    check_codes(values["rows_"], learned.schema)
    if values["distance_"] == "euclidean" and (is_level.any() or np.isnan(values["rows_"]).any()):
        raise ModelFileError("learned: levels or holes for a distance of plain numbers")
    if learned.classes is not None:
        codes = values["targets_"]
        if ((codes < 0) | (codes >= len(learned.classes))).any():
            raise ModelFileError("learned: `targets_` that are no classes")


def check_codes(rows: Float64Array, schema: Schema) -> None:
    """Raise unless the codes of levels are such."""
    for at, spec in enumerate(schema.columns):
        if spec.is_numeric:
            continue
        codes = rows[:, at][~np.isnan(rows[:, at])]
        if ((codes < 0) | (codes >= len(spec.levels)) | (codes != np.floor(codes))).any():
            raise ModelFileError(f"learned: `rows_` has codes of `{spec.name}` that are no levels")
