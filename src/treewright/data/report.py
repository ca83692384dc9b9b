"""The column report: the type of each column, the reason for it, and warnings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import distinct
from treewright.data.column import Column, Kind, NominalColumn, NumericColumn, folded
from treewright.data.formats import PLAIN
from treewright.data.sources import table_from
from treewright.data.sources.from_csv import is_number
from treewright.data.sources.type_inference import likely_reading
from treewright.data.table import column_lines
from treewright.plain_text import counted, plain
from treewright.result import Record, Result

FEW_ROWS = 10  # with fewer rows, unique values are no sign of an id
MOSTLY = 0.9  # a column with a larger share of missing values gets a warning


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """The report on one column."""

    name: str
    kind: Kind
    why: str
    n_distinct: int  # levels that occur, or distinct numbers
    n_missing: int
    warnings: tuple[str, ...] = ()
    id_reason: str = ""  # why the column looks like an id; "" if it does not


@dataclass(frozen=True, slots=True, repr=False)
class ColumnReport(Result):
    """One line for each column of a table; `str()` is a table to read."""

    lines: tuple[ColumnLine, ...]
    n_rows: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """Every warning with its column's name."""
        return tuple(f"`{line.name}`: {text}" for line in self.lines for text in line.warnings)

    @property
    def id_like(self) -> dict[str, str]:
        """Columns that look like ids or row numbers, with the reason."""
        return {line.name: line.id_reason for line in self.lines if line.id_reason}

    def __getitem__(self, name: str) -> ColumnLine:
        return next(line for line in self.lines if line.name == name)

    def to_text(self) -> str:
        """A line for each column, then the warnings."""
        columns = [
            ["column", *[line.name for line in self.lines]],
            ["kind", *[line.kind for line in self.lines]],
            ["distinct", *[f"{line.n_distinct:,}" for line in self.lines]],
            ["missing", *[f"{line.n_missing:,}" for line in self.lines]],
            ["because", *[line.why for line in self.lines]],
        ]
        title = f"{counted(self.n_rows, 'row')}, {counted(len(self.lines), 'column')}"
        notes = [f"  {plain(text)}" for text in self.warnings]
        rows = column_lines(columns, [False, False, True, True, False], max_width=60)
        return "\n".join([title, *rows, *(["warnings:", *notes] if notes else [])])

    def __repr__(self) -> str:
        return self.to_text()

    def _facts(self) -> Record:
        columns = [
            {
                "name": line.name,
                "kind": line.kind,
                "because": line.why,
                "distinct": line.n_distinct,
                "missing": line.n_missing,
                "warnings": line.warnings,
            }
            for line in self.lines
        ]
        return {"n_rows": self.n_rows, "columns": columns}


def column_report(X: Any, y: Any = None) -> ColumnReport:
    """Report the type of each column, the reason for it, and warnings about its values.

    If `y` is given, columns that are copies of the target are reported as well.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> tw.column_report(X, y)
    14 rows, 4 columns
      column       kind     distinct  missing  because
      outlook      nominal         3        0  strings
      temperature  nominal         3        0  strings
      humidity     nominal         2        0  strings
      wind         nominal         2        0  strings
    """
    table = table_from(X)
    target = None if y is None else table_from({"y": y}).columns[0]
    return ColumnReport(tuple(line_on(column, target) for column in table.columns), table.n_rows)


def count_distinct(column: Column) -> int:
    """Number of categories that occur, or of distinct numbers."""
    if isinstance(column, NominalColumn):
        return int(np.count_nonzero(column.counts()))
    return len(np.unique(column.values[~column.is_missing]))


def codes_of(column: Column) -> NDArray[Any]:
    """An integer code for each row, equal for equal values; -1 where missing."""
    if isinstance(column, NominalColumn):
        return column.codes
    codes = np.unique(column.values, return_inverse=True)[1]
    codes[column.is_missing] = -1
    return codes


def line_on(column: Column, target: Column | None) -> ColumnLine:
    n_distinct = count_distinct(column)
    warnings = [*general_warnings(column, n_distinct, target)]
    if isinstance(column, NominalColumn):
        warnings += level_warnings(column, n_distinct)
    elif counts_rows(column, n_distinct):
        warnings.append("numbers the rows: an id, which cannot help with new rows")
    return ColumnLine(
        column.name,
        column.kind,
        column.origin or "numbers",
        n_distinct,
        column.n_missing,
        tuple(warnings),
        id_reason(column, n_distinct),
    )


def id_reason(column: Column, n_distinct: int) -> str:
    """Why a column looks like ids or row numbers; "" if it does not."""
    n_known = len(column) - column.n_missing
    if isinstance(column, NominalColumn):
        many = n_known >= FEW_ROWS and n_distinct * 2 > n_known
        if not many:
            return ""
        misread = misread_text([str(level) for level in column.levels])
        also = f": {misread}" if misread else ""
        return f"{n_distinct} different values in {n_known} rows{also}"
    return "it numbers the rows" if counts_rows(column, n_distinct) else ""


def general_warnings(column: Column, n_distinct: int, target: Column | None) -> Iterator[str]:
    """Warnings that apply to any column."""
    if column.caution:
        yield column.caution
    if column.n_missing == len(column):
        yield "entirely missing, so it cannot be used"
    elif n_distinct == 1:
        yield "constant, so it cannot be used"
    elif column.n_missing > MOSTLY * len(column):
        yield f"{column.n_missing:,} of {len(column):,} values missing"
    if target is not None and n_distinct > 1 and is_copy(column, target):
        yield "a copy of the target: would it be known before the target is?"


def is_copy(column: Column, target: Column) -> bool:
    """Whether values and target values correspond one to one.

    If every value is unique this is always so; then the numbers must also rise or fall together.
    """
    if len(column) != len(target) or count_distinct(column) != count_distinct(target):
        return False
    codes, classes = codes_of(column).astype(np.int64), codes_of(target)
    known = (codes >= 0) & (classes >= 0)
    codes, classes = codes[known], classes[known]
    n_distinct = len(distinct(codes))
    if n_distinct == len(codes):
        are_numbers = isinstance(column, NumericColumn) and isinstance(target, NumericColumn)
        return are_numbers and n_distinct >= FEW_ROWS and in_one_order(codes, classes)
    pairs = codes * (classes.max() + 1) + classes
    return len(distinct(pairs)) == n_distinct > 1


def in_one_order(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether distinct numbers rise with each other, or one falls as the other rises."""
    steps = np.diff(other[np.argsort(one)])
    return bool((steps > 0).all() or (steps < 0).all())


def level_warnings(column: NominalColumn, n_distinct: int) -> Iterator[str]:
    n_known = len(column) - column.n_missing
    if n_known >= FEW_ROWS and n_distinct == n_known:
        yield "a different value in every row: an id or free text, which cannot help with new rows"
    elif n_known >= FEW_ROWS and n_distinct * 2 > n_known:
        yield "more categories than half the number of rows: is it an id or free text?"
    if column.level_type == "string":
        levels = [str(level) for level in column.levels]
        yield from text_warnings(levels, is_explained=bool(column.caution))


def text_warnings(levels: list[str], *, is_explained: bool = False) -> Iterator[str]:
    """Warnings about categories that are text; `is_explained`: the column says why it is text."""
    texts = [level for level in levels if not is_number(level)]
    if levels and not texts:
        yield "every category is a number: should the column be numeric?"
    elif len(levels) >= FEW_ROWS and len(texts) <= 2:
        shown = " and ".join(f"`{text}`" for text in texts)
        yield f"read as text only because of {shown}: does it mean missing?"
    elif not is_explained and misread_text(levels):
        yield f"{misread_text(levels)}: read as text"
    if twins := case_twins(levels):
        yield twins


def case_twins(levels: list[str]) -> str:
    """The first two categories that differ only in case or spaces; "" if there are none.

    >>> case_twins(["Ulm", "Bonn", "ulm"])
    'categories `Ulm` and `ulm` differ only in case or spaces'
    """
    met: dict[str, str] = {}
    for level in levels:
        twin = met.setdefault(folded(level), level)
        if twin != level:
            return f"categories `{twin}` and `{level}` differ only in case or spaces"
    return ""


def misread_text(levels: list[str]) -> str:
    """What text values seem to be (dates, numbers) in a format that is not read; "" if just text.

    >>> misread_text(["$ 1,200", "$ 800"])
    'numbers with symbols (`$ 1,200`)'
    """
    reading = likely_reading(levels)
    if reading is None or reading.format == PLAIN:
        return ""
    example = next(level for level, fits in zip(levels, reading.fits, strict=True) if fits)
    words = {"date": "dates in a format other than 2024-01-31", "time": "times of day"}
    return f"{words.get(reading.format.kind, 'numbers with symbols')} (`{example}`)"


def counts_rows(column: NumericColumn, n_distinct: int) -> bool:
    """Whether the numbers go up, or down, by one from row to row."""
    if column.unit or column.n_missing or n_distinct < FEW_ROWS or n_distinct < len(column):
        return False
    steps = np.diff(column.values)
    return bool(np.isfinite(steps).all() and (steps == steps[0]).all() and abs(steps[0]) == 1)
