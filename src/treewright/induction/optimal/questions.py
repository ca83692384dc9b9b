"""The candidate splits of an optimal tree, column by column.

Numeric and ordered columns have every threshold between two values; nominal columns have one
category against the rest, or every set. If a column has missing values, each split occurs twice,
with the missing values on either side, and there is one more: known against missing.
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

MAX_SET_LEVELS = 12  # 2,047 sets; one more category doubles them
MAX_SETS = 300_000  # of all columns: each takes some 600 bytes
LEVELS_IN_FULL = 64  # up to here the number of sets is written out
FEWEST_WITH_PAIRS = 4  # with fewer categories, every set is one category or all but one
SUBSET_OF_FEW = "subset_of_few"  # every set of few categories, otherwise one against the rest


@dataclass(frozen=True, slots=True, eq=False)
class AskedColumn:
    """A column for the search: codes in the order of the values, missing values last."""

    codes: Codes
    n_values: int
    has_missing: bool
    is_nominal: bool
    n_left_out: int = 0  # thresholds that `max_cuts` leaves out

    def set_search(self, nominal: str) -> str:
        """How the categories of this column are split."""
        if nominal != SUBSET_OF_FEW:
            return nominal
        return "subset" if self.n_values <= MAX_SET_LEVELS else "one_vs_rest"

    def leaves_sets_out(self, nominal: str) -> bool:
        """Whether some sets of categories are not tried."""
        alone = self.set_search(nominal) == "one_vs_rest"
        return self.is_nominal and alone and self.n_values >= FEWEST_WITH_PAIRS


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Splits of one column with nested left sides: its thresholds, or a single set."""

    column: int
    kind: int
    levels: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """All candidate splits of a table."""

    columns: tuple[AskedColumn, ...]
    families: tuple[Family, ...]
    n_one_vs_rest: int  # nominal columns with sets of categories that are not tried

    @property
    def n_questions(self) -> int:
        """The number of different splits of the root."""
        return sum(
            1
            if family.kind in (SET, SET_WITH_MISSING)
            else max(0, self.columns[family.column].n_values - 1)
            for family in self.families
        )

    @property
    def n_left_out(self) -> int:
        """Thresholds that `max_cuts` leaves out."""
        return sum(column.n_left_out for column in self.columns)


def questions_about(table: Table, nominal: str, max_cuts: int | None) -> Questions:
    """The candidate splits of a table."""
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
    """The codes of a column: ranks of numbers, or categories."""
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
    """The interval of each value, if at most `max_cuts` cuts divide the rows evenly."""
    up_to = np.cumsum(np.bincount(ranks, minlength=n_values))
    wanted = np.arange(1, max_cuts + 1) * (len(ranks) / (max_cuts + 1))
    ends = distinct(np.minimum(np.searchsorted(up_to, wanted), n_values - 2))
    starts_interval = np.zeros(n_values, dtype=np.intp)
    starts_interval[ends + 1] = 1
    return np.cumsum(starts_interval)


def families_of(number: int, column: AskedColumn, nominal: str) -> list[Family]:
    """The candidate splits of one column."""
    nothing = np.zeros(0, dtype=np.uint32)
    if not column.is_nominal:
        kinds = (MISSING_LAST, MISSING_FIRST) if column.has_missing else (MISSING_LAST,)
        return [Family(number, kind, nothing) for kind in kinds]
    sets = level_sets(column.n_values, column.set_search(nominal))
    families = [Family(number, SET, levels) for levels in sets]
    if column.has_missing:
        families += [Family(number, SET_WITH_MISSING, levels) for levels in (*sets, nothing)]
    return families


def level_sets(n_levels: int, nominal: str) -> list[Codes]:
    """Sets of categories: each category alone, or one side of every division into two sets."""
    if nominal == "one_vs_rest" or n_levels < FEWEST_WITH_PAIRS:
        alone = range(n_levels - 1 if n_levels == 2 else n_levels)
        return [np.array([level], dtype=np.uint32) for level in alone]
    sizes = range(1, n_levels // 2 + 1)
    chosen = (levels for size in sizes for levels in combinations(range(n_levels), size))
    sets = [levels for levels in chosen if 2 * len(levels) < n_levels or levels[0] == 0]
    return [np.array(levels, dtype=np.uint32) for levels in sets]


def check_levels(table: Table, columns: tuple[AskedColumn, ...]) -> None:
    """Raise if there are too many categories to try each of them."""
    n_levels = [
        column.n_values * (1 + column.has_missing) if column.is_nominal else 0 for column in columns
    ]
    if sum(n_levels) > MAX_SETS:
        most = int(np.argmax(n_levels))
        raise DataError(
            f"column `{table.columns[most].name}` has {columns[most].n_values:,} levels, and all "
            f"columns {sum(n_levels):,} to ask for; an optimal tree is chosen from at most "
            f"{MAX_SETS:,}",
            hint="join rare levels, or leave columns out that name the rows",
        )


def check_sets(name: str, n_levels: int) -> None:
    """Raise if a column has too many categories to try all sets of them."""
    if n_levels > MAX_SET_LEVELS:
        is_short = n_levels <= LEVELS_IN_FULL  # Python writes no number of more than 4,300 digits
        n_sets = f"{2 ** (n_levels - 1) - 1:,}" if is_short else f"2^{n_levels - 1} - 1"
        raise DataError(
            f"column `{name}` has {n_levels:,} levels, so {n_sets} sets of them; "
            f'nominal="subset" tries at most {2 ** (MAX_SET_LEVELS - 1) - 1:,}',
            hint='use nominal="one_vs_rest", or join rare levels',
        )
