"""A query tried out: a table made of given rows, the query run on it, its answers read back."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from threading import TIMEOUT_MAX, Timer
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import Column, NominalColumn, NumericColumn, split_unit
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.compiled import SECONDS_TO_ANSWER
from treewright.exports.program import Answers, Program, ProgramError
from treewright.exports.sql.columns import (
    FIRST_MICROSECOND,
    LAST_MICROSECOND,
    NANOSECONDS,
    as_count,
    moment_of,
)
from treewright.exports.sql.dialects import dialect_called
from treewright.exports.sql.dialects.base import Dialect
from treewright.exports.sql.writer import Names, as_names
from treewright.exports.sql.writer import Table as TableName

FAR = 1e300  # in place of infinity, where an engine has none; times a weight it is still a number
ROWS_AT_ONCE = 200
MOST_PARAMETERS = 5_000  # of one statement

NamedColumn = tuple[str, Column]  # by the name that the query uses


def run(  # noqa: PLR0913 -- the options of the format
    code: str,
    program: Program,
    rows: Table,
    *,
    dialect: str = "sqlite",
    table: TableName = "data",
    probabilities: bool = False,
    keep: Names = (),
    order_by: Names = (),
    columns: Mapping[str, str] | None = None,
    connection: Any = None,
    timeout: float = SECONDS_TO_ANSWER,
) -> Answers:
    """The answers of a query to these rows.

    SQLite and DuckDB run here; any other engine, or a version of your own, by a DB-API
    `connection`, in which a temporary table is made and dropped (in BigQuery and T-SQL a plain
    one). Columns to keep or to order by that the model does not know hold the number of the row.
    """
    spoken = dialect_called(dialect)
    if not (spoken.keeps_order or order_by):
        raise ExportError(
            f"{spoken.title} answers in any order, so that rows cannot be told apart",
            hint='export and verify with order_by="row", a column that is made for it',
        )
    wanted = wanted_columns(
        program, rows, columns or {}, [*as_names(keep, "keep"), *as_names(order_by, "order_by")]
    )
    path = as_names(table, "table")
    if connection is not None:
        result = answered(code, connection.cursor(), spoken, path, wanted)
    else:
        with closing(spoken.connect()) as own:
            cursor = own.cursor()
            if len(path) > 1:
                cursor.execute(spoken.new_schema(path[0]))
            # A cursor of DuckDB is a connection of its own.
            with stopped_after(timeout, getattr(cursor, "interrupt", own.interrupt)):
                result = answered(code, cursor, spoken, path, wanted)
    return answers_of(program, result, probabilities=probabilities)


@contextmanager
def stopped_after(timeout: float, interrupt: Callable[[], None]) -> Iterator[None]:
    """End a query that takes too long; what it raises then is said in words of our own."""
    timer = Timer(min(timeout, TIMEOUT_MAX), interrupt)
    timer.start()
    try:
        yield
    except ProgramError as error:
        if timer.finished.is_set():
            raise ProgramError(f"the query did not end within {timeout:g} seconds") from error
        raise
    finally:
        timer.cancel()


def answered(
    code: str, cursor: Any, dialect: Dialect, path: Sequence[str], columns: Sequence[NamedColumn]
) -> Sequence[Any]:
    """What the query gives for a table of these columns, which is gone afterwards."""
    name = ".".join(map(dialect.identifier, path))
    fields = [f"{dialect.identifier(field)} {field_type(dialect, c)}" for field, c in columns]
    temporary = dialect.temporary if len(path) == 1 else ""
    cursor.execute(f"CREATE {temporary}TABLE {name} ({', '.join(fields)})")
    try:
        insert(cursor, name, stored_rows(dialect, [column for _, column in columns]))
        return executed(code, cursor, dialect)
    finally:
        with suppress(Exception):  # of a connection that a wrong query has left in disorder
            cursor.execute(f"DROP TABLE {name}")
        cursor.close()


def executed(code: str, cursor: Any, dialect: Dialect) -> Sequence[Any]:
    try:
        cursor.execute(code)
        result: Sequence[Any] = cursor.fetchall()
    except Exception as error:  # every driver has errors of its own
        raise ProgramError(f"{dialect.title} does not run the query: {error}") from error
    return result


def storable(rows: Table, *, dialect: str = "sqlite", **_: Any) -> Table:
    """The rows with values that an engine can hold: no infinities in some, no nanoseconds."""
    spoken = dialect_called(dialect)
    columns = [storable_column(spoken, column) for column in rows.columns]
    return Table(columns, len(rows), has_names=rows.has_names)


def storable_column(dialect: Dialect, column: Column) -> Column:
    if not isinstance(column, NumericColumn):
        return column
    values = np.array(column.values, dtype=np.float64)
    if column.unit.startswith("datetime64"):
        size = NANOSECONDS[split_unit(column.unit)[1]]
        known = ~np.isnan(values)
        values[known] = [
            as_count(nearest_microsecond(value, size), size) for value in values[known]
        ]
    elif not dialect.has_infinity:
        values = np.where(np.isinf(values), np.copysign(FAR, values), values)
    return replace(column, values=values)


def nearest_microsecond(count: float, size: int) -> int:
    """The microsecond of a moment, no year before 1 or after 9999."""
    limits = (Fraction(FIRST_MICROSECOND), Fraction(LAST_MICROSECOND))
    return round(max(limits[0], min(Fraction(count) * size / 1000, limits[1])))


def wanted_columns(
    program: Program, rows: Table, renamed: Mapping[str, str], further: Sequence[str]
) -> list[NamedColumn]:
    """The columns that a query reads, by the names it uses."""
    columns = {renamed.get(column.name, column.name): column for column in rows.columns}
    used = [program.columns[at].name for at in program.used_columns]
    names = dict.fromkeys([*(renamed.get(name, name) for name in used), *further])
    row_number = NumericColumn("row", np.arange(len(rows), dtype=np.float64))
    return [(name, columns.get(name, row_number)) for name in names or ("row",)]


def field_type(dialect: Dialect, column: Column) -> str:
    if isinstance(column, NumericColumn):
        is_moment = column.unit.startswith("datetime64")
        return dialect.moment_type if is_moment else dialect.number_type
    types = {"integer": dialect.integer_type, "boolean": dialect.boolean_type}
    return types.get(column.level_type, dialect.text_type)


def stored_rows(dialect: Dialect, columns: Sequence[Column]) -> list[tuple[Any, ...]]:
    """The rows as parameters of an INSERT."""
    return list(zip(*(stored_values(dialect, column) for column in columns), strict=True))


def stored_values(dialect: Dialect, column: Column) -> list[Any]:
    if isinstance(column, NominalColumn):
        return [column.value(row) for row in range(len(column))]
    if column.unit.startswith("datetime64"):
        size = NANOSECONDS[split_unit(column.unit)[1]]
        return [
            None if value != value else dialect.stored(moment_of(nearest_microsecond(value, size)))
            for value in column.values.tolist()
        ]
    # A missing number is NULL, or NaN in engines that tell the two apart: here every other one.
    missing = (None, float("nan") if dialect.has_infinity else None)
    values = column.values.tolist()
    return [missing[row % 2] if value != value else value for row, value in enumerate(values)]


def insert(cursor: Any, name: str, rows: list[tuple[Any, ...]]) -> None:
    """Put the rows into a table, many at a time."""
    mark = "?" if parameter_style(cursor) == "qmark" else "%s"
    width = len(rows[0]) if rows else 1
    at_once = max(1, min(ROWS_AT_ONCE, MOST_PARAMETERS // width))
    for start in range(0, len(rows), at_once):
        chunk = rows[start : start + at_once]
        line = f"({', '.join([mark] * width)})"
        values = [value for row in chunk for value in row]
        cursor.execute(f"INSERT INTO {name} VALUES {', '.join([line] * len(chunk))}", values)


def parameter_style(cursor: Any) -> str:
    """How the cursor's driver marks parameters: "qmark", or "format"."""
    driver = sys.modules.get(type(cursor).__module__.partition(".")[0].lstrip("_"))
    style = getattr(driver, "paramstyle", "qmark")
    if style in ("format", "pyformat"):
        return "format"
    if style != "qmark":
        raise ExportError(f"a driver with parameters in the style {style!r} is not known here")
    return "qmark"


def answers_of(program: Program, result: Sequence[Any], *, probabilities: bool) -> Answers:
    """Labels and values as the model gives them; None and NaN for a row without an answer."""
    n_classes = len(program.classes or ())
    wanted = 1 + (n_classes if probabilities else 0)
    if any(len(row) < wanted for row in result):
        raise ProgramError(f"the query gives {len(result[0])} columns, not {wanted}")
    first = [row[0] for row in result]
    if program.classes is None:
        return Answers(None, as_doubles([first]))
    kind = type(program.classes[0])
    labels = [as_label(label, kind) for label in first]
    if not probabilities:
        return Answers(labels, None)
    return Answers(labels, as_doubles([[row[1 + at] for row in result] for at in range(n_classes)]))


def as_label(label: Any, kind: type) -> Any:
    """The label in the type of the model's classes, if it can be had in it."""
    try:
        return None if label is None else kind(label)
    except ValueError:
        return label


def as_doubles(columns: Sequence[Sequence[Any]]) -> Floats:
    numbers = [[np.nan if number is None else number for number in column] for column in columns]
    return np.array(numbers, dtype=np.float64).T
