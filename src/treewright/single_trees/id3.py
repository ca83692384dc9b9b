"""ID3: the textbook tree for nominal columns, with one branch per category."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.cut_points import interval_column
from treewright.data.mdl import mdl_cuts
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.estimators.training import TrainingRows, class_target
from treewright.induction.settings import GrowthSettings
from treewright.preprocessing.discretizer import BY_VALUES
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.fitted import FittedCutTree
from treewright.single_trees.growing import Algorithm, Grow, grown_and_pruned, growth_settings
from treewright.single_trees.param_tables import ID3_PARAMS

Cuts = tuple[float, ...]

METHOD_NAMES = {
    "mdl": "MDL",
    "equal_width": "equal width",
    "equal_frequency": "equal frequency",
    "kmeans": "k-means",
}

MOST_NOTES = 50


def id3_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """One branch per category, and each column at most once on a path."""
    order = column_positions(model, rows.table)
    return growth_settings(model, rows, nominal="branches", use_once=True, column_order=order)


def column_positions(model: Any, table: Table) -> tuple[int, ...] | None:
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

    Parameters
    ----------
    criterion
        Split criterion: "information_gain", "gain_ratio", "gini", "chi2", or a
        function that takes an array with the class weights of a node and returns its impurity.
    discretize
        How to discretize numeric columns: "mdl" (Fayyad and Irani), "equal_width",
        "equal_frequency" or "kmeans". With None, numeric columns raise an error.
    n_bins
        Number of intervals per numeric column. "mdl" chooses the number itself.
    missing
        How to handle missing values: "stop" predicts from the node where the value is missing.
        The other policies of `TreeClassifier` are available too.
    column_order
        Names or positions of columns to split by in this order, regardless of their gain. The
        other columns follow in the order of the table.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", send it
        to the "majority" branch, or raise an "error".
    max_depth
        Maximum number of splits from the root to a leaf; None for no limit.
    max_leaf_nodes
        Maximum number of leaves; the best splits are made first. None for no limit.
    max_splits
        Maximum number of splits in the tree; the best splits are made first. None for no limit.
    min_samples_split
        Minimum number of rows a node needs to be split; a float below 1 is a fraction of the rows.
    min_samples_leaf
        Minimum number of rows in at least two branches of a split; a float below 1 is a fraction
        of the rows.
    min_weight_fraction_leaf
        Minimum fraction of the total weight in at least two branches of a split.
    min_gain
        A node is split only if the gain is above this value. None allows splits without gain.
    prune
        Pruning method, as in `tw.prune`; None for no pruning.
    prune_options
        Options of the pruning method, as a dict. "reduced_error" also takes "fraction", the
        fraction of the rows held back for pruning.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The tree is
        always the same.
    random_state
        Seed for choosing the rows that are held back.

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

    params = ID3_PARAMS
    algorithm = Algorithm(id3_settings)
    state_type = FittedCutTree

    def __init__(
        self,
        *,
        criterion: str | Callable[..., float] = "information_gain",
        discretize: str | None = "mdl",
        n_bins: int = 5,
        missing: str = "stop",
        column_order: Sequence[str] | Sequence[int] | None = None,
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        prune: str | None = None,
        prune_options: Mapping[str, Any] | None = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.discretize = discretize
        self.n_bins = n_bins
        self.missing = missing
        self.column_order = column_order
        self.handle_unknown = handle_unknown
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_splits = max_splits
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.prune = prune
        self.prune_options = prune_options
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def cut_points_(self) -> Mapping[str, Cuts]:
        """Cut points of each numeric column, by name."""
        return self.state_.cut_points

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedCutTree:
        numeric = [column for column in rows.table.columns if isinstance(column, NumericColumn)]
        cut_points = {column.name: self._cuts_of(column, rows) for column in numeric}
        schema = Schema.of(rows.table).with_cuts(cut_points, rows.table)
        table = as_nominal(rows.table, cut_points, schema)
        tree, report = grown_and_pruned(self, replace(rows, table=table), grow)
        return FittedCutTree(
            tree=tree,
            schema=schema,
            classes=class_target(rows).classes,
            notes=notes_on(table, cut_points, METHOD_NAMES.get(str(self.discretize), "")),
            cut_points=cut_points,
            pruning=report,
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
    columns = [
        interval_column(column, cut_points[column.name], spec.printed)
        if isinstance(column, NumericColumn)
        else column
        for column, spec in zip(table.columns, schema.columns, strict=True)
    ]
    unordered = [replace(column, ordered=False) for column in columns]
    return Table(unordered, table.n_rows, has_names=table.has_names)
