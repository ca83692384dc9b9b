"""Trees from any mixture of parts: what the named algorithms fix, these leave open."""

from collections.abc import Callable, Mapping
from typing import Any

from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator, TreeRegressorMixin
from treewright.single_trees.param_tables import TREE_CLASSIFIER_PARAMS, TREE_REGRESSOR_PARAMS


class TreeClassifier(TreeClassifierMixin, TreeEstimator):
    """A classification tree from parts of your choice.

    Parameters
    ----------
    criterion
        Measure that a split is chosen by: "information_gain" (or "entropy"), "gain_ratio",
        "gini", "cost_gini", "chi2", or a function that takes the class weights of a node, an
        array, and returns its impurity.
    nominal
        How a nominal column splits a node: into "branches", one per level; by a "subset" of
        levels; or "one_vs_rest".
    numeric
        How a numeric column splits a node: by a "threshold", or into "intervals".
    max_intervals
        Most intervals of one split; None takes as many as pay for themselves (MDL).
    missing
        What happens to missing values: "fractional" spreads the row over all branches,
        "surrogate" asks another column that splits alike, "learned" tries every branch,
        "branch" gives them a branch of their own, "majority" takes the heaviest branch, "stop"
        answers from the node.
    max_surrogates
        Surrogate splits kept for a node; "auto" is 5 if the table has holes, otherwise 0.
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
    significance
        Largest p-value of a split in the chi-square test of independence.
    error_confidence
        Confidence of the pessimistic error estimate; a node that a split does not improve by it
        stays a leaf.
    validation_fraction
        Share of the rows held back. Growth, best split first, stops when they gain no more.
    n_iter_no_change
        Splits in a row without gain on the held back rows before growth stops.
    prune
        Method that prunes the grown tree, as in `tw.prune`; None for no pruning.
    prune_options
        Options of that method, as a dict; "reduced_error" also takes "fraction", the share of the
        rows held back to prune by.
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
        Seed of the choice of rows held back.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    pruning_
        The report of what pruning cut; None if the tree is not pruned.
    feature_importances_
        Each column's share of the impurity that all splits take away.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("weekend")
    >>> model = tw.TreeClassifier(criterion="gain_ratio", nominal="branches", max_depth=1)
    >>> print(model.fit(X, y).export_text())
    parents = Yes: Cinema (5)
    parents = No: Tennis (5/3)
    """

    params = TREE_CLASSIFIER_PARAMS

    def __init__(
        self,
        *,
        criterion: str | Callable[..., float] = "gini",
        nominal: str = "subset",
        numeric: str = "threshold",
        max_intervals: int | None = None,
        missing: str = "learned",
        max_surrogates: int | str = "auto",
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        significance: float | None = None,
        error_confidence: float | None = None,
        validation_fraction: float | None = None,
        n_iter_no_change: int = 10,
        prune: str | None = None,
        prune_options: Mapping[str, Any] | None = None,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.numeric = numeric
        self.max_intervals = max_intervals
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.handle_unknown = handle_unknown
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_splits = max_splits
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.significance = significance
        self.error_confidence = error_confidence
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.prune = prune
        self.prune_options = prune_options
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state


class TreeRegressor(TreeRegressorMixin, TreeEstimator):
    """A regression tree from parts of your choice.

    Parameters
    ----------
    criterion
        Measure that a split is chosen by: "squared_error", "absolute_error" or "poisson".
    nominal, numeric, max_intervals, missing, max_surrogates, handle_unknown, max_depth, \
    max_leaf_nodes, max_splits, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
    min_gain, validation_fraction, n_iter_no_change, prune, prune_options, categorical_features, \
    n_jobs, random_state
        As in `TreeClassifier`.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    pruning_
        The report of what pruning cut; None if the tree is not pruned.
    feature_importances_
        Each column's share of the impurity that all splits take away.

    Examples
    --------
    >>> import treewright as tw
    >>> X = [["red"], ["red"], ["green"], ["blue"]]
    >>> model = tw.TreeRegressor(nominal="branches").fit(X, [1.0, 3.0, 5.0, 9.0])
    >>> model.predict([["red"], ["blue"]])
    array([2., 9.])
    """

    params = TREE_REGRESSOR_PARAMS

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        nominal: str = "subset",
        numeric: str = "threshold",
        max_intervals: int | None = None,
        missing: str = "learned",
        max_surrogates: int | str = "auto",
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        validation_fraction: float | None = None,
        n_iter_no_change: int = 10,
        prune: str | None = None,
        prune_options: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.numeric = numeric
        self.max_intervals = max_intervals
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.handle_unknown = handle_unknown
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_splits = max_splits
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.prune = prune
        self.prune_options = prune_options
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
