"""Rows that tell a step from one that is a little wrong.

A wrong comparison sends a row to a rival of the child it belongs to, or on to the surrogates after
it. That shows only if the row gets another answer there. So the later surrogates vote for the
rival, and the columns asked further down have values by which the two children answer differently.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.cached import cached_property
from treewright.exports.program import (
    Cuts,
    Levels,
    Program,
    Question,
    Step,
    WeightedSum,
    children_of,
    columns_of,
)

MOST_LEAVES = 4  # of different answers, kept for each node
NAN = float("nan")

# A row: column -> value, where it differs from the default; a number, or the code of a level.
Row = dict[int, float]


@dataclass(frozen=True, slots=True)
class Reach:
    """How a node is reached: values that lead there, and the room they have."""

    values: Row = field(default_factory=dict)
    bounds: dict[int, tuple[float, float]] = field(default_factory=dict)  # low < value <= high
    levels: dict[int, tuple[int, ...]] = field(default_factory=dict)  # codes that lead there

    def with_value(self, column: int, value: float) -> Row:
        return {**self.values, column: value}


@dataclass(frozen=True, slots=True)
class Trial:
    """A value to try for one of the questions of a step, those before it unknown."""

    step: Step
    reach: Reach
    place: int  # of the question among `step.questions`
    change: Row


class Teller:
    """Makes rows out of trials."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.steps = [program.step(node) for node in range(program.tree.n_nodes)]
        self.row_to: dict[int, Row] = {}  # leaf -> values that lead there

    @cached_property
    def parent(self) -> list[int]:
        parents = [-1] * len(self.steps)
        for step in filter(None, self.steps):
            for child in step.children:
                parents[child] = step.node
        return parents

    @cached_property
    def leaves_below(self) -> list[dict[Any, int]]:
        """For each node: answer -> a leaf below that gives it."""
        found: list[dict[Any, int]] = [{} for _ in self.steps]
        for node in reversed(range(len(self.steps))):
            if node in self.row_to:
                found[node] = {self.answer(node): node}
            above = found[self.parent[node]] if node else {}
            for answer, leaf in found[node].items():
                if len(above) < MOST_LEAVES:
                    above.setdefault(answer, leaf)
        return found

    def answer(self, node: int) -> Any:
        if self.program.classes is not None:
            return self.program.label(node)
        return self.program.answers[node, 0]

    def row(self, trial: Trial) -> Row:
        """The row of a trial, so that a wrong way out of the step shows in the answer."""
        step, questions = trial.step, trial.step.questions
        tried = questions[trial.place]
        kept = dict.fromkeys((columns_of(q)[0] for q in questions[: trial.place]), NAN)
        kept |= trial.change
        values = {**trial.reach.values, **kept}
        child = chosen(self.program, tried, values)
        if child is None:
            return values
        rival = rival_of(tried, child)
        for later in questions[trial.place + 1 :]:
            column = columns_of(later)[0]
            vote = value_for(self.program, later, rival, trial.reach)
            if vote is not None and column not in kept:
                kept[column] = vote
        kept |= self.steered(step.node, {**values, **kept}, kept, trial.reach)
        return self.told_apart(child, rival, {**values, **kept}, kept)

    def steered(self, node: int, values: Row, kept: Row, reach: Reach) -> Row:
        """What must change for a row to reach a node in spite of the values kept.

        Where a value that is missing is asked further up too, surrogates there lead the way.
        """
        changed: Row = {}
        for step, child in self.path_to(node):
            for question in step.questions:
                if taken(self.program, step, values | changed) == child:
                    break
                column = columns_of(question)[0]
                vote = value_for(self.program, question, child, reach)
                if vote is not None and column not in kept:
                    changed[column] = vote
        return changed

    def path_to(self, node: int) -> list[tuple[Step, int]]:
        path: list[tuple[Step, int]] = []
        while node:
            step = self.steps[self.parent[node]]
            assert step is not None
            path.append((step, node))
            node = step.node
        return path[::-1]

    def told_apart(self, child: int, rival: int, values: Row, kept: Row) -> Row:
        """The row, or one like it, that gets different answers from two children."""
        leaves = (*self.leaves_below[rival].values(), *self.leaves_below[child].values())
        others: Iterator[Row] = ({**self.row_to[leaf], **kept} for leaf in leaves)
        second_best = values
        for row in (values, *others):
            ends = self.end_of(child, row), self.end_of(rival, row)
            if self.answer(ends[0]) != self.answer(ends[1]):
                return row
            if not np.array_equal(*self.program.answers[list(ends)]):
                second_best = row
        return second_best

    def end_of(self, node: int, values: Row) -> int:
        """The node that answers; of a row that is spread, the first of them."""
        while (step := self.steps[node]) is not None:
            below = taken(self.program, step, values)
            if below is None:
                break
            node = below
        return node


def taken(program: Program, step: Step, values: Row) -> int | None:
    """The child that a row goes to; None if the node itself answers."""
    child = chosen(program, step.question, values)
    if child is None and step.unseen is not None:
        (column,) = columns_of(step.question)
        if values.get(column, 0.0) >= len(program.columns[column].levels):
            return step.unseen
    for surrogate in step.surrogates:
        if child is not None:
            break
        child = chosen(program, surrogate, values)
    if child is None and step.missing:
        return step.missing[0][0]
    return child


def chosen(program: Program, question: Question, values: Row) -> int | None:
    """The child that a question leads to; None where its value is not known."""
    if isinstance(question, WeightedSum):
        total = sum_of(question, values)
        if any(math.isnan(values.get(column, 0.0)) for column, _ in question.terms):
            return None
        return question.children[0 if total <= question.threshold else 1]
    spec = program.columns[question.column]
    value = values.get(question.column, 0.0)
    if math.isnan(value) or (not spec.is_numeric and value >= len(spec.levels)):
        return None
    if isinstance(question, Levels):
        return question.child_of.get(int(value), question.otherwise)
    return question.children[bisect_left(question.cuts, value)]


def sum_of(question: WeightedSum, values: Row) -> float:
    total = 0.0
    for column, weight in question.terms:
        total += weight * values.get(column, 0.0)
    return total


def rival_of(question: Question, child: int) -> int:
    """The child that a wrong comparison would take: the next, of the last the one before."""
    children = children_of(question)
    at = children.index(child)
    return children[at + 1 if at + 1 < len(children) else at - 1]


def value_for(program: Program, question: Question, child: int, reach: Reach) -> float | None:
    """A value that leads to the child and lets a row reach the node; None if there is none."""
    if isinstance(question, WeightedSum) or child not in children_of(question):
        return None
    spec = program.columns[question.column]
    if isinstance(question, Cuts) and spec.is_numeric:
        edges = (-math.inf, *question.cuts, math.inf)
        at = question.children.index(child)
        low, high = reach.bounds.get(question.column, (-math.inf, math.inf))
        bounds = max(low, edges[at]), min(high, edges[at + 1])
        return value_between(*bounds, is_whole=bool(spec.unit))
    codes = reach.levels.get(question.column, tuple(range(len(spec.levels))))
    values = map(float, codes)
    column = question.column
    return next((v for v in values if chosen(program, question, {column: v}) == child), None)


def value_between(low: float, high: float, *, is_whole: bool) -> float | None:
    """A plain number with low < number <= high; None if there is none."""
    if not low < high:
        return None
    if math.isinf(low):
        value = high - 1.0 if math.isfinite(high) else 0.0
        if not value <= high or math.isinf(value):
            value = high
    elif math.isinf(high):
        value = low + 1.0 if low + 1.0 > low else math.nextafter(low, math.inf)
    else:
        value = low + (high - low) / 2
        value = value if low < value <= high else high
    if not is_whole:
        return value
    value = math.floor(value)
    if not low < value:
        value = math.floor(high) if math.isfinite(high) else math.floor(low) + 1.0
    return value if low < value <= high else None
