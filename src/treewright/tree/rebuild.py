"""A tree cut back: chosen nodes become leaves, and what hung below them goes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree.kinds import LEAF, STOP, STOP_REASONS
from treewright.tree.layout import NODE_ARRAYS, SIDE_GROUPS
from treewright.tree.tree import Tree

# What these arrays hold at a leaf; `stop_reason` is the caller's.
AT_A_LEAF = {
    "kind": LEAF,
    "feature": -1,
    "threshold": 0.0,
    "first_child": 0,
    "n_children": 0,
    "missing_child": STOP,
    "gain": 0.0,
    "score": 0.0,
    "split_order": -1,
}

NOBODY = np.zeros(0, dtype=np.bool_)


def make_leaves(tree: Tree, nodes: NDArray[np.bool_], reason: str) -> Tree:
    """The tree in which each of the `nodes` (a mask) is a leaf, stopped for `reason`.

    Nodes that are leaves already keep the reason they have. Nodes keep their order.
    """
    cut = nodes & ~tree.is_leaf
    keep = ~below(tree, cut)
    arrays: dict[str, NDArray[Any]] = {name: getattr(tree, name)[keep] for name in NODE_ARRAYS}
    new_leaves = cut[keep]
    for name, value in AT_A_LEAF.items():
        arrays[name][new_leaves] = value
    arrays["stop_reason"][new_leaves] = STOP_REASONS.index(reason)
    # A leaf's 0 stays 0: the root is always kept.
    new_number = np.cumsum(keep, dtype=np.int32) - np.int32(1)
    arrays["first_child"] = new_number[arrays["first_child"]]
    return Tree.from_arrays(
        arrays | side_arrays(tree, keep, cut),
        schema=tree.schema,
        classes=tree.classes,
        class_factor=tree.class_factor,
        costs=tree.costs,
        unseen=tree.unseen,
    )


def below(tree: Tree, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which nodes have one of `nodes` (a mask) above them."""
    # Each round doubles the distance looked up, so a chain needs few rounds too.
    ancestor = np.maximum(tree.parent, 0)
    found = nodes[ancestor]
    found[0] = False
    while ancestor.any():
        found |= found[ancestor]
        ancestor = ancestor[ancestor]
    return found


def side_arrays(
    tree: Tree, keep: NDArray[np.bool_], cut: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    """The side arrays of the nodes kept; a node that was cut asks nothing."""
    arrays: dict[str, NDArray[Any]] = {}
    asking = {"node": keep & ~cut}
    for group in SIDE_GROUPS:
        owners = asking[group.owner]
        if not getattr(tree, group.start)[-1] and (group.owner == "node" or not len(owners)):
            asking[group.name] = NOBODY
            continue  # no node has any: `from_arrays` fills in
        counts = np.diff(getattr(tree, group.start))
        entries = np.repeat(owners, counts)
        asking[group.name] = entries
        kept_counts = np.where(owners, counts, 0)[keep if group.owner == "node" else owners]
        starts = np.zeros(len(kept_counts) + 1, dtype=np.int64)
        np.cumsum(kept_counts, out=starts[1:])
        arrays[group.start] = starts
        for name in group.arrays:
            arrays[name] = getattr(tree, name)[entries]
    return arrays
