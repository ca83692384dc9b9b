"""Pruning by expected errors, by compiled code."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native
from treewright._kernels.predictor import FlatTree, RowArrays

Float64Array = NDArray[np.float64]

# What `prune_by_errors` says a node became.
SAME, BECAME_LEAF, BECAME_BRANCH = 0, 1, 2


def prune_by_errors(  # noqa: PLR0913 -- keywords: a tree, its rows, what errors count
    tree: FlatTree,
    n_levels: NDArray[np.int32],
    rows: RowArrays,
    *,
    codes: NDArray[np.int32],
    weights: Float64Array,
    unit: Float64Array,
    price: Float64Array | None,
    confidence: float,
    z: float,
    unseen_to_majority: bool,
) -> dict[str, NDArray[Any]]:
    """The tree pruned with subtree raising, as arrays that refer to the nodes of `tree`.

    `unit` (n_classes,) is what a row of weight 1 counts, `price` (n_classes, n_classes) what it
    counts as an error. native/core/prune/pruned_tree.hpp says what the arrays hold.
    """
    arrays: dict[str, NDArray[Any]] = _native.prune_by_errors(
        tree, n_levels, rows, codes, weights, unit, price, confidence, z, unseen_to_majority
    )
    arrays["value"] = arrays["value"].reshape(-1, len(unit))
    return arrays


def pessimistic_errors(
    weights: Float64Array, errors: Float64Array, *, confidence: float, z: float
) -> Float64Array:
    """Errors to expect among new rows at leaves of these weights and training errors."""
    out = np.empty(len(weights))
    _native.pessimistic_errors(
        np.ascontiguousarray(weights), np.ascontiguousarray(errors), out, confidence, z
    )
    return out
