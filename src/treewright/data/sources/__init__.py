"""Converts any supported input to a `Table`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treewright.data.column import Column, NumericColumn, numeric_as_nominal
from treewright.data.sources.from_arrays import (
    raise_not_2d,
    raise_series,
    table_from_array,
    table_from_mapping,
    table_from_rows,
)
from treewright.data.sources.rounding import warn_if_small_numbers_vanish
from treewright.data.table import Table, raise_duplicates
from treewright.errors import DataError, DataTypeError, ParameterError, UnknownColumnError


def table_from(
    X: Any, *, categorical_features: Any = "from_dtype", feature_names: Sequence[str] | None = None
) -> Table:
    """Convert tabular data of any supported type to a `Table`.

    Parameters
    ----------
    X
        A NumPy array, a list of rows or dicts, a dict of columns, a pandas or polars frame,
        anything with an Arrow C stream, or a table. Strings, categories and booleans become
        nominal columns, numbers and dates numeric ones. Missing is None, NaN, NaT, NA, null
        or masked.
    categorical_features
        Numeric columns to treat as nominal: names, positions or a mask.
        "from_dtype" or None uses the type of each column.
    feature_names
        Names for the columns, in their order. Without them an array's columns are x0, x1 ...

    Examples
    --------
    >>> table_from([["red", 1.5], ["blue", None]], feature_names=["color", "size"])
    Table of 2 rows and 2 columns
      color  size
      red     1.5
      blue      ?
    """
    warn_if_small_numbers_vanish()
    table = table_from_array(X) if type(X) is np.ndarray else table_from_any(X)
    if feature_names is not None:
        table = with_names(table, feature_names)
    if categorical_features is None or isinstance(categorical_features, str):
        check_word(categorical_features)
        return table
    return with_nominal(table, categorical_features)


def table_from_any(X: Any) -> Table:
    """A table from anything but a plain array."""
    if isinstance(X, Table):
        return X
    reader = frame_reader(X)
    if reader is not None:
        return reader(X)
    if isinstance(X, np.ndarray):
        return table_from_array(X)
    if hasattr(X, "nnz") or hasattr(X, "tocsr"):
        raise DataTypeError(
            f"X is a sparse matrix ({type(X).__name__}), which is not supported",
            hint="make it dense first: X.toarray()",
        )
    if isinstance(X, Mapping):
        return table_from_mapping(plain_columns(X))
    if isinstance(X, (list, tuple)):
        return table_from_rows(X)
    if hasattr(X, "__array__") and not isinstance(X, np.generic):
        array = np.asarray(X)
        if array.ndim != 2:
            raise_not_2d(array.shape)
        return table_from_array(array)
    if getattr(X, "is_scan", False):
        raise DataTypeError(
            "X is a scan, which cannot be read in blocks here",
            hint="read the rows into memory: scan.read() returns X, y and the weights",
        )
    raise DataTypeError(
        f"X is a {type(X).__name__}, not a table",
        hint="give an array, a data frame, a list of rows, or read a file with read_table",
    )


def frame_reader(X: Any) -> Callable[[Any], Table] | None:
    """The function that reads this kind of data frame, if it is one."""
    package = type(X).__module__.partition(".")[0]
    if package == "pandas" and hasattr(X, "iloc"):
        from treewright.data.sources.from_pandas import table_from_pandas

        if X.ndim != 2:
            raise_series(X)
        return table_from_pandas
    if package == "polars":
        from treewright.data.sources.from_arrow import table_from_polars

        return table_from_polars
    if hasattr(X, "__arrow_c_stream__"):
        from treewright.data.sources.from_arrow import table_from_arrow

        return table_from_arrow
    return None


def plain_columns(columns: Mapping[Any, Any]) -> dict[Any, Any]:
    """The columns of a dict; a series of pandas or polars is read as a frame is."""
    return {
        name: table_from(values.to_frame()).columns[0] if hasattr(values, "to_frame") else values
        for name, values in columns.items()
    }


def with_names(table: Table, names: Sequence[str]) -> Table:
    """The table under other column names."""
    names = tuple(names)
    for at, name in enumerate(names):
        if not isinstance(name, str):
            raise DataTypeError(f"feature_names[{at}] is {name!r}, not a string")
    if len(names) != table.n_columns:
        raise DataError(f"feature_names has {len(names)} names, X has {table.n_columns} columns")
    if len(set(names)) != len(names):
        raise_duplicates(names)
    if table.matrix is not None:
        return Table.of_matrix(table.matrix, names)
    columns = [column.renamed(name) for column, name in zip(table.columns, names, strict=True)]
    return Table(columns, table.n_rows)


def with_nominal(table: Table, chosen: Any) -> Table:
    """The table with the chosen columns made nominal."""
    positions = positions_of(table, chosen)
    if not positions:
        return table
    columns: list[Column] = list(table.columns)
    for at in positions:
        column = columns[at]
        if isinstance(column, NumericColumn):
            columns[at] = numeric_as_nominal(column)
    return Table(columns, table.n_rows, has_names=table.has_names)


def positions_of(table: Table, chosen: Any) -> list[int]:
    """Positions of columns given by names, positions or a mask."""
    keys = chosen.tolist() if isinstance(chosen, np.ndarray) else list(chosen)
    if keys and all(isinstance(key, (bool, np.bool_)) for key in keys):
        if len(keys) != table.n_columns:
            raise ParameterError(
                f"categorical_features is a mask of {len(keys)} entries, "
                f"X has {table.n_columns} columns"
            )
        return np.flatnonzero(keys).tolist()
    positions = []
    for key in keys:
        if isinstance(key, str):
            if key not in table.names:
                raise UnknownColumnError.among(key, table.names, source="categorical_features")
            positions.append(table.position(key))
        elif isinstance(key, (int, np.integer)) and -table.n_columns <= key < table.n_columns:
            positions.append(int(key) % table.n_columns)
        else:
            raise ParameterError(
                f"categorical_features names the column {key!r}, X has {table.n_columns} columns"
            )
    return positions


def check_word(word: str | None) -> None:
    if word not in (None, "from_dtype"):
        raise ParameterError(
            f"categorical_features={word!r} is not a list of columns",
            hint=f"for one column write categorical_features=[{word!r}]",
        )


__all__ = ["table_from"]
