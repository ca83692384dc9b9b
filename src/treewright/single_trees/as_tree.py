"""The tree behind a model, over the columns that the user has."""

from treewright.errors import ParameterError, kind_of
from treewright.estimators.reading import Readable
from treewright.rulesets.tree_rules import TreeRules
from treewright.single_trees.fitted import refuse_tree
from treewright.single_trees.reading import TreeReading
from treewright.single_trees.rule_set import RuleSet
from treewright.tree.tree import Tree


def tree_of(model: object) -> Tree:
    """A tree that predicts every row of the user's table as the model does.

    Probabilities are smoothed where the model smooths them, and a column that was cut in advance
    is asked for its numbers. A `Tree` is taken as it is.
    """
    if isinstance(model, Tree):
        return model
    if not isinstance(model, TreeReading):
        raise ParameterError(f"{kind_of(model)} {why_no_tree(model)}", hint=instead_of(model))
    if model.predicts_by_rules:
        refuse_tree(model.state_)
    return model.as_tree()


def rules_of_tree(model: object) -> RuleSet:
    """One rule for each leaf, from left to right."""
    tree = tree_of(model)
    if isinstance(model, Tree):
        return RuleSet(TreeRules.of(tree))
    assert isinstance(model, TreeReading)
    # Smoothed probabilities are predictions; what a rule covers is counted in training rows.
    trained = tree if model.state_.cuts_columns else model.tree_
    classes = getattr(model, "classes_", None)
    return RuleSet(TreeRules.of(tree, trained), classes, model.categorical_features)


def why_no_tree(model: object) -> str:
    """What a model is or has that no plain tree has."""
    if not isinstance(model, Readable):
        return "is not a model of treewright"
    if hasattr(model, "trees_"):
        return "is many trees, not one"
    return "has equations in its leaves" if hasattr(model, "tree_") else "is not a tree"


def instead_of(model: object) -> str:
    """How to come to a tree from something that is none."""
    is_own = isinstance(model, Readable)
    if is_own and hasattr(model, "trees_"):
        return "use one of its trees: trees_[0] is the first"
    if is_own and not isinstance(model, TreeReading):
        return "tw.distil(model, X) makes a tree that comes close to its predictions"
    if not is_own and (hasattr(model, "predict") or hasattr(model, "predict_proba")):
        return "tw.distil(model, X).model is a tree that comes close to its predictions"
    return "use a fitted model of treewright, or its tree_"
