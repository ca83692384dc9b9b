"""Proximity: how often two rows lie in the same leaf."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Float64Array = NDArray[np.float64]
Leaves = NDArray[np.integer]


def proximity_of(leaves: Leaves, others: Leaves) -> Float64Array:
    """(n_rows, n_others): the share of the trees in which two rows lie in the same leaf.

    Examples
    --------
    >>> leaves = np.array([[1, 4], [1, 5], [2, 5]])  # three rows, two trees
    >>> proximity_of(leaves, leaves)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    n_nodes = 1 + max(leaves.max(initial=0), others.max(initial=0))
    met = leaf_table(leaves, n_nodes) @ leaf_table(others, n_nodes).T
    shares: Float64Array = met.toarray() / leaves.shape[1]
    return shares


def leaf_table(leaves: Leaves, n_nodes: int) -> csr_array:
    """(n_rows, n_trees * n_nodes): 1 where a row lies in a leaf."""
    n_rows, n_trees = leaves.shape
    column = leaves.astype(np.int64) + np.arange(n_trees) * int(n_nodes)
    starts = np.arange(n_rows + 1) * n_trees
    ones = np.ones(column.size)
    return csr_array((ones, column.ravel(), starts), shape=(n_rows, n_trees * int(n_nodes)))
