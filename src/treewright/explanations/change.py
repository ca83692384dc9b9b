"""The smallest change of a row that changes its answer.

Fewest columns first, then the smallest change: of a number in parts of its column's spread, of an
ordered level in parts of the order, and 1 for any other level and for a value that was missing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import floor, inf, isfinite, isnan
from typing import Any

from treewright.data.schema import ColumnSpec
from treewright.errors import ParameterError, UnknownColumnError
from treewright.explanations.boxes import Row, any_known, exactly, holds, nearest, same
from treewright.explanations.reason import cuts_on
from treewright.explanations.search import Budget, Cost, Finder, answer_to
from treewright.explanations.words import value_of, value_text
from treewright.exports.program import Program
from treewright.tree.conditions import bound_text, plain
from treewright.tree.predict import predicted_classes
from treewright.tree.reach import Reach

MOST_BOXES = 50_000
DIRECTIONS = ("up", "down")


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What one column would have to hold."""

    column: str
    old: Any  # None: missing
    new: Any
    size: float  # in parts of the column's spread
    text: str  # such as `age from 30 to above 35.5`

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Change:
    """The smallest change that leads to another answer."""

    columns: tuple[ColumnChange, ...]
    answer: Any  # after the change
    size: float  # of all columns together

    def __str__(self) -> str:
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


def smallest_change(finder: Finder, limits: Limits, spreads: Mapping[int, float]) -> Change | None:
    """The smallest change that meets the finder's goal; None if no change does.

    Raises `SearchEnded` where too many boxes would have to be opened.
    """
    program, row = finder.program, finder.row
    start = {
        column: limits.reach(program.columns[column], column, row[column])
        for column in program.used_columns
    }
    cost = cost_for(program, row, spreads)
    found = finder.other_row(start, Budget(MOST_BOXES), cost)
    if found is None:
        return None
    other = found.row
    changed = [column for column in program.used_columns if not same(other[column], row[column])]
    columns = tuple(
        ColumnChange(
            column=program.columns[column].name,
            old=value_of(program.columns[column], row[column]),
            new=value_of(program.columns[column], other[column]),
            size=distance(program.columns[column], row[column], other[column], spreads[column]),
            text=change_text(program, column, row[column], other[column]),
        )
        for column in changed
    )
    answer = answer_of(program, other)
    return Change(columns, answer, sum((one.size for one in columns), 0.0))


def answer_of(program: Program, row: Row) -> Any:
    """The class or the number that a row is answered with."""
    values = answer_to(program, row)
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


def change_text(program: Program, column: int, old: float, new: float) -> str:
    """`age from 30 to above 35.5`: the way across a cut, not the number just behind it."""
    spec = program.columns[column]
    name, before = plain(spec.name), value_text(spec, old)
    if not spec.is_numeric:
        return f"{name} from {before} to {value_text(spec, new)}"
    cuts = cuts_on(program, column)
    at = [floor(cut) if spec.unit and isfinite(cut) else cut for cut in cuts]  # whole, if times
    if old > new or (isnan(old) and new in at):
        return f"{name} from {before} to {bound_text(spec, new)} or less"
    below = [cut for cut in cuts if cut < new]
    if not below:  # only whether there is a value matters
        return f"{name} from {before} to any value"
    return f"{name} from {before} to above {bound_text(spec, below[-1])}"


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
            f"column `{spec.name}` is nominal: its levels have no direction",
            hint="name it in immutable, if it must not change",
        )
