"""Columns of Python objects: the types of the cells decide the kind of the column."""

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import (
    MISSING,
    Column,
    Level,
    NominalColumn,
    NumericColumn,
    is_missing_value,
)
from treewright.data.sources.rounding import warn_of_rounded_cells
from treewright.errors import DataError, DataTypeError

BOOLEANS = (bool, np.bool_)
ONE_VALUE = "give each cell one string, number, boolean or date"
TWO_PARTS = "make it two columns of numbers: values.real and values.imag"
MASKED = "MaskedConstant"
# Types of missing values: of pandas, which this layer does not import, and of numpy.ma, which
# takes as long to load as the rest of it.
MARK_NAMES = ("NoneType", "NAType", "NaTType", MASKED)


def column_from_objects(name: str, values: Sequence[Any]) -> Column:
    """A column from Python objects: strings, booleans, numbers or dates; some may be missing."""
    types = set(map(type, values))
    if any(kind.__name__ == MASKED for kind in types):  # it has no hash
        values = [None if type(value).__name__ == MASKED else value for value in values]
    kinds = set(map(kind_of_type, types))
    if "other" in kinds or "complex" in kinds:
        raise_strange_cell(name, values)
    kinds.discard("missing")
    if "number" in kinds and len(kinds) > 1:
        numbers = (value for value in values if kind_of_type(type(value)) == "number")
        if all(map(is_missing_value, numbers)):
            kinds.discard("number")  # NaN means missing
    if kinds == {"number", "boolean"}:
        kinds.discard("boolean")  # True among numbers is 1, as everywhere in Python
    if not kinds:
        return empty_column(name, len(values))
    if len(kinds) > 1:
        raise_mixed_column(name, values)
    return READERS[next(iter(kinds))](name, values)


def kind_of_type(kind: type) -> str:
    """The kind of column that cells of this Python type make."""
    if kind.__name__ in MARK_NAMES:
        return "missing"
    for bases, word in TYPE_KINDS:
        if issubclass(kind, bases):
            return word
    return "other"


def codes_by_appearance(values: Sequence[Any]) -> tuple[NDArray[np.int32], list[Any]]:
    """A code for each value, and the distinct values in order of first appearance."""
    code_of: defaultdict[Any, int] = defaultdict()
    code_of.default_factory = code_of.__len__
    codes = np.fromiter(map(code_of.__getitem__, values), np.int32, len(values))
    return codes, list(code_of)


def nominal_from(
    name: str, values: Sequence[Any], *, origin: str, declared: type | None = None
) -> NominalColumn:
    """Codes in order of first appearance; cells that are no `declared` value are missing."""
    codes, distinct = codes_by_appearance(values)
    levels: list[Level] = []
    new_code = np.empty(len(distinct), dtype=np.int32)
    for code, value in enumerate(distinct):
        known = isinstance(value, str) if declared is None else not is_missing_value(value)
        new_code[code] = len(levels) if known else MISSING
        if known:
            levels.append(str(value) if declared is None else declared(value))
    if len(levels) < len(new_code):
        codes = new_code[codes]
    return NominalColumn(name, codes, tuple(levels), origin=origin, by_appearance=declared is None)


def nominal_from_strings(name: str, values: Sequence[Any]) -> NominalColumn:
    return nominal_from(name, values, origin="strings")


def nominal_from_booleans(name: str, values: Sequence[Any]) -> NominalColumn:
    """False before True, whichever comes first in the rows."""
    column = nominal_from(name, values, origin="booleans", declared=bool)
    return column if column.levels != (True, False) else column.recoded(np.array([1, 0]))


def numbers_from(name: str, values: Sequence[Any]) -> NumericColumn:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):  # pandas' NA, or masked
        plain = [np.nan if is_missing_value(value) else value for value in values]
        numbers = np.array([float(value) for value in plain], dtype=np.float64)
    except OverflowError:
        refuse_too_large(name, values)
        raise
    warn_of_rounded_cells(numbers, values, [name])
    return NumericColumn(name, numbers, origin="numbers")


def refuse_too_large(name: str, values: Sequence[Any]) -> None:
    """Raise for the first number that no float can hold, if there is one."""
    for row, value in enumerate(values):
        if is_too_large(value):
            n_digits = math.floor(math.log10(int(abs(value)))) + 1  # str() stops at 4300 of them
            raise DataError(
                f"column `{name}`, row {row}: a number of {n_digits} digits is out of range "
                "for a 64-bit float"
            ) from None


def is_too_large(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False
    return False


def dates_from(name: str, values: Sequence[Any]) -> NumericColumn:
    """Dates count days; moments count microseconds (nanoseconds where the source has them)."""
    moments = [None if is_missing_value(value) else as_moment(value) for value in values]
    return numeric_from_dates(name, np.array(moments, dtype="datetime64"), origin="dates")


def as_moment(value: Any) -> np.datetime64:
    """A date or a moment; one with a time zone in universal time."""
    if isinstance(value, dt.datetime):
        if hasattr(value, "to_datetime64"):  # pandas' Timestamp, to the nanosecond
            return value.to_datetime64()  # type: ignore[no-any-return]
        if value.tzinfo is not None:
            value = value.astimezone(dt.UTC).replace(tzinfo=None)
        return np.datetime64(value, "us")
    return np.datetime64(value)


def durations_from(name: str, values: Sequence[Any]) -> NumericColumn:
    spans = [None if is_missing_value(value) else as_span(value) for value in values]
    return numeric_from_dates(name, np.array(spans, dtype="timedelta64"), origin="durations")


def as_span(value: Any) -> np.timedelta64:
    """A duration, or a time of day as the duration since midnight."""
    if isinstance(value, dt.time):
        units = ("hour", "minute", "second", "microsecond")
        since_midnight = dt.timedelta(**{f"{unit}s": getattr(value, unit) for unit in units})
        return np.timedelta64(since_midnight, "us")
    if hasattr(value, "to_timedelta64"):
        return value.to_timedelta64()  # type: ignore[no-any-return]
    return np.timedelta64(value)


def numeric_from_dates(name: str, dates: NDArray[Any], *, origin: str) -> NumericColumn:
    """Counts of the array's own unit; years, months and weeks become days."""
    kind = "datetime64" if dates.dtype.kind == "M" else "timedelta64"
    step, size = np.datetime_data(dates.dtype)
    if step == "W" or (step in ("Y", "M") and kind == "datetime64"):
        step, size = "D", 0
    elif step not in ("D", "h", "m", "s", "ms", "us", "ns"):
        # Finer than a nanosecond, a month of no fixed length, or no unit at all.
        if not np.isnat(dates).all():
            raise DataTypeError(f"column `{name}`: values of type {dates.dtype} are not supported")
        step, size = "D", 0
    unit = f"{kind}[{step}]"
    counts = dates if size == 1 else dates.astype(unit)
    values = counts.astype(np.int64).astype(np.float64)
    values[np.isnat(dates)] = np.nan
    return NumericColumn(name, values, unit, origin=origin)


def empty_column(name: str, n_rows: int) -> NominalColumn:
    """A column without a single value: of unknown kind, so nominal without levels."""
    codes = np.full(n_rows, MISSING, dtype=np.int32)
    return NominalColumn(name, codes, (), origin="no value at all")


def raise_strange_cell(name: str, values: Sequence[Any]) -> None:
    row, value = next(
        (row, value)
        for row, value in enumerate(values)
        if kind_of_type(type(value)) in ("other", "complex")
    )
    where = f"column `{name}`, row {row}"
    if kind_of_type(type(value)) == "complex":
        raise DataTypeError(f"Complex data not supported: {where} holds {value!r}", hint=TWO_PARTS)
    hint = ONE_VALUE
    if isinstance(value, bytes | bytearray):
        hint = "decode bytes to strings first: value.decode()"
    problem = f"{where} holds a {type(value).__name__}: argument must be a string or a number"
    raise DataTypeError(problem, hint=hint)


def raise_mixed_column(name: str, values: Sequence[Any]) -> None:
    found: dict[str, tuple[int, Any]] = {}
    for row, value in enumerate(values):
        if not is_missing_value(value):
            found.setdefault(kind_of_type(type(value)), (row, value))
    (one, (row, value)), (other, (other_row, other_value)) = list(found.items())[:2]
    raise DataTypeError(
        f"column `{name}` mixes a {one} ({value!r} in row {row}) "
        f"with a {other} ({other_value!r} in row {other_row})",
        hint="make the column all strings or all numbers",
    )


# The first match counts: a bool is a number too, and so is NumPy's duration.
TYPE_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((str,), "string"),
    (BOOLEANS, "boolean"),
    ((dt.timedelta, dt.time, np.timedelta64), "duration"),
    ((complex, np.complexfloating), "complex"),
    ((Number,), "number"),  # decimals and fractions among them
    ((dt.date, np.datetime64), "date"),
)

READERS: dict[str, Callable[[str, Sequence[Any]], Column]] = {
    "string": nominal_from_strings,
    "boolean": nominal_from_booleans,
    "number": numbers_from,
    "date": dates_from,
    "duration": durations_from,
}
