"""Growth that stops by validation rows."""

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import ClassTarget
from treewright.estimators.training import TrainingRows
from treewright.pruning.row_loss import answers_of_nodes, class_loss, exponent_of, number_loss
from treewright.pruning.validation import stop_by_validation
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


def cut_by_validation(tree: Tree, rows: TrainingRows, criterion: object, patience: int) -> Tree:
    """The tree as far as its splits serve `rows`, which it has not seen."""
    leaves = predict_leaves(tree, tree.schema.encode(rows.table, "missing"))
    if isinstance(rows.target, ClassTarget):
        row_loss = class_loss(tree, rows.target.codes)
    else:
        values = rows.target.values
        row_loss = number_loss(values, criterion, exponent_of(values, tree.value))
    answers = answers_of_nodes(tree)

    def loss(some: NDArray[np.intp], nodes: NDArray[np.intp]) -> Float64Array:
        lost = row_loss(some, answers[nodes])
        return lost if rows.weights is None else rows.weights[some] * lost

    return stop_by_validation(tree, leaves, loss, patience=patience)
