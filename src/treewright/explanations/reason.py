"""A sufficient reason: few conditions that settle the answer, whatever the other columns hold."""

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, inf, isnan, nextafter

import numpy as np

from treewright.data.column import UNSEEN
from treewright.data.schema import ColumnSpec
from treewright.explanations.boxes import Box, between, codes_of, exactly, whatever
from treewright.explanations.search import Budget, Finder, SearchEnded
from treewright.exports.program import Program
from treewright.rulesets.condition_text import levels_text
from treewright.rulesets.level_set import LevelSet
from treewright.tree.conditions import bound_text, plain
from treewright.tree.kinds import INTERVALS, THRESHOLD
from treewright.tree.reach import Reach

MOST_BOXES = 50_000
MOST_SETS = 2_000  # of columns, tried for a smaller reason
MOST_LEVELS = 50  # tried for a wider condition


@dataclass(frozen=True, slots=True)
class Reason:
    """Conditions on the row's columns that settle its answer together.

    None can be left out. Of all such sets there is none with fewer columns if `is_smallest`.
    """

    columns: tuple[str, ...]
    conditions: tuple[str, ...]
    is_minimal: bool  # False: the search was cut short, one may be too many
    is_smallest: bool

    def __str__(self) -> str:
        return " and ".join(self.conditions) or "any row at all"


@dataclass(frozen=True, slots=True)
class ReasonBox:
    """All rows that fulfil a reason."""

    columns: tuple[int, ...]
    box: Box
    is_minimal: bool
    is_smallest: bool


def sufficient_reason(finder: Finder, asked: tuple[int, ...]) -> Reason:
    """The reason for the row's answer; `asked` are the columns that were looked at on its way."""
    found = reason_box(finder, asked)
    specs = finder.program.columns
    return Reason(
        columns=tuple(specs[column].name for column in found.columns),
        conditions=tuple(reach_text(specs[column], found.box[column]) for column in found.columns),
        is_minimal=found.is_minimal,
        is_smallest=found.is_smallest,
    )


def reason_box(finder: Finder, asked: tuple[int, ...]) -> ReasonBox:
    """First as few columns as can be, then as wide conditions on them."""
    budget = Budget(MOST_BOXES)
    columns, is_minimal = without_needless(finder, asked, budget)
    is_smallest = False
    if is_minimal:
        columns, is_smallest = with_fewer(finder, columns, budget)
    box = fixed(finder, columns)
    for column in columns:
        box = widened(finder, box, column, budget)
    return ReasonBox(columns, box, is_minimal, is_smallest)


def fixed(finder: Finder, columns: tuple[int, ...]) -> Box:
    """All rows that hold what the row holds in these columns."""
    program = finder.program
    box = {column: whatever(program, column) for column in program.used_columns}
    return box | {
        column: exactly(program.columns[column], finder.row[column]) for column in columns
    }


def without_needless(
    finder: Finder, columns: tuple[int, ...], budget: Budget
) -> tuple[tuple[int, ...], bool]:
    """The columns without those that change nothing, the last ones asked left out first."""
    is_minimal = True
    for column in reversed(columns):
        fewer = tuple(one for one in columns if one != column)
        try:
            if finder.other_row(fixed(finder, fewer), budget) is None:
                columns = fewer
        except SearchEnded:
            is_minimal = False
    return columns, is_minimal


def with_fewer(
    finder: Finder, columns: tuple[int, ...], budget: Budget
) -> tuple[tuple[int, ...], bool]:
    """The smallest set of columns, also of columns off the row's way, where it can be found."""
    used = finder.program.used_columns
    n_sets = sum(comb(len(used), size) for size in range(len(columns)))
    if n_sets > MOST_SETS:
        return columns, len(columns) <= 1
    try:
        for size in range(len(columns)):
            for fewer in combinations(used, size):
                if finder.other_row(fixed(finder, fewer), budget) is None:
                    return fewer, True
    except SearchEnded:
        return columns, False
    return columns, True


def widened(finder: Finder, box: Box, column: int, budget: Budget) -> Box:
    """The box with as wide a condition on a column as the answer allows."""
    spec, value = finder.program.columns[column], finder.row[column]
    if isnan(value) or (value == UNSEEN and not spec.is_numeric):
        return box
    try:
        if spec.is_numeric:
            return _wider_bounds(finder, box, column, budget)
        for code in range(min(len(spec.levels), MOST_LEVELS)):
            more = replace(box[column], levels=box[column].levels | 1 << code)
            if finder.other_row({**box, column: more}, budget) is None:
                box = {**box, column: more}
    except SearchEnded:
        return box
    return box


def _wider_bounds(finder: Finder, box: Box, column: int, budget: Budget) -> Box:
    """First as far up, then as far down, as no row gets another answer."""
    spec, value = finder.program.columns[column], finder.row[column]
    cuts = cuts_on(finder.program, column)
    highs = [inf, *sorted((cut for cut in cuts if cut >= value), reverse=True)]
    lows = [-inf, *(nextafter(cut, inf) for cut in cuts if cut < value)]
    low = lows[-1]  # as far as no question tells numbers apart
    high = _widest(finder, box, column, [between(spec, low, high) for high in highs], budget).high
    reach = _widest(finder, box, column, [between(spec, low, high) for low in lows], budget)
    return {**box, column: reach}


def _widest(finder: Finder, box: Box, column: int, choices: list[Reach], budget: Budget) -> Reach:
    """The first of ever narrower choices that settles the answer; the last one does."""
    first, last = 0, len(choices) - 1
    while first < last:
        middle = (first + last) // 2
        if finder.other_row({**box, column: choices[middle]}, budget) is None:
            last = middle
        else:
            first = middle + 1
    return choices[first]


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
