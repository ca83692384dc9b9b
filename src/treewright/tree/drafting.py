"""Trees put together node by node: drafts that point to their children become flat arrays.

What changes the shape of a tree (binary form, simplification, trees written by hand) works on
drafts, where a child is an object and not a position.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.tree.layout import LEAF, NODE_ARRAYS, SIDE_GROUPS, STOP, side_arrays_of

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

OWN_GROUPS = tuple(group for group in SIDE_GROUPS if group.name in ("level", "cut", "term"))
NUMBERS = tuple(name for name in NODE_ARRAYS if name not in ("value", "first_child", "n_children"))


@dataclass(slots=True, eq=False)
class Draft:
    """A node in the making; the fields are those of `Tree`."""

    value: Floats
    weight: float
    n_rows: int
    impurity: float = 0.0
    kind: int = LEAF
    feature: int = -1
    threshold: float = 0.0
    missing_child: int = STOP
    gain: float = 0.0
    score: float = 0.0
    stop_reason: int = 0
    split_order: int = -1
    children: "list[Draft]" = field(default_factory=list)
    level_code: list[int] = field(default_factory=list)
    level_child: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    term_feature: list[int] = field(default_factory=list)
    term_weight: list[float] = field(default_factory=list)
    twin: int = -1  # the node of the model tree whose surrogates and competitors this one has


def draft_of(tree: "Tree", node: int) -> Draft:
    """A node of a tree as a draft, without its children."""
    own: dict[str, Any] = {name: getattr(tree, name)[node].item() for name in NUMBERS}
    for group in OWN_GROUPS:
        first, end = getattr(tree, group.start)[node : node + 2]
        own |= {name: getattr(tree, name)[first:end].tolist() for name in group.arrays}
    return Draft(tree.value[node], twin=node, **own)


def drafts_of(tree: "Tree") -> list[Draft]:
    """All nodes of a tree as drafts that know their children; the root comes first."""
    drafts = [draft_of(tree, node) for node in range(tree.n_nodes)]
    for draft, first, count in zip(
        drafts, tree.first_child.tolist(), tree.n_children.tolist(), strict=True
    ):
        draft.children = drafts[first : first + count]
    return drafts


def become(draft: Draft, other: Draft) -> None:
    """Make `draft` what `other` is, children included; who points to it points to that now."""
    for name in Draft.__slots__:
        setattr(draft, name, getattr(other, name))


def assemble(root: Draft, like: "Tree", **members: Any) -> "Tree":
    """The tree below a draft; schema, classes and costs are those of `like` unless given."""
    drafts = in_order(root)
    twins = [draft.twin if draft.children else -1 for draft in drafts]  # a leaf has neither
    own_names = (group.name for group in OWN_GROUPS)
    copied = side_arrays_of(like, np.array(twins, dtype=np.intp), *own_names)
    return like.with_arrays(drafted_arrays(root) | copied, **members)


def drafted_arrays(root: Draft) -> dict[str, NDArray[Any]]:
    """The arrays of the tree below a draft, without surrogates and competitors."""
    drafts = in_order(root)
    arrays: dict[str, NDArray[Any]] = {
        name: np.array([getattr(draft, name) for draft in drafts], dtype=NODE_ARRAYS[name])
        for name in NUMBERS
    }
    arrays["value"] = np.stack([draft.value for draft in drafts]).astype(np.float64)
    n_children = np.array([len(draft.children) for draft in drafts], dtype=np.int32)
    before = np.cumsum(n_children, dtype=np.int32) - n_children
    arrays["n_children"] = n_children
    arrays["first_child"] = np.where(n_children > 0, before + 1, 0).astype(np.int32)
    for group in OWN_GROUPS:
        for name, dtype in group.arrays.items():
            lists = [getattr(draft, name) for draft in drafts]
            arrays[name] = np.array([entry for own in lists for entry in own], dtype=dtype)
        starts = np.concatenate([[0], np.cumsum([len(own) for own in lists])])
        arrays[group.start] = starts.astype(np.int64)
    return arrays


def in_order(root: Draft) -> list[Draft]:
    """The drafts level by level: children side by side, after their parent."""
    drafts: list[Draft] = []
    queue = deque([root])
    while queue:
        draft = queue.popleft()
        drafts.append(draft)
        queue.extend(draft.children)
    return drafts
