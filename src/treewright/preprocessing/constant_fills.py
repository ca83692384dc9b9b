"""Constants that replace the missing values of each column, from `fill_value`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.column import Column, Level, NominalColumn, NumericColumn, split_unit
from treewright.data.fill_statistics import Fill
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import ParameterError, TreewrightError, UnknownColumnError

NUMBER, WORD = 0.0, "missing"  # by default
TYPES = {"string": str, "boolean": bool, "integer": int}


def constant_fills(table: Table, given: Any) -> dict[str, Fill]:
    """What replaces the missing values of each column, checked against its type.

    >>> from treewright.data.sources import table_from
    >>> constant_fills(table_from({"age": [1.0, None], "town": ["Ulm", None]}), None)
    {'age': 0.0, 'town': 'missing'}
    """
    if isinstance(given, Mapping):
        pairs = [(named_column(table, name), value) for name, value in given.items()]
        return {column.name: checked_fill(column, value, named=True) for column, value in pairs}
    fills = {}
    for column in table.columns:
        default = NUMBER if isinstance(column, NumericColumn) else WORD
        value = default if given is None else plain_value(given)
        if fits(column, value):
            fills[column.name] = checked_fill(column, value, named=False)
        elif column.n_missing and given is None:
            raise ParameterError(
                f"column `{column.name}` holds {content_of(column)}, so it cannot hold {WORD!r}",
                hint=f"fill_value={{'{column.name}': ...}} replaces its missing values",
            )
    if not fills and given is not None and table.n_columns:
        raise ParameterError(
            f"fill_value={given!r} fits no column of the table",
            hint="use a number for numbers, a text for categories, or a dict from column to value",
        )
    return fills


def named_column(table: Table, name: Any) -> Column:
    if isinstance(name, int) and not isinstance(name, bool) and 0 <= name < table.n_columns:
        return table.columns[name]
    if name not in table.names:
        raise UnknownColumnError.among(str(name), table.names, source="the table")
    return table.columns[table.position(name)]


def fits(column: Column, value: Any) -> bool:
    """Whether the column can hold the value."""
    if isinstance(column, NumericColumn):
        if column.unit:
            return counted_in_units(column, value) is not None
        return is_plain_number(value)
    if not column.levels:
        return isinstance(value, str)
    kind = TYPES[column.level_type]
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def is_plain_number(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return False
    return not np.isnan(float(value))


def plain_value(value: Any) -> Any:
    """A NumPy number or text as a Python value; dates and durations as they are."""
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    return value


def counted_in_units(column: NumericColumn, value: Any) -> float | None:
    """A date or a duration in the units of the column; None for anything else."""
    if value is None or isinstance(value, int | float | str):
        return None
    try:
        (held,) = table_from({column.name: [value]}).columns
    except TreewrightError:
        return None
    if not isinstance(held, NumericColumn) or np.isnan(held.values[0]):
        return None
    if split_unit(held.unit)[0] != split_unit(column.unit)[0]:
        return None
    return float(held.to_numpy().astype(column.unit).astype(np.int64)[0])


def checked_fill(column: Column, value: Any, *, named: bool) -> Fill:
    """The value as the column holds it."""
    value = plain_value(value)
    if named and not fits(column, value):
        raise ParameterError(
            f"fill_value of `{column.name}` is {value!r}, the column holds {content_of(column)}",
            hint="give a value of the column's own kind",
        )
    if isinstance(column, NumericColumn):
        count = counted_in_units(column, value)
        return float(value) if count is None else count
    level: Level = value
    return level


def content_of(column: Column) -> str:
    """What a column holds, for messages."""
    if isinstance(column, NumericColumn):
        return "dates or durations" if column.unit else "numbers"
    assert isinstance(column, NominalColumn)
    return {"string": "text", "boolean": "True and False", "integer": "whole numbers"}.get(
        column.level_type, "no values"
    )
