"""Oblique trees: questions may sum up a few columns, with coefficients that people can read."""

from collections.abc import Mapping
from typing import Any

from treewright.estimators.methods import class_target
from treewright.estimators.threads import seed_of
from treewright.estimators.training import TrainingRows
from treewright.induction.oblique.growth import grow_oblique_tree
from treewright.induction.oblique.node_search import SumSettings
from treewright.induction.settings import GrowthSettings
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings, pruning_asked
from treewright.single_trees.param_tables import OBLIQUE_PARAMS
from treewright.tree.tree import Tree


def oblique_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """What makes growth that of oblique trees."""
    return growth_settings(model, rows, nominal="subset", missing="learned")


def grow_with_sums(model: Any, rows: TrainingRows, settings: GrowthSettings, threads: int) -> Tree:
    """The tree whose nodes may ask for sums of columns."""
    sums = SumSettings(
        max_terms=int(model.max_terms),
        term_gain=float(model.term_gain),
        rows_per_term=int(model.rows_per_term),
        n_jumps=int(model.n_jumps),
        seed=seed_of(model.random_state),
    )
    return grow_oblique_tree(rows.table, class_target(rows), rows.weights, settings, sums, threads)


def oblique_pruning(model: Any) -> Pruning | None:
    """Pruning as asked for; "cv" is by errors."""
    if model.prune != "cv":
        return pruning_asked(model)
    return "cost_complexity", {"risk": "error", **(model.prune_options or {})}


class ObliqueTreeClassifier(TreeClassifierMixin, TreeEstimator):
    """A binary classification tree whose questions may sum up several columns.

    At every node the best question about one column stands against sums of two, three, ... columns
    such as `2 * age + income <= 91`. A further column is taken only if the gain rises by it, and
    coefficients have as few digits as split the rows as well. Nominal columns split by the best
    set of levels, as in CART. Missing values go to the side where they gain more.

    Parameters
    ----------
    criterion
        Measure that a split is chosen by: "gini" or "entropy".
    max_terms
        Most columns that one question sums up; 1 grows an ordinary tree.
    term_gain
        Share by which each further column of a sum has to raise the gain.
    rows_per_term
        Different rows that a node needs for each column of a sum.
    n_jumps
        Random moves tried to improve a sum that no single coefficient improves any more.
    handle_unknown
        What a level does that training never met: as "missing", to the "majority", or "error".
    max_depth
        Most splits from the root to a leaf; None for no limit.
    max_leaf_nodes
        Most leaves, the best split first; None for no limit.
    max_splits
        Most splits in all, the best first; None for no limit.
    min_samples_split
        Fewest rows in a node that is split; a float below 1 is a share of the rows.
    min_samples_leaf
        Fewest rows in a leaf; a float below 1 is a share of the rows.
    min_weight_fraction_leaf
        Least share of the whole weight in a leaf.
    min_gain
        A split needs a gain above this. None tests nothing, so a split without gain is taken too.
    prune
        How the grown tree is pruned: "mdl" by the length of its description, in which every
        column of a sum counts; "cv" by a price for each leaf that ten-fold cross-validation
        finds; or by another method of `treewright.prune`. None: not at all.
    prune_options
        Options of the pruning method, as a dict.
    costs
        `costs[i][j]` is the price of taking class i for class j, in the order of `classes_`.
    priors
        Probability of each class, as a list in the order of `classes_` or a dict.
    class_weight
        Factor on the weight of the rows of a class: a dict, or "balanced".
    categorical_features
        Columns to take as nominal whatever their type: names, positions or a mask.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The tree is always the same.
    random_state
        Seed of the random moves; None for another tree each time.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    feature_importances_
        Each column's share of the impurity that all splits take away.

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
