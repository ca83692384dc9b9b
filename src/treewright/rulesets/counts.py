"""How good rules are: what they cover, how often they are right, and how sure that is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.cached import cached_property
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]

NORMAL_95 = 1.959963984540054  # 95 % of a normal distribution lie this close to its middle


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """The training rows behind each rule of a set, one entry per rule."""

    weight: Float64Array
    n_rows: NDArray[np.int64]
    right: Float64Array  # weight of the class that the rule answers; NaN where it answers a number
    base: Float64Array  # share of that class in all training rows

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, rules: NDArray[np.intp]) -> "RuleCounts":
        """The counts of some of the rules."""
        return RuleCounts(
            self.weight[rules], self.n_rows[rules], self.right[rules], self.base[rules]
        )

    @cached_property
    def errors(self) -> Float64Array:
        """Weight of other classes."""
        wrong = self.weight - self.right
        return np.where(wrong <= 1e-9 * self.weight, 0.0, wrong)

    @cached_property
    def confidence(self) -> Float64Array:
        """Share of the covered weight that has the rule's class; NaN without any weight."""
        covered = np.where(self.weight > 0, self.weight, np.nan)
        confidence: Float64Array = (self.weight - self.errors) / covered
        return confidence

    @cached_property
    def interval(self) -> Float64Array:
        """(n_rules, 2): the 95 % interval of the confidence, after Wilson."""
        return wilson_interval(self.confidence, self.weight)

    @cached_property
    def lift(self) -> Float64Array:
        """How many times more frequent the class is here than in all training rows."""
        lift: Float64Array = self.confidence / np.where(self.base > 0, self.base, np.nan)
        return lift


def wilson_interval(share: Float64Array, weight: Float64Array) -> Float64Array:
    """(n, 2): the Wilson score interval, 95 %, of shares seen in so much weight.

    It stays within 0 and 1, is sensible for few rows, and weights need not be whole, which they
    are not where rows were spread. Without weight it says nothing: 0 to 1.
    """
    z2 = NORMAL_95 * NORMAL_95
    safe = np.where(weight > 0, weight, 1.0)
    middle = (share + z2 / (2 * safe)) / (1 + z2 / safe)
    half = NORMAL_95 * np.sqrt(share * (1 - share) / safe + z2 / (4 * safe**2)) / (1 + z2 / safe)
    ends = np.stack([np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)], axis=1)
    ends[weight <= 0] = (0.0, 1.0)
    return ends


def counts_of_nodes(tree: Tree, nodes: NDArray[np.intp]) -> RuleCounts:
    """The training rows that ended at each of the nodes."""
    weight, n_rows, value = ended_rows(tree)
    if tree.classes is None:
        nothing = np.full(len(nodes), np.nan)
        return RuleCounts(weight[nodes], n_rows[nodes], nothing, nothing)
    answers = tree.node_class[nodes]
    totals = tree.value[0]
    base = totals / totals.sum() if totals.sum() > 0 else np.full(len(totals), np.nan)
    right = np.minimum(value[nodes, answers], weight[nodes])
    return RuleCounts(weight[nodes], n_rows[nodes], right, base[answers])


def ended_rows(tree: Tree) -> tuple[Float64Array, NDArray[np.int64], Float64Array]:
    """Weight, number and class weights of the rows that no child of their node took on."""
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
    # Fractions of rows leave a rest of rounding.
    inner = ~tree.is_leaf
    nothing = inner & (weight <= 1e-9 * tree.weight)
    weight[nothing], value[nothing] = 0.0, 0.0
    n_rows[nothing | (n_rows < 0)] = 0
    return weight, n_rows, np.maximum(value, 0.0) if tree.classes is not None else value
