"""Anything with an Arrow C stream: pyarrow tables, DuckDB relations, and what else speaks it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.readers import ArrowColumn, read_arrow_stream
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.sources.from_arrays import raise_empty, raise_series
from treewright.data.sources.objects import ONE_VALUE
from treewright.data.sources.rounding import warn_of_rounding
from treewright.data.table import Table, target_values
from treewright.errors import DataError, DataTypeError
from treewright.optional import optional_module

LONG = ("l", "L")  # 64-bit integers, in Arrow's letters
SUPPORTED = "numbers, strings, booleans, dates, times and dictionaries of strings or integers"

DECODE = "decode bytes to strings first: column.cast(pyarrow.string())"
NOT_TEXT = "decode the bytes by the encoding that they are in before you make the column"
DAMAGED = "the library that made the table breaks the Arrow format; report it there"


def table_from_arrow(source: Any) -> Table:
    """The columns of the stream that `source` offers. It is consumed once."""
    return table_from_columns(columns_from_stream(source))


def table_from_columns(columns: list[Column]) -> Table:
    if not columns or len(columns[0]) == 0:
        raise_empty((len(columns[0]) if columns else 0, len(columns)))
    return Table(columns)


def columns_from_stream(source: Any) -> list[Column]:
    """The columns of an Arrow stream; a stream of single values is one column.

    Whatever the structs of the stream say is checked, but not the sizes of buffers, which it does
    not carry. pyarrow knows those, and to ask it takes no longer for many rows than for few.
    """
    try:
        check_sizes(source)
        columns = read_arrow_stream(source.__arrow_c_stream__())
    except TypeError as error:
        hint = DECODE if str(error).endswith("holds bytes") else f"supported are {SUPPORTED}"
        raise DataTypeError(str(error), hint=hint) from None
    except ValueError as error:
        hint = NOT_TEXT if str(error).endswith("is not UTF-8") else DAMAGED
        raise DataError(str(error), hint=hint) from None
    return [column_from(column) for column in columns]


def is_pyarrow(source: Any) -> bool:
    return type(source).__module__.partition(".")[0] == "pyarrow"


def values_from_arrow(values: Any, name: str) -> NDArray[Any]:
    """One value per row of a pyarrow array, chunked or not, or of a table's columns.

    Whole numbers and floats stay as they are, decimals become floats, and missing values are NaN
    or None.
    """
    import pyarrow

    if hasattr(values, "column_names"):
        columns = [target_values(column) for column in table_from_arrow(values).columns]
        return np.column_stack(columns)
    kind = values.type
    is_number = pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)
    if is_number and values.null_count == 0:
        return np.asarray(values)
    chunks = values if isinstance(values, pyarrow.ChunkedArray) else pyarrow.chunked_array([values])
    try:
        column = columns_from_stream(pyarrow.table({name: chunks}))[0]
    except pyarrow.ArrowInvalid as error:  # what pyarrow itself finds wrong
        raise DataError(f"column `{name}`: {error}", hint=DAMAGED) from None
    return column.to_numpy()


def check_sizes(source: Any) -> None:
    """Raise a ValueError if pyarrow knows that a buffer is too small for its column."""
    if not is_pyarrow(source) or not hasattr(source, "validate"):
        return
    for name, column in zip(
        getattr(source, "column_names", ()), getattr(source, "columns", ()), strict=True
    ):
        try:
            column.validate()
        except ValueError as error:
            raise ValueError(f"column `{name}`: {error}") from None
    source.validate()


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
    if arrow.is_dictionary:
        column = replace(column, order=arrow.levels)
    return column if column.by_appearance else column.compacted()


AS_FLOAT = ("Decimal", "Int128", "UInt128")  # numbers that have no place in the stream reader
REFUSED = {
    "List": "lists",
    "Array": "lists",
    "Struct": "records",
    "Object": "Python objects",
    "Binary": "bytes",
}

DECODE_IN_POLARS = "decode bytes to strings first: polars.col(name).cast(polars.String)"


def table_from_polars(frame: Any) -> Table:
    """The columns of a polars frame; a lazy one is collected. Floats are not copied."""
    if hasattr(frame, "collect"):
        frame = frame.collect()
    if not hasattr(frame, "iter_columns"):
        raise_series(frame)
    wide = []
    for name, dtype in frame.schema.items():
        kind = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
        if kind in REFUSED:
            hint = DECODE_IN_POLARS if kind == "Binary" else ONE_VALUE
            raise DataTypeError(f"column `{name}` holds {REFUSED[kind]} ({dtype})", hint=hint)
        if kind in AS_FLOAT:
            wide.append(name)
    if wide:
        import polars

        frame = frame.with_columns(polars.col(wide).cast(polars.Float64))
    return table_from_columns([without_order(column) for column in columns_from_stream(frame)])


def without_order(column: Column) -> Column:
    """An Enum fixes which levels there are; that they also have an order is for the user to say."""
    if not isinstance(column, NominalColumn):
        return column
    words = {"ordered dictionary": "polars Enum", "dictionary": "polars Categorical"}
    return replace(column, ordered=False, origin=words.get(column.origin, column.origin))


def polars_frame(table: Table, types: Mapping[str, str] | None = None) -> Any:
    """Numbers and dates as they are; string levels as an Enum, other levels as values.

    `types` are names of polars' types for columns that are to be of another.
    """
    polars = optional_module("polars", extra="cli", purpose="a polars frame")
    frame = polars.DataFrame([_series(polars, column) for column in table.columns])
    return frame.cast({name: getattr(polars, kind) for name, kind in (types or {}).items()})


def _series(polars: Any, column: Column) -> Any:
    if isinstance(column, NominalColumn):
        levels = [column.value(row) for row in range(len(column))]
        is_text = column.level_type == "string"
        dtype = polars.Enum(list(column.levels)) if is_text else None
        return polars.Series(column.name, levels, dtype=dtype)
    values = column.to_numpy()
    return polars.Series(column.name, values, nan_to_null=values.dtype.kind == "f")
