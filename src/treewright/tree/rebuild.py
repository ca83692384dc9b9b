"""A tree in another shape: nodes become leaves, or get another branch below them."""

from collections.abc import Mapping
from heapq import heappop, heappush
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ParameterError
from treewright.tree.drafting import Draft, assemble, become, drafts_of, in_order
from treewright.tree.layout import (
    BRANCHES,
    INTERVALS,
    LEAF,
    NODE_ARRAYS,
    OBLIQUE,
    SIDE_GROUPS,
    SPREAD,
    STOP,
    STOP_REASONS,
    SUBSET,
    side_arrays_of,
)
from treewright.tree.reach import Reach, anything, divide

if TYPE_CHECKING:
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


def make_leaves(tree: "Tree", nodes: NDArray[np.bool_], reason: str) -> "Tree":
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
    owners = np.where(cut, -1, np.arange(tree.n_nodes))[keep]  # a new leaf asks nothing
    return tree.with_arrays(arrays | side_arrays_of(tree, owners))


def graft(tree: "Tree", node: int, branch: "Tree") -> tuple["Tree", NDArray[np.intp]]:
    """The tree with `branch` in the place of `node` and what is below it.

    With the tree comes where each of its nodes was: in `tree`, or in `branch` (counted after the
    nodes of `tree`).
    """
    return graft_all(tree, {node: branch})


def graft_all(tree: "Tree", branches: Mapping[int, "Tree"]) -> tuple["Tree", NDArray[np.intp]]:
    """The tree with branches in the places of some nodes, none of them below another.

    Nodes come as growth orders them: depth first, children side by side. With the tree comes where
    each of its nodes was: in `tree`, or in a branch (those of the branches in turn counted after
    the nodes of `tree`).
    """
    parts = [tree, *branches.values()]
    first_of_part = np.cumsum([0, *(part.n_nodes for part in parts)])[:-1]
    joined: dict[str, NDArray[Any]] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in NODE_ARRAYS
    }
    joined["first_child"] += np.concatenate(
        [
            np.where(part.is_leaf, 0, first).astype(np.int32)
            for part, first in zip(parts, first_of_part.tolist(), strict=True)
        ]
    )
    for group in SIDE_GROUPS:
        starts = [getattr(part, group.start) for part in parts]
        before = np.cumsum([0, *(start[-1] for start in starts)])[:-1]
        further = [start[1:] + n for start, n in zip(starts, before.tolist(), strict=True)]
        joined[group.start] = np.concatenate([[0], *further]).astype(np.int64)
        for name in group.arrays:
            joined[name] = np.concatenate([getattr(part, name) for part in parts])
    nodes, roots = np.array([*branches], dtype=np.intp), first_of_part[1:]
    for name in NODE_ARRAYS:
        joined[name][nodes] = joined[name][roots]
    both = tree.with_arrays(joined)
    origin, first_child, split_order = depth_first(both)
    owner = np.arange(both.n_nodes)
    owner[nodes] = roots
    arrays = {name: getattr(both, name)[origin] for name in NODE_ARRAYS}
    arrays |= {"first_child": first_child, "split_order": split_order}
    return tree.with_arrays(arrays | side_arrays_of(both, owner[origin])), origin


def depth_first(tree: "Tree") -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]:
    """The nodes below the root in the order of growth, their first children, and split numbers."""
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    origin, first_child, split_order, waiting = [0], [0], [-1], [0]
    n_splits = 0
    while waiting:
        at = waiting.pop()
        start, n_children = first[origin[at]], count[origin[at]]
        if n_children == 0:
            continue
        split_order[at] = n_splits
        n_splits += 1
        first_child[at] = len(origin)
        waiting.extend(range(len(origin) + n_children - 1, len(origin) - 1, -1))
        origin.extend(range(start, start + n_children))
        first_child.extend([0] * n_children)
        split_order.extend([-1] * n_children)
    orders = np.array([first_child, split_order], dtype=np.int32)
    return np.array(origin, dtype=np.intp), orders[0].copy(), orders[1].copy()


def below(tree: "Tree", nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which nodes have one of `nodes` (a mask) above them."""
    # Each round doubles the distance looked up, so a chain needs few rounds too.
    ancestor = np.maximum(tree.parent, 0)
    found = nodes[ancestor]
    found[0] = False
    while ancestor.any():
        found |= found[ancestor]
        ancestor = ancestor[ancestor]
    return found


def to_depth(tree: "Tree", depth: int) -> "Tree":
    """The tree without what lies more than `depth` splits below the root."""
    check_limit("depth", depth, least=0)
    too_deep = tree.node_depth >= depth
    return make_leaves(tree, too_deep, "max_depth")


def to_leaves(tree: "Tree", n_leaves: int) -> "Tree":
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


COLLAPSED = STOP_REASONS.index("collapsed")


def simplify(tree: "Tree", predicting: "Tree | None" = None) -> "Tree":
    """The tree without splits that change no prediction.

    Branches go that no row can reach because of the questions above them, and a split goes whose
    leaves predict the same. Probabilities may change where leaves of one class are merged, but not
    below a node that spreads rows: there the shares decide together with those of other leaves.
    `predicting` is the tree with the same nodes whose values are predicted, if these differ.
    """
    drafts = drafts_of(tree)
    shared = drop_unreachable(tree, drafts[0])
    merge_leaves(drafts[0], predicting or tree, shared)
    return assemble(drafts[0], tree)


def drop_unreachable(tree: "Tree", root: Draft) -> set[int]:
    """Take out the branches that no row can reach; the nodes that may predict a part of a row."""
    everything = [anything(spec, tree.unseen) for spec in tree.schema.columns]
    shared: set[int] = set()
    stack: list[tuple[Draft, dict[int, Reach], bool]] = [(root, {}, False)]
    while stack:
        draft, reaches, is_shared = stack.pop()
        if is_shared:
            shared.add(draft.twin)
        if draft.kind == LEAF:
            continue
        if draft.kind == OBLIQUE:
            is_shared |= draft.missing_child == SPREAD
            stack += [(child, reaches, is_shared) for child in draft.children]
            continue
        reach = reaches.get(draft.feature, everything[draft.feature])
        division = divide(tree, draft.twin, reach)
        kept = [child for child, part in enumerate(division.parts) if not part.is_empty]
        narrowed = [reaches | {draft.feature: division.parts[child]} for child in kept]
        if not kept:
            make_leaf(draft)
        elif len(kept) == 1 and not division.stops:
            weight = draft.weight  # by which rows are spread from above
            become(draft, draft.children[kept[0]])
            draft.weight = weight
            stack.append((draft, narrowed[0], is_shared))
        else:
            is_shared |= division.spreads
            children = [draft.children[child] for child in kept]
            keep_children(draft, kept, division.parts)
            stack += [(c, r, is_shared) for c, r in zip(children, narrowed, strict=True)]
    return shared


def keep_children(node: Draft, kept: list[int], parts: tuple[Reach, ...]) -> None:
    """Leave a node only those of its children that a row can reach, if it can ask for them."""
    if len(kept) == len(node.children):
        return
    place = {child: i for i, child in enumerate(kept)}
    levels = kept_levels(node, place, parts[kept[0]].levels)
    by_level = node.kind in (BRANCHES, SUBSET)
    if len(kept) == 1 or (by_level and not levels):
        for child, part in zip(node.children, parts, strict=True):
            if part.is_empty:
                make_leaf(child)
        return
    if by_level:
        node.kind = BRANCHES
        node.level_code, node.level_child = [list(side) for side in zip(*levels, strict=True)]
    else:
        cuts = node.cut or [node.threshold]
        node.cut = [cuts[child - 1] for child in kept[1:] if child <= len(cuts)]
        node.kind, node.threshold = INTERVALS, 0.0
    if node.missing_child >= 0:
        node.missing_child = place.get(node.missing_child, STOP)
    node.children = [node.children[child] for child in kept]


def kept_levels(node: Draft, place: dict[int, int], to_first: int) -> list[tuple[int, int]]:
    """(level, child) of the levels that lead to children kept, which are counted again."""
    listed = zip(node.level_code, node.level_child, strict=True)
    levels = [(code, place[child]) for code, child in listed if child in place]
    if levels:
        return levels
    # None that was listed is left, so the first child takes the levels that were not.
    return [(code, 0) for code in range(to_first.bit_length()) if to_first >> code & 1]


def merge_leaves(root: Draft, predicting: "Tree", shared: set[int]) -> None:
    """Make a leaf of every node whose children are leaves that predict as the node does."""
    predictions: NDArray[Any] = predicting.value
    if predicting.classes is not None:
        predictions = predicting.node_class[:, np.newaxis]
    for node in reversed(in_order(root)):
        if node.kind == LEAF or any(child.kind != LEAF for child in node.children):
            continue
        family = [node.twin, *(child.twin for child in node.children)]
        alike = predictions[family] == predictions[node.twin]
        if node.twin in shared and predicting.classes is not None:
            alike = predicting.probabilities[family] == predicting.probabilities[node.twin]
        if alike.all():
            make_leaf(node)


def make_leaf(node: Draft) -> None:
    for name, value in AT_A_LEAF.items():
        if name not in ("first_child", "n_children"):
            setattr(node, name, value)
    node.stop_reason = COLLAPSED
    node.children, node.level_code, node.level_child = [], [], []
    node.cut, node.term_feature, node.term_weight = [], [], []
