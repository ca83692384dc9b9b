"""What a tree costs on its own training rows: the number that pruning compares.

The risk of a node is what its prediction costs the training rows that reached it: misclassified
weight, misclassification cost where the tree has costs, or the criterion summed over the rows of
a regression tree (squares for squared error).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.tree.layout import STOP
from treewright.tree.tree import Tree


def node_risk(tree: Tree) -> Floats:
    """The risk of every node if it were a leaf; 0 where no training row came."""
    if tree.classes is None:
        return tree.weight * tree.impurity
    weights = tree.value * tree.class_factor
    if tree.costs is None:
        risk = weights.sum(axis=1) - weights.max(axis=1)
    else:
        risk = _cost_of_prediction(tree, weights, np.arange(tree.n_nodes))
    return np.where(tree.weight > 0, risk, 0.0)  # an empty node repeats its parent's weights


def lets_rows_stop(tree: Tree) -> NDArray[np.bool_]:
    """Whether a node is an inner one at which rows of the training may have ended.

    A split with surrogates lets a row stop if all of them are missing and no child has a majority;
    a child may have one after the rows with surrogates came, so the counts of rows decide as well.
    """
    passed_on = np.bincount(tree.parent[1:], tree.n_rows[1:], minlength=tree.n_nodes)
    stops: NDArray[np.bool_] = (tree.missing_child == STOP) | (passed_on < tree.n_rows)
    return ~tree.is_leaf & stops


def risk_of_stopped_rows(tree: Tree) -> Floats:
    """The risk of the rows that end at an inner node because their value is missing there."""
    risk = np.zeros(tree.n_nodes)
    stops = np.flatnonzero(lets_rows_stop(tree))
    if len(stops) == 0:
        return risk
    children = np.flatnonzero(tree.weight > 0)
    children = children[children > 0]
    parents = tree.parent[children]

    def sums_over_children(of_nodes: Floats) -> Floats:
        sums = np.bincount(parents, of_nodes[children], minlength=tree.n_nodes)
        return sums.astype(np.float64, copy=False)

    if tree.classes is None:
        left = np.maximum(tree.weight - sums_over_children(tree.weight), 0.0)
        risk[stops] = (left * tree.impurity)[stops]
        return risk
    passed_on = np.column_stack([sums_over_children(weights) for weights in tree.value.T])
    stopped = np.maximum(tree.value - passed_on, 0.0) * tree.class_factor
    risk[stops] = _cost_of_prediction(tree, stopped[stops], stops)
    return risk


def _cost_of_prediction(tree: Tree, weights: Floats, nodes: NDArray[np.intp]) -> Floats:
    """Cost of giving class `weights` (n, n_classes) the class that each of `nodes` predicts."""
    predictions = tree.node_class[nodes]
    if tree.costs is None:
        right = np.take_along_axis(weights, predictions[:, np.newaxis], axis=1)[:, 0]
        wrong: Floats = weights.sum(axis=1) - right
        return wrong
    cost: Floats = (weights * tree.costs.T[predictions]).sum(axis=1)
    return cost


def impurity_risk(tree: Tree) -> tuple[Floats, Floats]:
    """The impurity of every node times its weight, and of the rows that stop at inner nodes.

    With priors or costs, a row weighs what it weighed while the tree was grown: costs enter as
    altered priors, unless the impurity itself has them in its formula.
    """
    if tree.classes is None or (tree.costs is None and (tree.class_factor == 1).all()):
        weight = tree.weight
    else:
        weight = portable.product(tree.value, _factors_of_growth(tree))
        weight = np.where(tree.weight > 0, weight * (tree.weight[0] / weight[0]), 0.0)
    children = np.arange(1, tree.n_nodes)
    passed_on = np.bincount(tree.parent[children], weight[children], minlength=tree.n_nodes)
    stopped = np.where(lets_rows_stop(tree), np.maximum(weight - passed_on, 0.0), 0.0)
    return weight * tree.impurity, stopped * tree.impurity


def _factors_of_growth(tree: Tree) -> Floats:
    """What the weights of the classes were multiplied by in the measure of splits."""
    if tree.costs is None:
        return tree.class_factor
    reached = tree.weight > 0
    shares = tree.probabilities[reached]
    cost_gini = (portable.product(shares, tree.costs) * shares).sum(axis=1)
    if np.allclose(tree.impurity[reached], cost_gini, rtol=1e-9, atol=1e-12):
        return tree.class_factor
    altered: Floats = tree.class_factor * tree.costs.sum(axis=1)
    return altered


def sums_over_leaves(tree: Tree, at_leaf: Floats, at_inner: Floats) -> Floats:
    """For every node, `at_leaf` of the leaves and `at_inner` of the inner nodes below and at it."""
    sums: list[float] = np.where(tree.is_leaf, at_leaf, at_inner).tolist()
    parent: list[int] = tree.parent.tolist()
    for node in range(len(sums) - 1, 0, -1):  # children come after their parents
        sums[parent[node]] += sums[node]
    return np.array(sums)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCounts:
    """One entry per node of a classification tree."""

    weight: Floats  # of the rows that reached the node; 0 if none did
    errors: Floats  # of the node's prediction among them
    stopped_weight: Floats  # of the rows that end at an inner node, their value missing
    stopped_errors: Floats  # of the node's prediction among those
    unit: Floats  # (n_classes,): what a row of weight 1 of each class counts
    price: Floats | None  # (n_classes, n_classes): and as an error, predicted as j; None: the same

    def errors_among(self, by_class: Floats) -> Floats:
        """The errors that each class as a prediction makes among rows of these class weights."""
        if self.price is not None:
            return portable.weighted_sum(by_class, self.price)
        counted = by_class * self.unit
        return np.asarray(counted.sum() - counted)


def error_counts(tree: Tree) -> ErrorCounts:
    """The errors of every node as a leaf, and of the rows that stop at inner nodes."""
    assert tree.classes is not None
    unit, price = tree.class_factor, None
    if tree.costs is not None:
        price = tree.class_factor[:, np.newaxis] * tree.costs
        most = price.max(axis=1)
        unit = np.where(most > 0, most, tree.class_factor)  # a single class cannot be mistaken
    total = float((tree.value[0] * unit).sum())
    scale = float(tree.value[0].sum()) / total if total > 0 else 1.0
    weight = np.where(tree.weight > 0, (tree.value * unit).sum(axis=1) * scale, 0.0)
    return ErrorCounts(
        weight=weight,
        errors=node_risk(tree) * scale,
        stopped_weight=weight_of_stopped_rows(tree, weight),
        stopped_errors=risk_of_stopped_rows(tree) * scale,
        unit=unit * scale,
        price=None if price is None else price * scale,
    )


def weight_of_stopped_rows(tree: Tree, weight: Floats) -> Floats:
    """What stays at each inner node that lets rows stop there; 0 where rounding leaves a rest."""
    passed_on = np.zeros(tree.n_nodes)
    np.add.at(passed_on, tree.parent[1:], weight[1:])
    stopped = weight - passed_on
    stops = lets_rows_stop(tree) & (stopped > 1e-9 * weight)
    return np.where(stops, stopped, 0.0)
