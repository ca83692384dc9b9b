"""A grown tree within a limit, as if growth had stopped there."""

from heapq import heappop, heappush
from numbers import Integral

import numpy as np

from treewright.errors import ParameterError
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree


def to_depth(tree: Tree, depth: int) -> Tree:
    """The tree without what lies more than `depth` splits below the root."""
    check_limit("depth", depth, least=0)
    too_deep = tree.node_depth >= depth
    return make_leaves(tree, too_deep, "max_depth")


def to_leaves(tree: Tree, n_leaves: int) -> Tree:
    """The tree with at most `n_leaves`, made of the splits that gain most.

    Splits are taken up from the root, always the one with the largest gain x weight of those that
    are open, so the tree is the one that growth with `max_leaf_nodes=n_leaves` would have made:
    leaves without rows do not count, and a split with more branches than are left is passed over.
    """
    check_limit("n_leaves", n_leaves, least=1)
    total_gain = (tree.weight * tree.gain).tolist()
    is_leaf = tree.is_leaf
    n_more = (tree.n_children - 1 - (tree.other_child >= 0)).tolist()  # leaves that a split adds
    n_children, first_child = tree.n_children.tolist(), tree.first_child.tolist()
    open_splits = [] if is_leaf[0] else [(-total_gain[0], 0)]
    cut = ~is_leaf
    left = n_leaves - 1
    while open_splits:
        _, node = heappop(open_splits)
        if n_more[node] > left:
            continue
        left -= n_more[node]
        cut[node] = False
        for child in range(first_child[node], first_child[node] + n_children[node]):
            if not is_leaf[child]:
                heappush(open_splits, (-total_gain[child], child))
    return make_leaves(tree, cut, "max_leaf_nodes")


def check_limit(name: str, value: object, *, least: int) -> None:
    allowed = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    if not allowed or int(value) < least:  # type: ignore[call-overload]
        raise ParameterError(
            f"{name}={value!r} is not allowed", hint=f"use an integer of at least {least}"
        )
