"""Rows as the user gives them: one row in any form, rows for a tree, missing values, infinities."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.tree.tree import Tree


def row_table(row: Any, schema: Schema) -> Table:
    """The row to explain as a table, not yet encoded."""
    table = table_from(one_row(row, schema))
    if len(table) != 1:
        raise DataError(
            f"explain takes one row, not {len(table)}",
            hint="X[i : i + 1] is a table of one row; a dict or a list of values works, too",
        )
    return table


def changed_row(row: Any, schema: Schema, changes: Mapping[str, Any]) -> Any:
    """The row with other values in some columns, by name; the row itself without changes."""
    if not changes:
        return row
    for name in changes:
        if name not in schema.names:
            raise UnknownColumnError.among(str(name), schema.names, source="the model")
    changed = {**row_values(row_table(row, schema), schema), **changes}
    return changed if schema.has_names else [*changed.values()]


def row_values(table: Table, schema: Schema) -> dict[str, Any]:
    """The values of the first row, as given, by the names and in the order of the model."""
    names = schema.names
    by_name = table.has_names and schema.has_names
    if not by_name or not {*names} <= {*table.names}:
        schema.check_columns(table)
    columns = [table[name] for name in names] if by_name else table.columns
    return {name: column.value(0) for name, column in zip(names, columns, strict=True)}


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
        left_out = dict.fromkeys(schema.names)  # columns not in the dict are missing
        return [left_out | dict(row)]
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row[np.newaxis]
    if isinstance(row, list | tuple) and not any(
        isinstance(value, list | tuple | Mapping) for value in row
    ):
        return [list(row)]
    return row


def row_for_tree(tree: Tree, row: Any, categorical_features: Any = None) -> Table:
    """One row, in any form, encoded for a tree."""
    table = rows_for_tree(tree, one_row(row, tree.schema), categorical_features)
    if len(table) != 1:
        raise ParameterError(f"row has {len(table)} rows", hint="give one row, such as X[:1]")
    return table


def rows_for_tree(tree: Tree, X: Any, categorical_features: Any = None) -> Table:
    """Rows encoded for a tree."""
    table = table_from(X)
    if not isinstance(categorical_features, str | None):
        table = tree.schema.with_date_parts(table)
        tree.schema.check_columns(table)
        table = table_from(table, categorical_features=categorical_features)
    return tree.schema.encode(table, tree.unseen)  # type: ignore[arg-type]


def has_missing(rows: Table | NDArray[Any]) -> bool:
    """Whether any value is missing in a table or an array of floats."""
    matrix = rows.matrix if isinstance(rows, Table) else rows
    if matrix is not None:
        return bool(np.isnan(matrix).any())
    assert isinstance(rows, Table)
    return any(column.is_missing.any() for column in rows.columns)


def check_finite(rows: Table | NDArray[Any], model: str, names: Sequence[str] = ()) -> None:
    """Raise for an infinite number in a table, or in an array with these columns.

    >>> check_finite(Table.of_matrix(np.array([[1.0], [np.inf]])), "KMeans")
    Traceback (most recent call last):
    treewright.errors.DataError: column `x0`, row 1: inf, but KMeans needs finite numbers
    hint: leave the row out, or use a missing value or the largest possible one
    """
    matrix = rows.matrix if isinstance(rows, Table) else rows
    if matrix is not None:
        if np.isinf(matrix).any():
            row, column = (int(at) for at in np.argwhere(np.isinf(matrix))[0])
            known = rows.names if isinstance(rows, Table) else names
            raise_infinite(
                known[column] if known else f"x{column}", row, float(matrix[row, column]), model
            )
        return
    assert isinstance(rows, Table)
    for one in rows.columns:
        if isinstance(one, NumericColumn) and np.isinf(one.values).any():
            row = int(np.isinf(one.values).argmax())
            raise_infinite(one.name, row, float(one.values[row]), model)


def raise_infinite(column: str, row: int, value: float, model: str) -> None:
    raise DataError(
        f"column `{column}`, row {row}: {value:g}, but {model} needs finite numbers",
        hint="leave the row out, or use a missing value or the largest possible one",
    )
