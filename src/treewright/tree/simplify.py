"""A smaller tree with the same decisions: without branches and splits that change none."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree.drafting import Draft, assemble, become, drafts_of, in_order
from treewright.tree.kinds import (
    BRANCHES,
    INTERVALS,
    LEAF,
    OBLIQUE,
    SPREAD,
    STOP,
    STOP_REASONS,
    SUBSET,
)
from treewright.tree.reach import Reach, anything, divide
from treewright.tree.rebuild import AT_A_LEAF
from treewright.tree.tree import Tree

COLLAPSED = STOP_REASONS.index("collapsed")


def simplify(tree: Tree, answering: Tree | None = None) -> Tree:
    """The tree without splits that change no answer: every row gets the class or number it got.

    Branches go that no row can reach because of the questions above them, and a split goes whose
    leaves answer alike. Probabilities may change where leaves of one class are merged, but not
    below a node that spreads rows: there the shares decide together with those of other leaves.
    `answering` is the tree with the same nodes whose values are answered, if these differ.
    """
    drafts = drafts_of(tree)
    shared = drop_unreachable(tree, drafts[0])
    merge_leaves(drafts[0], answering or tree, shared)
    return assemble(drafts[0], tree)


def drop_unreachable(tree: Tree, root: Draft) -> set[int]:
    """Take out the branches that no row can reach; the nodes that may answer a part of a row."""
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
    """(level, child) of the levels that lead to children kept, which are counted anew."""
    listed = zip(node.level_code, node.level_child, strict=True)
    levels = [(code, place[child]) for code, child in listed if child in place]
    if levels:
        return levels
    # None that was listed is left, so the first child takes the levels that were not.
    return [(code, 0) for code in range(to_first.bit_length()) if to_first >> code & 1]


def merge_leaves(root: Draft, answering: Tree, shared: set[int]) -> None:
    """Make a leaf of every node whose children are leaves that answer as the node does."""
    answers: NDArray[Any] = answering.value
    if answering.classes is not None:
        answers = answering.node_class[:, np.newaxis]
    for node in reversed(in_order(root)):
        if node.kind == LEAF or any(child.kind != LEAF for child in node.children):
            continue
        family = [node.twin, *(child.twin for child in node.children)]
        alike = answers[family] == answers[node.twin]
        if node.twin in shared and answering.classes is not None:
            alike = answering.probabilities[family] == answering.probabilities[node.twin]
        if alike.all():
            make_leaf(node)


def make_leaf(node: Draft) -> None:
    for name, value in AT_A_LEAF.items():
        if name not in ("first_child", "n_children"):
            setattr(node, name, value)
    node.stop_reason = COLLAPSED
    node.children, node.level_code, node.level_child = [], [], []
    node.cut, node.term_feature, node.term_weight = [], [], []
