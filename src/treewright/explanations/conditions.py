"""Conditions on one column: for people in words, for programs as bounds and levels."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan, nextafter
from typing import Any

import numpy as np

from treewright.data.column import UNSEEN, NumericColumn
from treewright.data.formats import PLAIN, Format
from treewright.data.printed_thresholds import text_among
from treewright.data.schema import ColumnSpec
from treewright.explanations.boxes import codes_of
from treewright.plain_text import number_text, percent, plain
from treewright.tree.conditions import (
    LONGEST_COUNT,
    asks_yes_no,
    between_text,
    bound_text,
    condition_text,
    cut_text,
    level_text,
    levels_of_child,
    time_text,
)
from treewright.tree.layout import BRANCHES, SUBSET
from treewright.tree.reach import Reach
from treewright.tree.tree import Tree

MOST_LEVELS = 8  # named one by one


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
            "a category unseen in training"
            if value == UNSEEN
            else level_text(value_of(spec, value))
        )
    if spec.yes_no and value in (0, 1):
        return level_text(bool(value))
    if spec.unit and abs(value) < LONGEST_COUNT:
        return spec.format.time_text(int(value), spec.unit) or time_text(int(value), spec.unit)
    text = text_among(value, np.nextafter(np.array(thresholds, dtype=np.float64), np.inf))
    return spec.format.bound_text(value, text)


def given_text(
    spec: ColumnSpec, value: float, given: Mapping[str, Any], thresholds: Sequence[float]
) -> str:
    """A value of the row in words; levels that training has not seen as they were given."""
    is_known = not (isnan(value) or (value == UNSEEN and not spec.is_numeric))
    own = given.get(spec.name)
    return value_text(spec, value, thresholds) if is_known or own is None else label(own)


def label(prediction: Any, form: Format = PLAIN) -> str:
    """A class, a number or a time on one line; numbers of the target in its format."""
    if isinstance(prediction, np.datetime64 | np.timedelta64):
        return time_text(int(prediction.astype(np.int64)), prediction.dtype.name)
    if isinstance(prediction, int | float) and form != PLAIN:
        return form.value_text(prediction)
    return number_text(prediction) if isinstance(prediction, float) else plain(str(prediction))


def chance_text(prediction: Any, probabilities: Mapping[Any, float]) -> str:
    """The probability of a predicted class in parentheses; "" for numbers.

    >>> chance_text("no", {"no": 0.2, "yes": 0.8})
    ' (20 %; the misclassification costs decide for it)'
    """
    likely = probabilities.get(prediction)
    if likely is None:
        return ""
    by_costs = "; the misclassification costs decide for it"
    return f" ({percent(likely)}{by_costs if likely < max(probabilities.values()) else ''})"


def cell_text(spec: ColumnSpec, value: Any) -> str:
    """A value that a row was given in a column, as the training table wrote it."""
    if value is None:
        return "missing"
    if isinstance(value, bool) or (spec.yes_no and value in (0, 1)):
        return level_text(bool(value))
    text = label(value)
    return spec.format.bound_text(value, text) if isinstance(value, float) else text


def shown_value(tree: Tree, node: int, value: str) -> str:
    """The value that led to a node, in words; 0 and 1 are no and yes where the node above asks."""
    parent = int(tree.parent[node])
    is_word = parent >= 0 and asks_yes_no(tree, parent)
    return {"0": "no", "1": "yes"}.get(value, value) if is_word else value


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
    shown = ", ".join(level_text(level) for level in levels[:MOST_LEVELS])
    more = len(levels) - MOST_LEVELS
    return f"{{{shown} and {more} more}}" if more > 0 else f"{{{shown}}}"


def any_of(words: Collection[str]) -> str:
    """One of several things.

    >>> any_of(["red"]), any_of(["red", "blue"]), any_of("abcde")
    ('red', 'red or blue', 'a (or 4 other categories)')
    """
    first, *others = words
    if len(others) > 2:
        return f"{first} (or {len(others)} other categories)"
    return " or ".join([", ".join([first, *others[:-1]]), *others[-1:]])


def counted(number: int, word: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class ColumnCondition:
    """What one column has to hold."""

    column: str
    text: str  # such as `9.5 < age <= 47`, `married = yes`; of many levels only some are named
    above: Any  # the number or date that the value is above; None: there is no such bound
    up_to: Any  # the number or date that it is not above
    levels: tuple[Any, ...] | None  # all levels that will do; None for numbers and missing values
    is_unknown: bool = False  # whether the value has to be missing, or unseen in training

    def __str__(self) -> str:
        return self.text


def condition_on(spec: ColumnSpec, reach: Reach) -> ColumnCondition:
    """The condition that a column holds what may come."""
    if reach.low <= reach.high:
        above = value_of(spec, lower_bound(spec, reach)) if reach.low > -inf else None
        up_to = value_of(spec, reach.high) if reach.high < inf else None
        return ColumnCondition(spec.name, _bounds_text(spec, reach), above, up_to, None)
    if reach.levels:
        codes = codes_of(reach)
        levels = tuple(spec.levels[code] for code in codes)
        return ColumnCondition(spec.name, _levels_text(spec, codes), None, None, levels)
    what = "missing" if reach.missing else "unseen in training"
    text = f"{plain(spec.name)} {what}"
    return ColumnCondition(spec.name, text, None, None, None, is_unknown=True)


def lower_bound(spec: ColumnSpec, reach: Reach) -> float:
    """The number just below the reach: the cut that it is above."""
    return reach.low - 1 if spec.unit else nextafter(reach.low, -inf)


def _bounds_text(spec: ColumnSpec, reach: Reach) -> str:
    low = None if reach.low == -inf else lower_bound(spec, reach)
    return cut_text(spec, low, None if reach.high == inf else reach.high)


def _levels_text(spec: ColumnSpec, codes: list[int]) -> str:
    """`= red`, `in {red, blue}` or `not in {green}`, whichever is shorter; `known` if all are."""
    name, own = plain(spec.name), set(codes)
    others = [level for code, level in enumerate(spec.levels) if code not in own]
    if not others:
        return f"{name} known"
    if len(codes) == 1:
        return f"{name} = {level_text(spec.levels[codes[0]])}"
    first, last = codes[0], codes[-1]
    if spec.kind == "ordered" and last - first == len(codes) - 1:
        above = bound_text(spec, first - 1) if first else ""
        up_to = bound_text(spec, last) if last + 1 < len(spec.levels) else ""
        return between_text(name, above, up_to)
    if len(codes) <= len(others):
        return f"{name} in {listed([spec.levels[code] for code in codes])}"
    if len(others) == 1:
        return f"{name} is not {level_text(others[0])}"
    return f"{name} not in {listed(others)}"


def way_text(tree: Tree, node: int) -> str:
    """The condition that leads to a node from the one above, many levels cut short; "" at the root.

    The tree's own text names all levels, and there may be thousands.
    """
    parent = int(tree.parent[node])
    if parent < 0:
        return ""
    child = node - int(tree.first_child[parent])
    if tree.kind[parent] in (BRANCHES, SUBSET):
        levels = levels_of_child(tree, parent, child)
        if len(levels) > MOST_LEVELS:
            return f"{plain(tree.schema.columns[tree.feature[parent]].name)} in {listed(levels)}"
    return condition_text(tree, parent, child)
