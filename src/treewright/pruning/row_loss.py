"""The loss of a row when a node predicts it: the measure of rows that growth has not seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.tree.tree import Tree

# The loss of some rows (positions) by their predictions: indices of classes, or numbers.
RowLoss = Callable[[NDArray[np.intp], NDArray[np.generic]], Floats]

LEAST_EXPONENT = -1000  # a number can still be divided by 2 to this power
TINY = np.finfo(np.float64).tiny  # instead of a mean of zero, which has no logarithm


def predictions_of_nodes(tree: Tree) -> NDArray[np.generic]:
    """What each node predicts: the index of a class, or a number."""
    return tree.value[:, 0] if tree.classes is None else tree.node_class


def class_loss(tree: Tree, codes: NDArray[np.int32]) -> RowLoss:
    """1 for a wrong class, or its cost, with the priors of the tree."""

    def loss(rows: NDArray[np.intp], predictions: NDArray[np.generic]) -> Floats:
        truth = codes[rows]
        price = truth != predictions if tree.costs is None else tree.costs[truth, predictions]
        lost: Floats = tree.class_factor[truth] * price
        return lost

    return loss


def exponent_of(*numbers: Floats) -> int:
    """The power of two by which the largest of all numbers becomes one of about 1."""
    largest = max(float(np.abs(some).max(initial=0.0)) for some in numbers)
    return max(int(np.frexp(largest)[1]), LEAST_EXPONENT)


def power_of_loss(criterion: object) -> int:
    """The loss of numbers twice as large is 2 to this power times as large."""
    return 1 if criterion in ("absolute_error", "poisson") else 2


def number_loss(values: Floats, criterion: object, exponent: int) -> RowLoss:
    """Squared error, absolute error or half the Poisson deviance, as the criterion is.

    It is that of numbers divided by 2 ** exponent: squares of targets, and theirs, would be
    infinite or zero long before the targets are.
    """
    scaled: Floats = np.ldexp(values, -exponent)

    def loss(rows: NDArray[np.intp], predictions: NDArray[np.generic]) -> Floats:
        truth: Floats = scaled[rows]
        given = predictions.astype(np.float64)
        prediction: Floats = np.ldexp(given, -exponent)
        if criterion == "absolute_error":
            return np.abs(truth - prediction)
        if criterion == "poisson":
            known = values[rows] > 0
            truths = np.where(known, values[rows], 1.0)
            logarithms = portable.log(truths) - portable.log(np.maximum(given, TINY))
            deviance: Floats = np.where(known, truth * logarithms, 0.0) - truth + prediction
            return deviance
        return np.square(truth - prediction)

    return loss


@dataclass(frozen=True, slots=True, eq=False)
class PruningRows:
    """Rows in the columns of a tree, with the truth about each and its weight."""

    table: Table | NDArray[Any]  # as `predict_values` takes it
    codes: NDArray[np.int32] | None  # class of each row, an index into `Tree.classes`
    values: Floats | None  # number of each row, where the tree predicts numbers
    weights: Floats  # above 0
    criterion: object = None  # what growth minimized, where the tree predicts numbers
    # The tree that the same settings grow, unpruned, on some of these rows (their positions).
    # Nodes whose risk, per unit of the weight of those rows, is not above a number stay leaves.
    regrow: Callable[[NDArray[np.intp], float | None], Tree] | None = None
    # What `regrow` with the number leaves of a tree that it grew without one; None: not known.
    stopped: Callable[[Tree, float | None], Tree] | None = None
    # The rank of each row in a column of numbers, by its position, where that is known already.
    ranks_of: Callable[[int], NDArray[np.uint64]] | None = None
    folds_at_once: int = 1  # how many threads may call `regrow`
    # Who judges folds instead of this process: a function of the cross-validation, of folds, and of
    # the first steps, as `CrossValidation.losses` has them. None: nobody.
    folds_elsewhere: Callable[[Any, list[int], tuple[int, ...]], list[list[Floats]]] | None = None
    n_threads: int = 1  # of the compiled code

    @property
    def n_rows(self) -> int:
        return len(self.weights)

    def loss(self, tree: Tree, criterion: object, exponent: int) -> RowLoss:
        """What each row loses by the predictions of a tree."""
        if self.codes is not None:
            return class_loss(tree, self.codes)
        assert self.values is not None
        return number_loss(self.values, criterion, exponent)
