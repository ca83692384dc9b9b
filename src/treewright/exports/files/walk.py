"""A program as a table of three-way steps, for targets that have tables but no code.

A step compares one value with one bound; "at most", "above" and "missing" each lead to another
step. An end has a prediction. Questions with many branches become a balanced search, and surrogates
a chain. A row that is spread over several leaves gets an end of its own, whose prediction is added
up in advance. So every row walks one path and gets exactly the doubles of the model.

Values are numbers, or positions of levels. A level that was not seen in training is missing or, if
such levels go to the majority, one position beyond the last.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.errors import ExportError
from treewright.exports.program import Cuts, Program, Step, WeightedSum, as_levels
from treewright.tree.predictions import cheapest_classes

Int64Array = NDArray[np.int64]

MAX_SPREAD_STEPS = 30_000  # steps of rows that are spread

Shares = tuple[tuple[int, float], ...]  # node, share of the row
Range = tuple[float, float]  # a value lies above the first and not above the second
Facts = tuple[tuple[int, Range | None], ...]  # what is known of a column: a range, or missing

EVERYTHING: Range = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row is: the nodes it still has to visit, leftmost last, and the nodes it ended at."""

    waiting: Shares
    ended: Shares = ()
    n_unknown: int = 0  # questions of the current node whose value is missing
    facts: Facts = ()  # known since the row was spread, or at the node that may spread it

    @property
    def is_whole(self) -> bool:
        return not self.ended and len(self.waiting) == 1 and self.waiting[0][1] == 1.0


@dataclass(frozen=True, eq=False)
class Walk:
    """Steps 0, 1 ...; a row starts at step 0. An end leads to itself."""

    column: Int64Array  # a column of the program or, beyond these, one of `sums`; 0 at ends
    bound: Floats
    at_most: Int64Array  # the next step of value <= bound
    above: Int64Array
    missing: Int64Array
    prediction: Int64Array  # at an end, a row of `values`; -1 elsewhere
    values: Floats  # (n_predictions, n_values): class probabilities, or the number
    label: Int64Array  # of each prediction, its class; empty for numbers
    sums: tuple[WeightedSum, ...]

    @property
    def n_steps(self) -> int:
        return len(self.column)

    @cached_property
    def depth(self) -> int:
        """Steps on the longest path to an end."""
        ask = self.prediction < 0
        here, length = np.zeros(1, dtype=np.int64), 0
        while (here := here[ask[here]]).size:
            ways = [self.at_most[here], self.above[here], self.missing[here]]
            here = np.unique(np.concatenate(ways))
            length += 1
        return length


class TooManyCasesError(ExportError):
    """Rows are spread over leaves in too many ways to write them all out."""


def walk_of(program: Program, max_spread: int | None = None) -> Walk:
    """The walk that predicts each row as the program does, with a limit on steps of spread rows."""
    return _Builder(program, max_spread).build(Place(((0, 1.0),)))


def walk_of_spread(program: Program, node: int) -> Walk:
    """The walk of rows that a node spreads over its children; step 0 is after the node."""
    step = program.step(node)
    assert step is not None
    facts: Facts = ()
    question = step.question
    if not isinstance(question, WeightedSum) and program.columns[question.column].is_numeric:
        facts = ((question.column, None),)  # a level may be unlisted instead of missing
    return _Builder(program).build(Place(((node, 1.0),), (), len(step.questions), facts))


class _Builder:
    """Makes a step for each place; places that are equal share a step."""

    def __init__(self, program: Program, max_spread: int | None = None) -> None:
        self.program = program
        self.max_spread = MAX_SPREAD_STEPS if max_spread is None else max_spread
        self.steps: list[tuple[int, float, int, int, int, int]] = []
        self.step_of: dict[Place, int] = {}
        self.unwritten: list[Place] = []
        self.prediction_of: dict[Shares, int] = {}
        self.sums: dict[WeightedSum, int] = {}
        self.step = cache(program.step)
        self.n_spread = 0

    def build(self, start: Place) -> Walk:
        self.step_at(start)
        while self.unwritten:
            self.write(self.unwritten.pop())
        names = ("column", "bound", "at_most", "above", "missing", "prediction")
        types = (np.int64, np.float64, np.int64, np.int64, np.int64, np.int64)
        columns = zip(*self.steps, strict=True)
        table: dict[str, NDArray[Any]] = {
            name: np.array(entries, dtype=dtype)
            for name, dtype, entries in zip(names, types, columns, strict=True)
        }
        values = self.values()
        costs, is_classifier = self.program.tree.costs, self.program.classes is not None
        label = cheapest_classes(values, costs) if is_classifier else np.zeros(0)
        return Walk(**table, values=values, label=label.astype(np.int64), sums=tuple(self.sums))

    def step_at(self, place: Place) -> int:
        """The step of a place, created if it is new."""
        place = self.settled(place)
        found = self.step_of.get(place)
        if found is not None:
            return found
        if not place.is_whole and place.waiting:
            self.n_spread += 1
            if self.n_spread > self.max_spread:
                raise TooManyCasesError(
                    "rows with missing values are spread over several branches; one path for each "
                    f"case needs more than {self.max_spread:,} steps",
                    hint="prune the tree, or choose another treatment of missing values",
                )
        self.step_of[place] = step = self.open_step()
        self.unwritten.append(place)
        return step

    def open_step(self) -> int:
        self.steps.append((0, 0.0, 0, 0, 0, -1))
        return len(self.steps) - 1

    def settled(self, place: Place) -> Place:
        """The place after all moves that need no question."""
        while place.waiting:
            node, share = place.waiting[-1]
            step = self.step(node)
            if step is None:
                ended = (*place.ended, (node, share))
                place = Place(place.waiting[:-1], ended, 0, place.facts)
            elif place.n_unknown == len(step.questions):
                heirs = tuple((heir, share * part) for heir, part in reversed(step.missing))
                ended = place.ended if heirs else (*place.ended, (node, share))
                place = Place(place.waiting[:-1] + heirs, ended, 0, place.facts)
            elif place.is_whole and not (place.n_unknown and step.splits_rows):
                return Place(place.waiting, (), place.n_unknown)  # facts are not needed here
            else:
                ways = self.ways(place)
                if len(ways) > 1:
                    return place
                place = ways[0][1]
        return Place((), place.ended)

    def write(self, place: Place) -> None:
        """Fill in the step of a place, including the search that its question needs."""
        start = self.step_of[place]
        if not place.waiting:
            prediction = self.prediction_of.setdefault(place.ended, len(self.prediction_of))
            self.steps[start] = (0, 0.0, start, start, start, prediction)
            return
        ways = [(bound, self.step_at(after)) for bound, after in self.ways(place)]
        missing = ways[0][1]
        if ways[-1][0] is None:
            missing = ways.pop()[1]
        self.search(start, self.column_asked(place), ways, missing)

    def ways(self, place: Place) -> list[tuple[float | None, Place]]:
        """Where the question leads: ascending upper bounds, then None for missing.

        Facts that are known already are not asked again.
        """
        step = self.step(place.waiting[-1][0])
        assert step is not None
        column = self.column_asked(place)
        known = next((found for about, found in place.facts if about == column), EVERYTHING)
        ways: list[tuple[float | None, Place]] = []
        if known is not None:
            for (low, high), child in self.ranges(step, place.n_unknown):
                inside = max(low, known[0]), min(high, known[1])
                if inside[0] < inside[1]:
                    facts = place.facts if inside == known else with_fact(place, column, inside)
                    ways.append((high, moved(place, child, facts)))
        if known is None or known == EVERYTHING:
            facts = place.facts if known is None else with_fact(place, column, None)
            ways.append((None, moved(place, None, facts)))
        return ways

    def column_asked(self, place: Place) -> int:
        step = self.step(place.waiting[-1][0])
        assert step is not None
        question = step.questions[place.n_unknown]
        if not isinstance(question, WeightedSum):
            return question.column
        return len(self.program.columns) + self.sums.setdefault(question, len(self.sums))

    def ranges(self, step: Step, at: int) -> Iterator[tuple[Range, int | None]]:
        """Ranges of values with the same child, ascending; None: the value counts as missing."""
        question = step.questions[at]
        if isinstance(question, WeightedSum):
            question = Cuts(0, (question.threshold,), question.children)
        elif not self.program.columns[question.column].is_numeric:
            question = as_levels(question, self.program.columns[question.column])
        if isinstance(question, Cuts):
            bounds = (-math.inf, *question.cuts, math.inf)
            yield from zip(pairwise(bounds), question.children, strict=True)
            return
        n_levels = len(self.program.columns[question.column].levels)
        children = [question.child_of.get(code, question.otherwise) for code in range(n_levels)]
        if self.program.unseen == "majority":
            children.append(None if at else step.unseen)
        low = -math.inf
        for code, child in enumerate(children):
            is_last = code == len(children) - 1
            if is_last or children[code + 1] != child:
                high = math.inf if is_last else float(code)
                yield (low, high), child
                low = high

    def search(
        self, start: int, column: int, ways: list[tuple[float | None, int]], missing: int
    ) -> None:
        """Steps from `start` on that find the first way whose bound is not below the value."""
        parts = [(start, 0, len(ways))]
        while parts:
            step, first, end = parts.pop()
            if end - first == 1:  # only the whole search: one way for all that is known
                self.steps[step] = (column, 0.0, ways[first][1], ways[first][1], missing, -1)
                continue
            middle = (first + end) // 2
            halves = [(first, middle), (middle, end)]
            at_most, above = [
                self.open_step() if high - low > 1 else ways[low][1] for low, high in halves
            ]
            bound = ways[middle - 1][0]
            assert bound is not None
            # Only the first step meets missing values, so the others may send them anywhere.
            here_missing = missing if step == start else at_most
            self.steps[step] = (column, bound, at_most, above, here_missing, -1)
            for (low, high), half in zip(halves, (at_most, above), strict=True):
                if high - low > 1:
                    parts.append((half, low, high))

    def values(self) -> Floats:
        """The prediction of each end: of one node, or of several nodes in the model's order."""
        node_values = self.program.node_values
        values = np.zeros((len(self.prediction_of), node_values.shape[1]))
        for row, shares in enumerate(self.prediction_of):
            for node, share in shares:
                values[row] += share * node_values[node]
        return values


def with_fact(place: Place, column: int, found: Range | None) -> Facts:
    """The facts of a place, with one more column."""
    return tuple(sorted([*(fact for fact in place.facts if fact[0] != column), (column, found)]))


def moved(place: Place, child: int | None, facts: Facts) -> Place:
    """The place after a question: at a child, or at the same node with one more missing value."""
    if child is None:
        return Place(place.waiting, place.ended, place.n_unknown + 1, facts)
    waiting = (*place.waiting[:-1], (child, place.waiting[-1][1]))
    return Place(waiting, place.ended, 0, facts)
