"""One pass from the leaves to the root: at each node, is a leaf as good as the subtree?

What hangs below a node has been decided when the node is looked at, so the estimate of a subtree
is that of the pruned subtree. Nodes of one depth are looked at together, which makes the pass fast
for wide trees and needs no recursion for deep ones.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.tree.tree import Tree

# Of these nodes, which become leaves? Given: the nodes, and the estimates of all nodes.
Rule = Callable[[NDArray[np.intp], Floats, Floats], NDArray[np.bool_]]

ROUNDING = 1e-12  # share of a leaf's estimate below which a difference is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Judgment:
    """Which nodes become leaves, and the estimates they were decided by; one entry per node."""

    as_leaf: Floats
    at_inner: Floats  # what a split adds to its branches, and rows that stop there
    as_subtree: Floats  # of the subtree as pruned below the node; of a leaf, its own
    worth: Floats  # what the node adds to the subtree above it
    cut: NDArray[np.bool_]


def leaf_is_no_worse(
    nodes: NDArray[np.intp], as_leaf: Floats, as_subtree: Floats
) -> NDArray[np.bool_]:
    """The rule of most methods: cut unless the subtree's estimate is lower."""
    own = as_leaf[nodes]
    worse: NDArray[np.bool_] = own <= as_subtree[nodes] + ROUNDING * np.abs(own)
    return worse


def judge_bottom_up(
    tree: Tree, as_leaf: Floats, at_inner: Floats, rule: Rule = leaf_is_no_worse
) -> Judgment:
    """Decide every inner node, children first.

    `as_leaf` is the estimate of each node as a leaf. That of a subtree is the sum over its leaves,
    and `at_inner` of each inner node that it keeps: what the split itself costs, and the rows that
    stop there.
    """
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    as_subtree = np.where(tree.is_leaf, as_leaf, at_inner)
    for nodes in reversed(nodes_by_depth(tree)):
        inner = nodes[~tree.is_leaf[nodes]]
        cut[inner] = rule(inner, as_leaf, as_subtree)
        if nodes[0] > 0:  # add to the parent what each node is worth, now that it is decided
            worth = np.where(cut[nodes], as_leaf[nodes], as_subtree[nodes])
            np.add.at(as_subtree, tree.parent[nodes], worth)
    return Judgment(as_leaf, at_inner, as_subtree, np.where(cut, as_leaf, as_subtree), cut)


def nodes_by_depth(tree: Tree) -> list[NDArray[np.intp]]:
    """The nodes of each depth, ascending, from the root down."""
    in_order = np.argsort(tree.node_depth, kind="stable")
    ends = np.cumsum(np.bincount(tree.node_depth))
    return np.split(in_order, ends[:-1])
