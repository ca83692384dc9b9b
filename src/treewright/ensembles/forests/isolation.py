"""Isolation forests after Liu, Ting and Zhou (2008): rows that are soon alone are unusual."""

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from treewright._kernels.learners import (
    Drawing,
    IsolationSettings,
    draw_rows,
    grow_isolation_trees,
)
from treewright.arrays import Floats
from treewright.data.scan import Scan
from treewright.data.scanned_table import ScannedTable, in_memory
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.survey import survey
from treewright.data.table import Table
from treewright.data.weights import check_weights
from treewright.ensembles.base import Ensemble
from treewright.ensembles.fitted import FittedIsolation, isolation_scores
from treewright.ensembles.forests.growth import check_draws_alike, trees_to_keep
from treewright.ensembles.forests.settings import (
    BOOTSTRAP,
    MAX_FEATURES,
    MAX_SAMPLES,
    N_ESTIMATORS,
    WARM_START,
    drawing_by,
    n_drawn,
    n_features,
)
from treewright.ensembles.packed import with_short_thresholds
from treewright.ensembles.reading import IsolationReading
from treewright.errors import ParameterError
from treewright.estimators import params as shared
from treewright.estimators.declaration import param
from treewright.estimators.methods import by_block
from treewright.estimators.threads import n_threads, seed_of
from treewright.estimators.training import check_scan_alone, warn_of_useless_columns, warn_user
from treewright.induction.growth import native_columns
from treewright.tree.tree import Tree

ROWS_BY_DEFAULT = 256  # of a tree: enough to tell unusual rows, and few enough not to hide them
USUAL_SCORE = -0.5  # scores below this are unusual, unless `contamination` says how many are
ROWS_WORTH_THREADS = 2000


# Arrays of trees from a table, weights, settings and a number of threads.
GrowIsolation = Callable[[Table, Floats | None, IsolationSettings, int], list[dict[str, Any]]]


class IsolationForest(OutlierMixin, IsolationReading, Ensemble[FittedIsolation]):  # type: ignore[misc]
    """Isolation forest for anomaly detection: rows that few random splits isolate are unusual.

    Each node draws a random column, and a random threshold between its smallest and largest value
    or a random set of its categories. Rows with a missing value go to a random side.

    Attributes
    ----------
    trees_
        The trees, each an ordinary `Tree` whose leaves predict a number of splits.
    offset_
        Rows with a score below this are outliers.

    Examples
    --------
    >>> import treewright as tw
    >>> X = [[1.0], [1.1], [0.9], [1.2], [0.8], [9.0]]
    >>> tw.IsolationForest().fit(X).predict([[1.0], [9.0]])
    array([ 1, -1])
    """

    state_type = FittedIsolation

    n_estimators: int = N_ESTIMATORS
    max_samples: int | float | str = MAX_SAMPLES.but(
        default="auto",
        help='Number or fraction of rows sampled for each tree; "auto" is 256, or all rows if '
        "there are fewer.",
        choices=("auto",),
    )
    contamination: float | str = param(
        "auto",
        'Fraction of the training rows that `predict` labels as outliers; "auto" labels rows with '
        "a score below -0.5, as in the original paper.",
        above=0,
        high=0.5,
        choices=("auto",),
    )
    max_features: int | float = MAX_FEATURES.but(
        default=1.0, help="Number or fraction of columns sampled for each tree.", choices=()
    )
    bootstrap: bool = BOOTSTRAP.but(
        default=False,
        help="Whether to sample rows with replacement. If False and `max_samples` covers the "
        "whole table, each tree gets every row, regardless of its weight.",
    )
    handle_unknown: str = shared.MISSING_OR_ERROR
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    warm_start: bool = WARM_START
    random_state: Any = shared.RANDOM_STATE
    n_jobs: int | None = shared.N_JOBS

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train the trees on the rows of X; `y` is ignored.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            Ignored, present for compatibility with pipelines.
        sample_weight
            Weights of the rows, at least 0. A row of weight 2 is twice as likely to be sampled.
        """
        return self.fit_by(isolation_trees, X, sample_weight)

    def fit_by(self, grow: GrowIsolation, X: Any, sample_weight: Any = None) -> Self:
        """As `fit`, with trees that may grow elsewhere."""
        self.check_params()
        if isinstance(X, Scan):
            check_scan_alone(None, sample_weight)
            found = survey(X, lambda y, name, n_rows: None, self.categorical_features)
            table: Table = ScannedTable(found).sort_levels()
            weights = check_weights(found.weights, table.n_rows)
        else:
            table = table_from(X, categorical_features=self.categorical_features).sort_levels()
            weights = check_weights(sample_weight, table.n_rows)
        if weights is not None and not weights.all():
            table = table[np.flatnonzero(weights)].compact_levels()
            weights = weights[weights > 0]
        if isinstance(table, ScannedTable) and table.is_small:
            table = table.read()
        warn_of_useless_columns(table)
        self._state = self._grown(table, weights, grow)
        return self

    def _grown(self, table: Table, weights: Floats | None, grow: GrowIsolation) -> FittedIsolation:
        schema = Schema.of(table)
        kept = trees_to_keep(self, schema, None, table.n_rows)
        settings = self._settings(table, first_tree=len(kept))
        if len(kept):
            check_draws_alike(self, settings)
        threads = self._n_growth_threads(table)
        trees = kept
        if settings.n_trees:
            grown = grow(table, weights, settings, threads)
            more = [
                Tree.from_arrays(tree, schema=schema, unseen=self.handle_unknown) for tree in grown
            ]
            trees = (*kept, *more)
        offset = USUAL_SCORE
        if self.contamination != "auto":
            scores = np.concatenate(
                [
                    isolation_scores(trees, block, settings.n_drawn, threads)
                    for block in blocks_of(table)
                ]
            )
            offset = float(np.quantile(scores, float(self.contamination)))
        trees, schema = with_short_thresholds(trees, schema, table)
        return FittedIsolation(
            trees=trees,
            schema=schema,
            seed=settings.seed,
            n_rows=table.n_rows,
            n_drawn=settings.n_drawn,
            drawing=settings.drawing.name,
            offset=offset,
        )

    def _settings(self, table: Table, first_tree: int) -> IsolationSettings:
        settings = IsolationSettings()
        settings.n_trees = int(self.n_estimators) - first_tree
        settings.first_tree = first_tree
        settings.seed = self.state_.seed if first_tree else seed_of(self.random_state)
        settings.n_drawn = self._n_drawn(table.n_rows)
        settings.drawing = drawing_by(self.bootstrap, settings.n_drawn, table.n_rows)
        settings.max_features = n_features(self.max_features, table.n_columns)
        settings.max_depth = (max(settings.n_drawn, 2) - 1).bit_length()
        return settings

    def _n_drawn(self, n_rows: int) -> int:
        wanted = self.max_samples
        if isinstance(wanted, str):
            return min(ROWS_BY_DEFAULT, n_rows)
        if wanted > n_rows:
            warn_user(f"max_samples={wanted} is more than the {n_rows} rows: each tree gets all")
            return n_rows
        return n_drawn(wanted, n_rows)

    def _n_growth_threads(self, table: Table) -> int:
        return n_threads(self.n_jobs, worth_it=table.n_rows >= ROWS_WORTH_THREADS)

    def score_samples(self, X: Any) -> Floats:
        """The negative anomaly score, from -1 (most unusual rows) to 0 (most common rows)."""
        return by_block(X, self.state_, lambda rows: self.state_.scores(rows, self))

    def decision_function(self, X: Any) -> Floats:
        """`score_samples` minus `offset_`: below 0 for outliers."""
        state = self.state_
        return by_block(X, state, lambda rows: state.scores(rows, self)) - state.offset

    def predict(self, X: Any) -> NDArray[np.intp]:
        """-1 for outliers and 1 for the others."""
        state = self.state_
        return by_block(X, state, lambda rows: state.predict(rows, self))


def isolation_trees(
    table: Table, weights: Floats | None, settings: IsolationSettings, n_threads: int
) -> list[dict[str, Any]]:
    """The arrays of the trees that the settings ask for."""
    if weights is None or (weights == weights[0]).all() or settings.drawing == Drawing.all_rows:
        if not isinstance(table, ScannedTable):
            return grow_isolation_trees(native_columns(table), table.n_rows, settings, n_threads)
        rows_of_tree = rows_by_chance(table.n_rows, settings)
    else:
        rows_of_tree = rows_by_weight(weights, settings)
    if isinstance(table, ScannedTable):  # one pass for the rows of all trees
        drawn, places = np.unique(np.concatenate(rows_of_tree), return_inverse=True)
        ends = np.cumsum([len(rows) for rows in rows_of_tree])[:-1]
        table, rows_of_tree = in_memory(table.take(drawn)), np.split(places.ravel(), ends)
    one = IsolationSettings()
    one.n_trees, one.drawing, one.n_drawn = 1, Drawing.all_rows, settings.n_drawn
    one.seed, one.max_features = settings.seed, settings.max_features
    one.max_depth = settings.max_depth
    trees = []
    for number, rows in enumerate(rows_of_tree, settings.first_tree):
        one.first_tree = number
        trees += grow_isolation_trees(native_columns(table[rows]), len(rows), one, 1)
    return trees


def rows_by_weight(weights: Floats, settings: IsolationSettings) -> list[NDArray[np.intp]]:
    """The rows of each tree, drawn with chances by weight."""
    chances = weights / weights.max()
    chances /= chances.sum()
    with_replacement = settings.drawing == Drawing.with_replacement
    return [
        np.random.default_rng([settings.seed, number]).choice(
            len(weights), settings.n_drawn, replace=with_replacement, p=chances
        )
        for number in numbers_of(settings)
    ]


def rows_by_chance(n_rows: int, settings: IsolationSettings) -> list[NDArray[np.intp]]:
    """The rows of each tree, which `grow_isolation_trees` draws for itself."""
    if settings.drawing == Drawing.with_replacement:
        raise ParameterError(
            f"bootstrap=True is not available for a scan of {n_rows:,} rows",
            hint="use bootstrap=False, or read the rows into memory",
        )
    return [
        np.flatnonzero(np.asarray(draw_rows(settings, number, n_rows)))
        for number in numbers_of(settings)
    ]


def numbers_of(settings: IsolationSettings) -> range:
    return range(settings.first_tree, settings.first_tree + settings.n_trees)


def blocks_of(table: Table) -> Iterator[Table]:
    """The blocks of a scan; a table in memory is one."""
    if not isinstance(table, ScannedTable):
        yield table
        return
    for _, block in table.blocks():
        yield block
