"""From the plan of an optimal tree, splits in preorder, to the tree itself."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import MISSING_FIRST, MISSING_LAST, SET_WITH_MISSING
from treewright.arrays import Floats
from treewright.data.column import Column, NumericColumn
from treewright.data.cut_points import midpoint
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.induction.optimal.questions import Family, Questions
from treewright.tree.drafting import Draft, drafted_arrays, in_order
from treewright.tree.layout import BRANCHES, INTERVALS, STOP_REASONS, SUBSET, THRESHOLD
from treewright.tree.tree import Tree

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The training rows of a planned tree."""

    table: Table
    target: ClassTarget
    weights: Floats  # (n_rows,)
    questions: Questions
    costs: Floats | None = None  # of an error on each class, whatever is predicted


def planned_tree(plan: list[tuple[int, int]], ground: Ground, max_depth: int, unseen: str) -> Tree:
    """The tree of a plan: pairs of split family and cut in preorder, family -1 at a leaf."""
    roots: list[Draft] = []
    waiting = [(np.arange(ground.table.n_rows), 0, roots)]
    swapped: list[Draft] = []
    for family, cut in plan:
        rows, depth, siblings = waiting.pop()
        draft = node_without_split(ground, rows)
        siblings.append(draft)
        if family < 0:
            draft.stop_reason = stop_reason(draft, at_limit=depth == max_depth)
            continue
        left = goes_left(ground.questions, family, cut)[rows]
        if split(draft, ground, ground.questions.families[family], rows, left):
            swapped.append(draft)
        waiting.append((rows[~left], depth + 1, draft.children))
        waiting.append((rows[left], depth + 1, draft.children))
    for draft in swapped:
        draft.children.reverse()
    finish(roots[0], ground)
    return Tree.from_arrays(
        drafted_arrays(roots[0]),
        schema=Schema.of(ground.table),
        classes=ground.target.classes,
        costs=ground.costs,
        unseen=unseen,
    )


def node_without_split(ground: Ground, rows: Rows) -> Draft:
    """A node that these rows reach, without a split."""
    counts = np.bincount(
        ground.target.codes[rows], ground.weights[rows], ground.target.n_classes
    ).astype(np.float64, copy=False)
    weight = float(counts.sum())
    return Draft(counts, weight, len(rows), gini(priced(counts, ground)))


def priced(counts: Floats, ground: Ground) -> Floats:
    """Class weights as splits count them: costs alter priors, as in CART."""
    return counts if ground.costs is None else counts * ground.costs.max(axis=1)


def gini(counts: Floats) -> float:
    shares = counts / counts.sum()
    return max(0.0, 1.0 - float(np.square(shares).sum()))


def stop_reason(draft: Draft, *, at_limit: bool) -> int:
    """Why a leaf of an optimal tree is one."""
    if np.count_nonzero(draft.value) < 2:
        return STOP_REASONS.index("pure")
    return STOP_REASONS.index("max_depth" if at_limit else "collapsed")


def goes_left(questions: Questions, family: int, cut: int) -> Mask:
    """Which rows of the table a split sends to the first child."""
    asked = questions.families[family]
    column = questions.columns[asked.column]
    codes = column.codes
    left: Mask
    if asked.kind == MISSING_LAST:
        left = codes <= cut
    elif asked.kind == MISSING_FIRST:
        left = (codes == column.n_values) | (codes < cut)  # missing values come first
    else:
        is_left = np.zeros(column.n_values + 1, dtype=np.bool_)
        is_left[asked.levels] = True
        is_left[column.n_values] = asked.kind == SET_WITH_MISSING
        left = is_left[codes]
    return left


def split(draft: Draft, ground: Ground, family: Family, rows: Rows, left: Mask) -> bool:
    """Give a node its split; `left` says which of its rows go to the first child.

    Returns whether the children must be swapped: a split between known and missing values has the
    rows with a known value in its first child.
    """
    column = ground.questions.columns[family.column]
    codes = column.codes[rows]
    known = codes < column.n_values
    draft.feature = family.column
    if not known.all():
        draft.missing_child = 0 if left[~known][0] else 1
    else:
        weights = ground.weights[rows]
        draft.missing_child = 0 if weights[left].sum() >= weights[~left].sum() else 1
    if np.count_nonzero(left & known) in (0, np.count_nonzero(known)):  # known against missing
        draft.missing_child = 1
        draft.kind = BRANCHES if column.is_nominal else INTERVALS
        if column.is_nominal:
            draft.level_code = list(range(column.n_values))
            draft.level_child = [0] * column.n_values
        return bool(left[~known].any())
    if column.is_nominal:
        draft.kind = SUBSET
        levels, first = np.unique(codes[known], return_index=True)
        draft.level_code = levels.tolist()
        draft.level_child = (~left[known][first]).astype(int).tolist()
    else:
        draft.kind = THRESHOLD
        values = ground.table.columns[family.column]
        draft.threshold = threshold_between(values, rows[known & left], rows[known & ~left])
    return False


def threshold_between(column: Column, left: Rows, right: Rows) -> float:
    """Halfway between the rows on both sides; ordered categories count as 0, 1, 2 ..."""
    values = column.values if isinstance(column, NumericColumn) else column.codes
    return midpoint(values[left].max(), values[right].min())


def finish(root: Draft, ground: Ground) -> None:
    """Number the splits from the top and compute their gains."""
    inner = [draft for draft in in_order(root) if draft.children]
    for number, draft in enumerate(inner):
        draft.split_order = number
        left = sum(size(child, ground) * child.impurity for child in draft.children)
        draft.gain = draft.score = max(0.0, draft.impurity - left / size(draft, ground))


def size(draft: Draft, ground: Ground) -> float:
    """The weight of a node as splits count it."""
    return draft.weight if ground.costs is None else float(priced(draft.value, ground).sum())
