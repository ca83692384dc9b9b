"""CART: binary trees after Breiman, Friedman, Olshen and Stone."""

import math
from collections.abc import Mapping
from typing import Any

from treewright.errors import ParameterError
from treewright.estimators import params as shared
from treewright.estimators.declaration import param
from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.pruning.cost_complexity import cut_by_cost
from treewright.pruning.methods import CLASS_METHODS, NUMBER_METHODS
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator, TreeRegressorMixin
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings
from treewright.tree.tree import Tree

# Other rules of R's rpart besides cp: no split without gain, and no nominal surrogate that fewer
# than two rows contradict. That excludes even a perfect copy of the column, so it is no default.
RPART_RULES = {"min_gain": 0.0, "min_surrogate_disagreement": 2}


def cart_settings(model: "CARTClassifier | CARTRegressor", rows: TrainingRows) -> GrowthSettings:
    """Binary splits by sets of categories; the rules of rpart if `cp` is given."""
    rules = {} if model.cp is None else dict(RPART_RULES)
    if rules and model.min_gain is not None:
        rules["min_gain"] = model.min_gain
    return growth_settings(model, rows, nominal="subset", **rules)


def cut_by_cp(model: "CARTClassifier | CARTRegressor", tree: Tree) -> Tree:
    """The grown tree; if `cp` is given, cut by the rules of rpart."""
    return tree if model.cp is None else cut_by_cost(tree, float(model.cp))


def cart_pruning(model: "CARTClassifier | CARTRegressor") -> Pruning | None:
    """The pruning that the parameters of the model ask for: method and options."""
    is_default = model.prune == "auto"
    if model.ccp_alpha and model.prune and not is_default:
        raise ParameterError(
            f"ccp_alpha={model.ccp_alpha!r} and prune={model.prune!r} both prune the tree",
            hint="give one of them",
        )
    if model.ccp_alpha:
        return "cost_complexity", {"risk": "impurity", "alpha": model.ccp_alpha}
    if not model.prune or (is_default and model.cp is not None):
        return None
    method, by_default = model.prune, {}
    if method in ("auto", "cv"):
        method, by_default = "cost_complexity", {"risk": "error"}
    options = {**by_default, **cart_options(model, method), **(model.prune_options or {})}
    return method, options


def cart_options(model: "CARTClassifier | CARTRegressor", method: str) -> Mapping[str, Any]:
    """A model with `cp` follows the rules of rpart in pruning too."""
    if method != "cost_complexity" or model.cp is None:
        return {}
    return {"min_cp": float(model.cp)}


CART = Algorithm(
    settings=cart_settings, finish=cut_by_cp, pruning=cart_pruning, settled_options=cart_options
)


BY_SURROGATES = shared.MISSING.but(
    default="surrogate",
    help='How to handle missing values: "surrogate" uses another column that splits in a similar '
    'way, "learned" sends them to the side with the larger gain, "majority" to the side with more '
    'weight, "branch" to a branch of their own, "fractional" sends a fraction of the row down '
    'every branch, "stop" predicts from the node.',
)
CP = param(
    None,
    "Complexity parameter of R's rpart: a subtree is cut after growth unless each of its splits "
    "lowers the risk by more than `cp` times the risk of the root. A number also turns on the "
    "other rules of rpart (docs/algorithms.md) and replaces the default pruning.",
    low=0,
)
CCP_ALPHA = param(
    0.0,
    "Complexity parameter for minimal cost-complexity pruning, as in scikit-learn: the pruned "
    "tree minimizes the impurity of the leaves + `ccp_alpha` x number of leaves. A number above "
    "0 replaces the default pruning.",
    low=0,
    below=math.inf,
)
CART_PRUNE = shared.PRUNE.but(
    default="auto",
    help='Pruning method: "cv" is cost-complexity pruning with ten-fold cross-validation (the '
    "smallest tree within one standard error of the best, as in the CART book and as usual with "
    'rpart); or another method of `treewright.prune`. None for no pruning. "auto" is "cv", unless '
    "`cp` or `ccp_alpha` is given, the tree is a member of a forest, or the table has fewer than "
    "50 rows.",
)
CART_PRUNE_OPTIONS = shared.PRUNE_OPTIONS.but(help="Options of the pruning method, as a dict.")


class CARTClassifier(TreeClassifierMixin, TreeEstimator):
    """Binary classification tree (CART): Gini splits, surrogate splits for missing values.

    On numeric columns without missing values it grows the same tree as scikit-learn's
    `DecisionTreeClassifier`, up to ties. Nominal columns are split by the best set of categories.

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

    algorithm = CART

    criterion: str = param(
        "gini",
        'Split criterion: "gini", "entropy", or "cost_gini", the Gini index with the cost matrix '
        "in its formula.",
        choices=("gini", "entropy", "cost_gini"),
    )
    missing: str = BY_SURROGATES
    max_surrogates: int | str = shared.MAX_SURROGATES
    handle_unknown: str = shared.HANDLE_UNKNOWN
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_samples_split: int | float = shared.MIN_SAMPLES_SPLIT
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF
    min_gain: float | None = shared.MIN_GAIN
    cp: float | None = CP
    ccp_alpha: float = CCP_ALPHA
    prune: str | None = CART_PRUNE.but(choices=("auto", "cv", *CLASS_METHODS))
    prune_options: Mapping[str, Any] | None = CART_PRUNE_OPTIONS
    shrinkage: float | str = shared.SHRINKAGE
    costs: Any = shared.COSTS
    priors: Any = shared.PRIORS
    class_weight: Any = shared.CLASS_WEIGHT
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS


class CARTRegressor(TreeRegressorMixin, TreeEstimator):
    """Binary regression tree (CART): least squares by default, surrogates for missing values.

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

    algorithm = CART

    criterion: str = shared.NUMBER_CRITERION
    missing: str = BY_SURROGATES
    max_surrogates: int | str = shared.MAX_SURROGATES
    handle_unknown: str = shared.HANDLE_UNKNOWN
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_samples_split: int | float = shared.MIN_SAMPLES_SPLIT
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF
    min_gain: float | None = shared.MIN_GAIN
    cp: float | None = CP
    ccp_alpha: float = CCP_ALPHA
    prune: str | None = CART_PRUNE.but(choices=("auto", "cv", *NUMBER_METHODS))
    prune_options: Mapping[str, Any] | None = CART_PRUNE_OPTIONS
    shrinkage: float | str = shared.SHRINKAGE
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS
