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
from treewright.tree.layout import LEAF, NODE_ARRAYS, SIDE_GROUPS, STOP

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

COPIED_GROUPS = tuple(group for group in SIDE_GROUPS if group.name not in ("level", "cut", "term"))


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
    levels = slice(tree.level_start[node], tree.level_start[node + 1])
    cuts = slice(tree.cut_start[node], tree.cut_start[node + 1])
    terms = slice(tree.term_start[node], tree.term_start[node + 1])
    return Draft(
        value=tree.value[node],
        weight=float(tree.weight[node]),
        n_rows=int(tree.n_rows[node]),
        impurity=float(tree.impurity[node]),
        kind=int(tree.kind[node]),
        feature=int(tree.feature[node]),
        threshold=float(tree.threshold[node]),
        missing_child=int(tree.missing_child[node]),
        gain=float(tree.gain[node]),
        score=float(tree.score[node]),
        stop_reason=int(tree.stop_reason[node]),
        split_order=int(tree.split_order[node]),
        level_code=tree.level_code[levels].tolist(),
        level_child=tree.level_child[levels].tolist(),
        cut=tree.cut[cuts].tolist(),
        term_feature=tree.term_feature[terms].tolist(),
        term_weight=tree.term_weight[terms].tolist(),
        twin=node,
    )


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
    arrays = drafted_arrays(root) | copied_entries(like, np.array(twins, dtype=np.intp))
    kept = {
        "schema": like.schema,
        "classes": like.classes,
        "class_factor": like.class_factor,
        "costs": like.costs,
        "unseen": like.unseen,
    }
    return like.from_arrays(arrays, **(kept | members))


def drafted_arrays(root: Draft) -> dict[str, NDArray[Any]]:
    """The arrays of the tree below a draft, without surrogates and competitors."""
    drafts = in_order(root)
    arrays: dict[str, NDArray[Any]] = {
        name: np.array([getattr(draft, name) for draft in drafts], dtype=dtype)
        for name, dtype in NODE_ARRAYS.items()
        if name not in ("value", "first_child", "n_children")
    }
    arrays["value"] = np.stack([draft.value for draft in drafts]).astype(np.float64)
    n_children = np.array([len(draft.children) for draft in drafts], dtype=np.int32)
    before = np.cumsum(n_children, dtype=np.int32) - n_children
    arrays["n_children"] = n_children
    arrays["first_child"] = np.where(n_children > 0, before + 1, 0).astype(np.int32)
    for group in SIDE_GROUPS:
        if group not in COPIED_GROUPS:
            arrays |= own_entries(drafts, group.start, group.arrays)
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


def own_entries(
    drafts: list[Draft], start: str, names: dict[str, type[np.generic]]
) -> dict[str, NDArray[Any]]:
    """The side arrays of a group that the drafts hold themselves."""
    arrays: dict[str, NDArray[Any]] = {
        name: np.array([x for draft in drafts for x in getattr(draft, name)], dtype=dtype)
        for name, dtype in names.items()
    }
    counts = [len(getattr(draft, next(iter(names)))) for draft in drafts]
    arrays[start] = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return arrays


def copied_entries(tree: "Tree", twins: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    """The surrogates and competitors that the nodes have from their twins in `tree`."""
    arrays: dict[str, NDArray[Any]] = {}
    owners = {"node": twins}
    for group in COPIED_GROUPS:
        start = getattr(tree, group.start)
        owner = owners[group.owner]
        counts = np.where(owner >= 0, np.diff(start)[owner] if len(start) > 1 else 0, 0)
        ends = np.cumsum(counts)
        arrays[group.start] = np.concatenate([[0], ends]).astype(np.int64)
        first = np.where(owner >= 0, start[owner], 0)
        entries = np.repeat(first - (ends - counts), counts) + np.arange(int(counts.sum()))
        owners[group.name] = entries
        for name in group.arrays:
            arrays[name] = getattr(tree, name)[entries]
    return arrays
