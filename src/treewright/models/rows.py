"""One row, in any of the forms that people have it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, UnknownColumnError


def row_table(row: Any, schema: Schema) -> Table:
    """The row that is to be explained as a table, its columns not encoded yet."""
    table = table_from(one_row(row, schema))
    if len(table) != 1:
        raise DataError(
            f"explain takes one row, here are {len(table)}",
            hint="X[i : i + 1] is a table of one row; a dict or a list of values will do, too",
        )
    return table


def one_row(row: Any, schema: Schema) -> Any:
    """A dict, a list of values or a row of a data frame as a table of one row; tables stay."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 0) == 1:  # of pandas
        row = row.to_dict() if schema.has_names else [*row]
    if isinstance(row, Mapping) and not any(
        isinstance(value, list | tuple | np.ndarray) for value in row.values()
    ):
        for name in row:
            if name not in schema.names:
                raise UnknownColumnError.among(str(name), schema.names, source="the model")
        left_out = dict.fromkeys(schema.names)  # what a dict does not name is missing
        return [left_out | dict(row)]
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row[np.newaxis]
    if isinstance(row, list | tuple) and not any(
        isinstance(value, list | tuple | Mapping) for value in row
    ):
        return [list(row)]
    return row
