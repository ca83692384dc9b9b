"""What each column of a tree gains: the sum over its splits."""

import numpy as np
from numpy.typing import NDArray

from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


def column_gains(tree: Tree) -> Float64Array:
    """(n_columns,): the impurity, times weight, that all splits by a column take away."""
    inner = np.flatnonzero(tree.feature >= 0)
    taken = np.maximum(tree.weight[inner] * tree.gain[inner], 0.0)
    gains = np.bincount(tree.feature[inner], taken, minlength=tree.schema.n_columns)
    return gains.astype(np.float64)


def as_shares(gains: Float64Array) -> Float64Array:
    """Parts of their sum; zeros if that is zero."""
    total = gains.sum()
    return gains / total if total > 0 else gains
