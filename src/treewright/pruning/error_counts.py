"""Errors of a tree in its own training rows, counted so that priors and costs have their say.

Estimates such as "five errors in twenty rows" need weights and errors in one unit. A row of class
i counts its weight x the prior factor of its class x the most that taking class i for another can
cost; all rows together count what they weigh. An error counts its cost in the same unit, so that
errors never exceed the weight. Without priors and costs these are the plain numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.risk import lets_rows_stop, node_risk, risk_of_stopped_rows
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCounts:
    """One entry per node of a classification tree."""

    weight: Float64Array  # of the rows that reached the node; 0 if none did
    errors: Float64Array  # of the node's answer among them
    stopped_weight: Float64Array  # of the rows that end at an inner node, their value missing
    stopped_errors: Float64Array  # of the node's answer among those
    unit: Float64Array  # (n_classes,): what a row of weight 1 of each class counts
    price: (
        Float64Array | None
    )  # (n_classes, n_classes): and as an error, answered j; None: the same

    def errors_among(self, by_class: Float64Array) -> Float64Array:
        """The errors that each class as an answer makes among rows of these class weights."""
        if self.price is not None:
            return np.asarray(by_class @ self.price)
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


def weight_of_stopped_rows(tree: Tree, weight: Float64Array) -> Float64Array:
    """What stays at each inner node that lets rows stop there; 0 where rounding leaves a rest."""
    passed_on = np.zeros(tree.n_nodes)
    np.add.at(passed_on, tree.parent[1:], weight[1:])
    stopped = weight - passed_on
    stops = lets_rows_stop(tree) & (stopped > 1e-9 * weight)
    return np.where(stops, stopped, 0.0)
