"""Every model as a sum of trees: what is explained of it, and how its trees add up."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.ensembles.base import Ensemble
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.isolation import IsolationForest
from treewright.errors import ParameterError, kind_of
from treewright.estimators.base import Model as OwnModel
from treewright.explanations.tree_sum import TreeSum, own_answers
from treewright.models.answering import answering_tree
from treewright.models.base import TreeEstimator
from treewright.models.explaining import encoded
from treewright.tree.layout import SPREAD
from treewright.tree.tree import Tree

Model = TreeEstimator | Ensemble[Any] | Tree


def tree_sum_of(model: Model, *, has_holes: bool = True) -> TreeSum:
    """The trees of a fitted model, and how their answers add up to what is explained.

    Single trees and forests are explained by their probabilities or predicted numbers, boosted
    trees by their scores, as `decision_function` gives them, isolation forests by the mean number
    of splits that set a row apart. `has_holes` says whether values of the rows are missing.
    """
    if isinstance(model, Ensemble):
        if isinstance(model, BoostedTrees):
            return sum_of_boosted(model)
        if isinstance(model, Forest):
            return sum_of_forest(model, has_holes=has_holes)
        if isinstance(model, IsolationForest):
            return sum_of_isolation(model)
        raise ParameterError(f"what a {type(model).__name__} answers is no sum over its trees")
    if getattr(model, "answers_by_rules", False):
        raise ParameterError(
            f"a {type(model).__name__} answers by rules, not by its tree",
            hint="the tree that the rules were made from is `tree_`",
        )
    tree = answering_tree(model)
    if tree.classes is None:
        return TreeSum(tree.schema, (tree,), ("prediction",), "prediction", np.zeros(1))
    return TreeSum(tree.schema, (tree,), tree.classes, "probability", np.zeros(len(tree.classes)))


def sum_of_forest(forest: Forest, *, has_holes: bool) -> TreeSum:
    """Every tree adds its answer, or its vote, over the number of trees."""
    n_trees = len(forest.trees_)
    votes = getattr(forest, "voting", "soft") == "hard"
    if votes and has_holes and any((tree.missing_child == SPREAD).any() for tree in forest.trees_):
        raise ParameterError(
            "some values are missing, and the vote of a tree that spreads such rows is no sum over "
            "its leaves",
            hint='use voting="soft", or explain rows without missing values',
        )

    def answers(tree: Tree) -> Floats:
        return (one_vote(tree) if votes else own_answers(tree)) / n_trees

    if forest.state_.classes is None:
        names, scale = ("prediction",), "prediction"
    else:
        names = tuple(forest.classes_.tolist())
        scale = "share of votes" if votes else "probability"
    return TreeSum(forest.schema_, forest.trees_, names, scale, np.zeros(len(names)), answers)


def one_vote(tree: Tree) -> Floats:
    """(n_nodes, n_classes): 1 for the class that a node answers with."""
    return np.eye(tree.n_values)[tree.node_class]


def sum_of_boosted(model: BoostedTrees) -> TreeSum:
    """Every tree adds to the score of one output, in turn."""
    start = np.asarray(model.start_, dtype=np.float64)
    classes = model.state_.classes
    if classes is None:
        names: tuple[Any, ...] = ("score",)
    else:
        labels = tuple(classes.tolist())
        names = labels if len(start) == len(labels) else labels[-1:]
    return TreeSum(model.schema_, model.trees_, names, "score", start, takes_turns=len(start) > 1)


def sum_of_isolation(forest: IsolationForest) -> TreeSum:
    """Every tree adds its number of splits over the number of trees."""
    n_trees = len(forest.trees_)

    def answers(tree: Tree) -> Floats:
        return own_answers(tree) / n_trees

    scale = "number of splits"
    return TreeSum(forest.schema_, forest.trees_, (scale,), scale, np.zeros(1), answers)


def check_has_trees(model: object) -> None:
    """Raise unless a model is a tree or an ensemble of treewright: of these values are exact."""
    if isinstance(model, TreeEstimator | Ensemble | Tree):
        return
    is_own = isinstance(model, OwnModel)
    raise ParameterError(
        f"Shapley values are computed for trees and ensembles of treewright, and {kind_of(model)} "
        f"is {'neither' if is_own else 'not a model of treewright'}",
        hint="tw.importance(model, X, y) works with any model, and so does tw.distil(model, X), "
        "whose tree has Shapley values"
        + ("" if is_own else "; the package `shap` explains models of other packages"),
    )


def encoded_rows(model: Model, X: Any) -> Table | NDArray[Any]:
    """The rows of X as the trees of the model know their columns."""
    check_has_trees(model)
    if isinstance(model, Ensemble):
        return model._encoded(X)
    return encoded(model, answering_tree(model), X)
