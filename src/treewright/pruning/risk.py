"""What a tree costs on its own training rows: the number that pruning compares.

The risk of a node is what its answer costs the training rows that reached it: misclassified
weight, misclassification cost where the tree has costs, or the criterion summed over the rows of
a regression tree (squares for squared error).
"""

import numpy as np
from numpy.typing import NDArray

from treewright.tree.kinds import STOP
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


def node_risk(tree: Tree) -> Float64Array:
    """The risk of every node if it were a leaf; 0 where no training row came."""
    if tree.classes is None:
        return tree.weight * tree.impurity
    weights = tree.value * tree.class_factor
    if tree.costs is None:
        risk = weights.sum(axis=1) - weights.max(axis=1)
    else:
        risk = _cost_of_answer(tree, weights, np.arange(tree.n_nodes))
    return np.where(tree.weight > 0, risk, 0.0)  # an empty node repeats its parent's weights


def lets_rows_stop(tree: Tree) -> NDArray[np.bool_]:
    """Whether a node is an inner one at which rows of the training may have ended.

    A split with surrogates lets a row stop if all of them are missing and no child has a majority;
    a child may have one after the rows with surrogates came, so the counts of rows tell as well.
    """
    passed_on = np.bincount(tree.parent[1:], tree.n_rows[1:], minlength=tree.n_nodes)
    stops: NDArray[np.bool_] = (tree.missing_child == STOP) | (passed_on < tree.n_rows)
    return ~tree.is_leaf & stops


def risk_of_stopped_rows(tree: Tree) -> Float64Array:
    """The risk of the rows that end at an inner node because their value is missing there."""
    risk = np.zeros(tree.n_nodes)
    stops = np.flatnonzero(lets_rows_stop(tree))
    if len(stops) == 0:
        return risk
    children = np.flatnonzero(tree.weight > 0)
    children = children[children > 0]
    moved = np.zeros(tree.n_nodes)
    np.add.at(moved, tree.parent[children], tree.weight[children])
    if tree.classes is None:
        left = np.maximum(tree.weight - moved, 0.0)
        risk[stops] = (left * tree.impurity)[stops]
        return risk
    passed_on = np.zeros_like(tree.value)
    np.add.at(passed_on, tree.parent[children], tree.value[children])
    stopped = np.maximum(tree.value - passed_on, 0.0) * tree.class_factor
    risk[stops] = _cost_of_answer(tree, stopped[stops], stops)
    return risk


def _cost_of_answer(tree: Tree, weights: Float64Array, nodes: NDArray[np.intp]) -> Float64Array:
    """Cost of giving class `weights` (n, n_classes) the class that each of `nodes` answers."""
    answers = tree.node_class[nodes]
    if tree.costs is None:
        right = np.take_along_axis(weights, answers[:, np.newaxis], axis=1)[:, 0]
        wrong: Float64Array = weights.sum(axis=1) - right
        return wrong
    cost: Float64Array = (weights * tree.costs.T[answers]).sum(axis=1)
    return cost


def impurity_risk(tree: Tree) -> tuple[Float64Array, Float64Array]:
    """The impurity of every node times its weight, and of the rows that stop at inner nodes.

    With priors or costs, a row weighs what it weighed while the tree was grown: costs enter as
    altered priors, unless the impurity itself has them in its formula.
    """
    if tree.classes is None or (tree.costs is None and (tree.class_factor == 1).all()):
        weight = tree.weight
    else:
        weight = tree.value @ _factors_of_growth(tree)
        weight = np.where(tree.weight > 0, weight * (tree.weight[0] / weight[0]), 0.0)
    children = np.arange(1, tree.n_nodes)
    passed_on = np.bincount(tree.parent[children], weight[children], minlength=tree.n_nodes)
    stopped = np.where(lets_rows_stop(tree), np.maximum(weight - passed_on, 0.0), 0.0)
    return weight * tree.impurity, stopped * tree.impurity


def _factors_of_growth(tree: Tree) -> Float64Array:
    """What the weights of the classes were multiplied by in the measure of splits."""
    if tree.costs is None:
        return tree.class_factor
    reached = tree.weight > 0
    shares = tree.probabilities[reached]
    cost_gini = ((shares @ tree.costs) * shares).sum(axis=1)
    if np.allclose(tree.impurity[reached], cost_gini, rtol=1e-9, atol=1e-12):
        return tree.class_factor
    altered: Float64Array = tree.class_factor * tree.costs.sum(axis=1)
    return altered


def sums_over_leaves(tree: Tree, at_leaf: Float64Array, at_inner: Float64Array) -> Float64Array:
    """For every node, `at_leaf` of the leaves and `at_inner` of the inner nodes below and at it."""
    sums: list[float] = np.where(tree.is_leaf, at_leaf, at_inner).tolist()
    parent: list[int] = tree.parent.tolist()
    for node in range(len(sums) - 1, 0, -1):  # children come after their parents
        sums[parent[node]] += sums[node]
    return np.array(sums)
