"""CART: binary trees after Breiman, Friedman, Olshen and Stone."""

from collections.abc import Mapping
from typing import Any

from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.pruning.cost_complexity import cut_by_cost
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator, TreeRegressorMixin
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings
from treewright.single_trees.param_tables import CART_CLASSIFIER_PARAMS, CART_REGRESSOR_PARAMS
from treewright.tree.tree import Tree

# Other rules of R's rpart besides cp: no split without gain, and no nominal surrogate that fewer
# than two rows contradict. That excludes even a perfect copy of the column, so it is no default.
RPART_RULES = {"min_gain": 0.0, "min_surrogate_disagreement": 2}


def cart_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """Binary splits by sets of categories; the rules of rpart if `cp` is given."""
    rules = {} if model.cp is None else dict(RPART_RULES)
    if rules and model.min_gain is not None:
        rules["min_gain"] = model.min_gain
    return growth_settings(model, rows, nominal="subset", **rules)


def cut_by_cp(model: Any, tree: Tree) -> Tree:
    """The grown tree; if `cp` is given, cut by the rules of rpart."""
    return tree if model.cp is None else cut_by_cost(tree, float(model.cp))


def cart_pruning(model: Any) -> Pruning | None:
    """The pruning that the parameters of the model ask for: method and options."""
    if model.ccp_alpha and model.prune:
        raise ParameterError(
            f"ccp_alpha={model.ccp_alpha!r} and prune={model.prune!r} both prune the tree",
            hint="give one of them",
        )
    if model.ccp_alpha:
        return "cost_complexity", {"risk": "impurity", "alpha": model.ccp_alpha}
    if not model.prune:
        return None
    method, by_default = model.prune, {}
    if method == "cv":
        method, by_default = "cost_complexity", {"risk": "error"}
    options = {**by_default, **cart_options(model, method), **(model.prune_options or {})}
    return method, options


def cart_options(model: Any, method: str) -> Mapping[str, Any]:
    """A model with `cp` follows the rules of rpart in pruning too."""
    if method != "cost_complexity" or model.cp is None:
        return {}
    return {"min_cp": float(model.cp)}


CART = Algorithm(
    settings=cart_settings, finish=cut_by_cp, pruning=cart_pruning, settled_options=cart_options
)


class CARTClassifier(TreeClassifierMixin, TreeEstimator):
    """Binary classification tree (CART): Gini splits, surrogate splits for missing values.

    On numeric columns without missing values it grows the same tree as scikit-learn's
    `DecisionTreeClassifier`, up to ties. Nominal columns are split by the best set of categories.

    Parameters
    ----------
    criterion
        Split criterion: "gini", "entropy", or "cost_gini", the Gini index with
        the cost matrix in its formula.
    missing
        How to handle missing values: "surrogate" uses another column that splits in a similar
        way, "learned" sends them to the side with the larger gain, "majority" to the side with
        more weight, "branch" to a branch of their own, "fractional" sends a fraction of the row
        down every branch, "stop" predicts from the node.
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
    cp
        Complexity parameter of R's rpart: a subtree is cut after growth unless each of its splits
        lowers the risk by more than `cp` times the risk of the root. A number also turns on the
        other rules of rpart (docs/algorithms.md). None keeps the grown tree.
    ccp_alpha
        Complexity parameter for minimal cost-complexity pruning, as in scikit-learn: the pruned
        tree minimizes the impurity of the leaves + `ccp_alpha` x number of leaves. 0 keeps the
        grown tree.
    prune
        How to prune the grown tree: "cv" is cost-complexity pruning with ten-fold
        cross-validation (the smallest tree within one standard error of the best, as is usual
        with rpart); or another method of `treewright.prune`. None for no pruning.
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
    >>> X, y = tw.load_sample("buys_computer")
    >>> print(tw.CARTClassifier(max_depth=2).fit(X, y).export_text())
    age in {<=30, >40}
    |   student = no: no (5/1)
    |   student = yes: yes (5/1)
    age = 31..40: yes (4)
    """

    params = CART_CLASSIFIER_PARAMS
    algorithm = CART

    def __init__(
        self,
        *,
        criterion: str = "gini",
        missing: str = "surrogate",
        max_surrogates: int | str = "auto",
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        cp: float | None = None,
        ccp_alpha: float = 0.0,
        prune: str | None = None,
        prune_options: Mapping[str, Any] | None = None,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
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
        self.cp = cp
        self.ccp_alpha = ccp_alpha
        self.prune = prune
        self.prune_options = prune_options
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs


class CARTRegressor(TreeRegressorMixin, TreeEstimator):
    """Binary regression tree (CART): least squares by default, surrogates for missing values.

    Parameters
    ----------
    criterion
        Split criterion: "squared_error", "absolute_error" or "poisson".
    missing, max_surrogates, handle_unknown, max_depth, max_leaf_nodes, max_splits, \
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_gain, cp, ccp_alpha, \
    prune, prune_options, categorical_features, n_jobs
        As in `CARTClassifier`.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    feature_importances_
        Importance of each column: its share of the total impurity decrease of all splits.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.CARTRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0])
    >>> model.predict([[2.2], [2.8]])
    array([1., 5.])
    """

    params = CART_REGRESSOR_PARAMS
    algorithm = CART

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        missing: str = "surrogate",
        max_surrogates: int | str = "auto",
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        cp: float | None = None,
        ccp_alpha: float = 0.0,
        prune: str | None = None,
        prune_options: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
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
        self.cp = cp
        self.ccp_alpha = ccp_alpha
        self.prune = prune
        self.prune_options = prune_options
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
