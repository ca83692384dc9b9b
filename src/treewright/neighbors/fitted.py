"""The fitted states of nearest neighbors: how they predict, and what a model file may hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.neighbors import NeighborSearch, Voting
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.schema import Schema
from treewright.errors import DataError, ModelFileError
from treewright.estimators.declaration import param
from treewright.estimators.fitted import Fitted, Settings, learned
from treewright.estimators.params import TOO_LARGE
from treewright.estimators.rows import check_finite
from treewright.estimators.threads import n_threads
from treewright.neighbors.distances import (
    MEASURES,
    Scale,
    check_plain,
    level_columns,
    matrix_of,
)
from treewright.persistence.values import floats, ints, optional, word_of

PAIRS_WORTH_THREADS = 2_000_000  # of rows compared: about a hundredth of a second


N_NEIGHBORS = param(
    5,
    "Number of neighbors. Rows are counted by weight: the nearest rows are used until their "
    "weights add up to `n_neighbors`, so a row of weight 2 counts as two rows.",
    type=int,
    low=1,
)
WEIGHTS = param(
    "uniform",
    'How to weight the neighbors: "uniform" gives all the same weight, "distance" weights them by '
    "1 / distance; if some are at distance 0, only these count.",
    choices=("uniform", "distance"),
)
TIES = param(
    "all",
    'What to do with rows at the same distance as the last neighbor. "all" uses all of them, so '
    "the order of the rows does not matter; distances that differ only by rounding count as equal. "
    '"rounded" uses all rows with exactly the same floating-point distance (as in Weka\'s IBk). '
    '"first" uses the first ones in the table, up to `n_neighbors`.',
    choices=("all", "rounded", "first"),
)
SMOOTH = param(
    0.0,
    "Initial count of every class. 0 gives plain shares; Weka's IBk uses 1 divided by the number "
    "of training rows.",
    type=float,
    low=0,
    below=TOO_LARGE,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNeighbors(Fitted):
    """The training rows, and how they are compared."""

    prediction_params = Fitted.prediction_params | {
        "n_neighbors": N_NEIGHBORS,
        "weights": WEIGHTS,
        "ties": TIES,
    }
    reading = "treewright.neighbors.reading.NeighborsReading"

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

    def queries(self, X: Any, settings: Settings) -> Floats:
        """The rows of X as the search compares them."""
        return np.ascontiguousarray(self.scale.apply(self.matrix(X, settings)))

    def matrix(self, X: Any, settings: Settings) -> Floats:
        """The rows of X as numbers and category codes."""
        encoded = self.encode(X, settings)
        check_finite(encoded, settings.model_name, self.schema.names)
        rows = matrix_of(encoded)
        if self.distance == "euclidean":
            check_plain(rows, self.schema)
        return rows

    def voting(self, settings: Any) -> Voting:
        """Which neighbors count, and how much."""
        total = self.n_rows if self.weights is None else float(self.weights.sum())
        check_enough(settings.n_neighbors, self.n_rows, total)
        return Voting(
            float(settings.n_neighbors),
            self.weights,
            settings.ties != "first",
            settings.weights == "distance",
            rounds=settings.ties == "all" and self.scale.changes,
        )

    def search_threads(self, n_queries: int, settings: Settings) -> int:
        worth_it = n_queries * self.n_rows >= PAIRS_WORTH_THREADS
        return n_threads(settings.n_jobs, worth_it=worth_it)

    def predictions(self, queries: Floats, settings: Settings) -> Floats:
        """Shares of the classes, or means, of the neighbors of each query."""
        raise NotImplementedError

    def check(self) -> None:
        check_fits_together(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClassNeighbors(FittedNeighbors):
    prediction_params = FittedNeighbors.prediction_params | {"smooth": SMOOTH}

    targets: NDArray[np.int32] = learned(ints(1, "int32"))

    def predictions(self, queries: Floats, settings: Any) -> Floats:
        threads = self.search_threads(len(queries), settings)
        votes = self.search.class_votes(
            queries, self.voting(settings), self.targets, self.n_classes, threads
        )
        with_smooth = votes + settings.smooth
        shares: Floats = with_smooth / with_smooth.sum(axis=-1, keepdims=True)
        return shares

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        return self.class_labels(self.predict_proba(X, settings))

    def predict_proba(self, X: Any, settings: Settings) -> Floats:
        return self.predictions(self.queries(X, settings), settings)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNumberNeighbors(FittedNeighbors):
    targets: Floats = learned(floats(1))

    def predictions(self, queries: Floats, settings: Settings) -> Floats:
        threads = self.search_threads(len(queries), settings)
        return self.search.mean_targets(queries, self.voting(settings), self.targets, threads)

    def predict(self, X: Any, settings: Settings) -> Floats:
        return self.predictions(self.queries(X, settings), settings)


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
