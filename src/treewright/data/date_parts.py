"""Dates as year, month, weekday and hour: columns that a split can use for new dates, too.

A split on the date itself, such as `seen <= 2021-05-17`, sends every later row to one side. One on
the month or the weekday still makes sense next year.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import Column, NumericColumn
from treewright.data.formats import PARTS, Format, Part
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError

Dates = Literal["numbers", "parts"]


def check_dates(dates: str) -> None:
    if dates not in get_args(Dates):
        raise ParameterError(
            f"dates={dates!r} is not allowed", hint='use "numbers" or "parts" (year, month, ...)'
        )


def is_date(column: Column) -> bool:
    return isinstance(column, NumericColumn) and column.unit.startswith("datetime64")


def with_date_parts(table: Table) -> Table:
    """The table with each date column replaced by its parts.

    Examples
    --------
    >>> from treewright.data.sources import table_from
    >>> days = np.array(["2021-01-02", "2021-05-17"], dtype="datetime64[D]")
    >>> with_date_parts(table_from({"seen": days}))
    Table of 2 rows and 3 columns
      seen year  seen month  seen weekday
           2021  January     Saturday
           2021  May         Monday
    """
    if not any(map(is_date, table.columns)):
        return table
    columns: list[Column] = []
    for column in table.columns:
        columns += parts_of(column) if is_date(column) else [column]  # type: ignore[arg-type]
    return Table(columns, table.n_rows, has_names=table.has_names)


def parts_of(column: NumericColumn, wanted: Sequence[str] = PARTS) -> list[NumericColumn]:
    """Year, month, weekday (Monday is 1) and, unless the column counts days, the hour."""
    has_hours = not column.unit.endswith("[D]")
    return [
        NumericColumn(
            f"{column.name} {part}",
            part_values(column, part),
            origin=f"the {part} of `{column.name}`",
            format=Format(part, pattern=column.format.pattern, of=column.name),
        )
        for part in PARTS
        if part in wanted and (part != "hour" or has_hours)
    ]


def part_values(column: NumericColumn, part: Part) -> Floats:
    """One part of each date; NaN where it is missing."""
    dates: Any = column.to_numpy()
    days = dates.astype("datetime64[D]")
    if part == "year":
        found = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    elif part == "month":
        found = dates.astype("datetime64[M]").astype(np.int64) % 12 + 1
    elif part == "weekday":
        found = (days.astype(np.int64) + 3) % 7 + 1  # 1970-01-01 was a Thursday
    else:
        found = (dates - days).astype("timedelta64[h]").astype(np.int64)
    return np.where(column.is_missing, np.nan, found.astype(np.float64))


def with_parts_for(table: Table, specs: Sequence[Any]) -> Table:
    """The table with the parts of dates that the columns of a model are, if it has the dates.

    A column of dates stays if the model has it as well.
    """
    wanted: dict[str, list[str]] = {}
    for spec in specs:
        if spec.format.is_part and spec.name not in table.names and spec.format.of in table.names:
            wanted.setdefault(spec.format.of, []).append(spec.format.kind)
    if not wanted:
        return table
    own = {spec.name for spec in specs}
    columns: list[Column] = []
    for column in table.columns:
        if column.name in own or column.name not in wanted:
            columns.append(column)
        if column.name in wanted:
            columns += parts_for(column, wanted[column.name])
    return Table(columns, table.n_rows, has_names=table.has_names)


def parts_for(column: Column, wanted: Sequence[str]) -> list[NumericColumn]:
    if column.n_missing == len(column):
        missing = NumericColumn(column.name, np.full(len(column), np.nan), "datetime64[s]")
        return parts_of(missing, wanted)
    if not isinstance(column, NumericColumn) or not is_date(column):
        held = "numbers" if isinstance(column, NumericColumn) else "text"
        raise DataError(
            f"column `{column.name}` holds {held}, but the model needs dates, for their "
            + " and ".join(wanted),
            hint=f'convert them, or give columns={{"{column.name}": "date"}} to `read_table`',
        )
    if "hour" in wanted and column.unit.endswith("[D]"):
        column = NumericColumn(
            column.name, column.values * 24, "datetime64[h]", format=column.format
        )
    return parts_of(column, wanted)
