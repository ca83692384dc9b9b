"""Growth that stops by validation rows: what a row loses when a node answers for it."""

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import ClassTarget
from treewright.models.training import TrainingRows
from treewright.pruning.validation import NodeLoss, stop_by_validation
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]

TINY = np.finfo(np.float64).tiny  # in the place of a mean of zero, whose logarithm is not


def generator_from(random_state: object) -> np.random.Generator:
    """A generator for a seed, None (a random one), a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    return np.random.default_rng(random_state)  # type: ignore[arg-type]


def cut_by_validation(tree: Tree, rows: TrainingRows, criterion: object, patience: int) -> Tree:
    """The tree as far as its splits serve `rows`, which it has not seen."""
    leaves = predict_leaves(tree, tree.schema.encode(rows.table, "missing"))
    if isinstance(rows.target, ClassTarget):
        loss = class_loss(tree, rows.target.codes, rows.weights)
    else:
        loss = number_loss(tree, rows.target.values, rows.weights, criterion)
    return stop_by_validation(tree, leaves, loss, patience=patience)


def class_loss(tree: Tree, codes: NDArray[np.int32], weights: Float64Array | None) -> NodeLoss:
    """Misclassified weight, or its cost, with the priors of the tree."""
    n_classes = len(tree.class_factor)
    costs = 1.0 - np.eye(n_classes) if tree.costs is None else tree.costs
    by_row = tree.class_factor[codes] * (1.0 if weights is None else weights)

    def loss(rows: NDArray[np.intp], nodes: NDArray[np.intp]) -> Float64Array:
        cost: Float64Array = by_row[rows] * costs[codes[rows], tree.node_class[nodes]]
        return cost

    return loss


def number_loss(
    tree: Tree, values: Float64Array, weights: Float64Array | None, criterion: object
) -> NodeLoss:
    """Squared error, absolute error or Poisson deviance, as the criterion is."""

    def loss(rows: NDArray[np.intp], nodes: NDArray[np.intp]) -> Float64Array:
        truth, answer = values[rows], tree.value[nodes, 0]
        if criterion == "absolute_error":
            error = np.abs(truth - answer)
        elif criterion == "poisson":
            safe = np.maximum(answer, TINY)
            ratio = np.where(truth > 0, truth / safe, 1.0)
            error = truth * np.log(ratio) - truth + safe
        else:
            error = np.square(truth - answer)
        weighted: Float64Array = error if weights is None else weights[rows] * error
        return weighted

    return loss
