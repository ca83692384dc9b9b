"""Goals: which answers count as other ones, and whether some still can come of a box.

An answer is a weighted mean of what nodes answer. So the best that the nodes below could say for
another answer, weighted the same, is a bound that no row beats.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.tree.predict import predicted_classes
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]
Parts = tuple[tuple[int, float], ...]  # node and share of the row

ROUNDING = 1e-9  # how far a bound may be off


class Goal(Protocol):
    """What is looked for: an answer other than the row's."""

    def is_met(self, values: Float64Array) -> bool:
        """Whether class shares, or a number, make another answer."""

    def is_possible(self, undecided: Parts, ended: Parts) -> bool:
        """Whether some row may get there: parts below nodes, and parts that ended at nodes."""


@dataclass(frozen=True)
class OtherClass:
    """Another class than the row's, or one that is wanted."""

    tree: Tree
    answer: int
    wanted: int | None
    lead_at: Float64Array  # (n_nodes, n_classes): how much better than the answer at this node
    lead_below: Float64Array  # and at best at or below it

    @classmethod
    def than(cls, tree: Tree, answer: int, wanted: int | None = None) -> "OtherClass":
        price = -tree.probabilities if tree.costs is None else tree.probabilities @ tree.costs
        lead = price[:, [answer]] - price
        lead[:, answer] = -np.inf
        if wanted is not None:
            lead[:, np.arange(lead.shape[1]) != wanted] = -np.inf
        return cls(tree, answer, wanted, lead, largest_below(tree, lead))

    def is_met(self, values: Float64Array) -> bool:
        found = int(predicted_classes(self.tree, values[np.newaxis])[0])
        return found != self.answer if self.wanted is None else found == self.wanted

    def is_possible(self, undecided: Parts, ended: Parts) -> bool:
        lead = weighted(self.lead_below, undecided) + weighted(self.lead_at, ended)
        return bool(np.max(lead) > -self._rounding)

    @cached_property
    def _rounding(self) -> float:
        return ROUNDING * (1.0 if self.tree.costs is None else float(self.tree.costs.max()))


@dataclass(frozen=True)
class OtherNumber:
    """A number further from the row's answer than the tolerance."""

    answer: float
    tolerance: float
    value: Float64Array  # (n_nodes,)
    least: Float64Array  # at or below each node
    largest: Float64Array

    @classmethod
    def than(cls, tree: Tree, answer: float, tolerance: float) -> "OtherNumber":
        value = tree.value[:, 0]
        largest = largest_below(tree, value[:, np.newaxis])[:, 0]
        least = -largest_below(tree, -value[:, np.newaxis])[:, 0]
        return cls(answer, tolerance, value, least, largest)

    def is_met(self, values: Float64Array) -> bool:
        return abs(float(values[0]) - self.answer) > self.tolerance

    def is_possible(self, undecided: Parts, ended: Parts) -> bool:
        at = float(weighted(self.value, ended))
        low = float(weighted(self.least, undecided)) + at
        high = float(weighted(self.largest, undecided)) + at
        room = self.tolerance - ROUNDING * max(abs(low), abs(high), abs(self.answer))
        return not (self.answer - low <= room and high - self.answer <= room)


def weighted(numbers: Float64Array, parts: Parts) -> Any:
    """The numbers of the nodes, each times its share of the row, added up."""
    if not parts:
        return 0.0
    if len(parts) == 1:
        ((node, share),) = parts
        return share * numbers[node]
    nodes, shares = zip(*parts, strict=True)
    return np.array(shares) @ numbers[list(nodes)]


def largest_below(tree: Tree, own: Float64Array) -> Float64Array:
    """(n_nodes, k): the largest of the numbers of all nodes that may answer at or below a node."""
    may_answer = tree.is_leaf | (tree.missing_child < 0)
    largest = np.where(may_answer[:, np.newaxis], own, -np.inf)
    order = np.argsort(-tree.node_depth, kind="stable")
    ends = np.cumsum(np.bincount(tree.node_depth)[::-1])[:-1]
    for nodes in np.split(order, ends)[:-1]:  # the deepest first, the root has no parent
        np.maximum.at(largest, tree.parent[nodes], largest[nodes])
    return largest


def usual_tolerance(tree: Tree) -> float:
    """The standard deviation of the tree's own answers over its training rows."""
    leaves = np.flatnonzero(tree.is_leaf)
    weight, value = tree.weight[leaves], tree.value[leaves, 0]
    total = float(weight.sum())
    size = float(np.abs(value).max(initial=0.0))  # by which squares of large numbers stay finite
    if not (total > 0 and size > 0):
        return 0.0
    share, scaled = weight / total, value / size
    mean = float((share * scaled).sum())
    return size * float(np.sqrt((share * (scaled - mean) ** 2).sum()))
