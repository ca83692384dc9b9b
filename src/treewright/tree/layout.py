"""Which arrays a tree consists of, and of what type.

Most arrays have one entry per node. What only some nodes have, and any number of, lies in groups
of side arrays: entries `start[i]` to `start[i + 1]` belong to owner i.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NODE_ARRAYS: dict[str, type[np.generic]] = {
    "kind": np.uint8,
    "feature": np.int32,
    "threshold": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "missing_child": np.int32,
    "value": np.float64,  # the one array with two axes: (n_nodes, n_values)
    "weight": np.float64,
    "n_rows": np.int64,
    "impurity": np.float64,
    "gain": np.float64,
    "score": np.float64,
    "stop_reason": np.uint8,
    "split_order": np.int32,
}


@dataclass(frozen=True, slots=True)
class SideGroup:
    """Side arrays that share one array of offsets."""

    name: str
    arrays: dict[str, type[np.generic]]
    owner: str = "node"  # or the name of the group whose entries own these

    @property
    def start(self) -> str:
        """Name of the offsets: one more than there are owners."""
        return f"{self.name}_start"


SIDE_GROUPS = (
    SideGroup("level", {"level_code": np.int32, "level_child": np.int32}),
    SideGroup("cut", {"cut": np.float64}),
    SideGroup("term", {"term_feature": np.int32, "term_weight": np.float64}),
    SideGroup(
        "surrogate",
        {
            "surrogate_kind": np.uint8,
            "surrogate_feature": np.int32,
            "surrogate_threshold": np.float64,
            "surrogate_flip": np.uint8,
            "surrogate_agreement": np.float64,
        },
    ),
    SideGroup(
        "surrogate_level",
        {"surrogate_level_code": np.int32, "surrogate_level_child": np.int32},
        owner="surrogate",
    ),
    SideGroup(
        "competitor",
        {
            "competitor_feature": np.int32,
            "competitor_gain": np.float64,
            "competitor_score": np.float64,
            "competitor_threshold": np.float64,
            "competitor_tied": np.uint8,
        },
    ),
)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, closed to writing."""
    array.setflags(write=False)
    return array


def owners_of(start: NDArray[np.int64]) -> NDArray[np.intp]:
    """The owner of each entry of a group with these offsets."""
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


def ranges(first: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """first[0], first[0] + 1 ... counts[0] numbers of them, then those from first[1] on."""
    ends = np.cumsum(counts)
    return np.repeat(first - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


def side_arrays_of(
    tree: Any, nodes: NDArray[np.integer], *leave_out: str
) -> dict[str, NDArray[Any]]:
    """The side arrays of a tree whose node i owns what `nodes[i]` owns in `tree`; -1: nothing.

    Groups without entries are left out too: `Tree.from_arrays` fills them in.
    """
    arrays: dict[str, NDArray[Any]] = {}
    owners: dict[str, NDArray[np.integer]] = {"node": nodes}
    for group in SIDE_GROUPS:
        owner, start = owners[group.owner], getattr(tree, group.start)
        owners[group.name] = np.zeros(0, dtype=np.int64)
        if group.name in leave_out or (group.owner == "node" and not start[-1]) or not len(owner):
            continue
        counts = np.where(owner >= 0, start[owner + 1] - start[owner], 0)
        entries = ranges(np.where(owner >= 0, start[owner], 0), counts)
        owners[group.name] = entries
        arrays[group.start] = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        arrays |= {name: getattr(tree, name)[entries] for name in group.arrays}
    return arrays


# The entries of a group that nothing uses; shared by all trees.
EMPTY_SIDE_ARRAYS: dict[str, NDArray[Any]] = {
    name: read_only(np.zeros(0, dtype=dtype))
    for group in SIDE_GROUPS
    for name, dtype in group.arrays.items()
} | {"surrogate_level_start": read_only(np.zeros(1, dtype=np.int64))}

# Offsets that are all zero when no node owns anything.
NODE_STARTS = tuple(group.start for group in SIDE_GROUPS if group.owner == "node")


# Tree.kind: what a node asks.
LEAF = 0
THRESHOLD = 1  # value <= threshold
BRANCHES = 2  # one child for each level
INTERVALS = 3  # several cut points
SUBSET = 4  # a set of levels against another set
OBLIQUE = 5  # a weighted sum of several columns <= threshold

KIND_NAMES = ("leaf", "threshold", "branches", "intervals", "subset", "oblique")

# Tree.missing_child: where a missing value goes, when it is not the number of a child.
STOP = -1  # nowhere: the node itself predicts
SPREAD = -2  # to every child with training weight, in proportion to it

# Tree.stop_reason: why a node is a leaf; the first stands at nodes that split.
STOP_REASONS = (
    "",
    "pure",
    "no candidate",
    "max_depth",
    "max_leaf_nodes",
    "max_splits",
    "min_samples_split",
    "min_samples_leaf",
    "min_gain",
    "significance",
    "error estimate",
    "validation",
    "collapsed",
    "pruned",
    "empty",
    "written",  # by hand
    "min_deviation",
    "by hand",  # nothing forbids a split: a person left it or made it a leaf
)

# Tree.unseen: what happens to a level that was not seen in training.
UNSEEN_POLICIES = ("missing", "majority", "error")
