"""Run a query: create a table from rows, execute the query on it, read the predictions."""

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
from treewright.exports.compiled import SECONDS_TO_RUN
from treewright.exports.program import Exported, Predictions, ProgramError
from treewright.exports.sql.columns import (
    FIRST_MICROSECOND,
    LAST_MICROSECOND,
    NANOSECONDS,
    as_count,
    moment_of,
)
from treewright.exports.sql.dialect import Dialect
from treewright.exports.sql.dialects import find_dialect
from treewright.exports.sql.writer import Names, as_names
from treewright.exports.sql.writer import Table as TableName

FAR = 1e300  # instead of infinity, if an engine has none; times a weight it is still finite
ROWS_AT_ONCE = 200
MAX_PARAMETERS = 5_000  # of one statement

NamedColumn = tuple[str, Column]  # by the name that the query uses


def run(  # noqa: PLR0913 -- the options of the format
    code: str,
    program: Exported,
    rows: Table,
    *,
    dialect: str = "sqlite",
    table: TableName = "data",
    style: str = "exact",
    probabilities: bool = False,
    keep: Names | None = None,
    order_by: Names = (),
    columns: Mapping[str, str] | None = None,
    connection: Any = None,
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """The predictions of a query for these rows.

    SQLite and DuckDB run in this process. Other engines, or other versions, need a DB-API
    `connection`, in which a temporary table is created and dropped (in BigQuery and T-SQL an
    ordinary one). Columns to keep or to sort by that the model does not have hold the row number.
    """
    sql = find_dialect(dialect)
    if not (sql.keeps_order or order_by):
        raise ExportError(
            f"{sql.title} returns rows in any order, so predictions cannot be matched to rows",
            hint='export and verify with order_by="row", a column that is created for it',
        )
    kept = () if keep is None else as_names(keep, "keep")
    wanted = wanted_columns(program, rows, columns or {}, [*kept, *as_names(order_by, "order_by")])
    with_nan = sql.has_infinity and style == "exact"  # a plain query takes NaN for a number
    path = as_names(table, "table")
    if connection is not None:
        result = results_of(code, connection.cursor(), sql, path, wanted, with_nan=with_nan)
    else:
        with closing(sql.connect()) as own:
            cursor = own.cursor()
            if len(path) > 1:
                cursor.execute(sql.new_schema(path[0]))
            # A cursor of DuckDB is a connection of its own.
            with stopped_after(timeout, getattr(cursor, "interrupt", own.interrupt)):
                result = results_of(code, cursor, sql, path, wanted, with_nan=with_nan)
    return predictions_of(program, result, probabilities=probabilities)


@contextmanager
def stopped_after(timeout: float, interrupt: Callable[[], None]) -> Iterator[None]:
    """Interrupt a query that takes too long; the error is then one of ours."""
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


def results_of(  # noqa: PLR0913 -- one call site
    code: str,
    cursor: Any,
    dialect: Dialect,
    path: Sequence[str],
    columns: Sequence[NamedColumn],
    *,
    with_nan: bool,
) -> Sequence[Any]:
    """The rows that the query returns for a table of these columns, which is dropped afterwards."""
    name = ".".join(map(dialect.identifier, path))
    fields = [f"{dialect.identifier(field)} {field_type(dialect, c)}" for field, c in columns]
    temporary = dialect.temporary if len(path) == 1 else ""
    cursor.execute(f"CREATE {temporary}TABLE {name} ({', '.join(fields)})")
    try:
        values = (stored_values(dialect, column, with_nan=with_nan) for _, column in columns)
        insert(cursor, name, list(zip(*values, strict=True)))
        return executed(code, cursor, dialect)
    finally:
        with suppress(Exception):  # a failed query may leave the connection unusable
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
    """The rows with values that the engine can store: no nanoseconds, in some no infinities."""
    sql = find_dialect(dialect)
    columns = [storable_column(sql, column) for column in rows.columns]
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
    """The microsecond of a moment, in the years 1 to 9999."""
    limits = (Fraction(FIRST_MICROSECOND), Fraction(LAST_MICROSECOND))
    return round(max(limits[0], min(Fraction(count) * size / 1000, limits[1])))


def wanted_columns(
    program: Exported, rows: Table, renamed: Mapping[str, str], further: Sequence[str]
) -> list[NamedColumn]:
    """The columns that a query reads, under the names that it uses."""
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


def stored_values(dialect: Dialect, column: Column, *, with_nan: bool) -> list[Any]:
    if isinstance(column, NominalColumn):
        return [column.value(row) for row in range(len(column))]
    if column.unit.startswith("datetime64"):
        size = NANOSECONDS[split_unit(column.unit)[1]]
        return [
            None if value != value else dialect.stored(moment_of(nearest_microsecond(value, size)))
            for value in column.values.tolist()
        ]
    # A missing number is NULL or, in engines that have it, NaN: here in turn.
    missing = (None, float("nan") if with_nan else None)
    values = column.values.tolist()
    return [missing[row % 2] if value != value else value for row, value in enumerate(values)]


def insert(cursor: Any, name: str, rows: list[tuple[Any, ...]]) -> None:
    """Put the rows into a table, many at a time."""
    mark = "?" if parameter_style(cursor) == "qmark" else "%s"
    width = len(rows[0]) if rows else 1
    at_once = max(1, min(ROWS_AT_ONCE, MAX_PARAMETERS // width))
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
        raise ExportError(f"drivers with parameter style {style!r} are not supported")
    return "qmark"


def predictions_of(program: Exported, result: Sequence[Any], *, probabilities: bool) -> Predictions:
    """Labels and values in the model's types; None and NaN for a row without a prediction."""
    wanted = 1 + (program.n_values if probabilities else 0)
    if any(len(row) < wanted for row in result):
        raise ProgramError(f"the query returns {len(result[0])} columns, not {wanted}")
    first = [row[0] for row in result]
    if program.classes is None:
        return Predictions(None, as_doubles([first]))
    kind = type(program.classes[0])
    labels = [as_label(label, kind) for label in first]
    if not probabilities:
        return Predictions(labels, None)
    return Predictions(
        labels, as_doubles([[row[1 + at] for row in result] for at in range(program.n_values)])
    )


def as_label(label: Any, kind: type) -> Any:
    """The label in the type of the model's classes, if it can be converted."""
    try:
        return None if label is None else kind(label)
    except ValueError:
        return label


def as_doubles(columns: Sequence[Sequence[Any]]) -> Floats:
    numbers = [[np.nan if number is None else number for number in column] for column in columns]
    return np.array(numbers, dtype=np.float64).T
