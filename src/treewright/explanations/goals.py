"""Goals: which predictions count as other ones, and whether some still can come of a box.

A prediction is a weighted mean of what nodes predict. So each goal gives every node some numbers of
which the same mean says how near a prediction is to the goal; the best numbers at or below a node
that rows are still to come to, weighted the same, make a bound that no row beats.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treewright.arrays import Floats
from treewright.tree.predict import predicted_classes
from treewright.tree.tree import Tree

ROUNDING = 1e-9  # how far a bound may be off
TINY = 1e-300  # so that there is some rounding at 0


class Goal(Protocol):
    """What is looked for: a prediction other than the row's."""

    @property
    def at(self) -> Floats:
        """(n_nodes, k): how near the prediction of each node itself is."""

    @property
    def best(self) -> Floats:
        """(n_nodes, k): how near a prediction at or below each node can be."""

    def is_met(self, values: Floats) -> bool:
        """Whether class shares, or a number, make another prediction."""

    def hope(self, bound: Floats) -> float:
        """How far a prediction may get if its mean is at most this; 0 or less: not to the goal."""


@dataclass(frozen=True)
class OtherClass:
    """Another class than the row's, or one that is wanted."""

    tree: Tree
    prediction: int
    wanted: int | None
    at: Floats  # by how much the other classes lead over the prediction, one column each
    best: Floats
    rounding: float

    @classmethod
    def than(cls, tree: Tree, prediction: int, wanted: int | None = None) -> "OtherClass":
        price = -tree.probabilities if tree.costs is None else tree.probabilities @ tree.costs
        lead = price[:, [prediction]] - price
        at = np.delete(lead, prediction, axis=1) if wanted is None else lead[:, [wanted]]
        rounding = ROUNDING * (1.0 if tree.costs is None else float(tree.costs.max()))
        return cls(tree, prediction, wanted, at, largest_below(tree, at), rounding)

    def is_met(self, values: Floats) -> bool:
        found = int(predicted_classes(self.tree, values[np.newaxis])[0])
        return found != self.prediction if self.wanted is None else found == self.wanted

    def hope(self, bound: Floats) -> float:
        return float(bound.max()) + self.rounding if len(bound) else -1.0


@dataclass(frozen=True)
class OtherNumber:
    """A number further from the row's prediction than the tolerance."""

    prediction: float
    tolerance: float
    at: Floats  # the number and its opposite
    best: Floats

    @classmethod
    def than(cls, tree: Tree, prediction: float, tolerance: float) -> "OtherNumber":
        at = both_ways(tree)
        return cls(prediction, tolerance, at, largest_below(tree, at))

    def is_met(self, values: Floats) -> bool:
        return abs(float(values[0]) - self.prediction) > self.tolerance

    def hope(self, bound: Floats) -> float:
        high, low = float(bound[0]), -float(bound[1])
        rounding = ROUNDING * max(abs(low), abs(high), abs(self.prediction))
        return max(self.prediction - low, high - self.prediction) - self.tolerance + rounding


@dataclass(frozen=True)
class NumberWithin:
    """A number from `low` to `high`, beyond the row's prediction by more than the tolerance."""

    low: float
    high: float
    other: OtherNumber

    @property
    def at(self) -> Floats:
        return self.other.at

    @property
    def best(self) -> Floats:
        return self.other.best

    def is_met(self, values: Floats) -> bool:
        return self.low <= float(values[0]) <= self.high and self.other.is_met(values)

    def hope(self, bound: Floats) -> float:
        high, low = float(bound[0]), -float(bound[1])
        rounding = ROUNDING * max(abs(low), abs(high), TINY)  # the bounds are wanted, too
        return min(high - self.low + rounding, self.high - low + rounding, self.other.hope(bound))


def other_prediction(tree: Tree, values: Floats, tolerance: float = 0.0) -> Goal:
    """Any prediction but the one that these class shares, or this number, make."""
    if tree.classes is None:
        return OtherNumber.than(tree, float(values[0]), tolerance)
    return OtherClass.than(tree, int(predicted_classes(tree, values[np.newaxis])[0]))


def both_ways(tree: Tree) -> Floats:
    """(n_nodes, 2): what each node predicts, and its opposite, so that both have a largest."""
    return np.hstack([tree.value, -tree.value])


def largest_below(tree: Tree, own: Floats) -> Floats:
    """(n_nodes, k): the largest of the numbers of all nodes that may predict at or below a node."""
    may_predict = tree.is_leaf | (tree.missing_child < 0)
    largest = np.where(may_predict[:, np.newaxis], own, -np.inf)
    order = np.argsort(-tree.node_depth, kind="stable")
    ends = np.cumsum(np.bincount(tree.node_depth)[::-1])[:-1]
    for nodes in np.split(order, ends)[:-1]:  # the deepest first, the root has no parent
        np.maximum.at(largest, tree.parent[nodes], largest[nodes])
    return largest


def usual_tolerance(tree: Tree) -> float:
    """The standard deviation of the tree's own predictions over its training rows."""
    leaves = np.flatnonzero(tree.is_leaf)
    weight, value = tree.weight[leaves], tree.value[leaves, 0]
    total = float(weight.sum())
    size = float(np.abs(value).max(initial=0.0))  # by which squares of large numbers stay finite
    if not (total > 0 and size > 0):
        return 0.0
    share, scaled = weight / total, value / size
    mean = float((share * scaled).sum())
    return size * float(np.sqrt((share * (scaled - mean) ** 2).sum()))
