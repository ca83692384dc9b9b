"""tw.cost_complexity_path: the subtrees of a model that some price of a leaf makes best."""

from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.models.base import TreeEstimator
from treewright.models.pruned import pruning_rows
from treewright.pruning.cost_complexity_path import CostComplexityPath, PathRule, path_of
from treewright.pruning.cross_validation import cross_validated, folds_for
from treewright.pruning.methods import METHODS


def cost_complexity_path(
    model: TreeEstimator,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    risk: str = "impurity",
    folds: Any = 10,
    random_state: int | None = 0,
) -> CostComplexityPath:
    """The nested subtrees of a fitted model, from the whole tree to its root.

    Parameters
    ----------
    model
        A fitted estimator, best one that is not pruned.
    X, y, sample_weight
        The rows that the model was fitted to: then the path tells how each subtree does on rows
        held out, by cross-validation.
    risk
        What a subtree costs beside the price of its leaves: "impurity", the criterion of growth
        as in scikit-learn's `cost_complexity_pruning_path`, or "error", the cost of wrong answers
        as in the cp table of R's rpart.
    folds
        How many folds, or the number of the fold of each row.
    random_state
        Seed of the folds.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier().fit(X, y)
    >>> path = tw.cost_complexity_path(model, X, y, risk="error")
    >>> print(path)
    6 subtrees by error
          cp       alpha  splits  leaves  relative risk  held out       +-
    0.500000    0.333333       0       1        1.00000   1.00000  0.05774
    0.440000    0.293333       1       2        0.50000   0.50000  0.05774
    0.020000   0.0133333       2       3        0.06000   0.10000  0.03055
    0.010000  0.00666667       3       4        0.04000   0.10000  0.03055
    0.005000  0.00333333       6       7        0.01000   0.10000  0.03055
    0.000000           0       8       9        0.00000   0.11000  0.03193
    >>> path.tree_at(path.held_out.simplest()).n_leaves
    3
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"there is a path only of a fitted tree estimator, not of a {type(model).__name__}"
        )
    if model.answers_by_rules:
        raise ParameterError(
            f"{type(model).__name__} answers by rules, not by a tree that could be pruned"
        )
    tree = model.state_.tree
    method = METHODS["cost_complexity"]
    method.checked({"risk": risk, "folds": folds, "random_state": random_state})
    cp = getattr(model, "cp", None) if risk == "error" else None
    rule = PathRule(risk, None if cp is None else float(cp))
    path = path_of(tree, rule)
    if X is None and y is None and sample_weight is None:
        return path
    rows = pruning_rows(model, X, y, sample_weight)
    fold_of_row = folds_for(rows, folds, np.random.default_rng(random_state))
    return cross_validated(path, rule, rows, fold_of_row)
