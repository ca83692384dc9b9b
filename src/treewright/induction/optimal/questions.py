"""The questions that an optimal tree is chosen from, column by column.

Numbers and ordered levels are asked by every threshold between two values of the column, nominal
levels one against the rest or by every set. Where a column has holes, each of these questions comes
twice, with the holes on either side, and there is one more: is there a value at all?
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import MISSING_FIRST, MISSING_LAST, SET, SET_WITH_MISSING
from treewright.arrays import distinct
from treewright.data.column import Column, NumericColumn
from treewright.data.table import Table
from treewright.errors import DataError

Codes = NDArray[np.uint32]

MAX_SET_LEVELS = 12  # 2,047 sets; one level more doubles them
MAX_SETS = 300_000  # of all columns: each takes some 600 bytes
LEVELS_IN_FULL = 64  # whose sets are told as a number
FEWEST_WITH_PAIRS = 4  # of fewer levels every set is one level, or all but one
SUBSET_OF_FEW = "subset_of_few"  # every set of levels where they are few, else one level at a time


@dataclass(frozen=True, slots=True, eq=False)
class AskedColumn:
    """A column as the search sees it: codes in the order of the values, holes coded last."""

    codes: Codes
    n_values: int
    has_holes: bool
    is_nominal: bool
    n_left_out: int = 0  # thresholds that `max_cuts` leaves out

    def set_search(self, nominal: str) -> str:
        """How the levels of this column are asked."""
        if nominal != SUBSET_OF_FEW:
            return nominal
        return "subset" if self.n_values <= MAX_SET_LEVELS else "one_vs_rest"

    def leaves_sets_out(self, nominal: str) -> bool:
        """Whether there are sets of levels that are not asked."""
        alone = self.set_search(nominal) == "one_vs_rest"
        return self.is_nominal and alone and self.n_values >= FEWEST_WITH_PAIRS


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Questions of one column whose left sides hold each other: thresholds, or a set alone."""

    column: int
    kind: int
    levels: Codes

    @property
    def takes_missing_left(self) -> bool:
        """Whether a missing value goes to the first child."""
        return self.kind in (MISSING_FIRST, SET_WITH_MISSING)


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """All that may be asked of a table."""

    columns: tuple[AskedColumn, ...]
    families: tuple[Family, ...]
    n_one_vs_rest: int  # nominal columns that have sets of levels which are not asked

    @property
    def n_questions(self) -> int:
        """How many different questions there are at the root."""
        return sum(
            1 if family.kind in (SET, SET_WITH_MISSING) else n_cuts(self.columns[family.column])
            for family in self.families
        )

    @property
    def n_left_out(self) -> int:
        """Thresholds that `max_cuts` leaves out."""
        return sum(column.n_left_out for column in self.columns)


def n_cuts(column: AskedColumn) -> int:
    """Thresholds of a column."""
    return max(0, column.n_values - 1)


def questions_about(table: Table, nominal: str, max_cuts: int | None) -> Questions:
    """The questions about the columns of a table."""
    columns = tuple(asked_column(column, max_cuts) for column in table.columns)
    check_levels(table, columns)
    families: list[Family] = []
    n_one_vs_rest = 0
    for number, column in enumerate(columns):
        if column.is_nominal and nominal == "subset":
            check_sets(table.columns[number].name, column.n_values)
        families += families_of(number, column, nominal)
        n_one_vs_rest += column.leaves_sets_out(nominal)
    return Questions(columns, tuple(families), n_one_vs_rest)


def asked_column(column: Column, max_cuts: int | None) -> AskedColumn:
    """The codes of a column: ranks of numbers, or levels."""
    if not isinstance(column, NumericColumn):
        n_levels = len(column.levels)
        missing = column.codes < 0
        codes = np.where(missing, n_levels, column.codes).astype(np.uint32)
        return AskedColumn(codes, n_levels, bool(missing.any()), is_nominal=not column.ordered)
    missing = np.isnan(column.values)
    distinct, ranks = np.unique(column.values[~missing], return_inverse=True)
    n_values, n_left_out = len(distinct), 0
    if max_cuts is not None and n_values - 1 > max_cuts:
        intervals = few_intervals(ranks, n_values, max_cuts)
        n_left_out = n_values - 1 - int(intervals[-1])
        ranks, n_values = intervals[ranks], int(intervals[-1]) + 1
    codes = np.full(len(missing), n_values, dtype=np.uint32)
    codes[~missing] = ranks
    return AskedColumn(
        codes, n_values, bool(missing.any()), is_nominal=False, n_left_out=n_left_out
    )


def few_intervals(ranks: NDArray[Any], n_values: int, max_cuts: int) -> NDArray[np.intp]:
    """The interval of each value, when at most `max_cuts` cuts share the rows out evenly."""
    up_to = np.cumsum(np.bincount(ranks, minlength=n_values))
    wanted = np.arange(1, max_cuts + 1) * (len(ranks) / (max_cuts + 1))
    ends = distinct(np.minimum(np.searchsorted(up_to, wanted), n_values - 2))
    starts_interval = np.zeros(n_values, dtype=np.intp)
    starts_interval[ends + 1] = 1
    return np.cumsum(starts_interval)


def families_of(number: int, column: AskedColumn, nominal: str) -> list[Family]:
    """The questions about one column."""
    nothing = np.zeros(0, dtype=np.uint32)
    if not column.is_nominal:
        kinds = (MISSING_LAST, MISSING_FIRST) if column.has_holes else (MISSING_LAST,)
        return [Family(number, kind, nothing) for kind in kinds]
    sets = level_sets(column.n_values, column.set_search(nominal))
    families = [Family(number, SET, levels) for levels in sets]
    if column.has_holes:
        families += [Family(number, SET_WITH_MISSING, levels) for levels in (*sets, nothing)]
    return families


def level_sets(n_levels: int, nominal: str) -> list[Codes]:
    """Sets of levels to be told from the rest: each level alone, or one side of every parting."""
    if nominal == "one_vs_rest" or n_levels < FEWEST_WITH_PAIRS:
        alone = range(n_levels - 1 if n_levels == 2 else n_levels)
        return [np.array([level], dtype=np.uint32) for level in alone]
    sizes = range(1, n_levels // 2 + 1)
    chosen = (levels for size in sizes for levels in combinations(range(n_levels), size))
    sets = [levels for levels in chosen if 2 * len(levels) < n_levels or levels[0] == 0]
    return [np.array(levels, dtype=np.uint32) for levels in sets]


def check_levels(table: Table, columns: tuple[AskedColumn, ...]) -> None:
    """Raise if there are too many levels to ask for each of them."""
    n_levels = [column.n_values * (1 + column.has_holes) * column.is_nominal for column in columns]
    if sum(n_levels) > MAX_SETS:
        most = int(np.argmax(n_levels))
        raise DataError(
            f"column `{table.columns[most].name}` has {columns[most].n_values:,} levels, and all "
            f"columns {sum(n_levels):,} to ask for; an optimal tree is chosen from at most "
            f"{MAX_SETS:,}",
            hint="join rare levels, or leave columns out that name the rows",
        )


def check_sets(name: str, n_levels: int) -> None:
    """Raise if a column has too many levels to try all sets of them."""
    if n_levels > MAX_SET_LEVELS:
        is_short = n_levels <= LEVELS_IN_FULL  # Python writes no number of more than 4,300 digits
        n_sets = f"{2 ** (n_levels - 1) - 1:,}" if is_short else f"2^{n_levels - 1} - 1"
        raise DataError(
            f"column `{name}` has {n_levels:,} levels, so {n_sets} sets of them; "
            f'nominal="subset" tries at most {2 ** (MAX_SET_LEVELS - 1) - 1:,}',
            hint='use nominal="one_vs_rest", or join rare levels',
        )
