"""The search for a row with another answer: the cheapest first, each box once."""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.explanations.boxes import Box, Row, nearest, ways
from treewright.explanations.goals import Float64Array, Goal, Parts
from treewright.exports.program import Program, Step
from treewright.tree.predict import predict_values

Price = tuple[int, float]
FREE: Price = (0, 0.0)


class SearchEnded(Exception):  # noqa: N818 -- no error: the one who asks is told
    """The search took more boxes than it was given."""


@dataclass
class Budget:
    """How many boxes may still be opened; counted, not timed, so that answers stay the same.

    A box whose rows are divided counts once for each part.
    """

    boxes: int

    def spend(self, boxes: int) -> None:
        self.boxes -= boxes
        if self.boxes < 0:
            raise SearchEnded


@dataclass(frozen=True)
class Finder:
    """Looks for rows with another answer than `row` has."""

    program: Program
    row: Row
    goal: Goal
    steps: dict[int, Step | None] = field(default_factory=dict)  # those met so far

    def other_row(
        self, start: Box, budget: Budget, price: Callable[[Box], Price] = lambda _: FREE
    ) -> Row | None:
        """The cheapest row of a box that meets the goal; None: there is none.

        The price of a box is what its cheapest row costs, so that no part of it costs less.
        """
        first: Parts = ((0, 1.0),)
        heap: list[tuple[Price, int, Box, Parts, Parts]] = [(price(start), 0, start, first, ())]
        serial = 0
        while heap:
            _, _, box, undecided, ended = heapq.heappop(heap)
            budget.spend(len(undecided) + len(ended))
            if not undecided:
                if (row := self._meeting_row(box, ended)) is not None:
                    return row
                continue
            for below, parts, ends in reversed(list(self._next(box, undecided, ended))):
                if self.goal.is_possible(parts, ends):
                    serial -= 1  # of equal price the latest first: down to a leaf, then the next
                    heapq.heappush(heap, (price(below), serial, below, parts, ends))
        return None

    def _next(self, box: Box, undecided: Parts, ended: Parts) -> Iterator[tuple[Box, Parts, Parts]]:
        (node, share), *others = undecided
        if node not in self.steps:
            self.steps[node] = self.program.step(node)
        step = self.steps[node]
        if step is None:
            yield box, tuple(others), (*ended, (node, share))
            return
        for below, heirs in ways(self.program, step, box):
            if heirs:
                parts = [(heir, share * part) for heir, part in heirs]
                yield below, (*parts, *others), ended
            else:
                yield below, tuple(others), (*ended, (node, share))

    def _meeting_row(self, box: Box, ended: Parts) -> Row | None:
        row = row_in(self.program, box, self.row)
        if len(ended) == 1:
            values = self.program.answers[ended[0][0]]
        else:  # by the predictor itself, whose sums decide ties
            values = answer_to(self.program, row)
        return row if self.goal.is_met(values) else None


def row_in(program: Program, box: Box, row: Row) -> Row:
    """The row of a box that is nearest to `row`."""
    values = list(row)
    for column, reach in box.items():
        values[column] = nearest(program.columns[column], reach, row[column])
    return tuple(values)


def answer_to(program: Program, row: Row) -> Float64Array:
    """The class shares, or the number, that the tree answers a row with."""
    values: Float64Array = predict_values(program.tree, table_of(program, [row]))[0]
    return values


def table_of(program: Program, rows: list[Row]) -> Table:
    """Rows as a table that the tree's schema encodes."""
    columns: list[Column] = []
    for at, spec in enumerate(program.columns):
        values = np.array([row[at] for row in rows], dtype=np.float64)
        if spec.is_numeric:
            columns.append(NumericColumn(spec.name, values, spec.unit))
        else:
            codes = np.where(np.isnan(values), MISSING, values).astype(np.int32)
            columns.append(NominalColumn(spec.name, codes, spec.levels, spec.kind == "ordered"))
    return Table(columns, len(rows), has_names=program.tree.schema.has_names)


def row_of(table: Table) -> Row:
    """The first row of an encoded table."""
    values = []
    for column in table.columns:
        if isinstance(column, NumericColumn):
            values.append(float(column.values[0]))
        else:
            code = int(column.codes[0])
            values.append(float("nan") if code == MISSING else float(code))
    return tuple(values)
