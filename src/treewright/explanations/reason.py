"""A sufficient reason: few conditions that settle the answer, whatever the other columns hold."""

from dataclasses import dataclass
from math import inf, isnan, nextafter

import numpy as np

from treewright.data.column import UNSEEN
from treewright.data.schema import ColumnSpec
from treewright.explanations.boxes import Box, between, codes_of, holds, nearest, only_levels
from treewright.explanations.fewest import fewest_columns, fixed
from treewright.explanations.search import Budget, Finder, SearchEnded
from treewright.exports.program import Program
from treewright.rulesets.condition_text import levels_text
from treewright.rulesets.level_set import LevelSet
from treewright.tree.conditions import bound_text, plain
from treewright.tree.kinds import INTERVALS, THRESHOLD
from treewright.tree.reach import Reach

MOST_BOXES = 10_000  # opened for the columns, and again for the conditions on them


@dataclass(frozen=True, slots=True)
class Reason:
    """Conditions on the row's columns that settle its answer together.

    None can be left out. Of all such sets there is none with fewer columns if `is_smallest`.
    """

    columns: tuple[str, ...]
    conditions: tuple[str, ...]
    is_minimal: bool  # False: the search was cut short, one may be too many
    is_smallest: bool
    is_widest: bool  # False: the search was cut short, a condition may be narrower than it need be

    def __str__(self) -> str:
        return " and ".join(self.conditions) or "any row at all"


@dataclass(frozen=True, slots=True)
class ReasonBox:
    """All rows that fulfil a reason."""

    columns: tuple[int, ...]
    box: Box
    is_minimal: bool
    is_smallest: bool
    is_widest: bool


def sufficient_reason(finder: Finder, asked: tuple[int, ...]) -> Reason:
    """The reason for the row's answer; `asked` are the columns that were looked at on its way."""
    found = reason_box(finder, asked)
    specs = finder.program.columns
    return Reason(
        columns=tuple(specs[column].name for column in found.columns),
        conditions=tuple(reach_text(specs[column], found.box[column]) for column in found.columns),
        is_minimal=found.is_minimal,
        is_smallest=found.is_smallest,
        is_widest=found.is_widest,
    )


def reason_box(finder: Finder, asked: tuple[int, ...]) -> ReasonBox:
    """First as few columns as can be, then as wide conditions on them."""
    found = fewest_columns(finder, asked, Budget(MOST_BOXES))
    box = fixed(finder, found.columns)
    is_widest, budget = True, Budget(MOST_BOXES)
    for column in found.columns:
        try:
            box = widened(finder, box, column, budget.half())
        except SearchEnded:
            is_widest = False
    return ReasonBox(found.columns, box, found.is_minimal, found.is_smallest, is_widest)


def widened(finder: Finder, box: Box, column: int, budget: Budget) -> Box:
    """The box with as wide a condition on a column as the answer allows.

    The nearest value for which some row gets another answer is sought; all up to there are alike.
    """
    spec, value = finder.program.columns[column], finder.row[column]
    if isnan(value) or (value == UNSEEN and not spec.is_numeric):
        return box
    if not spec.is_numeric:
        return {**box, column: _more_levels(finder, box, column, budget)}
    cuts = cuts_on(finder.program, column)
    high = _bound(finder, {**box, column: between(spec, value, inf)}, column, budget)
    low = _bound(finder, {**box, column: between(spec, -inf, value)}, column, budget)
    highest = inf if high is None else max(cut for cut in cuts if cut < high)
    lowest = -inf if low is None else nextafter(min(cut for cut in cuts if cut >= low), inf)
    return {**box, column: between(spec, lowest, highest)}


def _bound(finder: Finder, box: Box, column: int, budget: Budget) -> float | None:
    """The number nearest to the row's with which some row of the box gets another answer."""
    spec, value = finder.program.columns[column], finder.row[column]

    def cost(changed: int, reach: Reach) -> float | None:
        if changed != column or holds(spec, reach, value):
            return None
        return abs(nearest(spec, reach, value) - value)

    found = finder.other_row(box, budget, cost)
    return None if found is None else found.row[column]


def _more_levels(finder: Finder, box: Box, column: int, budget: Budget) -> Reach:
    """All levels but those with which some row of the box gets another answer."""
    levels = (1 << len(finder.program.columns[column].levels)) - 1
    while True:
        reach = only_levels(levels)
        found = finder.other_row({**box, column: reach}, budget)
        if found is None:
            return reach
        levels &= ~found.box[column].levels


def cuts_on(program: Program, column: int) -> list[float]:
    """All numbers that the tree compares a column with, ascending."""
    tree = program.tree
    asked = tree.feature == column
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(tree.cut_start))
    stands_in = (tree.surrogate_feature == column) & (tree.surrogate_kind == THRESHOLD)
    found = [
        tree.threshold[asked & (tree.kind == THRESHOLD)],
        tree.cut[asked[owner] & (tree.kind[owner] == INTERVALS)],
        tree.surrogate_threshold[stands_in],
    ]
    cuts: list[float] = np.unique(np.concatenate(found)).tolist()
    return cuts


def reach_text(spec: ColumnSpec, reach: Reach) -> str:
    """A condition on one column in words."""
    name = plain(spec.name)
    if reach.low <= reach.high:
        return _bounds_text(spec, reach, name)
    if reach.levels:
        others = frozenset(range(len(spec.levels))) - frozenset(codes_of(reach))
        levels = LevelSet(others, excluded=True) if others else LevelSet(frozenset(codes_of(reach)))
        return f"{name} {levels_text(spec, levels)}"
    return f"{name} missing" if reach.missing else f"{name} not seen in training"


def _bounds_text(spec: ColumnSpec, reach: Reach, name: str) -> str:
    above = reach.low - 1 if spec.unit else nextafter(reach.low, -inf)
    low, high = bound_text(spec, above), bound_text(spec, reach.high)
    if reach.low == -inf:
        return f"{name} known" if reach.high == inf else f"{name} <= {high}"
    return f"{name} > {low}" if reach.high == inf else f"{low} < {name} <= {high}"
