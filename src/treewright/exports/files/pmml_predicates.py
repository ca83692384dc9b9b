"""Conditions of PMML nodes: plain predicates joined by and / or.

A comparison with a missing value is unknown. That counts as not true where a child is chosen, and
"unknown or true" is true. So predicates that ask for missing values handle them, and no strategy of
the evaluator is needed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Level
from treewright.data.schema import ColumnSpec
from treewright.errors import ExportError
from treewright.exports.files.walk import Walk, walk_of_spread
from treewright.exports.files.xml_text import element, escaped, opening
from treewright.exports.program import (
    Cuts,
    Program,
    Question,
    Step,
    WeightedSum,
    levels_by_child,
)

TRUE = "<True/>"
FALSE = "<False/>"

# Texts that need no quotes in an array; evaluators differ in how they read quotes.
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
            hint="train with strings instead of such integers",
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
        """When a whole row goes to each child; children without such rows are left out."""
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
        """For each question of a step, when its value does not decide."""
        own = self.is_unknown(step.question, takes_unseen=step.unseen is not None)
        return [own, *(self.is_unknown(one, takes_unseen=False) for one in step.surrogates)]

    def of_step(self, walk: Walk, step: int) -> dict[int, str]:
        """When a row goes from a step of a walk to each other step."""
        column, bound = int(walk.column[step]), float(walk.bound[step])
        n_columns = len(self.program.columns)
        is_sum = column >= n_columns
        field = self.sums[walk.sums[column - n_columns]] if is_sum else self.fields[column]
        if not is_sum and not self.program.columns[column].is_numeric:
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
        """When a level is one of the first `n_low`, and when it is another one or unseen."""
        field, spec = self.fields[column], self.program.columns[column]
        low, rest = spec.levels[:n_low], spec.levels[n_low:]
        if self.program.unseen == "majority" or not rest:
            return among(field, spec, low), among(field, spec, low, operator="isNotIn")
        return self.among(column, low), self.among(column, rest)

    def ways(self, question: Question) -> dict[int, str]:
        """Child -> when the value is known and leads there."""
        field = self.field(question)
        if isinstance(question, WeightedSum):
            question = Cuts(-1, (question.threshold,), question.children)
        elif not self.program.columns[question.column].is_numeric:
            groups = levels_by_child(question, self.program.columns[question.column])
            return {child: self.among(question.column, own) for child, own in groups.items()}
        assert isinstance(question, Cuts)
        ways: dict[int, str] = {}
        for at, child in enumerate(question.children):
            ways[child] = any_of([ways.get(child, FALSE), between(field, question.cuts, at)])
        return ways

    def is_unknown(self, question: Question, *, takes_unseen: bool) -> str:
        """When the value is missing, or a level that does not decide."""
        field = self.field(question)
        missing = compared(field, "isMissing")
        if isinstance(question, WeightedSum) or self.program.columns[question.column].is_numeric:
            return missing
        spec = self.program.columns[question.column]
        led = {level for levels in levels_by_child(question, spec).values() for level in levels}
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
        """When the value is one of these levels; by exclusion, if the other levels are fewer.

        Exclusion would include unseen levels, so it is not used if these reach the predicates.
        """
        field, spec = self.fields[column], self.program.columns[column]
        if 2 * len(levels) <= len(spec.levels) or self.program.unseen == "majority":
            return among(field, spec, levels)
        chosen = set(levels)
        others = [level for level in spec.levels if level not in chosen]
        if not others:
            return compared(field, "isNotMissing")
        return among(field, spec, others, operator="isNotIn")

    def field(self, question: Question) -> str:
        if isinstance(question, WeightedSum):
            return self.sums[question]
        return self.fields[question.column]


def between(field: str, cuts: tuple[float, ...], at: int) -> str:
    """When a number lies in interval `at` between the cuts."""
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


MAX_SPREAD_NODES = 100_000
MAX_DEPTH = 200  # XML readers stop at 256 nested elements, or overflow their stack
MAX_INDENT = 30


@dataclass(frozen=True, slots=True)
class InTree:
    """A node of the tree."""

    node: int


@dataclass(frozen=True, slots=True)
class InWalk:
    """A step of the walk of rows that were spread over several branches."""

    walk: Walk
    step: int


Position = InTree | InWalk
Below = list[tuple[Position, str]]  # with predicates


def node_lines(program: Program, predicates: Predicates) -> Iterator[str]:
    """All nodes, nested; without recursion, because trees may be deep."""
    writer = _Writer(program, predicates)
    todo: list[tuple[int, tuple[Position, str] | None]] = [(0, (InTree(0), TRUE))]
    while todo:
        depth, task = todo.pop()
        if depth > MAX_DEPTH:
            raise ExportError(
                f"PMML nests nodes, and XML readers fail if they nest over {MAX_DEPTH} deep",
                hint="`to_depth` limits the depth of a tree",
            )
        indent = " " * min(depth, MAX_INDENT)
        if task is None:
            yield f"{indent}</Node>"
            continue
        position, predicate = task
        for line in writer.start_of(position, predicate):
            yield indent + line
        todo.append((depth, None))
        todo += [(depth + 1, child) for child in reversed(writer.below(position))]


class _Writer:
    """Writes one node at a time."""

    def __init__(self, program: Program, predicates: Predicates) -> None:
        self.program = program
        self.predicates = predicates
        self.n_spread = 0

    def below(self, position: Position) -> Below:
        """The positions that a row may go to from here."""
        if isinstance(position, InWalk):
            if position.walk.prediction[position.step] >= 0:
                return []
            ways = self.predicates.of_step(position.walk, position.step)
            return [(InWalk(position.walk, after), predicate) for after, predicate in ways.items()]
        step = self.program.step(position.node)
        if step is None:
            return []
        children = self.predicates.of_children(step)
        found: Below = [(InTree(child), predicate) for child, predicate in children.items()]
        if step.splits_rows:
            walk = walk_of_spread(self.program, step.node)
            found.append((InWalk(walk, 0), all_of(self.predicates.unknown(step))))
        return found

    def start_of(self, position: Position, predicate: str) -> Iterator[str]:
        """The opening tag of a node, its predicate and its prediction."""
        tree = self.program.tree
        if isinstance(position, InTree):
            values = self.program.node_values[position.node]
            label = 0 if tree.classes is None else int(tree.node_class[position.node])
            yield self.tag(str(position.node), values, label, float(tree.weight[position.node]))
            yield predicate
            yield from self.distribution(values, tree.value[position.node])
            return
        self.n_spread += 1
        if self.n_spread > MAX_SPREAD_NODES:
            raise ExportError(
                "rows with missing values are spread over several branches; one path for each case "
                f"needs more than {MAX_SPREAD_NODES:,} PMML nodes",
                hint="prune the tree, or choose another treatment of missing values",
            )
        name = f"spread {self.n_spread}"
        prediction = int(position.walk.prediction[position.step])
        if prediction < 0:
            yield opening("Node", {"id": name})
            yield predicate
            return
        values = position.walk.values[prediction]
        label = 0 if tree.classes is None else int(position.walk.label[prediction])
        yield self.tag(name, values, label, 0.0)
        yield predicate
        yield from self.distribution(values, values)

    def tag(self, name: str, values: NDArray[np.float64], label: int, weight: float) -> str:
        classes = self.program.classes
        score: Any = float(values[0]) if classes is None else classes[label]
        attributes = {"id": name, "score": level_text(score), "recordCount": number(weight)}
        return opening("Node", attributes)

    def distribution(
        self, values: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> Iterator[str]:
        """The probability and the training weight of each class."""
        for at, label in enumerate(self.program.classes or ()):
            yield element(
                "ScoreDistribution",
                {
                    "value": level_text(label),
                    "recordCount": number(float(weights[at])),
                    "probability": number(float(values[at])),
                },
            )


def number(value: float) -> str:
    """A double without loss; whole numbers without a decimal point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
