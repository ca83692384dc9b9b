"""Values, shares and lists as people read them."""

from collections.abc import Collection, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np

from treewright.data.column import UNSEEN, NumericColumn
from treewright.data.printed_thresholds import text_among
from treewright.data.schema import ColumnSpec
from treewright.plain_text import plain
from treewright.tree.conditions import LONGEST_COUNT, number_text, time_text

MOST_LEVELS = 8  # named one by one
ROUNDING = 1e-12  # of a share


def value_of(spec: ColumnSpec, value: float) -> Any:
    """A value as the user's table holds it; None if it is missing or unseen."""
    if isnan(value):
        return None
    if spec.is_numeric:
        return NumericColumn(spec.name, np.array([value]), spec.unit).value(0)
    return None if value == UNSEEN else spec.levels[int(value)]


def value_text(spec: ColumnSpec, value: float, thresholds: Sequence[float] = ()) -> str:
    """A value in words; a number in digits that show on which side of the thresholds it is."""
    if isnan(value):
        return "missing"
    if not spec.is_numeric:
        return (
            "a level unseen in training" if value == UNSEEN else plain(str(value_of(spec, value)))
        )
    if spec.unit and abs(value) < LONGEST_COUNT:
        return time_text(int(value), spec.unit)
    return text_among(value, np.nextafter(np.array(thresholds, dtype=np.float64), np.inf))


def given_text(
    spec: ColumnSpec, value: float, given: Mapping[str, Any], thresholds: Sequence[float]
) -> str:
    """A value of the row in words; levels that training has not seen as they were given."""
    is_known = not (isnan(value) or (value == UNSEEN and not spec.is_numeric))
    own = given.get(spec.name)
    return value_text(spec, value, thresholds) if is_known or own is None else label(own)


def label(answer: Any) -> str:
    """A class, a number or a time on one line."""
    if isinstance(answer, np.datetime64 | np.timedelta64):
        return time_text(int(answer.astype(np.int64)), answer.dtype.name)
    return number_text(answer) if isinstance(answer, float) else plain(str(answer))


def percent(share: float) -> str:
    """A share with one decimal, never rounded to all or nothing.

    >>> percent(2 / 3), percent(1.0), percent(0.9999), percent(0.0001)
    ('66.7 %', '100 %', 'over 99.9 %', 'under 0.1 %')
    """
    if 0.9995 <= share < 1 - ROUNDING:
        return "over 99.9 %"
    if ROUNDING < share < 0.0005:
        return "under 0.1 %"
    return f"{number_text(100 * share, 1)} %"


def distance_text(distance: float) -> str:
    """A distance with three decimals, never rounded to none at all.

    >>> distance_text(0.0), distance_text(0.00004), distance_text(0.0312)
    ('0', 'under 0.001', '0.031')
    """
    return "under 0.001" if 0 < distance < 0.001 else number_text(distance, 3)


def listed(levels: Sequence[Any]) -> str:
    """Levels in braces; of many only the first ones.

    >>> listed(["red", "blue"]), listed(range(100))
    ('{red, blue}', '{0, 1, 2, 3, 4, 5, 6, 7 and 92 more}')
    """
    shown = ", ".join(plain(str(level)) for level in levels[:MOST_LEVELS])
    more = len(levels) - MOST_LEVELS
    return f"{{{shown} and {more} more}}" if more > 0 else f"{{{shown}}}"


def any_of(words: Collection[str]) -> str:
    """One of several things.

    >>> any_of(["red"]), any_of(["red", "blue"]), any_of("abcde")
    ('red', 'red or blue', 'a (or 4 other levels)')
    """
    first, *others = words
    if len(others) > 2:
        return f"{first} (or {len(others)} other levels)"
    return " or ".join([", ".join([first, *others[:-1]]), *others[-1:]])


def counted(number: int, word: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
