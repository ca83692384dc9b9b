"""Rows that distinguish a step from one that is slightly wrong.

A wrong comparison sends a row to a rival of the right child, or on to the next surrogates. That
shows only if the row gets another prediction there. So later surrogates vote for the rival, and
the columns asked further down have values for which the two children predict differently.
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

MAX_LEAVES = 4  # with different predictions, stored for each node
NAN = float("nan")

# A row: column -> value (a number, or the code of a level); 0 for columns not listed.
Row = dict[int, float]


@dataclass(frozen=True, slots=True)
class Reach:
    """How a node is reached: values that lead there, and the range they may vary in."""

    values: Row = field(default_factory=dict)
    bounds: dict[int, tuple[float, float]] = field(default_factory=dict)  # low < value <= high
    levels: dict[int, tuple[int, ...]] = field(default_factory=dict)  # codes that lead there

    def with_value(self, column: int, value: float) -> Row:
        return {**self.values, column: value}


@dataclass(frozen=True, slots=True)
class Probe:
    """A value to try for one question of a step; the values of the questions before are missing."""

    step: Step
    reach: Reach
    place: int  # of the question in `step.questions`
    change: Row


class RowMaker:
    """Makes rows from probes."""

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
        """For each node: prediction -> a leaf below that makes it."""
        found: list[dict[Any, int]] = [{} for _ in self.steps]
        for node in reversed(range(len(self.steps))):
            if node in self.row_to:
                found[node] = {self.prediction(node): node}
            above = found[self.parent[node]] if node else {}
            for prediction, leaf in found[node].items():
                if len(above) < MAX_LEAVES:
                    above.setdefault(prediction, leaf)
        return found

    def prediction(self, node: int) -> Any:
        if self.program.classes is not None:
            return self.program.label(node)
        return self.program.node_values[node, 0]

    def row(self, probe: Probe) -> Row:
        """The row of a probe, so that a wrong way out of the step shows in the prediction."""
        step, questions = probe.step, probe.step.questions
        tried = questions[probe.place]
        kept = dict.fromkeys((columns_of(q)[0] for q in questions[: probe.place]), NAN)
        kept |= probe.change
        values = {**probe.reach.values, **kept}
        child = child_by_question(self.program, tried, values)
        if child is None:
            return values
        rival = rival_of(tried, child)
        for later in questions[probe.place + 1 :]:
            column = columns_of(later)[0]
            vote = value_for(self.program, later, rival, probe.reach)
            if vote is not None and column not in kept:
                kept[column] = vote
        kept |= self.changes_to_reach(step.node, {**values, **kept}, kept, probe.reach)
        return self.distinguishing_row(child, rival, {**values, **kept}, kept)

    def changes_to_reach(self, node: int, values: Row, kept: Row, reach: Reach) -> Row:
        """What must change for a row to reach a node despite the values that are kept.

        If a missing value is also asked further up, surrogates there lead the way.
        """
        changed: Row = {}
        for step, child in self.path_to(node):
            for question in step.questions:
                if child_of(self.program, step, values | changed) == child:
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

    def distinguishing_row(self, child: int, rival: int, values: Row, kept: Row) -> Row:
        """The row, or one like it, for which two children predict differently."""
        leaves = (*self.leaves_below[rival].values(), *self.leaves_below[child].values())
        others: Iterator[Row] = ({**self.row_to[leaf], **kept} for leaf in leaves)
        second_best = values
        for row in (values, *others):
            ends = self.last_node(child, row), self.last_node(rival, row)
            if self.prediction(ends[0]) != self.prediction(ends[1]):
                return row
            if not np.array_equal(*self.program.node_values[list(ends)]):
                second_best = row
        return second_best

    def last_node(self, node: int, values: Row) -> int:
        """The node that predicts a row; the first of several."""
        while (step := self.steps[node]) is not None:
            below = child_of(self.program, step, values)
            if below is None:
                break
            node = below
        return node


def child_of(program: Program, step: Step, values: Row) -> int | None:
    """The child that a row goes to; None if the node itself predicts."""
    child = child_by_question(program, step.question, values)
    if child is None and step.unseen is not None:
        (column,) = columns_of(step.question)
        if values.get(column, 0.0) >= len(program.columns[column].levels):
            return step.unseen
    for surrogate in step.surrogates:
        if child is not None:
            break
        child = child_by_question(program, surrogate, values)
    if child is None and step.missing:
        return step.missing[0][0]
    return child


def child_by_question(program: Program, question: Question, values: Row) -> int | None:
    """The child that a question leads to; None if its value is missing."""
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
    """The child that a wrong comparison leads to: the next one, or the one before the last."""
    children = children_of(question)
    at = children.index(child)
    return children[at + 1 if at + 1 < len(children) else at - 1]


def value_for(program: Program, question: Question, child: int, reach: Reach) -> float | None:
    """A value that leads to the child within the reach of the node; None if there is none."""
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
    return next(
        (v for v in values if child_by_question(program, question, {column: v}) == child), None
    )


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
