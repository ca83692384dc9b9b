"""General trees: parameters that the named algorithms fix are free to choose here."""

from collections.abc import Callable, Mapping
from typing import Any

from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator, TreeRegressorMixin
from treewright.single_trees.param_tables import TREE_CLASSIFIER_PARAMS, TREE_REGRESSOR_PARAMS


class TreeClassifier(TreeClassifierMixin, TreeEstimator):
    """Classification tree with freely chosen criterion, split types and missing-value policy.

    Parameters
    ----------
    criterion
        Split criterion: "information_gain" (or "entropy"), "gain_ratio",
        "gini", "cost_gini", "chi2", or a function that takes an array with the class weights of
        a node and returns its impurity.
    nominal
        How a nominal column splits a node: "branches" makes one branch per category, "subset"
        two branches for two sets of categories, "one_vs_rest" one category against the others.
    numeric
        How a numeric column splits a node: by a "threshold" or into "intervals".
    max_intervals
        Maximum number of intervals per split; None chooses the number by MDL.
    missing
        How to handle missing values: "fractional" sends a fraction of the row down every branch,
        "surrogate" uses another column that splits in a similar way, "learned" sends them to the
        branch with the largest gain, "branch" to a branch of their own, "majority" to the branch
        with the most weight, "stop" predicts from the node.
    max_surrogates
        Maximum number of surrogate splits per node; "auto" is 5 if the table has missing values,
        otherwise 0.
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
    significance
        Maximum p-value of a split in the chi-square test of independence.
    error_confidence
        Confidence level of the pessimistic error estimate. A node is split only if the split
        lowers this estimate.
    validation_fraction
        Fraction of the rows held back for validation. The best splits are made first, and growth
        stops when they no longer improve the predictions for these rows.
    n_iter_no_change
        Number of consecutive splits without improvement on the validation rows before growth
        stops.
    prune
        Pruning method, as in `tw.prune`; None for no pruning.
    prune_options
        Options of the pruning method, as a dict. "reduced_error" also takes "fraction", the
        fraction of the rows held back for pruning.
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
        Seed for choosing the rows that are held back.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    pruning_
        The pruning report: what was cut and why. None if the tree was not pruned.
    feature_importances_
        Importance of each column: its share of the total impurity decrease of all splits.

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
    """Regression tree with freely chosen criterion, split types and missing-value policy.

    Parameters
    ----------
    criterion
        Split criterion: "squared_error", "absolute_error" or "poisson".
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
        The pruning report: what was cut and why. None if the tree was not pruned.
    feature_importances_
        Importance of each column: its share of the total impurity decrease of all splits.

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
