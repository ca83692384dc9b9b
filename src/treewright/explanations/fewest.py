"""The smallest set of columns that determines a prediction.

Columns determine a prediction unless some row that agrees in all of them gets another one.
Such a row shows a set of columns, those in which it differs, of which one must be fixed. So the
fewest columns are the fewest that meet all such sets: columns are chosen that meet the sets known
so far, a row is sought that they do not hold back, its set is added, until there is no such row.
"""

from dataclasses import dataclass

from treewright.explanations.boxes import Box, Row, exactly, holds, same, whatever
from treewright.explanations.search import Budget, Cost, Finder, SearchEnded
from treewright.tree.reach import Reach

Columns = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fewest:
    """Columns that settle the prediction, and what is known of them."""

    columns: Columns
    is_minimal: bool  # none of them is needless
    is_smallest: bool  # there is no smaller set


def fewest_columns(finder: Finder, asked: Columns, budget: Budget) -> Fewest:
    """The fewest columns, as far as the budget allows; `asked` are enough in any case."""
    differing: list[frozenset[int]] = []
    columns, is_minimal = without_needless(finder, asked, budget, differing)
    order = (*asked, *(one for one in finder.program.used_columns if one not in asked))
    try:
        while True:
            fewer = smallest_meeting(differing, order, len(columns), budget)
            if fewer is None:
                return Fewest(columns, is_minimal=True, is_smallest=True)
            found = finder.other_row(fixed(finder, fewer), budget, cost_of_columns(finder))
            if found is None:
                return Fewest(fewer, is_minimal=True, is_smallest=True)
            differing.append(differences(finder, found.row))
    except SearchEnded:
        return Fewest(columns, is_minimal, is_smallest=False)


def fixed(finder: Finder, columns: Columns) -> Box:
    """All rows that hold what the row holds in these columns."""
    program = finder.program
    box = {column: whatever(program, column) for column in program.used_columns}
    return box | {
        column: exactly(program.columns[column], finder.row[column]) for column in columns
    }


def without_needless(
    finder: Finder, columns: Columns, budget: Budget, differing: list[frozenset[int]]
) -> tuple[Columns, bool]:
    """The columns without those that change nothing, the last ones asked left out first.

    What rows with another prediction differ in is added to `differing`.
    """
    is_minimal = True
    for column in reversed(columns):
        fewer = tuple(one for one in columns if one != column)
        if any(one.isdisjoint(fewer) for one in differing):
            continue
        try:
            found = finder.other_row(fixed(finder, fewer), budget.half())
        except SearchEnded:
            is_minimal = False
        else:
            if found is None:
                columns = fewer
            else:
                differing.append(differences(finder, found.row))
    return columns, is_minimal


def differences(finder: Finder, row: Row) -> frozenset[int]:
    """The columns in which a row differs from the one explained."""
    return frozenset(
        column
        for column in finder.program.used_columns
        if not same(row[column], finder.row[column])
    )


def cost_of_columns(finder: Finder) -> Cost:
    """A cost by which rows that differ in few columns come first."""

    def cost(column: int, reach: Reach) -> float | None:
        return None if holds(finder.program.columns[column], reach, finder.row[column]) else 0.0

    return cost


def smallest_meeting(
    sets: list[frozenset[int]], order: Columns, below: int, budget: Budget
) -> Columns | None:
    """The fewest columns with one in each of the sets; None if it takes `below` or more."""
    for size in range(below):
        found = meeting(sorted(sets, key=len), order, size, budget)
        if found is not None:
            return tuple(one for one in order if one in found)
    return None


def meeting(
    sets: list[frozenset[int]], order: Columns, size: int, budget: Budget
) -> frozenset[int] | None:
    """At most `size` columns that have one in each of the sets."""
    if not sets:
        return frozenset()
    if size < n_apart(sets):
        return None
    budget.spend()
    tried: set[int] = set()
    for column in order:
        if column not in sets[0]:
            continue
        left = [one - tried for one in sets if column not in one]
        tried.add(column)
        if not all(left):
            return None
        found = meeting(sorted(left, key=len), order, size - 1, budget)
        if found is not None:
            return found | {column}
    return None


def n_apart(sets: list[frozenset[int]]) -> int:
    """How many sets, taken one after the other, have no column in common: each needs its own."""
    used: set[int] = set()
    n_found = 0
    for one in sets:
        if used.isdisjoint(one):
            used |= one
            n_found += 1
    return n_found
