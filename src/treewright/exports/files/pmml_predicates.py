"""Conditions of PMML nodes: plain predicates joined by and / or, true or not true for every row.

A comparison with a missing value is unknown; that counts as not true where a child is chosen, and
"unknown or true" is true. So a missing value is led by predicates that ask for it, and no strategy
of the evaluator is needed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treewright.data.column import Level
from treewright.data.schema import ColumnSpec
from treewright.errors import ExportError
from treewright.exports.files.walk import Walk
from treewright.exports.files.xml_text import element, escaped
from treewright.exports.program import (
    Cuts,
    Levels,
    Program,
    Question,
    Step,
    WeightedSum,
    as_levels,
    levels_by_child,
)

TRUE = "<True/>"
FALSE = "<False/>"

# Texts that stand in an array without quotes, in which evaluators differ.
PLAIN = re.compile(r"[^\s\"'\\,]+")


ARRAY_TYPES = {"string": "string", "integer": "int", "double": "real"}
LARGEST_INTEGER = 2**31 - 1  # of evaluators in Java
LARGEST_EXACT = 2**53  # whole numbers up to here are doubles


def data_type_of(values: Sequence[Any]) -> str:
    """The data type of levels or classes, by what the first is; doubles for large integers."""
    if not values or isinstance(values[0], str):
        return "string"
    if isinstance(values[0], bool | float):
        return "boolean" if isinstance(values[0], bool) else "double"
    largest = max(map(abs, values))
    if largest > LARGEST_EXACT:
        raise ExportError(
            f"{largest} is too large for PMML, whose evaluators know 32 bits and doubles",
            hint="train with strings in the place of such integers",
        )
    return "integer" if largest <= LARGEST_INTEGER else "double"


def any_of(predicates: Sequence[str]) -> str:
    """True if one is true."""
    if TRUE in predicates:
        return TRUE
    return joined("or", [one for one in predicates if one != FALSE], FALSE)


def all_of(predicates: Sequence[str]) -> str:
    """True if all are true."""
    if FALSE in predicates:
        return FALSE
    return joined("and", [one for one in predicates if one != TRUE], TRUE)


def joined(operator: str, predicates: Sequence[str], if_none: str) -> str:
    if len(predicates) < 2:
        return predicates[0] if predicates else if_none
    return element("CompoundPredicate", {"booleanOperator": operator}, "".join(predicates))


def compared(field: str, operator: str, value: str | None = None) -> str:
    return element("SimplePredicate", {"field": field, "operator": operator, "value": value})


def level_text(level: Level) -> str:
    if isinstance(level, bool):
        return "true" if level else "false"
    return str(level)


@dataclass(frozen=True)
class Predicates:
    """The predicates of one program."""

    program: Program
    fields: Sequence[str]  # the name of each column
    sums: dict[WeightedSum, str]  # the derived field of each sum

    def of_children(self, step: Step) -> dict[int, str]:
        """When a whole row goes to each child; a child that no such row goes to is left out."""
        ways = [self.ways(question) for question in step.questions]
        unknown = self.unknown(step)
        predicates = {}
        for child in step.children:
            arrives = TRUE if step.missing == ((child, 1.0),) else FALSE
            for leads, is_unknown in zip(reversed(ways), reversed(unknown), strict=True):
                arrives = any_of([leads.get(child, FALSE), all_of([is_unknown, arrives])])
            if step.unseen == child:
                arrives = any_of([arrives, self.is_unseen(step.question)])
            if arrives != FALSE:
                predicates[child] = arrives
        return predicates

    def unknown(self, step: Step) -> list[str]:
        """For each question of a step, when its value leads nowhere."""
        own = self.is_unknown(step.question, takes_unseen=step.unseen is not None)
        return [own, *(self.is_unknown(one, takes_unseen=False) for one in step.surrogates)]

    def of_step(self, walk: Walk, step: int) -> dict[int, str]:
        """When a row goes from a step of a walk to each other step."""
        column = int(walk.column[step])
        field = self.column_field(walk, column)
        bound = float(walk.bound[step])
        if column < len(self.program.columns) and not self.program.columns[column].is_numeric:
            low, high = self.split_levels(column, int(bound) + 1)
        else:
            low = compared(field, "lessOrEqual", repr(bound))
            high = compared(field, "greaterThan", repr(bound))
        at_most, above, missing = (
            int(way[step]) for way in (walk.at_most, walk.above, walk.missing)
        )
        ways: dict[int, list[str]] = {at_most: [low]}
        if above == at_most:
            ways = {at_most: [compared(field, "isNotMissing")]}
        else:
            ways[above] = [high]
        ways.setdefault(missing, []).append(compared(field, "isMissing"))
        return {after: any_of(predicates) for after, predicates in ways.items()}

    def split_levels(self, column: int, n_low: int) -> tuple[str, str]:
        """When a level is one of the first, and when one of the others or unseen."""
        field, spec = self.fields[column], self.program.columns[column]
        low, rest = spec.levels[:n_low], spec.levels[n_low:]
        if self.program.unseen == "majority" or not rest:
            return among(field, spec, low), among(field, spec, low, operator="isNotIn")
        return self.among(column, low), self.among(column, rest)

    def column_field(self, walk: Walk, column: int) -> str:
        n_columns = len(self.program.columns)
        return (
            self.fields[column] if column < n_columns else self.sums[walk.sums[column - n_columns]]
        )

    def ways(self, question: Question) -> dict[int, str]:
        """Child -> when the value is known and leads there."""
        field = self.field(question)
        if isinstance(question, WeightedSum):
            question = Cuts(-1, (question.threshold,), question.children)
        elif not self.program.columns[question.column].is_numeric:
            groups = self.levels_of_children(question)
            return {child: self.among(question.column, own) for child, own in groups.items()}
        assert isinstance(question, Cuts)
        ways: dict[int, str] = {}
        for at, child in enumerate(question.children):
            ways[child] = any_of([ways.get(child, FALSE), between(field, question.cuts, at)])
        return ways

    def is_unknown(self, question: Question, *, takes_unseen: bool) -> str:
        """When the value is missing, or a level that leads nowhere."""
        field = self.field(question)
        missing = compared(field, "isMissing")
        if isinstance(question, WeightedSum) or self.program.columns[question.column].is_numeric:
            return missing
        spec = self.program.columns[question.column]
        led = {level for levels in self.levels_of_children(question).values() for level in levels}
        if self.program.unseen == "majority" and not takes_unseen:
            listed = [level for level in spec.levels if level in led]
            return any_of([missing, among(field, spec, listed, operator="isNotIn")])
        lost = [level for level in spec.levels if level not in led]
        return any_of([missing, self.among(question.column, lost)]) if lost else missing

    def is_unseen(self, question: Question) -> str:
        assert not isinstance(question, WeightedSum)
        spec = self.program.columns[question.column]
        return among(self.fields[question.column], spec, spec.levels, operator="isNotIn")

    def among(self, column: int, levels: Sequence[Level]) -> str:
        """When the value is one of these levels; said by the others where those are fewer.

        Unseen levels would slip in then, so it is not done where such reach the predicates.
        """
        field, spec = self.fields[column], self.program.columns[column]
        if 2 * len(levels) <= len(spec.levels) or self.program.unseen == "majority":
            return among(field, spec, levels)
        chosen = set(levels)
        others = [level for level in spec.levels if level not in chosen]
        if not others:
            return compared(field, "isNotMissing")
        return among(field, spec, others, operator="isNotIn")

    def levels_of_children(self, question: Cuts | Levels) -> dict[int, tuple[Level, ...]]:
        spec = self.program.columns[question.column]
        if isinstance(question, Cuts):
            question = as_levels(question, spec)
        return levels_by_child(question, spec)

    def field(self, question: Question) -> str:
        if isinstance(question, WeightedSum):
            return self.sums[question]
        return self.fields[question.column]


def between(field: str, cuts: tuple[float, ...], at: int) -> str:
    """When a number lies in the interval of this number."""
    bounds = []
    if at > 0:
        bounds.append(compared(field, "greaterThan", repr(cuts[at - 1])))
    if at < len(cuts):
        bounds.append(compared(field, "lessOrEqual", repr(cuts[at])))
    return all_of(bounds) if bounds else compared(field, "isNotMissing")


def among(field: str, spec: ColumnSpec, levels: Sequence[Level], *, operator: str = "isIn") -> str:
    """When the value is one of the levels, or with "isNotIn" none of them."""
    plain: list[str] = []
    odd: list[str] = []
    data_type = data_type_of(spec.levels)
    for text in map(level_text, levels):
        is_plain = data_type != "boolean" and PLAIN.fullmatch(text)
        (plain if is_plain else odd).append(text)
    predicates = []
    if len(plain) > 1:
        kind = ARRAY_TYPES[data_type]
        array = element("Array", {"type": kind, "n": str(len(plain))}, escaped(" ".join(plain)))
        attributes = {"field": field, "booleanOperator": operator}
        predicates.append(element("SimpleSetPredicate", attributes, array))
        plain = []
    one, join = ("equal", any_of) if operator == "isIn" else ("notEqual", all_of)
    return join(predicates + [compared(field, one, text) for text in plain + odd])
