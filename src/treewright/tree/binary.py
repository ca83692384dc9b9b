"""Any tree as a binary one: branches and intervals become chains of yes-no questions.

A chain splits off one child after another. Its helper nodes hold the rows of the children that are
still together. The whole gain of the split stays at the first node of the chain, so that the gains
of the tree add up as before.
"""

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from treewright._kernels import portable
from treewright.errors import DataError
from treewright.tree.drafting import Draft, assemble, drafts_of
from treewright.tree.layout import BRANCHES, INTERVALS, OBLIQUE, SPREAD, STOP, SUBSET, THRESHOLD

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


@dataclass(slots=True, eq=False)
class Branch:
    """A child of a node with several, and what leads to it."""

    child: Draft
    place: int  # among the children
    levels: list[int]  # codes, where the column is nominal
    upper: float  # the cut above it, where the column is numeric
    takes_missing: bool  # whether missing values go here


def to_binary(tree: "Tree") -> "Tree":
    """The tree with two children at every inner node, and the same prediction for every row.

    Where fractions of rows are spread, predictions are equal up to rounding.
    """
    drafts = drafts_of(tree)
    for node, draft in enumerate(drafts):
        if len(draft.children) == 2 and draft.cut:
            draft.kind, draft.threshold, draft.cut = THRESHOLD, draft.cut[0], []
        elif len(draft.children) > 2:
            if tree.surrogate_start[node] != tree.surrogate_start[node + 1]:
                raise DataError(
                    f"node {node} has surrogates for {len(draft.children)} children, which no "
                    "chain of yes-no questions can carry"
                )
            branches = branches_of(tree, node, draft)
            if draft.kind == OBLIQUE:
                ask_sum_twice(draft, branches)
            else:
                chain(draft, branches, by_weight=tree.unseen == "majority")
    return assemble(drafts[0], tree)


def branches_of(tree: "Tree", node: int, draft: Draft) -> list[Branch]:
    """The children of a node with what leads to them, in order."""
    levels: list[list[int]] = [[] for _ in draft.children]
    for code, child in zip(draft.level_code, draft.level_child, strict=True):
        levels[child].append(code)
    if tree.other_child[node] >= 0:
        n_levels = len(tree.schema.columns[draft.feature].levels)
        other = int(tree.other_child[node] - tree.first_child[node])
        levels[other] = sorted(set(range(n_levels)) - set(draft.level_code))
    uppers = [draft.threshold] if draft.kind == THRESHOLD else list(draft.cut)
    uppers += [float("nan")] * (len(draft.children) - len(uppers))
    return [
        Branch(child, i, levels[i], uppers[i], takes_missing=i == draft.missing_child)
        for i, child in enumerate(draft.children)
    ]


def chain(head: Draft, branches: list[Branch], *, by_weight: bool) -> None:
    """Make `head` the first node of a chain that separates the branches.

    An unseen level that follows the majority has to end at the heaviest branch: then the lightest
    is split off first, and what is left always weighs more.
    """
    is_nominal = head.kind in (BRANCHES, SUBSET)
    if is_nominal and by_weight:
        # Of equal weights the first is split off last, where it wins the tie.
        branches = sorted(branches, key=lambda branch: (branch.child.weight, -branch.place))
    node = head
    while len(branches) > 1:
        one, rest = branches[0], branches[1:]
        together = helper(head, rest) if len(rest) > 1 else rest[0].child
        if is_nominal:
            ask_levels(node, one, rest, together, rest_first=by_weight)
        else:
            ask_bound(node, one, together)
        node, branches = together, rest


def ask_levels(
    node: Draft, one: Branch, rest: list[Branch], together: Draft, *, rest_first: bool
) -> None:
    """Let `node` ask for the levels of one branch against those of the rest."""
    others = [code for branch in rest for code in branch.levels]
    if one.levels and others:
        node.kind = SUBSET
        first, second = (others, one.levels) if rest_first else (one.levels, others)
        node.children = [together, one.child] if rest_first else [one.child, together]
        to_missing = int(one.takes_missing == rest_first)
    else:  # one side is for missing values alone: is there a value at all?
        node.kind = BRANCHES
        first, second = one.levels + others, []
        node.children = [one.child, together] if one.levels else [together, one.child]
        to_missing = int(one.takes_missing != bool(one.levels))
    sides = sorted([(code, 0) for code in first] + [(code, 1) for code in second])
    node.level_code = [code for code, _ in sides]
    node.level_child = [side for _, side in sides]
    send_missing(node, to_missing)


def ask_bound(node: Draft, one: Branch, together: Draft) -> None:
    """Let `node` ask whether the value lies in the lowest interval that is left."""
    node.children = [one.child, together]
    node.cut = []
    if isnan(one.upper):  # the highest interval against missing values: is there a value at all?
        node.kind, node.threshold = INTERVALS, 0.0
    else:
        node.kind, node.threshold = THRESHOLD, one.upper
    send_missing(node, 0 if one.takes_missing else 1)


def ask_sum_twice(head: Draft, branches: list[Branch]) -> None:
    """Tell large sums from missing ones by the same question: no small sum comes to the second."""
    small, large, missing = branches
    second = helper(head, [large, missing])
    second.kind, second.threshold = head.kind, head.threshold
    second.term_feature, second.term_weight = head.term_feature, head.term_weight
    second.children, second.missing_child = [missing.child, large.child], 0
    head.children, head.missing_child = [small.child, second], 1


def send_missing(node: Draft, child: int) -> None:
    """Missing values go to `child`, unless they stop or spread."""
    if node.missing_child not in (STOP, SPREAD):
        node.missing_child = child


def helper(head: Draft, branches: list[Branch]) -> Draft:
    """A node for the rows of several branches of `head`."""
    reached = [branch.child for branch in branches if branch.child.weight > 0]
    weights = np.array([child.weight for child in reached])
    value, impurity = head.value, 0.0  # where no row comes, as in any empty node
    if reached:
        values = np.stack([child.value for child in reached])
        is_mean = values.shape[1] == 1
        value = (
            portable.weighted_sum(weights, values) / weights.sum()
            if is_mean
            else values.sum(axis=0)
        )
        impurity = float(np.average([child.impurity for child in reached], weights=weights))
    return Draft(
        value=value,
        weight=float(weights.sum()),
        n_rows=min(sum(child.n_rows for child in reached), head.n_rows),
        impurity=impurity,
        feature=head.feature,
        missing_child=head.missing_child,
        split_order=head.split_order,
    )
