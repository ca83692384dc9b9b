"""NumPy arrays, lists of rows, lists of dicts and dicts of columns."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.readers import group_cells
from treewright.data.column import (
    Column,
    NominalColumn,
    NumericColumn,
    is_masked,
    objects_without_mask,
)
from treewright.data.sources.objects import (
    TWO_PARTS,
    column_from_objects,
    nominal_from_strings,
    numeric_from_dates,
    refuse_too_large,
)
from treewright.data.sources.rounding import warn_of_rounded_cells, warn_of_rounding
from treewright.data.table import Table, generated_names
from treewright.errors import DataError, DataTypeError, NoRowsError


def table_from_array(array: NDArray[Any], names: tuple[str, ...] | None = None) -> Table:
    """The columns of a 2-D array. Floats are not copied; integers become float64."""
    if array.dtype.names is not None:
        return table_from_records(array)
    if array.ndim != 2:
        raise_not_2d(array.shape)
    if is_masked(array):
        array = without_mask(array)
    n_rows, n_columns = array.shape
    if n_rows == 0 or n_columns == 0:
        raise_empty(array.shape)
    matrix = float_matrix(array)
    if matrix is not None:
        if is_long(array.dtype):
            warn_of_rounding(matrix, names or generated_names(n_columns))
        return Table.of_matrix(matrix, names)
    has_names = names is not None
    names = names or generated_names(n_columns)
    columns = [column_from_array(name, array[:, at]) for at, name in enumerate(names)]
    return Table(columns, n_rows, has_names=has_names)


def float_matrix(array: NDArray[Any]) -> NDArray[Any] | None:
    """The array as float64 or float32, itself where it is that already; None if not numbers."""
    dtype = array.dtype
    if dtype.char in "df":
        plain = array if type(array) is np.ndarray else np.asarray(array)
        return plain if dtype.isnative else plain.astype(dtype.newbyteorder("="))
    if dtype.kind in "iub":
        return np.asarray(array).astype(np.float64)
    if dtype.kind == "f":
        return np.asarray(array).astype(np.float32 if dtype.itemsize < 4 else np.float64)
    return None


def is_long(dtype: np.dtype[Any]) -> bool:
    """Whether whole numbers of the type may have more digits than a float."""
    return dtype.kind in "iu" and dtype.itemsize == 8


def column_from_array(name: str, values: NDArray[Any]) -> Column:
    """A column from a 1-D array of any type."""
    kind = values.dtype.kind
    if kind == "b":
        codes = values.astype(np.int32)
        return NominalColumn(name, codes, (False, True), origin="booleans").compacted()
    if kind in "iuf":
        numbers = float_matrix(values)
        assert numbers is not None
        if is_long(values.dtype):
            warn_of_rounding(numbers, [name])
        return NumericColumn(name, numbers, origin=f"{values.dtype} numbers")
    if kind == "U":
        codes, first_rows = group_cells(values)
        levels = tuple(values[first_rows].tolist())
        return NominalColumn(name, codes, levels, origin="strings", by_appearance=True)
    if kind == "T":
        return nominal_from_strings(name, values.tolist())
    if kind in "Mm":
        words = {"M": "dates", "m": "durations"}
        return numeric_from_dates(name, values, origin=words[kind])
    if kind == "O":
        return column_from_objects(name, values.tolist())
    if kind == "c":
        raise DataTypeError(
            f"Complex data not supported: column `{name}` has {values.dtype}", hint=TWO_PARTS
        )
    hint = "decode bytes to strings first: array.astype(str)" if kind == "S" else ""
    raise DataTypeError(f"column `{name}` holds values of type {values.dtype}", hint=hint)


def table_from_records(array: NDArray[Any]) -> Table:
    """A structured array: its fields are the columns."""
    if array.ndim != 1:
        raise_not_2d(array.shape)
    assert array.dtype.names is not None
    return table_from_mapping({name: array[name] for name in array.dtype.names})


def without_mask(array: Any) -> NDArray[Any]:
    """Masked cells as missing values."""
    if not np.ma.getmaskarray(array).any():
        return np.asarray(array.data)
    if array.dtype.kind in "iubf":
        dtype = array.dtype if array.dtype.char in "df" else np.float64
        return np.asarray(array.astype(dtype).filled(np.nan))
    return objects_without_mask(array)


def table_from_mapping(columns: Mapping[Any, Any]) -> Table:
    """A dict of columns: lists, tuples, arrays or series."""
    names = list(columns)
    check_names(names)
    made = [column_from_any(name, values) for name, values in columns.items()]
    if not made or len(made[0]) == 0:
        raise_empty((len(made[0]) if made else 0, len(made)))
    return Table(made)


def column_from_any(name: str, values: Any) -> Column:
    """A column from whatever one column can be given as."""
    if isinstance(values, (NumericColumn, NominalColumn)):
        return values.renamed(name)
    if isinstance(values, (list, tuple)):
        return column_from_objects(name, values)
    if isinstance(values, str) or not hasattr(values, "__array__"):
        raise DataTypeError(
            f"column `{name}` is of type {type(values).__name__}, not a list or array",
            hint="a dict holds columns; for one row as a dict write [row]",
        )
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"column `{name}` has the shape {array.shape}, a column has one axis")
    if is_masked(array):
        array = without_mask(array)
    return column_from_array(name, array)


def table_from_rows(rows: Sequence[Any]) -> Table:
    """A list of rows: lists, tuples, arrays or dicts."""
    if not rows:
        raise_empty((0,))
    types = set(map(type, rows))
    if all(issubclass(kind, Mapping) for kind in types):  # a key that a row lacks is missing
        names = dict.fromkeys(chain.from_iterable(rows))
        return table_from_mapping({name: [row.get(name) for row in rows] for name in names})
    if not all(issubclass(kind, (list, tuple, np.ndarray)) for kind in types):
        if any(issubclass(kind, (list, tuple, Mapping, np.ndarray)) for kind in types):
            words = " and ".join(sorted(kind.__name__ for kind in types))
            raise DataTypeError(f"the rows are of different types: {words}")
        raise_not_2d((len(rows),))
    widths = set(map(len, rows))
    if len(widths) > 1:
        raise_ragged([len(row) for row in rows])
    if widths == {0}:
        raise_empty((len(rows), 0))
    if set(map(type, chain.from_iterable(rows))) <= {float, int}:
        return table_of_plain_numbers(rows)
    if types == {np.ndarray}:
        return table_from_array(np.asarray(rows))
    cells = list(zip(*rows, strict=True))
    columns = map(column_from_objects, generated_names(len(cells)), cells)
    return Table(tuple(columns), len(rows), has_names=False)


def table_of_plain_numbers(rows: Sequence[Any]) -> Table:
    """Rows of Python's integers and floats."""
    names = generated_names(len(rows[0]))
    try:
        numbers = np.array(rows, dtype=np.float64)
    except OverflowError:
        for name, cells in zip(names, zip(*rows, strict=True), strict=True):
            refuse_too_large(name, cells)
        raise
    warn_of_rounded_cells(numbers, chain.from_iterable(rows), names)
    return table_from_array(numbers)


def check_names(names: Sequence[Any]) -> None:
    """Raise unless every name is a string."""
    for at, name in enumerate(names):
        if not isinstance(name, str):
            raise DataTypeError(
                f"column {at} is called {name!r} of type {type(name).__name__}: "
                "column names are strings",
                hint="rename the columns: frame.columns = [str(name) for name in frame.columns]",
            )


def raise_not_2d(shape: tuple[int, ...]) -> None:
    if len(shape) == 1:
        hint = (
            "Reshape your data using array.reshape(-1, 1) if it is one column "
            "or array.reshape(1, -1) if it is one row"
        )
    else:
        hint = "Reshape your data to one line per row, one column per feature"
    raise DataError(f"Expected 2D array, got {len(shape)}D array of shape {shape}", hint=hint)


def raise_series(series: Any) -> None:
    """A pandas or polars series was given where a table is needed."""
    name = series.name if isinstance(series.name, str) else "name"
    raise DataError(
        f"Expected a table, got a 1D series of {len(series)} rows",
        hint=f'frame[["{name}"]] is a table of one column',
    )


def raise_empty(shape: tuple[int, ...]) -> None:
    noun, kind = ("sample(s)", NoRowsError) if shape[0] == 0 else ("feature(s)", DataError)
    raise kind(f"Found array with 0 {noun} (shape={shape}) while a minimum of 1 is required.")


def raise_ragged(widths: Sequence[int]) -> None:
    row = next(row for row, width in enumerate(widths) if width != widths[0])
    raise DataError(f"row {row} has {widths[row]} cells, row 0 has {widths[0]}")
