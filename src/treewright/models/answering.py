"""The tree behind a model, over the columns that the user has."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby, pairwise

from treewright.data.schema import Schema
from treewright.errors import ParameterError, kind_of
from treewright.estimators.base import Model
from treewright.models.base import TreeEstimator
from treewright.tree.drafting import Draft, assemble, drafts_of
from treewright.tree.layout import INTERVALS, LEAF, THRESHOLD
from treewright.tree.tree import Tree

Cuts = tuple[float, ...]


def answering_tree(model: TreeEstimator | Tree) -> Tree:
    """A tree that answers every row of the user's table as the model does.

    Probabilities are smoothed where the model smooths them, and a column that was cut in advance
    is asked for its numbers. A `Tree` is taken as it is.
    """
    if isinstance(model, Tree):
        return model
    if not isinstance(model, TreeEstimator):
        raise ParameterError(f"{kind_of(model)} {why_no_tree(model)}", hint=instead_of(model))
    tree = model.predicting_tree()
    if not model.cuts_columns:
        return tree
    state = model.state_
    return over_numbers(tree, state.schema, state.cut_points)


def why_no_tree(model: object) -> str:
    """What a model is or has that no plain tree has."""
    if not isinstance(model, Model):
        return "is not a model of treewright"
    if hasattr(model, "trees_"):
        return "is many trees, not one"
    return "has equations in its leaves" if hasattr(model, "tree_") else "is not a tree"


def instead_of(model: object) -> str:
    """How to come to a tree from something that is none."""
    is_own = isinstance(model, Model)
    if is_own and hasattr(model, "trees_"):
        return "use one of its trees: trees_[0] is the first"
    if is_own and not isinstance(model, TreeEstimator):
        return "tw.distil(model, X) makes a tree that comes near its answers"
    if not is_own and (hasattr(model, "predict") or hasattr(model, "predict_proba")):
        return "tw.distil(model, X).model is a tree that comes close to its predictions"
    return "use a fitted model of treewright, or its tree_"


def over_numbers(tree: Tree, schema: Schema, cut_points: Mapping[str, Cuts]) -> Tree:
    """A tree over intervals that were cut in advance as one over the numbers themselves."""
    cuts = [cut_points.get(spec.name) for spec in schema.columns]
    columns = [
        spec if cut is not None else made
        for spec, made, cut in zip(schema.columns, tree.schema.columns, cuts, strict=True)
    ]
    drafts = drafts_of(tree)
    others = tree.other_child - tree.first_child
    for draft, other in zip(drafts, others.tolist(), strict=True):
        if draft.kind != LEAF and (cut := cuts[draft.feature]) is not None:
            ask_numbers(draft, other, cut)
    return assemble(drafts[0], tree, schema=Schema(tuple(columns), schema.has_names))


def ask_numbers(node: Draft, other: int, cuts: Cuts) -> None:
    """Let a node with a branch for each interval ask for the number, not for the interval."""
    child_of = dict(zip(node.level_code, node.level_child, strict=True))
    branches = [child_of.get(interval, other) for interval in range(len(cuts) + 1)]
    # Neighbouring intervals without training rows share a branch; apart they get leaves alike.
    runs = [(child, len(list(run))) for child, run in groupby(branches)]
    children = [
        replace(node.children[child], children=list(node.children[child].children))
        if child == other
        else node.children[child]
        for child, _ in runs
    ]
    if node.missing_child >= 0:
        taker = node.children[node.missing_child]
        if taker not in children:
            children.append(taker)
        node.missing_child = children.index(taker)
    node.cut = [
        cut for cut, (left, right) in zip(cuts, pairwise(branches), strict=True) if left != right
    ]
    node.children = children
    node.level_code, node.level_child = [], []
    node.kind = INTERVALS
    if len(node.cut) == 1:
        node.kind, node.threshold, node.cut = THRESHOLD, node.cut[0], []
