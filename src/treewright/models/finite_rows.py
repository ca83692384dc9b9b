"""Infinite numbers are refused by models that measure distances or add columns up."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.errors import DataError


def check_finite(rows: Table | NDArray[Any], model: str, names: Sequence[str] = ()) -> None:
    """Raise for an infinite number in a table, or in an array with columns of these names.

    >>> check_finite(Table.of_matrix(np.array([[1.0], [np.inf]])), "KMeans")
    Traceback (most recent call last):
    treewright.errors.DataError: column `x0`, row 1: inf, and KMeans needs finite numbers
    hint: leave the row out, or give it a missing or a largest value
    """
    matrix = rows.matrix if isinstance(rows, Table) else rows
    if matrix is not None:
        if np.isinf(matrix).any():
            row, column = (int(at) for at in np.argwhere(np.isinf(matrix))[0])
            known = rows.names if isinstance(rows, Table) else names
            refuse(known[column] if known else f"x{column}", row, float(matrix[row, column]), model)
        return
    assert isinstance(rows, Table)
    for one in rows.columns:
        if isinstance(one, NumericColumn) and np.isinf(one.values).any():
            row = int(np.isinf(one.values).argmax())
            refuse(one.name, row, float(one.values[row]), model)


def refuse(column: str, row: int, value: float, model: str) -> None:
    """Raise the error that names an infinite value."""
    raise DataError(
        f"column `{column}`, row {row}: {value:g}, and {model} needs finite numbers",
        hint="leave the row out, or give it a missing or a largest value",
    )
