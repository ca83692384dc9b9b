"""Predictions of nodes: class shares, and one class."""

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats

# Shares and expected costs closer than this (relative to the largest) are equal: the sums round.
TIE = 1e-12


def class_shares(value: Floats, class_factor: Floats) -> Floats:
    """Class weights (n_nodes, n_classes), altered by the factors, as shares that add up to one.

    A node without any weight predicts equal shares.
    """
    with np.errstate(over="ignore"):
        weighted = value * class_factor
        # A running sum adds in one order on every machine, a plain sum need not.
        total = np.cumsum(weighted, axis=1)[:, -1:]
    regular = (total > 0) & np.isfinite(total)
    if not regular.all():
        weighted, total = _rescue(weighted, regular[:, 0])
    shares: Floats = weighted / total
    return shares


def _rescue(weighted: Floats, regular: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Scale rows whose sum overflows by their largest weight; rows without weight become equal."""
    weighted = np.where(np.isfinite(weighted), weighted, np.finfo(np.float64).max)
    largest = weighted.max(axis=1, keepdims=True)
    scale = np.where(regular[:, np.newaxis] | (largest <= 0), 1.0, largest)
    weighted = np.where(largest > 0, weighted / scale, 1.0)
    return weighted, np.cumsum(weighted, axis=1)[:, -1:]


def cheapest_classes(shares: Floats, costs: Floats | None = None) -> NDArray[np.intp]:
    """The class of least expected cost for each row of shares, the first on ties.

    `costs[i, j]` is the price of true class i predicted as j; without costs the largest share wins.
    """
    if costs is None:
        largest = shares.max(axis=1, keepdims=True)
        return np.asarray((shares >= largest * (1 - TIE)).argmax(axis=1))
    expected = np.zeros_like(shares)
    for true_class, prices in enumerate(costs):  # not a matrix product: the order is fixed
        expected += shares[:, true_class, np.newaxis] * prices
    tie = TIE * np.abs(expected).max(axis=1, keepdims=True)
    cheapest = expected <= expected.min(axis=1, keepdims=True) + tie
    return np.asarray(cheapest.argmax(axis=1))
