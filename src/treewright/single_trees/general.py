"""General trees: parameters that the named algorithms fix are free to choose here."""

from collections.abc import Callable, Mapping
from typing import Any

from treewright.estimators import params as shared
from treewright.estimators.declaration import param
from treewright.pruning.methods import CLASS_METHODS, NUMBER_METHODS
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator, TreeRegressorMixin

CLASS_CRITERIA = ("information_gain", "gain_ratio", "gini", "entropy", "cost_gini", "chi2")
SUBSETS = shared.NOMINAL.but(default="subset")
NUMERIC = param(
    "threshold",
    'How a numeric column splits a node: by a "threshold" or into "intervals".',
    choices=("threshold", "intervals"),
)
MAX_INTERVALS = param(
    None, "Maximum number of intervals per split; None chooses the number by MDL.", low=2
)
VALIDATION_FRACTION = param(
    None,
    "Fraction of the rows held back for validation. The best splits are made first, and growth "
    "stops when they no longer improve the predictions for these rows.",
    above=0,
    below=1,
)
N_ITER_NO_CHANGE = param(
    10,
    "Number of consecutive splits without improvement on the validation rows before growth stops.",
    low=1,
)
SEED = shared.RANDOM_STATE.but(help="Seed for choosing the rows that are held back.")


class TreeClassifier(TreeClassifierMixin, TreeEstimator):
    """Classification tree with freely chosen criterion, split types and missing-value policy.

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

    criterion: str | Callable[..., float] = param(
        "gini",
        'Split criterion: "information_gain" (or "entropy"), "gain_ratio", "gini", "cost_gini", '
        '"chi2", or a function that takes an array with the class weights of a node and returns '
        "its impurity.",
        choices=CLASS_CRITERIA,
        accepts=shared.is_function,
        accepts_text="a function of class weights",
    )
    nominal: str = SUBSETS
    numeric: str = NUMERIC
    max_intervals: int | None = MAX_INTERVALS
    missing: str = shared.MISSING
    max_surrogates: int | str = shared.MAX_SURROGATES
    handle_unknown: str = shared.HANDLE_UNKNOWN
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_samples_split: int | float = shared.MIN_SAMPLES_SPLIT
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF
    min_gain: float | None = shared.MIN_GAIN
    significance: float | None = param(
        None,
        "Maximum p-value of a split in the chi-square test of independence.",
        above=0,
        high=1,
    )
    error_confidence: float | None = param(
        None,
        "Confidence level of the pessimistic error estimate. A node is split only if the split "
        "lowers this estimate.",
        above=0,
        high=0.5,
    )
    validation_fraction: float | None = VALIDATION_FRACTION
    n_iter_no_change: int = N_ITER_NO_CHANGE
    prune: str | None = shared.PRUNE.but(choices=CLASS_METHODS)
    prune_options: Mapping[str, Any] | None = shared.PRUNE_OPTIONS
    shrinkage: float | str = shared.SHRINKAGE
    costs: Any = shared.COSTS
    priors: Any = shared.PRIORS
    class_weight: Any = shared.CLASS_WEIGHT
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS
    random_state: Any = SEED


class TreeRegressor(TreeRegressorMixin, TreeEstimator):
    """Regression tree with freely chosen criterion, split types and missing-value policy.

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

    criterion: str = shared.NUMBER_CRITERION
    nominal: str = SUBSETS
    numeric: str = NUMERIC
    max_intervals: int | None = MAX_INTERVALS
    missing: str = shared.MISSING
    max_surrogates: int | str = shared.MAX_SURROGATES
    handle_unknown: str = shared.HANDLE_UNKNOWN
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_samples_split: int | float = shared.MIN_SAMPLES_SPLIT
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF
    min_gain: float | None = shared.MIN_GAIN
    validation_fraction: float | None = VALIDATION_FRACTION
    n_iter_no_change: int = N_ITER_NO_CHANGE
    prune: str | None = shared.PRUNE.but(choices=NUMBER_METHODS)
    prune_options: Mapping[str, Any] | None = shared.PRUNE_OPTIONS
    shrinkage: float | str = shared.SHRINKAGE
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS
    random_state: Any = SEED
