"""Anything with an Arrow C stream: pyarrow tables, DuckDB relations, and what else speaks it."""

from typing import Any

from treewright._kernels.readers import ArrowColumn, read_arrow_stream
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.sources.from_arrays import raise_empty
from treewright.data.sources.rounding import warn_of_rounding
from treewright.data.table import Table
from treewright.errors import DataError, DataTypeError

LONG = ("l", "L")  # 64-bit integers, in Arrow's letters
SUPPORTED = "numbers, strings, booleans, dates, times and dictionaries of strings or integers"

DECODE = "decode bytes to strings first: column.cast(pyarrow.string())"


def table_from_arrow(source: Any) -> Table:
    """The columns of the stream that `source` offers. It is consumed once."""
    return table_from_columns(columns_from_stream(source))


def table_from_columns(columns: list[Column]) -> Table:
    if not columns or len(columns[0]) == 0:
        raise_empty((len(columns[0]) if columns else 0, len(columns)))
    return Table(columns)


def columns_from_stream(source: Any) -> list[Column]:
    """The columns of an Arrow stream; a stream of single values is one column."""
    try:
        columns = read_arrow_stream(source.__arrow_c_stream__())
    except TypeError as error:
        hint = DECODE if str(error).endswith("holds bytes") else f"supported are {SUPPORTED}"
        raise DataTypeError(str(error), hint=hint) from None
    except ValueError as error:
        raise DataError(str(error)) from None
    return [column_from(column) for column in columns]


def column_from(arrow: ArrowColumn) -> Column:
    if arrow.levels is None:
        words = {"d": "dates", "t": "durations"}
        origin = words[arrow.unit[0]] if arrow.unit else "numbers"
        if arrow.format in LONG:
            warn_of_rounding(arrow.data, [arrow.name])
        return NumericColumn(arrow.name, arrow.data, arrow.unit, origin=origin)
    origin = "strings"
    if arrow.is_dictionary:
        origin = "ordered dictionary" if arrow.is_ordered else "dictionary"
    elif not arrow.levels:
        origin = "no value at all" if arrow.format == "n" else origin
    elif arrow.levels[0] is False:
        origin = "booleans"
    column = NominalColumn(
        arrow.name,
        arrow.data,
        arrow.levels,
        arrow.is_ordered,
        origin=origin,
        by_appearance=origin == "strings",
    )
    return column if column.by_appearance else column.compacted()
