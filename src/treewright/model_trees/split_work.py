"""The best cut of a column in a node, worked out for people to follow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.model_trees.coding import Float64Array

TIE = 1e-12  # of the node's spread: gains this close are equal


@dataclass(frozen=True, slots=True)
class SideWork:
    """The rows on one side of a cut."""

    weight: float
    deviation: float
    spread: float


@dataclass(frozen=True, slots=True)
class SplitWork:
    """A cut of one column, and how much it takes away of the spread of the target."""

    column: int
    cut: float  # values up to this go to the first child
    between: tuple[float, float]  # the values next to it
    left: SideWork
    right: SideWork
    gain: float


@dataclass(frozen=True, slots=True)
class SplitRule:
    """What makes a cut good, and which ones are allowed."""

    criterion: str
    min_leaf: float
    min_share: float

    def spreads(self, variances: Float64Array) -> Float64Array:
        """The roots of variances that cuts are to lower."""
        return np.asarray(variances ** (0.2 if self.criterion == "fifth_root" else 0.5))

    def spread(self, variance: float) -> float:
        """The root of one variance."""
        return float(self.spreads(np.array(variance)))

    def are_enough(self, weights: Float64Array, total: float) -> NDArray[np.bool_]:
        """Which sides of cuts are heavy enough; sums of weights may have been rounded."""
        rounding = 1e-9 * total
        margin = np.floor(self.min_share * total)
        return np.asarray((weights > margin + rounding) & (weights > self.min_leaf - rounding))


def variance_of(y: Float64Array, weights: Float64Array) -> float:
    """Mean square of the distance from the mean."""
    if (y == y[0]).all():
        return 0.0
    mean = np.average(y, weights=weights)
    return float(np.average((y - mean) ** 2, weights=weights))


def best_cut(
    column: int,
    values: Float64Array,
    y: Float64Array,
    weights: Float64Array,
    rule: SplitRule,
    *,
    is_ranked: bool,
) -> SplitWork | None:
    """The first of the best cuts of a column; None if none is allowed."""
    order = np.argsort(values, kind="stable")
    values, y, weights = values[order], y[order], weights[order]
    total, spread = float(weights.sum()), rule.spread(variance_of(y, weights))
    before, after = running_variances(y, weights), running_variances(y[::-1], weights[::-1])[::-1]
    left_share = np.cumsum(weights)[:-1] / total
    gains = spread - left_share * rule.spreads(before[:-1])
    gains -= (1 - left_share) * rule.spreads(after[1:])
    allowed = values[1:] > values[:-1]
    allowed &= rule.are_enough(left_share * total, total)
    allowed &= rule.are_enough(total - left_share * total, total)
    if not allowed.any():
        return None
    most = gains[allowed].max()
    last = int(np.flatnonzero(allowed & (gains >= most - TIE * spread))[0])
    low, high = float(values[last]), float(values[last + 1])
    cut = low + 0.5 if is_ranked else low + (high - low) / 2
    left = side_work(y[: last + 1], weights[: last + 1], rule)
    right = side_work(y[last + 1 :], weights[last + 1 :], rule)
    return SplitWork(column, cut, (low, high), left, right, max(float(gains[last]), 0.0))


def running_variances(y: Float64Array, weights: Float64Array) -> Float64Array:
    """The variance of the first row, of the first two, and so on."""
    distances = y - np.average(y, weights=weights)
    mass = np.cumsum(weights)
    means = np.cumsum(weights * distances) / mass
    variances = np.maximum(np.cumsum(weights * distances**2) / mass - means**2, 0.0)
    variances[np.logical_and.accumulate(y == y[0])] = 0.0  # whatever rounding makes of it
    return np.asarray(variances)


def side_work(y: Float64Array, weights: Float64Array, rule: SplitRule) -> SideWork:
    variance = variance_of(y, weights)
    return SideWork(float(weights.sum()), float(variance**0.5), rule.spread(variance))
