"""Constants for the holes of each column, from what the user gave."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.column import Column, Level, NominalColumn, NumericColumn
from treewright.data.filling import Fill
from treewright.data.table import Table
from treewright.errors import ParameterError, UnknownColumnError

NUMBER, WORD = 0.0, "missing"  # unless the user says otherwise
TYPES = {"string": str, "boolean": bool, "integer": int}


def constant_fills(table: Table, given: Any) -> dict[str, Fill]:
    """What is put into the holes of each column, checked: a word is no number.

    >>> from treewright.data.sources import table_from
    >>> constant_fills(table_from({"age": [1.0, None], "town": ["Ulm", None]}), None)
    {'age': 0.0, 'town': 'missing'}
    """
    if isinstance(given, Mapping):
        return {
            column.name: checked_fill(column, value, named=True)
            for column, value in (
                (named_column(table, name), value) for name, value in given.items()
            )
        }
    fills = {}
    for column in table.columns:
        value = usual_fill(column) if given is None else given
        if fits(column, value):
            fills[column.name] = checked_fill(column, value, named=False)
        elif column.n_missing and given is None:
            raise ParameterError(
                f"column `{column.name}` holds {column_words(column)}: {WORD!r} is none of them",
                hint=f"fill_value={{'{column.name}': ...}} says what to put into its holes",
            )
    if not fills and given is not None and table.n_columns:
        raise ParameterError(
            f"fill_value={given!r} fits no column of the table",
            hint="use a number for numbers, a word for words, or a dict from column to value",
        )
    return fills


def named_column(table: Table, name: Any) -> Column:
    if isinstance(name, int) and not isinstance(name, bool) and 0 <= name < table.n_columns:
        return table.columns[name]
    if name not in table.names:
        raise UnknownColumnError.among(str(name), table.names, source="the table")
    return table.columns[table.position(name)]


def usual_fill(column: Column) -> Fill:
    return NUMBER if isinstance(column, NumericColumn) else WORD


def fits(column: Column, value: Any) -> bool:
    """Whether the column can hold the value."""
    if isinstance(column, NumericColumn):
        return column.unit == "" and is_plain_number(value)
    if not column.levels:
        return isinstance(value, str)
    kind = TYPES[column.level_type]
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def is_plain_number(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return False
    return not np.isnan(float(value))


def checked_fill(column: Column, value: Any, *, named: bool) -> Fill:
    """The value as the column holds it."""
    if isinstance(value, np.generic):
        value = value.item()
    if named and not fits(column, value):
        raise ParameterError(
            f"fill_value of `{column.name}` is {value!r}, the column holds {column_words(column)}",
            hint="give a value of the column's own kind",
        )
    if isinstance(column, NumericColumn):
        return float(value)
    level: Level = value
    return level


def column_words(column: Column) -> str:
    """What a column holds, in words."""
    if isinstance(column, NumericColumn):
        return "dates or durations" if column.unit else "numbers"
    assert isinstance(column, NominalColumn)
    return {"string": "words", "boolean": "True and False", "integer": "whole numbers"}.get(
        column.level_type, "no values"
    )
