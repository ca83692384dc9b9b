"""pandas frames, column by column as NumPy sees them; pyarrow is not needed."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.data.column import MISSING, Column, Level, NominalColumn, NumericColumn
from treewright.data.sources.from_arrays import (
    check_names,
    column_from_array,
    float_matrix,
    is_long,
    raise_empty,
)
from treewright.data.sources.from_arrow import columns_from_stream
from treewright.data.sources.objects import column_from_objects, numeric_from_dates
from treewright.data.sources.rounding import warn_of_rounding
from treewright.data.table import Table, generated_names, raise_duplicates
from treewright.errors import DataTypeError

PLAIN_TYPES = {str, int, bool}  # of categories, which become levels as they are
NO_LEVELS = (bytes, complex, tuple, frozenset)  # categories that are refused as cells too


def table_from_pandas(frame: Any) -> Table:
    """The columns of a pandas frame. A frame of floats alone is not copied."""
    if 0 in frame.shape:
        raise_empty(frame.shape)
    names = names_of(frame)
    dtypes = set(frame.dtypes)
    used = names or generated_names(frame.shape[1])
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
        matrix = float_matrix(frame.to_numpy())
        assert matrix is not None
        if is_long(dtype):
            warn_of_rounding(matrix, used)
        return Table.of_matrix(matrix, names)
    columns = [column_from_series(name, frame.iloc[:, at]) for at, name in enumerate(used)]
    return Table(columns, len(frame), has_names=names is not None)


def names_of(frame: Any) -> tuple[str, ...] | None:
    """The column names; None where they are plain numbers, as a frame without names has them."""
    names = frame.columns.tolist()
    if all(type(name) is int for name in names):
        return None
    check_names(names)
    if len(set(names)) != len(names):
        raise_duplicates(names)
    return tuple(names)


def column_from_series(name: str, series: Any) -> Column:
    """A column from a pandas series of any dtype."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return column_from_array(name, series.to_numpy())
    reader = READERS.get(type(dtype).__name__)
    if reader is not None:
        return reader(name, series)
    if dtype.kind in "iuf" and hasattr(dtype, "numpy_dtype"):
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        if is_long(dtype.numpy_dtype):
            warn_of_rounding(numbers, [name])
        return NumericColumn(name, numbers, origin=f"{dtype} numbers")
    return column_from_objects(name, series.astype(object).tolist())


def column_from_category(name: str, series: Any) -> NominalColumn:
    """Only categories that occur become levels, in the order of the categories."""
    values = series.array
    codes = values.codes.astype(np.int32)
    categories = values.categories
    kept = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(categories)))
    levels = levels_from(name, categories[kept])
    by_code = np.full(len(categories) + 1, MISSING, dtype=np.int32)
    by_code[kept] = np.arange(len(kept))
    ordered = bool(values.ordered)
    origin = "ordered pandas category" if ordered else "pandas category"
    types = {*map(type, categories.tolist())}
    order = levels_from(name, categories) if len(types) == 1 and types <= PLAIN_TYPES else ()
    return NominalColumn(name, by_code[codes], levels, ordered, origin=origin, order=order)


def levels_from(name: str, categories: Any) -> tuple[Level, ...]:
    """Categories as levels of one type: strings, booleans, whole numbers; others as text."""
    values = categories.tolist()
    types = set(map(type, values))
    if types <= {str} or types == {int} or types == {bool}:
        return tuple(values)
    if types == {float} and all(value.is_integer() for value in values):
        return tuple(map(int, values))
    odd = next((value for value in values if isinstance(value, NO_LEVELS)), None)
    if odd is not None:
        raise DataTypeError(
            f"column `{name}` has the category {odd!r} of type {type(odd).__name__}",
            hint="rename the categories to strings"
            + (", decoded: value.decode()" if isinstance(odd, bytes) else ""),
        )
    if len(types) > 1 and str in types:
        words = " and ".join(sorted(kind.__name__ for kind in types))
        raise DataTypeError(
            f"column `{name}` has categories of different types: {words}",
            hint="rename the categories to strings",
        )
    return tuple(map(str, values))


def column_from_strings(name: str, series: Any) -> NominalColumn:
    """Strings in order of first appearance."""
    codes, found = series.factorize()
    levels = tuple(map(str, found.tolist()))
    return NominalColumn(name, codes.astype(np.int32), levels, origin="strings", by_appearance=True)


def column_from_nullable_bools(name: str, series: Any) -> NominalColumn:
    codes = series.to_numpy(dtype=np.int32, na_value=MISSING)
    return NominalColumn(name, codes, (False, True), origin="booleans").compacted()


def column_from_zoned_dates(name: str, series: Any) -> NumericColumn:
    return numeric_from_dates(name, series.dt.tz_convert(None).to_numpy(), origin="dates")


def column_from_periods(name: str, series: Any) -> NumericColumn:
    return numeric_from_dates(name, series.dt.to_timestamp().to_numpy(), origin="dates")


def column_from_arrow_series(name: str, series: Any) -> Column:
    import pyarrow

    (column,) = columns_from_stream(pyarrow.table({name: series.array.__arrow_array__()}))
    return column


def refuse_sparse(name: str, series: Any) -> Column:
    raise DataTypeError(
        f"column `{name}` is sparse ({series.dtype})",
        hint="make it dense first: series.sparse.to_dense()",
    )


READERS: dict[str, Callable[[str, Any], Column]] = {
    "CategoricalDtype": column_from_category,
    "StringDtype": column_from_strings,
    "BooleanDtype": column_from_nullable_bools,
    "DatetimeTZDtype": column_from_zoned_dates,
    "PeriodDtype": column_from_periods,
    "ArrowDtype": column_from_arrow_series,
    "SparseDtype": refuse_sparse,
}
