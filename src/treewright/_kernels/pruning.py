"""Prices of subtrees by compiled code.

For both, `as_leaf` is the risk of each node if it were a leaf and `stopped` that of the rows that
end at an inner node. Prices are infinite at leaves and never rise downwards.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native
from treewright._kernels.predictor import FlatTree, RowArrays
from treewright.arrays import Floats


def weakest_link_prices(tree: FlatTree, as_leaf: Floats, stopped: Floats) -> Floats:
    """The price of a leaf at which weakest-link pruning cuts each node."""
    prices = np.empty(len(as_leaf))
    _native.weakest_link_prices(tree.first_child, tree.n_children, as_leaf, stopped, prices)
    return prices


def saving_per_leaf_prices(
    tree: FlatTree, as_leaf: Floats, stopped: Floats, *, least: float
) -> Floats:
    """The price of a leaf at which the rule of rpart cuts each node.

    Subtrees that save no more than `least` a leaf count as leaves from the start.
    """
    prices = np.empty(len(as_leaf))
    _native.saving_per_leaf_prices(
        tree.first_child, tree.n_children, as_leaf, stopped, least, prices
    )
    return prices


# What `prune_by_errors` says a node became.
SAME, BECAME_LEAF, BECAME_BRANCH = 0, 1, 2


def prune_by_errors(  # noqa: PLR0913 -- keywords: a tree, its rows, what errors count
    tree: FlatTree,
    n_levels: NDArray[np.int32],
    rows: RowArrays,
    *,
    codes: NDArray[np.int32],
    weights: Floats,
    unit: Floats,
    price: Floats | None,
    confidence: float,
    z: float,
    unseen_to_majority: bool,
    n_threads: int,
    folder: str | None = None,
) -> dict[str, NDArray[Any]]:
    """The tree pruned with subtree raising, as arrays that refer to the nodes of `tree`.

    `unit` (n_classes,) is what a row of weight 1 counts, `price` (n_classes, n_classes) what it
    counts as an error. native/core/prune/pruned_tree.hpp says what the arrays hold.
    """
    arrays: dict[str, NDArray[Any]] = _native.prune_by_errors(
        tree,
        n_levels,
        rows,
        codes,
        weights,
        unit,
        price,
        confidence,
        z,
        unseen_to_majority,
        n_threads,
        folder,
    )
    arrays["value"] = arrays["value"].reshape(-1, len(unit))
    return arrays


def pessimistic_errors(weights: Floats, errors: Floats, *, confidence: float, z: float) -> Floats:
    """Errors to expect among new rows at leaves of these weights and training errors."""
    out = np.empty(len(weights))
    _native.pessimistic_errors(
        np.ascontiguousarray(weights), np.ascontiguousarray(errors), out, confidence, z
    )
    return out
