"""Sufficient reasons: few conditions that determine the prediction on their own."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isnan, nextafter
from typing import Any

from treewright.data.column import UNSEEN
from treewright.explanations.boxes import Box, between, exactly, holds, nearest, only_levels
from treewright.explanations.conditions import ColumnCondition, condition_on
from treewright.explanations.fewest import fewest_columns, fixed
from treewright.explanations.search import Budget, Finder, SearchEnded
from treewright.exports.program import Program
from treewright.plain_text import plain
from treewright.result import Result
from treewright.tree.conditions import column_thresholds
from treewright.tree.reach import Reach

MOST_BOXES = 10_000  # opened for the columns, and again for the conditions on them


@dataclass(frozen=True, slots=True)
class Reason(Result):
    """Conditions on the row's columns that together determine its prediction.

    None can be left out. Of all such sets there is none with fewer columns if `is_smallest`.
    """

    columns: tuple[str, ...]
    conditions: tuple[ColumnCondition, ...]
    is_minimal: bool  # False: the search was cut short, one may be too many
    is_smallest: bool
    is_widest: bool  # False: the search was cut short, a condition may be narrower than it need be

    def to_text(self) -> str:
        """The conditions on one line."""
        return " and ".join(map(str, self.conditions)) or "any row"


@dataclass(frozen=True, slots=True)
class ReasonBox:
    """All rows that fulfill a reason."""

    columns: tuple[int, ...]
    box: Box
    is_minimal: bool
    is_smallest: bool
    is_widest: bool


def sufficient_reason(finder: Finder, asked: tuple[int, ...], given: Mapping[str, Any]) -> Reason:
    """The reason for the row's prediction; `asked` are the columns that its path looks at."""
    found = reason_box(finder, asked)
    names = [finder.program.columns[column].name for column in found.columns]
    conditions = []
    for column, name in zip(found.columns, names, strict=True):
        condition = condition_on(finder.program.columns[column], found.box[column])
        if condition.is_unknown and given.get(name) is not None:
            condition = replace(condition, text=f"{plain(name)} unseen in training")
        conditions.append(condition)
    return Reason(
        tuple(names), tuple(conditions), found.is_minimal, found.is_smallest, found.is_widest
    )


def reason_box(finder: Finder, asked: tuple[int, ...]) -> ReasonBox:
    """First as few columns as can be, then as wide conditions on them."""
    found = fewest_columns(finder, asked, Budget(MOST_BOXES))
    box = fixed(finder, found.columns)
    is_widest, budget = True, Budget(MOST_BOXES)
    for column in found.columns:
        box, is_done = widened(finder, box, column, budget.half())
        is_widest &= is_done
    return ReasonBox(found.columns, box, found.is_minimal, found.is_smallest, is_widest)


def widened(finder: Finder, box: Box, column: int, budget: Budget) -> tuple[Box, bool]:
    """The box with as wide a condition on a column as the prediction allows.

    False, and a narrower condition, where the budget was not enough.
    """
    spec, value = finder.program.columns[column], finder.row[column]
    if isnan(value) or (value == UNSEEN and not spec.is_numeric):
        return box, True
    try:
        if spec.is_numeric:
            return {**box, column: _wider_bounds(finder, box, column, budget)}, True
        return {**box, column: _more_levels(finder, box, column, budget)}, True
    except SearchEnded:
        return {**box, column: undivided(finder.program, column, value)}, False


def undivided(program: Program, column: int, value: float) -> Reach:
    """All that no question tells apart from a value."""
    spec = program.columns[column]
    if not spec.is_numeric:
        return exactly(spec, value)
    cuts = cuts_on(program, column)
    at = bisect_left(cuts, value)
    low = nextafter(cuts[at - 1], inf) if at > 0 else -inf
    return between(spec, low, cuts[at] if at < len(cuts) else inf)


def _wider_bounds(finder: Finder, box: Box, column: int, budget: Budget) -> Reach:
    """All numbers up to the nearest ones with which some row of the box gets another prediction."""
    spec, value = finder.program.columns[column], finder.row[column]
    cuts = cuts_on(finder.program, column)
    high = _bound(finder, {**box, column: between(spec, value, inf)}, column, cuts, budget)
    low = _bound(finder, {**box, column: between(spec, -inf, value)}, column, cuts, budget)
    highest = inf if high is None else max(cut for cut in cuts if cut < high)
    lowest = -inf if low is None else nextafter(min(cut for cut in cuts if cut >= low), inf)
    return between(spec, lowest, highest)


def _bound(
    finder: Finder, box: Box, column: int, cuts: list[float], budget: Budget
) -> float | None:
    """The number nearest to the row's with which some row of the box gets another prediction."""
    spec, value = finder.program.columns[column], finder.row[column]
    place = bisect_left(cuts, value)

    def cost(changed: int, reach: Reach) -> float | None:
        if changed != column or holds(spec, reach, value):
            return None
        # By the cuts between, for distances of very large numbers are all the same.
        return abs(bisect_left(cuts, nearest(spec, reach, value)) - place)

    found = finder.other_row(box, budget, cost)
    return None if found is None else found.row[column]


def _more_levels(finder: Finder, box: Box, column: int, budget: Budget) -> Reach:
    """All levels but those with which some row of the box gets another prediction."""
    levels = (1 << len(finder.program.columns[column].levels)) - 1
    while True:
        reach = only_levels(levels)
        found = finder.other_row({**box, column: reach}, budget)
        if found is None:
            return reach
        levels &= ~found.box[column].levels


def cuts_on(program: Program, column: int) -> list[float]:
    """All numbers that the tree compares a column with, ascending."""
    return column_thresholds(program.tree, column)
