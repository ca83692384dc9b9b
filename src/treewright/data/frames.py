"""Columns as a data frame of pandas or polars, or as an Arrow table.

A category keeps its levels and their order, and a missing value is null; in pandas a missing number
is NaN.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.optional import optional_module

FINE_STEPS = ("ms", "us", "ns")  # of time, that Arrow and polars count in


def pandas_frame(columns: Sequence[Column]) -> Any:
    """A pandas frame: floats, dates, and categories for nominal columns."""
    pandas = optional_module("pandas", extra="dev", purpose="Table.to_pandas")
    data = {}
    for column in columns:
        if isinstance(column, NominalColumn):
            codes = np.maximum(column.codes, MISSING)
            data[column.name] = pandas.Categorical.from_codes(
                codes, categories=list(column.levels), ordered=column.ordered
            )
        else:
            data[column.name] = column.to_numpy()
    return pandas.DataFrame(data)


def polars_frame(columns: Sequence[Column]) -> Any:
    """A polars frame: an Enum for text, integers and booleans as such."""
    polars = optional_module("polars", extra="cli", purpose="Table.to_polars")
    return polars.DataFrame([polars_series(polars, column) for column in columns])


def polars_series(polars: Any, column: Column) -> Any:
    if isinstance(column, NumericColumn):
        return polars.Series(column.name, in_common_unit(column), nan_to_null=True)
    values = [column.value(row) for row in range(len(column))]
    dtypes = {"integer": polars.Int64, "boolean": polars.Boolean}
    dtype = dtypes.get(column.level_type) or polars.Enum(list(map(str, column.levels)))
    return polars.Series(column.name, values, dtype=dtype)


def arrow_table(columns: Sequence[Column]) -> Any:
    """An Arrow table: a dictionary for text, integers and booleans as such."""
    pyarrow = optional_module("pyarrow", extra="dev", purpose="Table.to_arrow")
    arrays = [arrow_array(pyarrow, column) for column in columns]
    return pyarrow.Table.from_arrays(arrays, names=[column.name for column in columns])


def arrow_array(pyarrow: Any, column: Column) -> Any:
    if isinstance(column, NumericColumn):
        return pyarrow.array(in_common_unit(column), mask=column.is_missing)
    if column.level_type in ("integer", "boolean"):
        return pyarrow.array([column.value(row) for row in range(len(column))])
    codes = pyarrow.array(np.maximum(column.codes, 0), mask=column.is_missing)
    levels = pyarrow.array(list(column.levels), type=pyarrow.string())
    return pyarrow.DictionaryArray.from_arrays(codes, levels, ordered=column.ordered)


def in_common_unit(column: NumericColumn) -> NDArray[Any]:
    """The values, with dates and durations in a unit that other packages support."""
    values = column.to_numpy()
    if values.dtype.kind not in "mM" or np.datetime_data(values.dtype)[0] in FINE_STEPS:
        return values
    return values.astype(f"{values.dtype.kind}8[us]")
