"""What the clusterings share: runs and iterations in `fit`, then prediction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from treewright.arrays import Floats, distinct
from treewright.clustering.fitted import FittedClusters
from treewright.clustering.measure import Measure, check_numbers, check_range, divisors_of
from treewright.clustering.reading import ClusterReading
from treewright.clustering.rounds import (
    Clustering,
    Limits,
    cluster,
    given_centers,
    inertia_of,
    random_start,
    rows_with_weight,
    space_of,
)
from treewright.clustering.space import Int32Array, Space
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.weights import check_weights, in_range
from treewright.errors import DataError
from treewright.estimators import params as shared
from treewright.estimators.base import Model
from treewright.estimators.declaration import leading_param, param, set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.threads import generator_from, n_threads
from treewright.estimators.training import warn_of_useless_columns, warn_user

if TYPE_CHECKING:
    from treewright.clustering.description import ClusterDescription
    from treewright.clustering.sheet import ClusterSheet

WORK_WORTH_THREADS = 100_000  # rows times columns times clusters
STARTS_BY_DEFAULT = 10
LARGEST = float(np.finfo(np.float64).max)


def are_points(value: object) -> bool:
    """A table of any kind; whether it has the columns of X shows when X is there."""
    if isinstance(value, Sequence | Mapping):
        return len(value) > 0 and not isinstance(value, str | bytes)
    return hasattr(value, "shape") or hasattr(value, "__arrow_c_stream__")


N_CLUSTERS = param(8, "Number of clusters; `tw.elbow` helps to choose it.", low=1)
INIT = param(
    "k-means++",
    'Initial centers: "k-means++" (rows far apart), "random" (distinct random rows), or a table '
    "with one row per cluster.",
    type=str,
    choices=("k-means++", "random"),
    accepts=are_points,
    accepts_text="a table of initial centers, one row per cluster",
)
SCALE = param(
    None,
    'How to scale numeric columns before computing distances: "standard" divides by the standard '
    'deviation, "range" by the range. None does not scale.',
    choices=("standard", "range"),
)


class ClusterEstimator(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    ClusterReading,
    Model[FittedClusters],
):
    """Rows in clusters around centers, each row in that of its nearest center."""

    state_type = FittedClusters

    n_clusters: int = leading_param(N_CLUSTERS, default=8, kw_only=False)
    init: Any = INIT
    n_init: int | str = param(
        "auto",
        "Number of runs with different initial centers; the one with the lowest inertia is kept. "
        '"auto" is 10, or 1 if `init` is a table.',
        low=1,
        choices=("auto",),
    )
    max_iter: int = param(300, "Maximum number of iterations per run.", low=1)
    scale: str | None = SCALE
    random_state: Any = shared.RANDOM_STATE
    n_jobs: int | None = shared.N_JOBS

    cluster_centers_: Floats = set_by_fit()
    labels_: Int32Array = set_by_fit()
    inertia_: float = set_by_fit()
    n_iter_: int = set_by_fit()
    moves_: NDArray[np.int64] = set_by_fit()
    start_centers_: Floats = set_by_fit()
    divisors_: Floats = set_by_fit()
    gamma_: float = set_by_fit()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X; `y` is ignored.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            Ignored, present for compatibility with pipelines.
        sample_weight
            Weights of the rows, at least 0. A row of weight 2 counts as two rows. A row of weight
            0 is ignored, but gets a label.
        """
        self.check_params()
        table = self._columns_of(table_from(X, categorical_features=self.categorical_features))
        weights = check_weights(sample_weight, table.n_rows)
        counted = table
        if weights is not None:
            counted, weights = rows_with_weight(table, weights)
        warn_of_useless_columns(counted)
        state = self._cluster(counted, weights)
        self._state = state if len(counted) == len(table) else with_all_labels(state, table)
        return self

    def _columns_of(self, table: Table) -> Table:
        """The columns as they are used; raise if one cannot be."""
        if table.n_columns == 0:
            raise DataError("X has no columns", hint="give at least one column to compare rows by")
        return table

    def _gamma_for(self, table: Table, weights: Floats | None, divisors: Floats) -> float:
        """The contribution of a different category to the squared distance."""
        return 1.0

    def _least_shift(self, table: Table, weights: Floats | None, divisors: Floats) -> float:
        """The total squared shift of the centers at which iterations end."""
        return 0.0

    def _cluster(self, table: Table, weights: Floats | None) -> FittedClusters:
        if self.n_clusters > len(table):
            raise DataError(
                f"n_clusters={self.n_clusters} is more than the n_samples={len(table)} rows",
                hint="ask for fewer clusters",
            )
        schema = Schema.of(table)
        shares, unit = in_range(weights)
        is_whole = check_numbers(table)
        divisors = divisors_of(table, weights, self.scale)
        check_range(table, divisors)
        gamma = self._gamma_for(table, weights, divisors)
        measure = Measure.of(schema, divisors, gamma)
        space = space_of(table, measure, shares, self.n_threads_for(table), is_whole=is_whole)
        limits = Limits(int(self.max_iter), self._least_shift(table, weights, divisors))
        best = self._best_of_starts(space, schema, limits)
        centers = space.outside(best.centers)
        inside = space.inside(centers)
        if not np.array_equal(inside, best.centers):
            space.assign(inside)  # so that the labels are those of `predict`
        warn_of_empty_clusters(space.labels(), self.n_clusters)
        inertia = inertia_of(space, inside) * unit
        return FittedClusters(
            schema=schema,
            notes=self._notes(best),
            cluster_centers=frozen(centers),
            labels=frozen(space.labels()),
            inertia=min(inertia, LARGEST),
            n_iter=len(best.moves),
            moves=frozen(np.array(best.moves, dtype=np.int64)),
            start_centers=frozen(space.outside(best.start)),
            divisors=frozen(divisors),
            gamma=gamma,
        )

    def _notes(self, found: Clustering) -> tuple[str, ...]:
        if found.has_converged:
            return ()
        n_moved, n_rounds = found.moves[-1], len(found.moves)
        return (f"no convergence after {n_rounds} iterations: {n_moved} rows still moved",)

    def _best_of_starts(self, space: Space, schema: Schema, limits: Limits) -> Clustering:
        """The run with the lowest inertia, the first of equals."""
        all_found = (cluster(space, start, limits) for start in self._starts(space, schema))
        best = last = next(all_found)
        for last in all_found:
            if last.inertia < best.inertia:
                best = last
        if last is not best:
            space.assign(best.centers)
        return best

    def _starts(self, space: Space, schema: Schema) -> Iterator[Floats]:
        """The initial centers of each run, drawn when they are needed."""
        if not isinstance(self.init, str):
            points = space.inside(self._given_start(schema))
            if isinstance(self.n_init, int | np.integer) and self.n_init > 1:
                warn_user(f"n_init={self.n_init} has no effect if init is a table: one run is made")
            yield points
            return
        generator = generator_from(self.random_state)
        n_starts = STARTS_BY_DEFAULT if self.n_init == "auto" else int(self.n_init)
        spread = self.init == "k-means++"
        for _ in range(n_starts):
            yield random_start(space, int(self.n_clusters), generator, spread=spread)

    def _given_start(self, schema: Schema) -> Floats:
        """The given initial centers in the columns of X, with codes for categories."""
        table = table_from(self.init, categorical_features=self.categorical_features)
        if len(table) != self.n_clusters:
            raise DataError(
                f"init has {len(table)} rows for {self.n_clusters} clusters",
                hint="give one start point for each cluster",
            )
        if table.n_columns != schema.n_columns:
            raise DataError(
                f"init has {table.n_columns} columns, X has {schema.n_columns}",
                hint="give every start point a value in every column",
            )
        check_numbers(table)
        return given_centers(schema.encode(table, "error", model="init"))

    def n_threads_for(self, table: Table) -> int:
        work = table.n_rows * table.n_columns * int(self.n_clusters)
        return n_threads(self.n_jobs, worth_it=work >= WORK_WORTH_THREADS)

    # ------------------------------------------------------------------------ new rows

    def predict(self, X: Any) -> Int32Array:
        """The cluster of the nearest center, the first of equals."""
        return self.state_.predict(X, self)

    def transform(self, X: Any) -> Floats:
        """(n_rows, n_clusters): the distance of each row from each center."""
        state = self.state_
        space = state.space(X, self)
        squares = space.all_squares(space.inside(state.cluster_centers))
        distances: Floats = np.sqrt(squares, out=squares)
        return distances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum of squared distances from the nearest center."""
        state = self.state_
        space = state.space(X, self)
        inside = space.inside(state.cluster_centers)
        space.assign(inside)
        weights, unit = in_range(check_weights(sample_weight, space.n_rows))
        squares = space.squares(inside)
        total = squares.sum() if weights is None else (weights * squares).sum()
        return -min(float(total) * unit, LARGEST)

    def describe(
        self, X: Any, *, max_leaf_nodes: int | None = None, **settings: Any
    ) -> "ClusterDescription":
        """A decision tree that describes the clusters, its rules, and how accurate they are.

        Parameters
        ----------
        X
            Rows to describe: the training rows, or others.
        max_leaf_nodes
            Maximum number of leaves. None uses the smallest tree that assigns 95 % of the rows to
            their cluster, with at most four leaves per cluster.
        **settings
            Further settings of `CARTClassifier`.
        """
        from treewright.clustering.description import describe

        return describe(self, X, max_leaf_nodes, settings)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> "ClusterSheet":
        from treewright.clustering.sheet import ClusterSheet, trace_of

        return ClusterSheet(trace_of(self, X, sample_weight))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


def warn_of_empty_clusters(labels: Int32Array, n_clusters: int) -> None:
    """Warn if there are fewer distinct rows than clusters."""
    n_found = len(distinct(labels))
    if n_found < n_clusters:
        n_empty = n_clusters - n_found
        warn_user(
            f"{n_empty} of {n_clusters} clusters have no rows: only {n_found} different "
            f"{'row was' if n_found == 1 else 'rows were'} found"
        )


def with_all_labels(state: FittedClusters, table: Table) -> FittedClusters:
    """The state with the labels of rows of weight 0 as well."""
    encoded = state.schema.encode(table, "majority")  # silently: an unseen category is missing
    space = state.space_of_rows(encoded, 1)
    space.assign(space.inside(state.cluster_centers))
    return replace(state, labels=frozen(space.labels()))
