"""Leaks: columns and rows that make a model look better than it will be on new rows.

Each finder looks at one column, or at all rows, and returns a `TableWarning`. Long tables are
sampled, so a check is quick on any table; duplicate rows are counted in the whole table.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.one_column import Target, class_errors, explained_variance, target_of
from treewright.data.report import count_distinct, id_reason, is_copy
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.target import own_name
from treewright.plain_text import counted, percent, plain
from treewright.result import Record, Result

MOST_ROWS = 20_000  # a sample of so many rows shows every leak that matters
FEWEST_ROWS = 20  # with fewer, a column may decide the target by chance
DECIDES = 0.98  # of the errors of guessing that a column alone removes, or of the variance
PURE = 0.98  # share of one class among the rows where a column is known, or missing
COMMON = 0.9  # a class with a larger share is no news
UNLIKELY = 1e-6  # chance of so pure a class among so many rows
EXPLAINS = 0.5  # of the variance of a target, by missingness alone
MANY_GROUPS, LARGEST_GROUP = 20, 30  # groups are many, and have so few rows on average
ALIKE = 0.5  # rows of a group agree so much more than rows of different groups
DUPLICATED = 0.01  # share of rows that are duplicates
FEWEST_DUPLICATES = 5
BEYOND_CHANCE = 10  # times as many equal pairs of rows as chance would give
FINE = 50  # distinct numbers in a column that make equal rows unlikely
FEWEST_TIMES = 3

ID_NAMES = re.compile(r"(^|[_\W])(?i:id|key|uuid|nr|no|number|code)$|[a-z](Id|ID|Nr|No)$")

Subject = Literal["copy", "decides", "missing", "id", "groups", "date", "duplicates", "baseline"]


@dataclass(frozen=True, slots=True)
class TableWarning:
    """A warning that a table, or a score on it, is misleading."""

    subject: Subject
    column: str  # "" for a warning about rows or scores
    figure: float  # the number that the sentence rests on
    sentence: str
    flag: str  # of the command line; "" if none helps
    effect: str  # what the flag does
    advice: str  # the same in Python

    def __str__(self) -> str:
        return f"{self.sentence}; {self.advice}" if self.advice else self.sentence

    @property
    def for_command(self) -> str:
        """The warning with the flag that removes its cause."""
        return f"{self.sentence} ({self.flag} {self.effect})" if self.flag else self.sentence


@dataclass(frozen=True, slots=True, repr=False)
class Leaks(Result):
    """The warnings about a table and its target; `str()` has a line for each."""

    warnings: tuple[TableWarning, ...]

    def __iter__(self) -> Iterator[TableWarning]:
        return iter(self.warnings)

    def __len__(self) -> int:
        return len(self.warnings)

    def to_text(self) -> str:
        """A line for each warning."""
        return "\n".join(map(plain, map(str, self.warnings))) or "no leaks found"

    def __repr__(self) -> str:
        return f"<Leaks: {len(self)} {'warning' if len(self) == 1 else 'warnings'}>"

    def _facts(self) -> Record:
        return {"warnings": self.warnings}


def find_leaks(X: Any, y: Any, *, target: str = "") -> Leaks:
    """Find leaks: columns and rows that make a model look better than it is.

    These are copies of the target, columns that predict it (almost) by themselves, columns that are
    filled in only after the target is known, ids, groups of rows and duplicate rows that folds
    would split, and dates, which shuffled folds ignore. A warning is a question: only you know
    whether a column is known before the target.

    Parameters
    ----------
    X, y
        The table and the target: classes, or numbers if they have more than 20 values.
    target
        The name of the target in the warnings; default that of `y`.

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"weight": [2300, 3100, 2450, 2600] * 10, "smokes": ["yes", "no", "no", "no"] * 10}
    >>> y = ["low", "normal", "low", "normal"] * 10
    >>> for found in tw.find_leaks(X, y, target="birth weight"):
    ...     print(found.column, found.figure)
    weight 1.0
    """
    table = table_from(X)
    column = table_from({"y": y}).columns[0]
    return Leaks(tuple(leaks_in(table, column.renamed(target_phrase(target or own_name(y))))))


def target_phrase(target: str | None) -> str:
    """The target as sentences write it."""
    return f"`{plain(target)}`" if target else "the target"


def leaks_in(
    table: Table, target: Column, *, of_classes: bool | None = None
) -> Iterator[TableWarning]:
    """All warnings, those about columns first; they call the target by the name of `target`."""
    found = [*column_leaks(table, target, of_classes=of_classes)]
    yield from found
    yield from group_leaks(table, target, of_classes=of_classes, reported=found)
    yield from date_warnings(table)
    yield from duplicate_warnings(table, target)


def column_leaks(
    table: Table, target: Column, *, of_classes: bool | None = None
) -> Iterator[TableWarning]:
    """Copies of the target, columns that predict it, informative missing values, and ids."""
    rows = sampled(table.n_rows)
    some = target.take(rows)
    values = target_of(some, of_classes=of_classes)
    for whole in table.columns:
        column = whole.take(rows)
        if reason := why_id(whole):
            yield id_warning(whole, reason)
        elif table.n_rows >= FEWEST_ROWS:
            yield from column_leak(column, some, values)


def why_id(column: Column) -> str:
    """Why a column looks like an id; "" if it does not.

    Besides what commands leave out by themselves, these are whole numbers that all differ, if they
    number the rows in another order or are named as an id.
    """
    if isinstance(column, NominalColumn) or column.n_missing or len(column) < FEWEST_ROWS:
        return id_reason(column, count_distinct(column))
    values = column.values
    is_whole = bool((values[:MOST_ROWS] % 1 == 0).all()) and not column.unit
    if not is_whole or len(distinct(values)) < len(values):
        return ""
    if np.ptp(values) == len(values) - 1:
        return "it numbers the rows"
    return "a different number in every row" if ID_NAMES.search(column.name) else ""


def sampled(n_rows: int) -> NDArray[np.intp]:
    """Rows to look at, in random order, so that the order of a file does not matter."""
    return np.random.default_rng(0).permutation(n_rows)[:MOST_ROWS]


def column_leak(column: Column, target: Column, values: Target) -> Iterator[TableWarning]:
    """The strongest warning about a column."""
    if values.is_constant or column.n_missing == len(column):
        return
    if is_copy(column, target):
        yield copy_warning(column, target)
        return
    share = share_decided(column, values)
    if share >= DECIDES:
        yield decided_warning(column, target, values, share)
    else:
        yield from missing_warning(column, target, values)


def share_decided(column: Column, target: Target) -> float:
    """How much of the errors of guessing, or of the variance, one column alone removes."""
    if target.codes is None:
        return explained_variance(column, target)
    return 1 - class_errors(column, target) / target.n_wrong_guesses


def copy_warning(column: Column, target: Column) -> TableWarning:
    sentence = (
        f"`{column.name}` is a copy of {target.name}: each value of one matches one value of "
        "the other"
    )
    return dropping("copy", column, 1.0, sentence)


def decided_warning(column: Column, target: Column, values: Target, share: float) -> TableWarning:
    if values.codes is None:
        figure, how = share, f"R² {share:.3f}"
    else:
        guess = values.n_wrong_guesses / values.n_rows
        figure = 1 - (1 - share) * guess
        how = f"correct in {percent(figure)} of the rows, guessing in {percent(1 - guess)}"
    sentence = (
        f"`{column.name}` alone predicts {target.name} ({how}): is it known before "
        f"{target.name} is?"
    )
    return dropping("decides", column, figure, sentence)


def id_warning(column: Column, reason: str) -> TableWarning:
    sentence = f"`{column.name}` looks like an id ({reason}), so it cannot help with new rows"
    return dropping("id", column, float(count_distinct(column)), sentence)


def dropping(subject: Subject, column: Column, figure: float, sentence: str) -> TableWarning:
    """A warning about a column that can be left out."""
    flag, advice = f"--drop {shlex.quote(column.name)}", f"leave `{column.name}` out of X"
    return TableWarning(subject, column.name, figure, sentence, flag, "leaves it out", advice)


# ---------------------------------------------------------------------------- missing values


def missing_warning(column: Column, target: Column, values: Target) -> Iterator[TableWarning]:
    """A column that is filled in, or missing, only where the target has one value."""
    is_missing = column.is_missing
    if not is_missing.any():
        return
    if values.numbers is not None:
        yield from missing_for_numbers(column, target, values.numbers)
        return
    assert values.codes is not None
    overall = np.bincount(values.codes, minlength=values.n_classes) / values.n_rows
    for where, word in ((~is_missing, "known"), (is_missing, "missing")):
        counts = np.bincount(values.codes[where], minlength=values.n_classes)
        code, n_rows = int(counts.argmax()), int(counts.sum())
        share = counts[code] / n_rows
        # Among so many rows of a class with this share, so pure a side is no accident.
        is_unlikely = counts[code] * np.log(overall[code]) < np.log(UNLIKELY)
        is_pure = share >= PURE and n_rows >= FEWEST_ROWS
        if is_pure and overall[code] < COMMON and is_unlikely:
            label = plain(str(values.label(code)))
            elsewhere = float((values.codes[~where] == code).mean())
            sentence = (
                f"where `{column.name}` is {word}, {target.name} is `{label}` in "
                f"{percent(float(share))} of {counted(n_rows, 'row')}, elsewhere in "
                f"{percent(elsewhere)}: is `{column.name}` filled in only after {target.name} is "
                "known?"
            )
            yield dropping("missing", column, float(share), sentence)
            return


def missing_for_numbers(column: Column, target: Column, numbers: Floats) -> Iterator[TableWarning]:
    known, missing = numbers[~column.is_missing], numbers[column.is_missing]
    if min(len(known), len(missing)) < FEWEST_ROWS // 2:
        return
    within = ((known - known.mean()) ** 2).sum() + ((missing - missing.mean()) ** 2).sum()
    share = float(1 - within / ((numbers - numbers.mean()) ** 2).sum())
    if share >= EXPLAINS:
        sentence = (
            f"whether `{column.name}` is missing explains {target.name} by itself "
            f"(R² {share:.2f}): is `{column.name}` filled in only after {target.name} is known?"
        )
        yield dropping("missing", column, share, sentence)


# ---------------------------------------------------------------------------- groups of rows

GROUP_NAMES = re.compile(
    r"(^|[_\W])(?i:id|nr|no|number|key|patient|subject|person|participant|user|customer|client|"
    r"household|family|school|student|session|device|account|member|employee|store|group)$"
    r"|[a-z](Id|ID|Nr|No)$"
)


def group_leaks(
    table: Table,
    target: Column,
    *,
    of_classes: bool | None = None,
    reported: Sequence[TableWarning] = (),
) -> Iterator[TableWarning]:
    """Columns whose values stand for groups of rows with much the same target.

    Columns with a warning in `reported` are skipped.
    """
    known = {one.column for one in reported}
    values = target_of(target, of_classes=of_classes)
    if values.is_constant or table.n_rows < FEWEST_ROWS:
        return
    for column in table.columns:
        codes = None if column.name in known else group_codes(column)
        if codes is None:
            continue
        is_known = codes >= 0
        n_groups, n_rows = len(distinct(codes[is_known])), int(is_known.sum())
        if n_groups < MANY_GROUPS or not 2 * n_groups <= n_rows <= LARGEST_GROUP * n_groups:
            continue
        share = agreement(codes[is_known], values.take(is_known))
        if share >= ALIKE:
            yield group_warning(column, target, n_groups, n_rows / n_groups, share)


def group_codes(column: Column) -> NDArray[np.int64] | None:
    """Group numbers, -1 where missing; None for a column that names no groups."""
    if isinstance(column, NominalColumn):
        return None if column.ordered else column.codes.astype(np.int64)
    if column.unit or not GROUP_NAMES.search(column.name):
        return None
    known = column.values[~column.is_missing]
    if not len(known) or not (np.isfinite(known).all() and (known == np.floor(known)).all()):
        return None
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[~column.is_missing] = np.unique(known, return_inverse=True)[1]
    return codes


def agreement(groups: NDArray[np.int64], target: Target) -> float:
    """How much more often rows of one group agree than any two rows: 1 always, 0 no more often.

    For classes it is the kappa of pairs, for numbers the intraclass correlation.
    """
    sizes = np.bincount(groups).astype(np.float64)
    n_rows, n_groups = len(groups), int((sizes > 0).sum())
    if target.codes is not None:
        cells = np.bincount(groups * target.n_classes + target.codes).astype(np.float64)
        pairs = (sizes * (sizes - 1)).sum()
        if not pairs:
            return 0.0
        chance = float((np.bincount(target.codes) / n_rows) @ (np.bincount(target.codes) / n_rows))
        agree = float((cells * (cells - 1)).sum() / pairs)
        return (agree - chance) / (1 - chance) if chance < 1 else 0.0
    assert target.numbers is not None
    y = target.numbers - target.numbers.mean()
    means = np.bincount(groups, y) / np.maximum(sizes, 1)
    between = float((sizes * means**2).sum()) / (n_groups - 1)
    within = float(((y - means[groups]) ** 2).sum()) / (n_rows - n_groups)
    size = (n_rows - float((sizes**2).sum()) / n_rows) / (n_groups - 1)
    return (between - within) / (between + (size - 1) * within) if between > 0 else 0.0


def group_warning(
    column: Column, target: Column, n_groups: int, size: float, share: float
) -> TableWarning:
    sentence = (
        f"rows with the same `{column.name}` mostly share {target.name} ({n_groups:,} groups of "
        f"{size:.1f} rows on average, agreement {share:.2f}): folds that split a group test on "
        "rows from groups seen in training"
    )
    effect = "keeps each group in one fold"
    return TableWarning(
        "groups",
        column.name,
        share,
        sentence,
        f"--groups {shlex.quote(column.name)}",
        effect,
        f'groups=X["{column.name}"] {effect}',
    )


# ---------------------------------------------------------------------------- dates

TIME_NAMES = {"year", "yr", "date", "datetime", "timestamp", "time stamp", "date time"}
BIRTH = re.compile(r"(?i)birth|born|\bdob\b|_dob\b")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
NUMBERS_OF_TIME = (
    (1800, 2101),  # years
    (18_000_101, 21_001_231),  # days as 20240131
    (1e8, 5e9),  # seconds since 1970
    (1e11, 5e12),  # milliseconds
)


def date_warnings(table: Table) -> Iterator[TableWarning]:
    """A warning if rows have dates; of several columns the one with most different dates."""
    dated = [column for column in table.columns if is_time_of_row(column)]
    if table.n_rows < FEWEST_ROWS:
        return
    if dated:
        yield date_warning(max(dated, key=lambda column: (bool(column.unit), n_times(column))))
    else:
        yield from map(date_warning, months_beside_days(table))


def months_beside_days(table: Table) -> list[NumericColumn]:
    """The column `month` of a table that also has `day`: the dates of one year."""
    by_name = {column.name.lower(): column for column in table.columns}
    month, day = by_name.get("month"), by_name.get("day")
    if not (isinstance(month, NumericColumn) and isinstance(day, NumericColumn)):
        return []
    in_range = is_between(month, 1, 12) and is_between(day, 1, 31)
    return [month] if in_range and n_times(month) >= FEWEST_TIMES else []


def is_between(column: NumericColumn, least: float, most: float) -> bool:
    """Whether all numbers of a column are in a range."""
    known = column.values[~column.is_missing]
    return bool(len(known) and known.min() >= least and known.max() <= most)


def is_time_of_row(column: Column) -> TypeGuard[NumericColumn]:
    """Whether a column holds the time of each row: dates, or numbers in a column named as such."""
    if not isinstance(column, NumericColumn) or BIRTH.search(column.name):
        return False
    if column.unit:
        return column.unit.startswith("datetime64") and n_times(column) >= FEWEST_TIMES
    if " ".join(WORD.findall(column.name)).lower() not in TIME_NAMES:
        return False
    is_time = any(is_between(column, least, most) for least, most in NUMBERS_OF_TIME)
    return is_time and n_times(column) >= FEWEST_TIMES


def n_times(column: NumericColumn) -> int:
    """Different times in a column."""
    return len(distinct(column.values[~column.is_missing]))


def date_warning(column: NumericColumn) -> TableWarning:
    sentence = (
        f"the rows have dates (`{column.name}`, {time_span(column)}): shuffled folds use later "
        "rows to predict earlier ones, so scores are optimistic"
    )
    effect = "tests on later rows only"
    return TableWarning(
        "date",
        column.name,
        float(n_times(column)),
        sentence,
        f"--times {shlex.quote(column.name)}",
        effect,
        f'times=X["{column.name}"] {effect}',
    )


def time_span(column: NumericColumn) -> str:
    """The first and the last time."""
    known = column.values[~column.is_missing]
    first, last = (column.with_unit(float(end)) for end in (known.min(), known.max()))
    if column.unit:
        return f"{str(first)[:10]} to {str(last)[:10]}"
    return f"{first:.10g} to {last:.10g}"


def raw_date_warning(column: str) -> TableWarning:
    """A warning about a model that splits on the dates themselves."""
    sentence = (
        f"the model uses the dates of `{column}` as numbers: new rows will be later than all "
        "training rows"
    )
    return TableWarning(
        "date",
        column,
        1.0,
        sentence,
        f"--times {shlex.quote(column)}",
        "leaves the column out and tests on later rows only; --dates parts learns from the year, "
        "month, weekday and hour",
        f'leave `{column}` out of X and test with times=X["{column}"], or learn from the parts of '
        'dates: read_table(X, dates="parts")',
    )


# ---------------------------------------------------------------------------- duplicate rows


def duplicate_warnings(table: Table, target: Column) -> Iterator[TableWarning]:
    """A warning if many rows are duplicates, in a table where that is no coincidence."""
    if not any(is_fine(column) for column in table.columns):
        return
    sizes = np.unique(row_hashes(table, target), return_counts=True)[1].astype(np.float64)
    n_duplicates = table.n_rows - len(sizes)
    if n_duplicates < max(FEWEST_DUPLICATES, DUPLICATED * table.n_rows):
        return
    n_pairs = float((sizes * (sizes - 1)).sum() / 2)
    if n_pairs > BEYOND_CHANCE * expected_pairs(table, target):
        yield duplicate_warning(n_duplicates, table.n_rows)


def expected_pairs(table: Table, target: Column) -> float:
    """How many pairs of rows would be equal by chance, if columns were independent."""
    rows = first_of_each(table, target)
    rows = rows[sampled(len(rows))]
    equal = table.n_rows * (table.n_rows - 1) / 2
    for column in (*table.columns, target):
        sizes = np.unique(cell_bits(column.take(rows)), return_counts=True)[1].astype(np.float64)
        equal *= float((sizes * (sizes - 1)).sum()) / max(len(rows) * (len(rows) - 1), 1)
    return equal


def duplicate_warning(n_duplicates: int, n_rows: int) -> TableWarning:
    share = n_duplicates / n_rows
    sentence = (
        f"{n_duplicates:,} of {counted(n_rows, 'row')} ({percent(share)}) are exact duplicates of "
        "earlier rows: folds that split them test on training rows"
    )
    return TableWarning(
        "duplicates",
        "",
        share,
        sentence,
        "--drop-duplicates",
        "drops them",
        "drop the duplicates unless they are separate cases",
    )


def is_fine(column: Column) -> bool:
    """Whether a column measures finely, so that two rows are hardly equal by chance."""
    if not isinstance(column, NumericColumn):
        return False
    some = column.values[:MOST_ROWS]
    return len(distinct(some[~np.isnan(some)])) >= FINE


def row_hashes(table: Table, target: Column) -> NDArray[np.uint64]:
    """A number for each row, equal for rows that are equal in every column and the target."""
    found = np.zeros(table.n_rows, dtype=np.uint64)
    for column in (*table.columns, target):
        found = mixed(found ^ mixed(cell_bits(column)))
    return found


def cell_bits(column: Column) -> NDArray[np.uint64]:
    """The cells as bits, equal for equal values; missing values are equal."""
    if isinstance(column, NominalColumn):
        return np.maximum(column.codes, -1).astype(np.int64).view(np.uint64)
    numbers = np.ascontiguousarray(column.values, dtype=np.float64) + 0.0  # -0.0 is 0.0
    return np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)


def mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits well mixed: the finisher of SplitMix64 (Steele, Lea and Flood, 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def first_of_each(table: Table, target: Column) -> NDArray[np.intp]:
    """The rows that do not duplicate an earlier one, in their order."""
    hashes = row_hashes(table, target)
    order = np.argsort(hashes, kind="stable")
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = hashes[order[1:]] != hashes[order[:-1]]
    return np.sort(order[is_first])
