"""polars frames, by their Arrow stream; pyarrow is not needed."""

from dataclasses import replace
from typing import Any

from treewright.data.column import Column, NominalColumn
from treewright.data.sources.from_arrays import raise_series
from treewright.data.sources.from_arrow import columns_from_stream, table_from_columns
from treewright.data.sources.objects import ONE_VALUE
from treewright.data.table import Table
from treewright.errors import DataTypeError

AS_FLOAT = ("Decimal", "Int128", "UInt128")  # numbers that have no place in the stream reader
REFUSED = {
    "List": "lists",
    "Array": "lists",
    "Struct": "records",
    "Object": "Python objects",
    "Binary": "bytes",
}

DECODE = "decode bytes to strings first: polars.col(name).cast(polars.String)"


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
            hint = DECODE if kind == "Binary" else ONE_VALUE
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
