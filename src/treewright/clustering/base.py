"""What clusterings share: starts and rounds in `fit`, then the nearest centre of new rows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from treewright.clustering.measure import Measure, check_numbers, check_range, divisors_of
from treewright.clustering.rounds import Clustering, Limits, cluster, inertia_of
from treewright.clustering.space import Float64Array, Int32Array, Space
from treewright.clustering.start import drawn_start
from treewright.clustering.table_rows import points_of, rows_that_count, space_of
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.weights import check_weights, in_range
from treewright.distinct import distinct
from treewright.errors import DataError, ModelFileError
from treewright.models.cautions import warn_of_useless_columns, warn_user
from treewright.models.early_stop import generator_from
from treewright.models.learned_estimator import Learned, LearnedEstimator, frozen
from treewright.models.learned_kinds import NUMBER, WHOLE, Kind, floats, ints
from treewright.models.threads import n_threads

if TYPE_CHECKING:
    from treewright.clustering.description import ClusterDescription
    from treewright.clustering.nearest_centre import NearestCentre
    from treewright.clustering.sheet import ClusterSheet

WORK_WORTH_THREADS = 100_000  # rows times columns times clusters
STARTS_BY_DEFAULT = 10
LARGEST = float(np.finfo(np.float64).max)


class ClusterEstimator(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    LearnedEstimator,
):
    """Rows in clusters around centres, each row in that of its nearest centre."""

    learns: ClassVar[dict[str, Kind]] = {
        "cluster_centers_": floats(2),
        "labels_": ints(1, "int32"),
        "inertia_": NUMBER,
        "n_iter_": WHOLE,
        "moves_": ints(1),
        "start_centers_": floats(2),
        "divisors_": floats(1),
        "gamma_": NUMBER,
    }

    # Parameters of all clusterings; the signatures set them.
    n_clusters: int
    init: Any
    n_init: int | str
    max_iter: int
    scale: str | None
    random_state: Any

    # Set by fit.
    cluster_centers_: Float64Array
    labels_: Int32Array
    inertia_: float
    n_iter_: int
    moves_: NDArray[np.int64]
    start_centers_: Float64Array
    divisors_: Float64Array
    gamma_: float

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Put the rows of X into clusters; `y` is not looked at.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            Nothing; estimators in a pipeline are all given one.
        sample_weight
            Weights of the rows, at least 0: one of weight 2 counts as the row twice, one of weight
            0 as left out, though it gets a label.
        """
        self._check_params()
        table = self._columns_of(table_from(X, categorical_features=self.categorical_features))
        weights = check_weights(sample_weight, table.n_rows)
        counted = table
        if weights is not None:
            counted, weights = rows_that_count(table, weights)
        warn_of_useless_columns(counted)
        learned = self._learn(counted, weights)
        if len(counted) != len(table):
            learned = self._with_all_labels(learned, table)
        self._become(learned)
        return self

    def _columns_of(self, table: Table) -> Table:
        """The columns as they are used; an error if one cannot be."""
        if table.n_columns == 0:
            raise DataError("X has no columns", hint="give at least one column to compare rows by")
        return table

    def _gamma_for(
        self, table: Table, weights: Float64Array | None, divisors: Float64Array
    ) -> float:
        """What another level adds to a squared distance."""
        return 1.0

    def _least_shift(
        self, table: Table, weights: Float64Array | None, divisors: Float64Array
    ) -> float:
        """The squared shift of all centres together at which rounds end."""
        return 0.0

    def _learn(self, table: Table, weights: Float64Array | None) -> Learned:
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
        space = space_of(table, measure, shares, self._n_threads_for(table), is_whole=is_whole)
        limits = Limits(int(self.max_iter), self._least_shift(table, weights, divisors))
        best = self._best_of_starts(space, schema, limits)
        centres = space.outside(best.centres)
        inside = space.inside(centres)
        if not np.array_equal(inside, best.centres):
            space.assign(inside)  # the labels are those that `predict` gives
        warn_of_empty_clusters(space.labels(), self.n_clusters)
        inertia = inertia_of(space, inside) * unit
        values = {
            "cluster_centers_": frozen(centres),
            "labels_": frozen(space.labels()),
            "inertia_": min(inertia, LARGEST),
            "n_iter_": len(best.moves),
            "moves_": frozen(np.array(best.moves, dtype=np.int64)),
            "start_centers_": frozen(space.outside(best.start)),
            "divisors_": frozen(divisors),
            "gamma_": gamma,
        }
        return Learned(schema, values, notes=self._notes(best))

    def _notes(self, found: Clustering) -> tuple[str, ...]:
        if found.has_converged:
            return ()
        return (f"rows still moved in round {len(found.moves)}: {found.moves[-1]} of them",)

    def _best_of_starts(self, space: Space, schema: Schema, limits: Limits) -> Clustering:
        """The start that ends with the least inertia, the first of equals."""
        all_found = (cluster(space, start, limits) for start in self._starts(space, schema))
        best = last = next(all_found)
        for last in all_found:
            if last.inertia < best.inertia:
                best = last
        if last is not best:
            space.assign(best.centres)
        return best

    def _starts(self, space: Space, schema: Schema) -> Iterator[Float64Array]:
        """The start points of each start, drawn when they are asked for."""
        if not isinstance(self.init, str):
            points = space.inside(self._given_start(schema))
            if isinstance(self.n_init, int | np.integer) and self.n_init > 1:
                warn_user(f"n_init={self.n_init} starts from the same points: one is made")
            yield points
            return
        generator = generator_from(self.random_state)
        n_starts = STARTS_BY_DEFAULT if self.n_init == "auto" else int(self.n_init)
        spread = self.init == "k-means++"
        for _ in range(n_starts):
            yield drawn_start(space, int(self.n_clusters), generator, spread=spread)

    def _given_start(self, schema: Schema) -> Float64Array:
        """The start points in the columns of X, codes for levels."""
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
        return points_of(schema.encode(table, "error", model="init"))

    def _with_all_labels(self, learned: Learned, table: Table) -> Learned:
        """What was learnt, with the labels of rows of weight 0 as well."""
        values = dict(learned.values)
        encoded = learned.schema.encode(table, "majority")  # without a word: unseen is a hole
        measure = Measure.of(learned.schema, values["divisors_"], values["gamma_"])
        space = space_of(encoded, measure, None, 1, is_whole=check_numbers(encoded))
        space.assign(space.inside(values["cluster_centers_"]))
        values["labels_"] = frozen(space.labels())
        return Learned(learned.schema, values, notes=learned.notes)

    def _n_threads_for(self, table: Table) -> int:
        work = table.n_rows * table.n_columns * int(self.n_clusters)
        return n_threads(self.n_jobs, worth_it=work >= WORK_WORTH_THREADS)

    # ------------------------------------------------------------------------ new rows

    def _space(self, X: Any) -> Space:
        """The rows of X among the centres."""
        rows = self._encoded(X)
        table = Table.of_matrix(rows) if isinstance(rows, np.ndarray) else rows
        threads = self._n_predict_threads(len(table))
        return space_of(table, self._measure, None, threads, is_whole=check_numbers(table))

    @property
    def _measure(self) -> Measure:
        return Measure.of(self.schema_, self.divisors_, self.gamma_)

    @property
    def converged_(self) -> bool:
        """Whether no row moved in the last round: no limit ended them before."""
        self._check_is_fitted()
        return bool(self.moves_[-1] == 0)

    def predict(self, X: Any) -> Int32Array:
        """The cluster of the nearest centre, the first of equals."""
        space = self._space(X)
        space.assign(space.inside(self.cluster_centers_))
        return space.labels()

    def transform(self, X: Any) -> Float64Array:
        """(n_rows, n_clusters): the distance of each row from each centre."""
        space = self._space(X)
        squares = space.all_squares(space.inside(self.cluster_centers_))
        distances: Float64Array = np.sqrt(squares, out=squares)
        return distances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum of squared distances from the nearest centre."""
        space = self._space(X)
        inside = space.inside(self.cluster_centers_)
        space.assign(inside)
        weights, unit = in_range(check_weights(sample_weight, space.n_rows))
        squares = space.squares(inside)
        total = squares.sum() if weights is None else (weights * squares).sum()
        return -min(float(total) * unit, LARGEST)

    def _as_table(self, points: Float64Array) -> Table:
        """Points in the columns of the model."""
        columns: list[Column] = []
        for spec, values in zip(self.schema_.columns, points.T, strict=True):
            if spec.is_numeric:
                columns.append(NumericColumn(spec.name, values.copy(), spec.unit))
            else:
                codes = (
                    values.astype(np.int32) if spec.levels else np.full(len(values), -1, np.int32)
                )
                columns.append(NominalColumn(spec.name, codes, spec.levels, spec.kind == "ordered"))
        return Table(columns, len(points), has_names=self.schema_.has_names)

    def summary(self) -> str:
        """Sizes and centres of the clusters."""
        from treewright.clustering.summary import summary_text

        self._check_is_fitted()
        return summary_text(self)

    def explain(self, row: Any) -> "NearestCentre":
        """Which centre is nearest to a row, and what each column adds to the distance.

        The row is a dict, a list of values, a row of a data frame, or a table of one row.
        """
        from treewright.clustering.nearest_centre import nearest_centre

        self._check_is_fitted()
        return nearest_centre(self, row)

    def describe(
        self, X: Any, *, max_leaf_nodes: int | None = None, **settings: Any
    ) -> "ClusterDescription":
        """The decision tree that tells the clusters apart, its rules, and how far they hold.

        Parameters
        ----------
        X
            Rows to tell apart; those of the fit, or others.
        max_leaf_nodes
            Most leaves of the tree. None takes as few as put 95 % of the rows into the cluster
            that they are in, at most four for each cluster.
        **settings
            Further settings of `CARTClassifier`.
        """
        from treewright.clustering.description import describe

        self._check_is_fitted()
        return describe(self, X, max_leaf_nodes, settings)

    def _worksheet(self, X: Any, y: Any, sample_weight: Any) -> "ClusterSheet":
        from treewright.clustering.sheet import ClusterSheet
        from treewright.clustering.trace import trace_of

        return ClusterSheet(trace_of(self, X, sample_weight))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _check_learned(self) -> None:
        centres, n_columns = self.cluster_centers_, self.n_features_in_
        fits = (
            centres.shape == self.start_centers_.shape
            and centres.shape[1] == n_columns > 0
            and len(centres) > 0
            and self.divisors_.shape == (n_columns,)
            and bool((self.divisors_ > 0).all())
            and self.gamma_ >= 0
            and len(self.moves_) == self.n_iter_ > 0
            and self.moves_.min() >= 0
            and len(self.labels_) > 0
            and 0 <= self.labels_.min() <= self.labels_.max() < len(centres)
        )
        if not fits:
            raise ModelFileError("learned: centres, labels and columns do not fit together")
        for at, spec in enumerate(self.schema_.columns):
            codes = np.concatenate([centres[:, at], self.start_centers_[:, at]])
            is_code = (codes == np.floor(codes)) & (codes >= 0) & (codes < len(spec.levels))
            if not spec.is_numeric and spec.levels and not is_code.all():
                raise ModelFileError(f"learned: a centre has no level in column `{spec.name}`")
            if not spec.is_numeric and self.divisors_[at] != 1.0:
                raise ModelFileError(f"learned: `divisors_` of the words in `{spec.name}` is not 1")


def warn_of_empty_clusters(labels: Int32Array, n_clusters: int) -> None:
    """Fewer different rows than clusters."""
    n_found = len(distinct(labels))
    if n_found < n_clusters:
        n_empty = n_clusters - n_found
        warn_user(
            f"{n_empty} of {n_clusters} clusters have no rows: only {n_found} different "
            f"{'row was' if n_found == 1 else 'rows were'} found"
        )
