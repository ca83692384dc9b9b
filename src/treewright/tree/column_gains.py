"""What each column of a tree gains: the sum over its splits."""

import numpy as np
from numpy.typing import NDArray

from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]

LARGEST = np.finfo(np.float64).max  # of the sum over all nodes


def column_gains(tree: Tree) -> Float64Array:
    """(n_columns,): the impurity, times weight, that all splits by a column take away.

    The columns of a weighted sum share what it takes away alike.
    """
    inner = np.flatnonzero(tree.feature >= 0)
    with np.errstate(over="ignore"):  # a file may hold such weights and gains
        taken = np.clip(tree.weight * tree.gain, 0.0, LARGEST / tree.n_nodes)
    gains = np.bincount(tree.feature[inner], taken[inner], minlength=tree.schema.n_columns)
    n_terms = np.diff(tree.term_start)
    if n_terms.any():
        part = np.repeat(taken / np.maximum(n_terms, 1), n_terms)
        gains = gains + np.bincount(tree.term_feature, part, minlength=tree.schema.n_columns)
    return gains.astype(np.float64)


def as_shares(gains: Float64Array) -> Float64Array:
    """Parts of their sum; zeros if that is zero."""
    total = gains.sum()
    return gains / total if total > 0 else gains
