"""Values of rows and centres as tables show them."""

import math

from treewright.data.column import NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.tree.conditions import bound_text, number_text
from treewright.worksheets.digits import Digits

HOLE = "?"


def centre_text(spec: ColumnSpec, number: float, digits: Digits | None = None) -> str:
    """A mean, a date, or the level of a code.

    >>> centre_text(ColumnSpec("day", "numeric", unit="datetime64[D]"), 19000.5)
    '2022-01-08'
    """
    if math.isnan(number) or not (spec.is_numeric or spec.levels):
        return HOLE
    if not spec.is_numeric or spec.unit:
        return bound_text(spec, number)
    if digits is None:
        return number_text(number)
    return digits.weight(number) if number >= 0 else digits.text(number)


def value_text(
    table: Table, spec: ColumnSpec, at: int, row: int, digits: Digits | None = None
) -> str:
    """A value of a row."""
    column = table.columns[at]
    if isinstance(column, NumericColumn):
        return centre_text(spec, float(column.values[row]), digits)
    return HOLE if column.codes[row] < 0 else str(column.levels[column.codes[row]])
