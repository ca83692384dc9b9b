"""Quality of rules: coverage, confidence and its interval."""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.tree.tree import Tree

NORMAL_95 = 1.959963984540054  # standard deviations around the mean that hold 95 %


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
        return wilson_interval(self.confidence, self.weight)

    @cached_property
    def lift(self) -> Floats:
        """How many times more frequent the class is here than in all training rows."""
        lift: Floats = self.confidence / np.where(self.base > 0, self.base, np.nan)
        return lift


def wilson_interval(share: Floats, weight: Floats) -> Floats:
    """(n, 2): the 95 % Wilson score interval of shares observed in rows of this weight.

    It stays within 0 and 1 and is sensible for few rows. Weights need not be whole, because rows
    may be spread. Without weight the interval is 0 to 1.
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


def pessimistic_rate(weight: float, errors: float, confidence: float) -> float:
    """Upper confidence limit of the error rate, given `errors` in `weight`.

    The limit of a binomial share: exact without errors, linear up to one error, then the normal
    approximation with continuity correction. Without weight the rate is 1.
    """
    if weight <= 0:
        return 1.0
    if errors >= 1:
        return _normal_rate(weight, errors, confidence)
    none = 1.0 - float(confidence ** (1.0 / weight))
    return none + errors * (_normal_rate(weight, 1.0, confidence) - none)


def _normal_rate(weight: float, errors: float, confidence: float) -> float:
    if errors + 0.5 >= weight:
        return 1.0
    z = _normal_quantile(confidence)
    share = (errors + 0.5) / weight
    spread = sqrt(share * (1 - share) / weight + z * z / (4 * weight * weight))
    return (share + z * z / (2 * weight) + z * spread) / (1 + z * z / weight)


@lru_cache(maxsize=64)
def _normal_quantile(confidence: float) -> float:
    return -NormalDist().inv_cdf(confidence)
