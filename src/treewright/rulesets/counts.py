"""Quality of rules: coverage, confidence and its interval."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.intervals import share_interval
from treewright.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """The training rows behind each rule of a set, one entry per rule."""

    weight: Floats
    n_rows: NDArray[np.int64]
    right: Floats  # weight of the class that the rule predicts; NaN if it predicts a number
    base: Floats  # share of that class in all training rows

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, rules: NDArray[np.intp]) -> "RuleCounts":
        """The counts of some of the rules."""
        return RuleCounts(
            self.weight[rules], self.n_rows[rules], self.right[rules], self.base[rules]
        )

    def fields_of(self, rule: int) -> dict[str, Any]:
        """The fields of one `Rule` that say how good it is."""
        return {
            "weight": float(self.weight[rule]),
            "n_rows": int(self.n_rows[rule]),
            "errors": float(self.errors[rule]),
            "confidence": float(self.confidence[rule]),
            "interval": tuple(self.interval[rule].tolist()),
            "lift": float(self.lift[rule]),
        }

    @cached_property
    def errors(self) -> Floats:
        """Weight of other classes."""
        wrong = self.weight - self.right
        return np.where(wrong <= 1e-9 * self.weight, 0.0, wrong)

    @cached_property
    def confidence(self) -> Floats:
        """Share of the covered weight that has the rule's class; NaN without any weight."""
        covered = np.where(self.weight > 0, self.weight, np.nan)
        confidence: Floats = (self.weight - self.errors) / covered
        return confidence

    @cached_property
    def interval(self) -> Floats:
        """(n_rules, 2): the 95 % interval of the confidence, after Wilson."""
        return np.stack(share_interval(self.confidence, self.weight), axis=1)

    @cached_property
    def lift(self) -> Floats:
        """How many times more frequent the class is here than in all training rows."""
        lift: Floats = self.confidence / np.where(self.base > 0, self.base, np.nan)
        return lift


def counts_of_nodes(tree: Tree, nodes: NDArray[np.intp]) -> RuleCounts:
    """The training rows that ended at each of the nodes."""
    weight, n_rows, value = ended_rows(tree)
    if tree.classes is None:
        nothing = np.full(len(nodes), np.nan)
        return RuleCounts(weight[nodes], n_rows[nodes], nothing, nothing)
    predictions = tree.node_class[nodes]
    totals = tree.value[0]
    base = totals / totals.sum() if totals.sum() > 0 else np.full(len(totals), np.nan)
    right = np.minimum(value[nodes, predictions], weight[nodes])
    return RuleCounts(weight[nodes], n_rows[nodes], right, base[predictions])


def ended_rows(tree: Tree) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Weight, number and class weights of the rows that went to no child of their node."""
    has_rows = tree.weight > 0  # an empty node repeats its parent's class weights
    weight, n_rows = tree.weight.copy(), tree.n_rows.copy()
    value = np.where(has_rows[:, np.newaxis], tree.value, 0.0)
    children = np.flatnonzero(has_rows)
    children = children[children > 0]
    parents = tree.parent[children]
    np.subtract.at(weight, parents, tree.weight[children])
    np.subtract.at(n_rows, parents, tree.n_rows[children])
    if tree.classes is not None:
        np.subtract.at(value, parents, tree.value[children])
    # Fractions of rows leave rounding errors.
    inner = ~tree.is_leaf
    nothing = inner & (weight <= 1e-9 * tree.weight)
    weight[nothing], value[nothing] = 0.0, 0.0
    n_rows[nothing | (n_rows < 0)] = 0
    return weight, n_rows, np.maximum(value, 0.0) if tree.classes is not None else value
