"""What a row loses when a node answers for it: the measure of rows that growth has not seen."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]
# What each of some rows (their positions) loses by the answer that stands beside it: an index of a
# class, or a number.
RowLoss = Callable[[NDArray[np.intp], NDArray[np.generic]], Float64Array]

TINY = np.finfo(np.float64).tiny  # in the place of a mean of zero, whose logarithm is not


def answers_of_nodes(tree: Tree) -> NDArray[np.generic]:
    """What each node answers: the index of a class, or a number."""
    return tree.value[:, 0] if tree.classes is None else tree.node_class


def class_loss(tree: Tree, codes: NDArray[np.int32]) -> RowLoss:
    """1 for a wrong class, or its cost, with the priors of the tree."""

    def loss(rows: NDArray[np.intp], answers: NDArray[np.generic]) -> Float64Array:
        truth = codes[rows]
        price = truth != answers if tree.costs is None else tree.costs[truth, answers]
        lost: Float64Array = tree.class_factor[truth] * price
        return lost

    return loss


def number_loss(values: Float64Array, criterion: object) -> RowLoss:
    """Squared error, absolute error or half the Poisson deviance, as the criterion is."""

    def loss(rows: NDArray[np.intp], answers: NDArray[np.generic]) -> Float64Array:
        truth, answer = values[rows], answers.astype(np.float64)
        if criterion == "absolute_error":
            return np.abs(truth - answer)
        if criterion == "poisson":
            safe = np.maximum(answer, TINY)
            ratio = np.where(truth > 0, truth / safe, 1.0)
            deviance: Float64Array = truth * np.log(ratio) - truth + safe
            return deviance
        return np.square(truth - answer)

    return loss
