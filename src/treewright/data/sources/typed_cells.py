"""Columns of files that say what their cells are: workbooks, JSON, Arrow and Parquet.

Text in workbooks and JSON is read as in a CSV file, because people store numbers and dates as text
there too. Text in Arrow and Parquet files stays text: a program has chosen that type.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.sources import table_from, with_nominal
from treewright.data.sources.from_csv import (
    ReadSettings,
    as_booleans,
    dated,
    is_number,
    table_from_csv,
)
from treewright.data.sources.type_inference import (
    CellError,
    infer_column,
    warn_of_lost_cells,
    with_model_spelling,
)
from treewright.data.table import Table
from treewright.errors import DataError, UnknownColumnError

LEADING_ZERO = re.compile(r"^\s*[+-]?0\d")
MOST_SHOWN = 200  # letters of another library's message


def table_from_cells(frame: Any, settings: ReadSettings, source: str) -> Table:
    """The table of a polars frame whose text is read as that of a CSV file."""
    import polars

    settings = settings.settled()
    check_are_there(tuple(settings.kinds), frame.columns, settings, source)
    text = [name for name, kind in frame.schema.items() if kind == polars.String]
    found: dict[str, Column] = {}
    others = [name for name in frame.columns if name not in text]
    if others:
        typed = table_from(frame.select(others))
        typed = chosen_kinds(typed, of_columns(settings, others), source)
        found |= zip(typed.names, typed.columns, strict=True)
    if text:
        cells = frame.select(polars.col(text).str.strip_chars().fill_null(""))
        as_read = table_from_text(cells, of_columns(settings, text), source)
        found |= zip(as_read.names, as_read.columns, strict=True)
    columns = [found[name] for name in frame.columns]
    return Table(columns, frame.height, has_names=settings.header)


def table_from_text(cells: Any, settings: ReadSettings, source: str) -> Table:
    """A polars frame of strings, read by the reader of CSV files."""
    import polars

    in_model = settings.schema.names if settings.schema is not None else ()
    zeros = cells.select(polars.all().str.contains(LEADING_ZERO.pattern).any()).row(0, named=True)
    # The file says that 01234 is text, so it is no number that lost nothing by it.
    text = [
        name
        for name, has_zero in zeros.items()
        if has_zero and name not in in_model and not settings.kind_of(name)
    ]
    as_text = replace(
        settings,
        kinds={**settings.kinds, **dict.fromkeys(text, "text")},
        header=True,
        delimiter=",",
        encoding="utf-8",
        strict=False,
    )
    content = cells.write_csv(quote_style="always").encode()
    try:
        return table_from_csv(content, as_text, source=source)
    except DataError as error:
        message = re.sub(r"\bline (\d+)", lambda line: row_of(content, int(line[1])), error.args[0])
        raise type(error)(message, hint=error.hint) from None


def row_of(content: bytes, line: int) -> str:
    """The row of the table that begins in a line of its CSV text, where cells may hold lines."""
    before = b"\n".join(content.split(b"\n")[: line - 1])
    # All cells are quoted, and quotes inside are doubled: outside of cells their number is even.
    n_rows = sum(
        before[:end].count(b'"') % 2 == 0 for end in (at.end() for at in re.finditer(b"\n", before))
    )
    return f"row {n_rows}"


def of_columns(settings: ReadSettings, names: Sequence[str]) -> ReadSettings:
    """The settings, which are settled, without those for other columns."""
    own = {name: kind for name, kind in settings.kinds.items() if name in names}
    return replace(settings, kinds=own)


def check_are_there(
    chosen: Sequence[str], names: Sequence[str], settings: ReadSettings, source: str
) -> None:
    for name in chosen:
        if name not in names and settings.strict:
            raise UnknownColumnError.among(name, tuple(names), source=source)


def chosen_kinds(table: Table, settings: ReadSettings, source: str) -> Table:
    """The table as the settings want it: cells that mean missing, and what text columns mean."""
    settings = settings.settled()
    check_are_there(tuple(settings.kinds), table.names, settings, source)
    if settings.na:
        columns = [with_missing(column, settings.na) for column in table.columns]
        table = Table(columns, table.n_rows, has_names=table.has_names)
    columns = [meant(column, settings, source) for column in table.columns]
    if any(map(lambda new, old: new is not old, columns, table.columns)):
        warn_of_lost_cells(columns, settings.asked)
        table = Table(columns, table.n_rows, has_names=table.has_names)
    nominal = [name for name in table.names if settings.kind_of(name) == "category"]
    table = with_nominal(table, nominal)
    if settings.schema is None:
        return table
    specs = {spec.name: spec for spec in settings.schema.columns}
    for column in table.columns:
        if column.name in specs:
            table = table.with_column(as_trained(column, specs[column.name]))
    return table


def meant(column: Column, settings: ReadSettings, source: str) -> Column:
    """A column of text as what its cells mean; categories that were declared stay."""
    said = settings.kind_of(column.name)
    is_text = isinstance(column, NominalColumn) and (column.by_appearance or bool(said))
    spec = settings.spec_of(column.name)
    if not isinstance(column, NominalColumn) or not is_text:
        return column
    if not said and spec is not None and not spec.is_numeric:
        return with_model_spelling(column, spec.levels)
    try:
        return infer_column(column, settings.wanted(column.name))
    except CellError as error:
        raise DataError(f"{source}, {error.args[0]}", hint=error.hint) from None


def as_trained(column: Column, spec: ColumnSpec) -> Column:
    """The column as the training file had it, if that file was of another kind.

    A CSV file has no booleans, and its dates are text; a workbook has no whole numbers. What does
    not fit is left as it is, for the schema to refuse.
    """
    if spec.is_numeric and isinstance(column, NominalColumn):
        return as_numbers(column, spec)
    if spec.is_numeric or not spec.levels:
        return column
    if isinstance(column, NumericColumn):
        return numbers_as_levels(column, spec)
    if spec.level_type == "boolean" and column.level_type == "string":
        return as_booleans(column)
    if spec.level_type == "string" and column.level_type == "boolean":
        return relabeled(column, [boolean_word(level, spec) for level in column.levels])
    if spec.level_type == "string" and column.level_type == "integer":
        return relabeled(column, [str(level) for level in column.levels])
    if spec.level_type == "integer" and column.level_type == "string":
        whole = [level for level in column.levels if re.fullmatch(r"-?\d{1,15}", str(level))]
        if len(whole) == len(column.levels):
            return relabeled(column, [int(level) for level in column.levels])
    return column


def as_numbers(column: NominalColumn, spec: ColumnSpec) -> Column:
    """Categories for a model that knows numbers: booleans are 0 and 1, text may be a number."""
    if spec.unit:
        return dated(column) if column.level_type == "string" else column
    if not all(is_number(str(level)) or isinstance(level, bool) for level in column.levels):
        return column
    numbers = np.array([*map(float, column.levels), np.nan])
    return NumericColumn(column.name, numbers[np.maximum(column.codes, -1)], origin=column.origin)


def numbers_as_levels(column: NumericColumn, spec: ColumnSpec) -> Column:
    """Numbers for a model that knows text or booleans."""
    known = np.unique(column.values[~column.is_missing])
    if column.unit or spec.level_type == "integer" or len(known) == 0:
        return column
    codes = np.where(column.is_missing, -1, np.searchsorted(known, column.values)).astype(np.int32)
    if spec.level_type == "boolean":
        is_truth = set(known.tolist()) <= {0.0, 1.0}
        labels: list[Any] = [bool(number) for number in known] if is_truth else []
    else:
        labels = [str(int(one)) if one.is_integer() else repr(one) for one in known.tolist()]
    if not labels:
        return column
    return NominalColumn(column.name, codes, tuple(labels), origin=column.origin)


def boolean_word(level: Any, spec: ColumnSpec) -> str:
    """How the training file wrote a truth value."""
    known = [one for one in spec.levels if str(one).lower() == str(level).lower()]
    return str(known[0] if known else level)


def relabeled(column: NominalColumn, levels: Sequence[Any]) -> NominalColumn:
    if len(set(levels)) < len(levels):
        return column
    return replace(column, levels=tuple(levels))


def with_missing(column: Column, words: Sequence[str]) -> Column:
    """The column with the cells that hold one of the words made missing."""
    if isinstance(column, NominalColumn):
        kept = [at for at, level in enumerate(column.levels) if str(level) not in words]
        is_same = len(kept) == len(column.levels)
        return column if is_same else column.recoded(np.array(kept, dtype=np.intp))
    if column.unit:
        return column
    numbers = [float(word) for word in words if is_number(word)]
    stands_for_missing = np.isin(column.values, numbers)
    if not stands_for_missing.any():
        return column
    return replace(column, values=np.where(stands_for_missing, np.nan, column.values))


@contextmanager
def refusing(source: str, kind: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what another library raises for a damaged file into a DataError."""
    try:
        yield
    except DataError:
        raise
    except errors as error:
        raise not_a(kind, source, error) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a bug that Rust code stops at
            raise
        raise not_a(kind, source, error) from None


def not_a(kind: str, source: str, error: BaseException) -> DataError:
    said = str(error).strip().partition("\n")[0][:MOST_SHOWN]
    return DataError(f"{source} is not {kind}: {said}", hint="was it cut off, or damaged?")
