"""Best-first search for a row with another prediction; each box is visited once."""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.explanations.boxes import Box, Row, is_one_value, nearest, step_of, ways
from treewright.explanations.goals import Goal
from treewright.exports.program import Heirs, Program, Step, columns_of
from treewright.tree.predict import predict_values
from treewright.tree.reach import Reach

Parts = tuple[tuple[int, float], ...]  # node and share of the row
Cost = Callable[[int, Reach], float | None]  # of a column's cheapest change; None: it may stay


class SearchEnded(Exception):  # noqa: N818 -- not an error: the caller handles it
    """The search took more boxes than it was given."""


@dataclass
class Budget:
    """How many boxes may still be opened; counted, not timed, so that predictions stay the same."""

    boxes: int
    whole: "Budget | None" = None  # that this one is a part of

    def half(self) -> "Budget":
        """Half of what is left, for one of several searches: a hard one leaves some to the next."""
        return Budget(self.boxes // 2, self)

    def spend(self) -> None:
        """Open one box."""
        if self.boxes <= 0:
            raise SearchEnded
        self.boxes -= 1
        if self.whole is not None:
            self.whole.boxes -= 1


@dataclass(frozen=True)
class Finder:
    """Looks for rows with another prediction than `row` has."""

    program: Program
    row: Row
    goal: Goal
    steps: dict[int, Step | None] = field(default_factory=dict)  # those met so far

    def other_row(self, start: Box, budget: Budget, cost: Cost | None = None) -> "Found | None":
        """The row of a box that meets the goal at the lowest cost; None: there is none.

        The fewest changed columns come first, then the lowest sum; without costs, any row will do.
        """
        search = Search(self, start, cost)
        heap = [(0, 0.0, 0, state) for state in search.first()]
        serial = 0
        while heap:
            *_, state = heapq.heappop(heap)
            budget.spend()
            if not state.undecided:
                row = row_in(self.program, state.box, self.row)
                if self.goal.is_met(self._values(row, state.end)):
                    return Found(row, state.box)
                continue
            for _, below in sorted(search.next(state), key=itemgetter(0)):
                serial -= 1  # of equal price the latest first: down to a leaf, the best hope first
                price = len(below.changes), sum(below.changes.values())
                heapq.heappush(heap, (*price, serial, below))
        return None

    def step(self, node: int) -> Step | None:
        """What a node does; None if it is a leaf."""
        if node not in self.steps:
            self.steps[node] = step_of(self.program, node)
        return self.steps[node]

    def _values(self, row: Row, end: int | None) -> Floats:
        if end is None:  # by the predictor itself, whose sums decide ties
            return prediction_to(self.program, row)
        values: Floats = self.program.node_values[end]
        return values


@dataclass(frozen=True, slots=True)
class Found:
    """A row that meets the goal, and the rows that are treated alike."""

    row: Row
    box: Box


@dataclass(frozen=True, slots=True)
class State:
    """A box of rows, and how far they have come."""

    box: Box
    undecided: Parts  # nodes that tell rows apart, with their shares of each row
    bound: Floats  # the best that can come of it, as the goal counts
    changes: dict[int, float]  # what rows of the box must change at least, and the cost
    end: int | None  # the node that predictions, if there is only one


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where all rows of the start come to alike from one node."""

    undecided: Parts
    bound: Floats
    end: int | None


class Search:
    """One search: what its start settles is settled once."""

    def __init__(self, finder: Finder, start: Box, cost: Cost | None) -> None:
        self.finder, self.start, self.cost = finder, start, cost
        columns = finder.program.columns
        self.fixed = {
            column for column, reach in start.items() if is_one_value(columns[column], reach)
        }
        self.arrivals: dict[int, Arrival] = {}

    def first(self) -> Iterator[State]:
        """The start, unless nothing can come of it."""
        arrival = self.arrival(0)
        if self.finder.goal.hope(arrival.bound) > 0:
            changes: dict[int, float] = {}  # the start holds the row
            yield State(self.start, arrival.undecided, arrival.bound, changes, arrival.end)

    def next(self, state: State) -> Iterator[tuple[float, State]]:
        """The parts of a box that a node tells apart, with the hope for each that has some."""
        goal = self.finder.goal
        # The largest part of the row matters most: once it is known, little else is possible.
        part = max(state.undecided, key=itemgetter(1))
        node, share = part
        others = tuple(one for one in state.undecided if one is not part)
        step = self.finder.step(node)
        assert step is not None
        rest = state.bound - share * goal.best[node]
        for box, heirs in ways(self.finder.program, step, state.box):
            undecided, bound, end = self._taken_on(node, share, heirs)
            bound = rest + bound
            if (hope := goal.hope(bound)) > 0:
                changes = self._changes(state.changes, box, step)
                yield hope, State(box, undecided + others, bound, changes, end)

    def _taken_on(self, node: int, share: float, heirs: Heirs) -> tuple[Parts, Floats, int | None]:
        """Where parts of rows come to from a node."""
        if not heirs:
            return (), share * self.finder.goal.at[node], node if share == 1 else None
        if len(heirs) == 1 and share == 1:
            arrival = self.arrival(heirs[0][0])
            return arrival.undecided, arrival.bound, arrival.end
        found: list[tuple[int, float]] = []
        bound = np.zeros(self.finder.goal.at.shape[1])
        for heir, part in heirs:
            arrival = self.arrival(heir)
            found += [(below, share * part * own) for below, own in arrival.undecided]
            bound += share * part * arrival.bound
        return tuple(found), bound, None

    def arrival(self, node: int) -> Arrival:
        """How far rows come from a node before some of them part."""
        if (known := self.arrivals.get(node)) is not None:
            return known
        goal = self.finder.goal
        undecided: list[tuple[int, float]] = []
        bound, end = np.zeros(goal.at.shape[1]), None
        stack = [(node, 1.0)]
        while stack:
            place, share = stack.pop()
            heirs = self._heirs_of_all(place)
            if heirs is None:
                undecided.append((place, share))
                bound += share * goal.best[place]
            elif heirs:
                stack += [(heir, share * part) for heir, part in heirs]
            else:
                bound += share * goal.at[place]
                end = place if share == 1 else None
        found = self.arrivals[node] = Arrival(tuple(undecided), bound, end)
        return found

    def _heirs_of_all(self, node: int) -> Heirs | None:
        """Where a node sends all rows of the start; None if not all the same way."""
        step = self.finder.step(node)
        if step is None:
            return ()
        (column,) = columns_of(step.question)
        if column not in self.fixed:
            return None
        found = list(ways(self.finder.program, step, self.start))
        return found[0][1] if len(found) == 1 else None

    def _changes(self, changes: dict[int, float], box: Box, step: Step) -> dict[int, float]:
        """What must change, after a step made its columns narrower."""
        if self.cost is None:
            return changes
        columns = {column for question in step.questions for column in columns_of(question)}
        found = {column: self.cost(column, box[column]) for column in columns}
        return changes | {column: cost for column, cost in found.items() if cost is not None}


def row_in(program: Program, box: Box, row: Row) -> Row:
    """The row of a box that is nearest to `row`."""
    values = list(row)
    for column, reach in box.items():
        values[column] = nearest(program.columns[column], reach, row[column])
    return tuple(values)


def prediction_to(program: Program, row: Row) -> Floats:
    """The class shares, or the number, that the tree predicts for a row."""
    values: Floats = predict_values(program.tree, table_of(program, [row]))[0]
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
