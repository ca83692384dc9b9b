"""Counterfactuals: the smallest change of a row that flips its prediction.

Fewest columns first, then the smallest change: of a number in parts of its column's spread, of an
ordered level in parts of the order, and 1 for any other level and for a value that was missing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf, isfinite, isnan
from typing import Any

from treewright.data.schema import ColumnSpec
from treewright.errors import ParameterError, UnknownColumnError
from treewright.explanations.boxes import (
    Box,
    Row,
    any_known,
    codes_of,
    exactly,
    holds,
    nearest,
    same,
)
from treewright.explanations.conditions import (
    ColumnCondition,
    any_of,
    condition_on,
    given_text,
    lower_bound,
    value_of,
)
from treewright.explanations.fewest import fixed
from treewright.explanations.goals import other_prediction
from treewright.explanations.reason import cuts_on, widened
from treewright.explanations.search import Budget, Cost, Finder, prediction_to
from treewright.exports.program import Program
from treewright.plain_text import plain
from treewright.result import Result
from treewright.tree.conditions import bound_text, level_text, yes_no_word
from treewright.tree.predict import predicted_classes
from treewright.tree.reach import Reach

MOST_BOXES = 50_000
MOST_BOXES_AROUND = 5_000  # opened to see how far the new values may be from the nearest
DIRECTIONS = ("up", "down")


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What one column would have to hold."""

    column: str
    old: Any  # as given; None: missing
    new: Any  # the nearest value that will do
    size: float  # in parts of the column's spread
    to: ColumnCondition  # all values around the new one that lead to the same prediction
    text: str  # such as `age from 30 to above 35.5`

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class Change(Result):
    """The smallest change that flips the prediction."""

    columns: tuple[ColumnChange, ...]
    prediction: Any  # after the change
    size: float  # of all columns together

    def to_text(self) -> str:
        """What would have to change, on one line."""
        return " and ".join(map(str, self.columns))


@dataclass(frozen=True, slots=True)
class Limits:
    """What may change, by position of the column."""

    immutable: frozenset[int] = frozenset()
    directions: Mapping[int, str] | None = None

    @classmethod
    def of(
        cls, program: Program, immutable: Collection[str] | str, directions: Mapping[str, str]
    ) -> "Limits":
        """The limits by names of columns; what does not fit is an error."""
        names = [immutable] if isinstance(immutable, str) else list(immutable)
        found = {_position(program, name): way for name, way in directions.items()}
        for column, way in found.items():
            _check_direction(program.columns[column], way)
        return cls(frozenset(_position(program, name) for name in names), found)

    def kept(self, program: Program) -> tuple[str, ...]:
        """The names of the immutable columns, in the order of the table."""
        return tuple(program.columns[column].name for column in sorted(self.immutable))

    def reach(self, spec: ColumnSpec, column: int, value: float) -> Reach:
        """What a column may hold after a change, the row's own value included."""
        own = exactly(spec, value)
        if column in self.immutable:
            return own
        anything = any_known(spec)
        way = (self.directions or {}).get(column)
        if way and not isnan(value) and value >= 0 and not spec.is_numeric:
            below = (1 << int(value)) - 1
            levels = anything.levels & (~below if way == "up" else below)
            return replace(anything, levels=levels | own.levels)
        if way and not isnan(value) and spec.is_numeric:
            up = way == "up"
            return replace(anything, low=value) if up else replace(anything, high=value)
        return replace(anything, missing=own.missing, unseen=own.unseen)


def smallest_change(
    finder: Finder, limits: Limits, spreads: Mapping[int, float], given: Mapping[str, Any]
) -> Change | None:
    """The smallest change that meets the finder's goal; None if no change does.

    Raises `SearchEnded` where too many boxes would have to be opened.
    """
    program, row = finder.program, finder.row
    start = {
        column: limits.reach(program.columns[column], column, row[column])
        for column in program.used_columns
    }
    found = finder.other_row(start, Budget(MOST_BOXES), cost_for(program, row, spreads))
    if found is None:
        return None
    changed = [one for one in program.used_columns if not same(found.row[one], row[one])]
    goal = other_prediction(program.tree, prediction_to(program, found.row))
    box = around(replace(finder, row=found.row, goal=goal), changed)
    columns = []
    for column in changed:
        spec, old, new = program.columns[column], row[column], found.row[column]
        reach = within(box[column], start[column])
        before = given_text(spec, old, given, cuts_on(program, column))
        columns.append(
            ColumnChange(
                column=spec.name,
                old=given[spec.name],
                new=value_of(spec, new),
                size=distance(spec, old, new, spreads[column]),
                to=condition_on(spec, reach),
                text=f"{plain(spec.name)} from {before} to {after_text(spec, reach, old, new)}",
            )
        )
    size = sum((one.size for one in columns), 0.0)
    return Change(tuple(columns), prediction_of(program, found.row), size)


def around(finder: Finder, columns: list[int]) -> Box:
    """All rows with the same prediction that differ from the finder's in these columns only."""
    box = fixed(finder, finder.program.used_columns)
    budget = Budget(MOST_BOXES_AROUND)
    for column in columns:
        box, _ = widened(finder, box, column, budget.half())
    return box


def within(reach: Reach, allowed: Reach) -> Reach:
    """What is in both of two reaches, of values that are known."""
    low, high = max(reach.low, allowed.low), min(reach.high, allowed.high)
    return Reach(low, high, reach.levels & allowed.levels, missing=False)


def prediction_of(program: Program, row: Row) -> Any:
    """The class or the number that is predicted for a row."""
    values = prediction_to(program, row)
    if program.classes is None:
        return float(values[0])
    return program.classes[int(predicted_classes(program.tree, values[None])[0])]


def cost_for(program: Program, row: Row, spreads: Mapping[int, float]) -> Cost:
    """What it costs at least to bring a column of the row into a reach."""

    def cost(column: int, reach: Reach) -> float | None:
        spec, value = program.columns[column], row[column]
        if holds(spec, reach, value):
            return None
        return distance(spec, value, nearest(spec, reach, value), spreads[column])

    return cost


def distance(spec: ColumnSpec, old: float, new: float, spread: float) -> float:
    """How far a value is from another."""
    if isnan(old) or isnan(new):
        return 0.0 if isnan(old) and isnan(new) else 1.0
    if spec.is_numeric:
        return 0.0 if old == new else abs(new - old) / spread
    if spec.kind == "ordered" and old >= 0 and new >= 0:
        return abs(new - old) / max(len(spec.levels) - 1, 1)
    return 0.0 if old == new else 1.0


def spreads_of_tree(program: Program, row: Row) -> dict[int, float]:
    """The range of a column's numbers as far as the tree knows it: of its cuts and the row."""
    spreads = {}
    for column in program.used_columns:
        known = [*cuts_on(program, column), row[column]]
        finite = [number for number in known if isfinite(number)]
        is_numeric = program.columns[column].is_numeric and bool(finite)
        spread = max(finite) - min(finite) if is_numeric else 1.0
        spreads[column] = spread if 0 < spread < inf else 1.0
    return spreads


def after_text(spec: ColumnSpec, reach: Reach, old: float, new: float) -> str:
    """`above 35.5`: across a cut, not to the number just behind it."""
    if not spec.is_numeric:
        nearest_first = sorted(codes_of(reach), key=lambda code: code != new)
        return any_of([level_text(spec.levels[code]) for code in nearest_first])
    if reach.low == -inf and reach.high == inf:  # only whether there is a value matters
        return "any value"
    low = None if reach.low == -inf else lower_bound(spec, reach)
    if word := yes_no_word(spec, low, None if reach.high == inf else reach.high):
        return word
    below, high = bound_text(spec, lower_bound(spec, reach)), bound_text(spec, reach.high)
    is_strict = spec.comparison.strict
    at_most = f"less than {high}" if is_strict else f"{high} or less"
    at_least = f"{below} or more" if is_strict else f"above {below}"
    if reach.low == -inf:
        return at_most
    if reach.high == inf:
        return at_least
    if new < old:  # the bound that is crossed comes first
        return f"{at_most}, {at_least}"
    return f"{at_least}, {at_most}" if is_strict else f"above {below}, up to {high}"


def _position(program: Program, name: str) -> int:
    names = program.tree.schema.names
    if name not in names:
        raise UnknownColumnError.among(str(name), names, source="the model")
    return names.index(name)


def _check_direction(spec: ColumnSpec, way: str) -> None:
    if way not in DIRECTIONS:
        near = get_close_matches(str(way), DIRECTIONS, n=1)
        raise ParameterError(
            f"directions={{{spec.name!r}: {way!r}}} is not one of up, down",
            hint=f"did you mean `{near[0]}`?" if near else 'write "up" or "down"',
        )
    if spec.kind == "nominal":
        raise ParameterError(
            f"column `{spec.name}` is nominal: its categories have no direction",
            hint="add it to immutable if it must not change",
        )
