"""Oblique trees: splits by weighted sums of a few columns, with readable coefficients."""

from collections.abc import Mapping
from typing import Any

from treewright.estimators.threads import seed_of
from treewright.estimators.training import TrainingRows, class_target
from treewright.induction.oblique.growth import grow_oblique_tree
from treewright.induction.oblique.node_search import SumSettings
from treewright.induction.settings import GrowthSettings
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings, pruning_asked
from treewright.single_trees.param_tables import OBLIQUE_PARAMS
from treewright.tree.tree import Tree


def oblique_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """Growth settings of oblique trees."""
    return growth_settings(model, rows, nominal="subset", missing="learned")


def grow_with_sums(model: Any, rows: TrainingRows, settings: GrowthSettings, threads: int) -> Tree:
    """Grows a tree whose splits may be sums of columns."""
    sums = SumSettings(
        max_terms=int(model.max_terms),
        term_gain=float(model.term_gain),
        rows_per_term=int(model.rows_per_term),
        n_jumps=int(model.n_jumps),
        seed=seed_of(model.random_state),
    )
    return grow_oblique_tree(rows.table, class_target(rows), rows.weights, settings, sums, threads)


def oblique_pruning(model: Any) -> Pruning | None:
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

    Parameters
    ----------
    criterion
        Split criterion: "gini" or "entropy".
    max_terms
        Maximum number of columns per split; 1 grows an ordinary tree.
    term_gain
        Minimum relative increase of the gain for each column added to a sum.
    rows_per_term
        Minimum number of distinct rows in a node for each column of a sum.
    n_jumps
        Number of random moves tried when no change of a single coefficient improves a sum.
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
        Minimum number of rows in a leaf; a float below 1 is a fraction of the rows.
    min_weight_fraction_leaf
        Minimum fraction of the total weight in a leaf.
    min_gain
        A node is split only if the gain is above this value. None allows splits without gain.
    prune
        How to prune the grown tree: "mdl" by description length, where every column of a sum
        counts; "cv" by cost complexity with ten-fold cross-validation; or another method of
        `treewright.prune`. None for no pruning.
    prune_options
        Options of the pruning method, as a dict.
    costs
        `costs[i][j]` is the cost of predicting class j for a row of class i, in the order of
        `classes_`.
    priors
        Prior probability of each class: a dict, or a list in the order of `classes_`.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The tree is
        always the same.
    random_state
        Seed of the random moves; None gives a different tree each time.

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

    params = OBLIQUE_PARAMS
    algorithm = Algorithm(oblique_settings, grow=grow_with_sums, pruning=oblique_pruning)

    def __init__(
        self,
        *,
        criterion: str = "gini",
        max_terms: int = 3,
        term_gain: float = 0.05,
        rows_per_term: int = 10,
        n_jumps: int = 10,
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        prune: str | None = "mdl",
        prune_options: Mapping[str, Any] | None = None,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.max_terms = max_terms
        self.term_gain = term_gain
        self.rows_per_term = rows_per_term
        self.n_jumps = n_jumps
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
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
