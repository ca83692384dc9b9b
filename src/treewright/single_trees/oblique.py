"""Oblique trees: splits by weighted sums of a few columns, with readable coefficients."""

import math
from collections.abc import Mapping
from typing import Any

from treewright.estimators import params as shared
from treewright.estimators.declaration import param
from treewright.estimators.threads import seed_of
from treewright.estimators.training import TrainingRows, class_target
from treewright.induction.oblique.growth import grow_oblique_tree
from treewright.induction.oblique.node_search import SumSettings
from treewright.induction.settings import GrowthSettings
from treewright.pruning.methods import CLASS_METHODS
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings, pruning_asked
from treewright.tree.tree import Tree


def oblique_settings(model: "ObliqueTreeClassifier", rows: TrainingRows) -> GrowthSettings:
    """Growth settings of oblique trees."""
    return growth_settings(model, rows, nominal="subset", missing="learned")


def grow_with_sums(
    model: "ObliqueTreeClassifier", rows: TrainingRows, settings: GrowthSettings, threads: int
) -> Tree:
    """Grows a tree whose splits may be sums of columns."""
    sums = SumSettings(
        max_terms=int(model.max_terms),
        term_gain=float(model.term_gain),
        rows_per_term=int(model.rows_per_term),
        n_jumps=int(model.n_jumps),
        seed=seed_of(model.random_state),
    )
    return grow_oblique_tree(rows.table, class_target(rows), rows.weights, settings, sums, threads)


def oblique_pruning(model: "ObliqueTreeClassifier") -> Pruning | None:
    """The requested pruning; "cv" counts errors."""
    if model.prune != "cv":
        return pruning_asked(model)
    return "cost_complexity", {"risk": "error", **(model.prune_options or {})}


class ObliqueTreeClassifier(TreeClassifierMixin, TreeEstimator):
    """Binary classification tree whose splits may use weighted sums of several columns.

    At every node, the best split by one column competes with splits by two, three, ... columns
    such as `2 * age + income <= 91`. A column is added only if it raises the gain. Coefficients
    are rounded to as few digits as possible without changing the split. Nominal columns are split
    by the best set of categories, as in CART. Missing values go to the side with the larger gain.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    feature_importances_
        Importance of each column: its share of the total impurity decrease of all splits.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> print(tw.ObliqueTreeClassifier().fit(X, y).export_text())
    petal length <= 2.45: setosa (50)
    petal length > 2.45
    |   2 * petal length + 5 * petal width <= 17.45: versicolor (47)
    |   2 * petal length + 5 * petal width > 17.45: virginica (53/3)
    """

    algorithm = Algorithm(oblique_settings, grow=grow_with_sums, pruning=oblique_pruning)

    criterion: str = shared.GINI_OR_ENTROPY
    max_terms: int = param(
        3, "Maximum number of columns per split; 1 grows an ordinary tree.", low=1, high=20
    )
    term_gain: float = param(
        0.05,
        "Minimum relative increase of the gain for each column added to a sum.",
        low=0,
        below=math.inf,
    )
    rows_per_term: int = param(
        10, "Minimum number of distinct rows in a node for each column of a sum.", low=1
    )
    n_jumps: int = param(
        10,
        "Number of random moves tried when no change of a single coefficient improves a sum.",
        low=0,
        high=10**6,
    )
    handle_unknown: str = shared.HANDLE_UNKNOWN
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_samples_split: int | float = shared.MIN_SAMPLES_SPLIT
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF
    min_gain: float | None = shared.MIN_GAIN
    prune: str | None = shared.PRUNE.but(
        default="mdl",
        help='Pruning method: "mdl" by description length, where every column of a sum counts; '
        '"cv" by cost complexity with ten-fold cross-validation; or another method of '
        "`treewright.prune`. None for no pruning.",
        choices=("cv", *CLASS_METHODS),
    )
    prune_options: Mapping[str, Any] | None = shared.PRUNE_OPTIONS.but(
        help="Options of the pruning method, as a dict."
    )
    costs: Any = shared.COSTS
    priors: Any = shared.PRIORS
    class_weight: Any = shared.CLASS_WEIGHT
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS
    random_state: Any = shared.RANDOM_STATE.but(
        help="Seed of the random moves; None gives a different tree each time."
    )
