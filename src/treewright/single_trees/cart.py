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

# What R's rpart does beside its cp rule: no split without gain, and no nominal surrogate that
# fewer than two rows contradict (so not even a perfect copy of the column: hence not our default).
RPART_RULES = {"min_gain": 0.0, "min_surrogate_disagreement": 2}


def cart_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """Level sets in two, and the rules of rpart where `cp` is given."""
    rules = {} if model.cp is None else dict(RPART_RULES)
    if rules and model.min_gain is not None:
        rules["min_gain"] = model.min_gain
    return growth_settings(model, rows, nominal="subset", **rules)


def cut_by_cp(model: Any, tree: Tree) -> Tree:
    """The tree as grown, or by all rules of rpart where `cp` is given."""
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
    """A binary classification tree: Gini splits, level sets, surrogates for missing values.

    On numeric columns without holes it grows the tree that scikit-learn's `DecisionTreeClassifier`
    grows, up to ties. Nominal columns split by the best set of levels.

    Parameters
    ----------
    criterion
        Measure that a split is chosen by: "gini", "entropy", or "cost_gini", the Gini index with
        the cost matrix in its formula.
    missing
        What happens to missing values: "surrogate" asks another column that splits alike,
        "learned" tries both sides, "majority" takes the heavier one, "branch" gives them a branch
        of their own, "fractional" spreads the row, "stop" answers from the node.
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
    cp
        Complexity parameter of R's rpart: after growth a subtree goes unless each of its splits
        lowers the risk by more than `cp` times the risk of the root. A number makes the tree
        follow rpart in its other rules too (docs/algorithms.md). None keeps the grown tree.
    ccp_alpha
        Price of a leaf, as in scikit-learn: of the grown tree that subtree is kept for which the
        impurity of its leaves + `ccp_alpha` x leaves is least. 0 keeps the grown tree.
    prune
        How the grown tree is pruned: "cv" by the cost of errors and a price for each leaf that
        ten-fold cross-validation finds (the smallest tree within one standard error of the best,
        as users of rpart do it), or by another method of `treewright.prune`. None: not at all.
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
    """A binary regression tree: least squares by default, level sets, surrogates.

    Parameters
    ----------
    criterion
        Measure that a split is chosen by: "squared_error", "absolute_error" or "poisson".
    missing, max_surrogates, handle_unknown, max_depth, max_leaf_nodes, max_splits, \
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_gain, cp, ccp_alpha, \
    prune, prune_options, categorical_features, n_jobs
        As in `CARTClassifier`.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    feature_importances_
        Each column's share of the impurity that all splits take away.

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
