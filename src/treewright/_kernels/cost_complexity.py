"""Prices of subtrees by compiled code.

For both, `as_leaf` is the risk of each node if it were a leaf and `stopped` that of the rows that
end at an inner node. Prices are infinite at leaves and never rise downwards.
"""

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native
from treewright._kernels.predictor import FlatTree

Float64Array = NDArray[np.float64]


def weakest_link_prices(
    tree: FlatTree, as_leaf: Float64Array, stopped: Float64Array
) -> Float64Array:
    """The price of a leaf at which weakest-link pruning cuts each node."""
    prices = np.empty(len(as_leaf))
    _native.weakest_link_prices(tree.first_child, tree.n_children, as_leaf, stopped, prices)
    return prices


def saving_per_leaf_prices(
    tree: FlatTree, as_leaf: Float64Array, stopped: Float64Array, *, least: float
) -> Float64Array:
    """The price of a leaf at which the rule of rpart cuts each node.

    Subtrees that save no more than `least` a leaf count as leaves from the start.
    """
    prices = np.empty(len(as_leaf))
    _native.saving_per_leaf_prices(
        tree.first_child, tree.n_children, as_leaf, stopped, least, prices
    )
    return prices
