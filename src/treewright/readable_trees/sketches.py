"""Binary trees that are still searched for: pruned to few leaves, and refined split by split.

A sketch is a tree of `Draft` nodes over the rows of an `Aim`. What a leaf costs is the loss of its
rows when each is predicted from the others, so a split that only fits a few rows does not pay.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.cut_points import midpoint
from treewright.data.table import Table
from treewright.tree.drafting import Draft, draft_of
from treewright.tree.layout import INTERVALS, LEAF, SUBSET, THRESHOLD
from treewright.tree.tree import Tree

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

SAME = 1e-9  # a loss has to be lower by this part of the whole: sums differ in their last digits
PRIOR_ROWS = 1.0  # that every leaf counts more, with the class shares of all rows
MOST_PASSES = 4  # over the splits of a tree
INFINITE = float("inf")


class Aim:
    """Rows and what a tree should predict for them: class shares, or one number."""

    def __init__(  # noqa: PLR0913 -- keywords: what a search is for
        self,
        table: Table,
        wanted: Floats,
        weights: Floats,
        *,
        is_class: bool,
        min_leaf: float,
        max_depth: int | None = None,
        left_out: float = 1.0,
    ) -> None:
        self.table = table
        self.wanted = wanted  # (n_rows, n_classes), or (n_rows, 1)
        self.weights = weights
        self.is_class = is_class
        self.min_leaf = min_leaf  # least weight of a leaf
        self.max_depth = math.inf if max_depth is None else max_depth
        self.left_out = left_out  # weight of the row that a leaf predicts from the others
        self.columns = [
            column.values if isinstance(column, NumericColumn) else column.codes
            for column in table.columns
        ]
        self.n_levels = [
            0 if isinstance(column, NumericColumn) or column.ordered else len(column.levels)
            for column in table.columns
        ]
        self.total = self.sums(np.arange(table.n_rows))
        if is_class:
            self.prior = PRIOR_ROWS * self.total / self.total.sum()
        else:  # around the mean, so that squares lose no digits
            self.center = self.total[1] / self.total[0]
            self.wanted = wanted - self.center
            self.total = self.sums(np.arange(table.n_rows))

    def sums(self, rows: Rows) -> Floats:
        """What the loss of a leaf with these rows follows from: sums of weights and targets."""
        weights, wanted = self.weights[rows], self.wanted[rows]
        if self.is_class:
            return portable.weighted_sum(weights, wanted)
        values = np.column_stack([np.ones(len(rows)), wanted[:, 0], np.square(wanted[:, 0])])
        return portable.weighted_sum(weights, values)

    def leaf_loss(self, sums: Floats) -> float:
        """The loss of a leaf whose rows are each predicted from the others."""
        total = float(sums.sum()) if self.is_class else float(sums[0])
        if total < self.min_leaf * (1.0 - SAME):
            return INFINITE
        if self.is_class:
            others = np.maximum(sums - self.left_out, 0.0) + self.prior
            shares = others / max(total - self.left_out + PRIOR_ROWS, PRIOR_ROWS)
            return -float((sums * portable.log(np.clip(shares, 1e-12, 1.0))).sum())
        first, second = float(sums[1]), float(sums[2])
        if total < 2.0:  # no other row: the mean of all rows predicts
            return second
        spread = max(second - first * first / total, 0.0)
        return spread * (total / (total - self.left_out)) ** 2

    def predicted(self, sums: Floats) -> Floats:
        """What a leaf predicts, pulled toward the mean of all rows a little."""
        if self.is_class:
            shares = sums + self.prior
            return portable.log(np.maximum(shares / shares.sum(), 1e-12))
        return np.array([sums[1] / max(sums[0] + PRIOR_ROWS, PRIOR_ROWS)])

    def row_losses(self, rows: Rows, predicted: Floats) -> Floats:
        """The loss of each row if a leaf with these predictions takes it; (n_rows, n_leaves)."""
        wanted = self.wanted[rows]
        losses: Floats
        if self.is_class:
            losses = -portable.product(wanted, np.ascontiguousarray(predicted.T))
        else:
            losses = np.square(wanted - predicted[:, 0][np.newaxis, :])
        return losses


def sketch_of(tree: Tree) -> Draft:
    """A binary tree as a sketch, without surrogates and runner-up splits."""
    drafts = [draft_of(tree, node) for node in range(tree.n_nodes)]
    for draft, first, count in zip(
        drafts, tree.first_child.tolist(), tree.n_children.tolist(), strict=True
    ):
        draft.twin = -1
        draft.children = drafts[first : first + count]
        if draft.children and draft.missing_child < 0:
            left, right = draft.children
            draft.missing_child = 0 if left.weight >= right.weight else 1
    return drafts[0]


def goes_right(draft: Draft, aim: Aim, rows: Rows) -> Mask:
    """Which rows a split sends to its second child."""
    values = aim.columns[draft.feature][rows]
    right: Mask
    if draft.kind in (THRESHOLD, INTERVALS):
        is_missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
        right = values > draft.threshold if draft.kind == THRESHOLD else is_missing
        right[is_missing] = draft.missing_child == 1
        return right
    to_right = np.full(aim.n_levels[draft.feature] + 1, draft.missing_child == 1)
    to_right[draft.level_code] = np.array(draft.level_child) == 1
    right = to_right[np.maximum(values, -1)]  # a negative code reads the last entry
    return right


def divided(draft: Draft, aim: Aim, rows: Rows) -> tuple[Rows, Rows]:
    right = goes_right(draft, aim, rows)
    return rows[~right], rows[right]


def leaves_with_rows(root: Draft, aim: Aim, rows: Rows) -> Iterator[tuple[Draft, Rows]]:
    """The leaves from left to right, and the rows that reach each."""
    waiting = [(root, rows)]
    while waiting:
        draft, own = waiting.pop()
        if draft.kind == LEAF:
            yield draft, own
            continue
        left, right = divided(draft, aim, own)
        waiting += [(draft.children[1], right), (draft.children[0], left)]


def n_leaves(root: Draft) -> int:
    return 1 if root.kind == LEAF else sum(map(n_leaves, root.children))


def copied(draft: Draft) -> Draft:
    """A copy that can be changed without changing this one."""
    copy = Draft(draft.value, draft.weight, draft.n_rows)
    for name in Draft.__slots__:
        setattr(copy, name, getattr(draft, name))
    copy.children = [copied(child) for child in draft.children]
    return copy


def a_leaf(draft: Draft) -> Draft:
    return Draft(draft.value, draft.weight, draft.n_rows)


@dataclass(slots=True)
class Sizes:
    """The best prunings of a subtree, one for each number of leaves."""

    losses: list[float]  # with 1 leaf, 2 leaves ...; infinity where there is none
    left: list[int]  # how many of the leaves are on the left side


def best_sizes(root: Draft, aim: Aim, rows: Rows, most: int) -> dict[int, Sizes]:
    """For every node, the least loss of its subtree when it is pruned to 1, 2 ... `most` leaves.

    The loss of the rows adds up over leaves, so the best pruning of a node follows from those of
    its children: a leaf count is shared out in every possible way.
    """
    found: dict[int, Sizes] = {}

    def visit(draft: Draft, rows: Rows, depth: int) -> Sizes:
        losses, left_of = [aim.leaf_loss(aim.sums(rows))], [0]
        if draft.kind != LEAF and most > 1 and depth < aim.max_depth:
            left_rows, right_rows = divided(draft, aim, rows)
            if len(left_rows) and len(right_rows):
                one = visit(draft.children[0], left_rows, depth + 1)
                two = visit(draft.children[1], right_rows, depth + 1)
                shared = shared_out(one, two, most)
                losses, left_of = losses + shared.losses[1:], left_of + shared.left[1:]
        found[id(draft)] = Sizes(losses, left_of)
        return found[id(draft)]

    visit(root, rows, 0)
    return found


def shared_out(one: Sizes, two: Sizes, most: int) -> Sizes:
    """The best ways to share 2, 3 ... leaves out to two sides; one leaf is not possible."""
    size = min(len(one.losses) + len(two.losses), most)
    losses, left_of = [INFINITE] * size, [0] * size
    for n_left, loss in enumerate(one.losses, start=1):
        for n_right, other in enumerate(two.losses, start=1):
            n_both = n_left + n_right
            if n_both > most:
                break
            if loss + other < losses[n_both - 1]:
                losses[n_both - 1], left_of[n_both - 1] = loss + other, n_left
    return Sizes(losses, left_of)


def best_count(sizes: Sizes, most: int) -> int:
    """The number of leaves with the least loss; the smaller one of equals."""
    losses = sizes.losses[:most]
    least = min(losses)
    enough = least + SAME * abs(losses[0])
    return next(at for at, loss in enumerate(losses, start=1) if loss <= enough)


def cut_to(draft: Draft, sizes: dict[int, Sizes], count: int) -> Draft:
    """A copy of the best pruning with `count` leaves."""
    if count == 1:
        return a_leaf(draft)
    n_left = sizes[id(draft)].left[count - 1]
    copy = copied_split(draft)
    copy.children = [
        cut_to(draft.children[0], sizes, n_left),
        cut_to(draft.children[1], sizes, count - n_left),
    ]
    return copy


def copied_split(draft: Draft) -> Draft:
    copy = Draft(draft.value, draft.weight, draft.n_rows)
    for name in Draft.__slots__:
        if name != "children":
            setattr(copy, name, getattr(draft, name))
    return copy


def pruned(root: Draft, aim: Aim, most: int) -> Draft:
    """The pruning with the least loss that has at most this many leaves."""
    sizes = best_sizes(root, aim, np.arange(aim.table.n_rows), most)
    return cut_to(root, sizes, best_count(sizes[id(root)], most))


def without_small_leaves(draft: Draft, aim: Aim, rows: Rows) -> Draft:
    """The sketch without splits that leave one side too few rows; the other side takes all."""
    if draft.kind == LEAF:
        return draft
    left, right = divided(draft, aim, rows)
    sides = list(zip(draft.children, (left, right), strict=True))
    enough = [float(aim.weights[own].sum()) >= aim.min_leaf * (1.0 - SAME) for _, own in sides]
    if not all(enough):
        larger = sides[0][0] if len(left) >= len(right) else sides[1][0]
        return without_small_leaves(larger, aim, rows)
    draft.children = [without_small_leaves(child, aim, own) for child, own in sides]
    return draft


def total_loss(root: Draft, aim: Aim, rows: Rows) -> float:
    return sum(aim.leaf_loss(aim.sums(own)) for _, own in leaves_with_rows(root, aim, rows))


class Refinement:
    """Alternating optimization of the splits of a tree (Carreira-Perpinan and Tavallali, 2018).

    One split is chosen again while all others stay: every row has a loss if it goes left and one if
    it goes right, so the best split is found in one pass over each sorted column. A change is kept
    only if the loss is lower after the leaves predict for the rows they then have.
    """

    def __init__(self, root: Draft, aim: Aim) -> None:
        self.root = root
        self.aim = aim
        self.order = [
            np.argsort(column, kind="stable") if not n_levels else None
            for column, n_levels in zip(aim.columns, aim.n_levels, strict=True)
        ]
        self.least_change = SAME * abs(aim.leaf_loss(aim.total))

    def run(self) -> Draft:
        everything = np.arange(self.aim.table.n_rows)
        for _ in range(MOST_PASSES):
            if not self.improve(self.root, everything):
                break
        return self.root

    def improve(self, draft: Draft, rows: Rows) -> bool:
        """Choose the splits below again, then that of the node itself; whether one changed."""
        if draft.kind == LEAF or len(rows) < 2:
            return False
        left, right = divided(draft, self.aim, rows)
        changed = self.improve(draft.children[0], left)
        changed |= self.improve(draft.children[1], right)
        return self.improve_split(draft, rows) or changed

    def improve_split(self, draft: Draft, rows: Rows) -> bool:
        before = total_loss(draft, self.aim, rows)
        gain = self.gain_of_left(draft, rows)
        found = self.best_split(rows, gain)
        if found is None:
            return False
        found.children = draft.children
        after = total_loss(found, self.aim, rows)
        if after > before - self.least_change:
            return False
        for name in ("kind", "feature", "threshold", "missing_child", "level_code", "level_child"):
            setattr(draft, name, getattr(found, name))
        return True

    def gain_of_left(self, draft: Draft, rows: Rows) -> Floats:
        """What each row saves if it goes left, with the leaves as they are."""
        aim = self.aim
        sides = divided(draft, aim, rows)
        lost = []
        for child, own in zip(draft.children, sides, strict=True):
            reached = list(leaves_with_rows(child, aim, own))
            predicted = np.stack([aim.predicted(aim.sums(some)) for _, some in reached])
            loss_of_leaf = {id(leaf): at for at, (leaf, _) in enumerate(reached)}
            loss = np.empty(len(rows))
            place = np.arange(len(rows))
            for leaf, some in leaves_with_rows_of(child, aim, rows, place):
                at = loss_of_leaf[id(leaf)]
                loss[some] = aim.row_losses(rows[some], predicted[at : at + 1])[:, 0]
            lost.append(loss)
        return (lost[1] - lost[0]) * aim.weights[rows]

    def best_split(self, rows: Rows, gain: Floats) -> Draft | None:
        """The split whose left side saves most."""
        aim = self.aim
        gain_of_row = np.zeros(aim.table.n_rows)
        gain_of_row[rows] = gain
        is_here = np.zeros(aim.table.n_rows, dtype=np.bool_)
        is_here[rows] = True
        best, found = -INFINITE, None
        for feature, order in enumerate(self.order):
            if order is None:
                saved, draft = self.best_set(feature, rows, gain)
            else:
                here = order[is_here[order]]
                saved, draft = self.best_threshold(feature, here, gain_of_row[here])
            if draft is not None and saved > best + self.least_change:
                best, found = saved, draft
        return found

    def best_threshold(self, feature: int, rows: Rows, gain: Floats) -> tuple[float, Draft | None]:
        values = self.aim.columns[feature][rows]
        is_missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
        of_missing = float(gain[is_missing].sum())
        values, gain = values[~is_missing], gain[~is_missing]
        ends = np.flatnonzero(values[1:] > values[:-1])  # the last row of each value but the last
        if len(ends) == 0:
            return 0.0, None
        saved = np.cumsum(gain)[ends]
        at = int(np.argmax(saved))
        cut = midpoint(values[ends[at]], values[ends[at] + 1])
        draft = a_split(THRESHOLD, feature)
        draft.threshold = float(cut)
        draft.missing_child = self.side_of_missing(of_missing, is_missing, ends[at] + 1, len(rows))
        return float(saved[at]) + max(of_missing, 0.0), draft

    def best_set(self, feature: int, rows: Rows, gain: Floats) -> tuple[float, Draft | None]:
        codes = self.aim.columns[feature][rows]
        is_missing = codes < 0
        of_missing = float(gain[is_missing].sum())
        codes, known = codes[~is_missing], gain[~is_missing]
        n_levels = self.aim.n_levels[feature]
        counts = np.bincount(codes, minlength=n_levels)
        saved = np.bincount(codes, known, minlength=n_levels)
        levels = np.flatnonzero(counts)
        on_left = saved[levels] > 0
        if on_left.all() or not on_left.any():
            return 0.0, None
        draft = a_split(SUBSET, feature)
        draft.level_code = levels.tolist()
        draft.level_child = (~on_left).astype(int).tolist()
        n_left = int(counts[levels[on_left]].sum())
        draft.missing_child = self.side_of_missing(of_missing, is_missing, n_left, len(rows))
        return float(saved[levels[on_left]].sum()) + max(of_missing, 0.0), draft

    def side_of_missing(self, of_missing: float, is_missing: Mask, n_left: int, n_rows: int) -> int:
        if is_missing.any():
            return 0 if of_missing > 0 else 1
        return 0 if 2 * n_left >= n_rows else 1


def leaves_with_rows_of(
    root: Draft, aim: Aim, rows: Rows, place: Rows
) -> Iterator[tuple[Draft, Rows]]:
    """The leaves, and the places in `rows` of the rows that reach each."""
    waiting = [(root, place)]
    while waiting:
        draft, own = waiting.pop()
        if draft.kind == LEAF:
            yield draft, own
            continue
        right = goes_right(draft, aim, rows[own])
        waiting += [(draft.children[1], own[right]), (draft.children[0], own[~right])]


def a_split(kind: int, feature: int) -> Draft:
    return Draft(np.zeros(0), 0.0, 0, kind=kind, feature=feature)
