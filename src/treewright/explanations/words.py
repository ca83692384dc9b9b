"""Values and shares as people read them."""

from math import isnan
from typing import Any

import numpy as np

from treewright.data.column import UNSEEN, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.tree.conditions import LONGEST_COUNT, number_text, plain, time_text


def value_of(spec: ColumnSpec, value: float) -> Any:
    """A value as the user's table holds it; None if it is missing or unseen."""
    if isnan(value):
        return None
    if spec.is_numeric:
        return NumericColumn(spec.name, np.array([value]), spec.unit).value(0)
    return None if value == UNSEEN else spec.levels[int(value)]


def value_text(spec: ColumnSpec, value: float) -> str:
    """A value in words."""
    if isnan(value):
        return "missing"
    if not spec.is_numeric:
        return (
            "a level unseen in training" if value == UNSEEN else plain(str(value_of(spec, value)))
        )
    if spec.unit and abs(value) < LONGEST_COUNT:
        return time_text(int(value), spec.unit)
    return number_text(value)


def percent(share: float) -> str:
    """`66.7 %`, `100 %`."""
    return f"{number_text(100 * share, 1)} %"
