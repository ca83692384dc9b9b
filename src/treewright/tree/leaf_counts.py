"""Leaves as the textbook counts them."""

import numpy as np
from numpy.typing import NDArray

from treewright.tree.tree import Tree


def textbook_leaves(tree: Tree) -> NDArray[np.int64]:
    """The leaves that each node stands for: 0 at a split, 1 at a leaf, more where levels share one.

    The levels that a branches node met in no training row share one empty leaf; a textbook draws a
    leaf for each.
    """
    counts = tree.is_leaf.astype(np.int64)
    nodes = np.flatnonzero(tree.other_child >= 0)
    if len(nodes):
        n_levels = np.array([len(tree.schema.columns[f].levels) for f in tree.feature[nodes]])
        n_listed = tree.level_start[nodes + 1] - tree.level_start[nodes]
        counts[tree.other_child[nodes]] *= np.maximum(n_levels - n_listed, 1)
    return counts
