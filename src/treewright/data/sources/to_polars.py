"""A table as a polars frame."""

from collections.abc import Mapping
from typing import Any

from treewright.data.column import Column, NominalColumn
from treewright.data.table import Table
from treewright.optional import optional_module


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
