"""ID3: the textbook tree for nominal columns, with one branch per category."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.cut_points import interval_column
from treewright.data.mdl import mdl_cuts
from treewright.data.schema import Schema
from treewright.data.stored_table import folder_of, stored, table_like
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.estimators import params as shared
from treewright.estimators.declaration import param
from treewright.estimators.training import TrainingRows, UnreadTable, class_target
from treewright.induction.settings import GrowthSettings
from treewright.preprocessing.discretizer import BY_VALUES
from treewright.pruning.methods import CLASS_METHODS
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.fitted import FittedCutTree
from treewright.single_trees.growing import Algorithm, Grow, grown_and_pruned, growth_settings
from treewright.single_trees.shrinkage import notes_on_shrinkage, shrinkage_of

Cuts = tuple[float, ...]

METHOD_NAMES = {
    "mdl": "MDL",
    "equal_width": "equal width",
    "equal_frequency": "equal frequency",
    "kmeans": "k-means",
}

MOST_NOTES = 50


def id3_settings(model: "ID3Classifier", rows: TrainingRows) -> GrowthSettings:
    """One branch per category, and each column at most once on a path."""
    order = column_positions(model, rows.table)
    return growth_settings(model, rows, nominal="branches", use_once=True, column_order=order)


def column_positions(model: "ID3Classifier", table: Table) -> tuple[int, ...] | None:
    if model.column_order is None:
        return None
    positions = []
    for column in model.column_order:
        if isinstance(column, str):
            if column not in table.names:
                raise UnknownColumnError.among(column, table.names, source="the table")
            positions.append(table.position(column))
        elif isinstance(column, Integral) and 0 <= int(column) < table.n_columns:
            positions.append(int(column))
        else:
            raise ParameterError(
                f"column_order has {column!r}, the table has {table.n_columns} columns",
                hint="use names, or positions from 0",
            )
    return tuple(positions)


class ID3Classifier(TreeClassifierMixin, TreeEstimator):
    """Decision tree by ID3: information gain, one branch per category, no column twice on a path.

    ID3 supports nominal columns only. Numeric columns are discretized before training.
    `cut_points_` holds the cut points, and `export_text` shows them.

    Attributes
    ----------
    tree_
        The fitted `Tree`. Discretized columns are nominal in it.
    classes_
        Class labels, in the column order of `predict_proba`.
    cut_points_
        Cut points of each numeric column, by name.
    pruning_
        The pruning report: what was cut and why. None if the tree was not pruned.
    feature_importances_
        Importance of each column: its share of the total information gain of all splits.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("shapes")
    >>> print(tw.ID3Classifier().fit(X, y).export_text())
    shape = circle
    |   color = red: + (1)
    |   color = blue: - (1)
    shape = square: - (2)
    shape = triangle: - (2)
    """

    algorithm = Algorithm(id3_settings)
    state_type = FittedCutTree

    criterion: str | Callable[..., float] = param(
        "information_gain",
        'Split criterion: "information_gain" (or "entropy"), "gain_ratio", "gini", "chi2", or a '
        "function that takes an array with the class weights of a node and returns its impurity.",
        choices=("information_gain", "gain_ratio", "gini", "entropy", "chi2"),
        accepts=shared.is_function,
        accepts_text="a function of class weights",
    )
    discretize: str | None = shared.DISCRETIZE
    n_bins: int = shared.N_BINS
    missing: str = shared.MISSING.but(
        default="stop",
        help='How to handle missing values: "stop" predicts from the node where the value is '
        "missing. The other policies of `TreeClassifier` are available too.",
    )
    column_order: Sequence[str] | Sequence[int] | None = param(
        None,
        "Names or positions of columns to split by in this order, regardless of their gain. The "
        "other columns follow in the order of the table.",
        accepts=shared.is_list_of_columns,
        accepts_text="a list of column names or positions",
    )
    handle_unknown: str = shared.HANDLE_UNKNOWN
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_samples_split: int | float = shared.MIN_SAMPLES_SPLIT
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF.but(
        help="Minimum number of rows in at least two branches of a split; a float below 1 is a "
        "fraction of the rows."
    )
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF.but(
        help="Minimum fraction of the total weight in at least two branches of a split."
    )
    min_gain: float | None = shared.MIN_GAIN
    prune: str | None = shared.PRUNE.but(choices=CLASS_METHODS)
    prune_options: Mapping[str, Any] | None = shared.PRUNE_OPTIONS
    shrinkage: float | str = shared.SHRINKAGE
    costs: Any = shared.COSTS.but(stored_if_set=True)
    class_weight: Any = shared.CLASS_WEIGHT
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS
    random_state: Any = shared.RANDOM_STATE.but(
        help="Seed for choosing the rows that are held back."
    )

    @property
    def cut_points_(self) -> Mapping[str, Cuts]:
        """Cut points of each numeric column, by name."""
        return self.state_.cut_points

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedCutTree:
        numeric = [column for column in rows.table.columns if isinstance(column, NumericColumn)]
        cut_points = {column.name: self._cuts_of(column, rows) for column in numeric}
        schema = Schema.of(rows.table).with_cuts(cut_points, rows.table)
        table = as_nominal(rows.table, cut_points, schema)
        unread = None if rows.unread is None else UnreadCuts(rows.unread, cut_points, schema)
        rows = replace(rows, table=table, unread=unread)
        tree, report = grown_and_pruned(self, rows, grow)
        strength = shrinkage_of(self, rows)
        return FittedCutTree(
            tree=tree,
            schema=schema,
            classes=class_target(rows).classes,
            notes=(
                *notes_on(table, cut_points, METHOD_NAMES.get(str(self.discretize), "")),
                *notes_on_shrinkage(strength),
            ),
            cut_points=cut_points,
            pruning=report,
            shrinkage=strength,
        )

    def _cuts_of(self, column: NumericColumn, rows: TrainingRows) -> Cuts:
        if self.discretize is None:
            raise DataError(
                f"column `{column.name}` is numeric and ID3 knows nominal columns only",
                hint='use discretize="mdl" to cut it into intervals, or categorical_features to '
                "take its values as levels",
            )
        if self.discretize == "mdl":
            cuts = mdl_cuts(column.values, class_target(rows).codes, rows.weights)
        else:
            cuts = BY_VALUES[self.discretize](column.values, rows.weights, int(self.n_bins))
        return tuple(cuts.tolist())


@dataclass(frozen=True, slots=True)
class UnreadCuts:
    """A table that others can read, and where its numeric columns are cut."""

    unread: UnreadTable
    cut_points: Mapping[str, Cuts]
    schema: Schema

    def read(self) -> Table:
        """The table with intervals."""
        return as_nominal(self.unread.read(), self.cut_points, self.schema)

    def take(self, rows: NDArray[np.intp]) -> "UnreadCuts":
        """Some of the rows."""
        return replace(self, unread=self.unread.take(rows))


def notes_on(table: Table, cut_points: Mapping[str, Cuts], method: str) -> tuple[str, ...]:
    """A sentence about each discretized column, for people."""
    cut = [column for column in table.columns if column.name in cut_points]
    notes = [
        f"{column.name} was cut in advance ({method}): {', '.join(map(str, column.levels))}"
        for column in cut[:MOST_NOTES]
        if isinstance(column, NominalColumn)
    ]
    if len(cut) > MOST_NOTES:
        notes.append(f"{len(cut) - MOST_NOTES} more columns were cut in advance ({method})")
    return tuple(notes)


def as_nominal(table: Table, cut_points: Mapping[str, Cuts], schema: Schema) -> Table:
    """The table with numeric columns as intervals and all categories unordered."""
    nominal = (
        interval_column(column, cut_points[column.name], spec.printed)
        if isinstance(column, NumericColumn)
        else column
        for column, spec in zip(table.columns, schema.columns, strict=True)
    )
    folder = folder_of(table)
    return table_like(table, [stored(replace(one, ordered=False), folder) for one in nominal])
