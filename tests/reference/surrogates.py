"""Splits of other columns that repeat a binary split, for rows that do not know its column.

As rpart, found by experiment on random tables: a threshold sends at least two rows each way
and lies between neighboring values of all rows of the node, also of those that miss the
primary column; agreement is a share of the rows that know the primary one. Unlike rpart, a
nominal stand-in may repeat the primary split without a single mistake.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from reference.candidates import Candidate
from reference.problem import Problem, Rows, Weight, mean_of, weight_of
from reference.thresholds import midpoint

Sided = list[tuple[int, Weight, int]]  # row, weight, side that the primary split sends it to

LEAST_ROWS = 2  # each way


@dataclass(frozen=True)
class RefSurrogate:
    """The stand-in of one column. `child_of` maps a known value to child 0 or 1, or None."""

    column: int
    correct: Weight  # weight of the rows that it sends where the primary does
    agreement: Fraction
    threshold: float | None = None
    is_flipped: bool = False
    level_child: dict[int, int] | None = None

    def child_of(self, value: float | int | None) -> int | None:
        if value is None:
            return None
        if self.level_child is not None:
            return self.level_child.get(value)
        return int((value > self.threshold) != self.is_flipped)


def surrogates_of(
    problem: Problem, primary: Candidate, rows: Rows, barred: frozenset[int]
) -> list[RefSurrogate]:
    """The best stand-in of each other column that beats sending all to the larger side."""
    sided = [
        (row, weight, side) for side, group in enumerate(primary.groups) for row, weight in group
    ]
    majority = max(weight_of(group) for group in primary.groups)
    found = []
    for column in range(len(problem.columns)):
        if column != primary.column and column not in barred:
            best = None
            for surrogate in _stand_ins(problem, column, sided, rows):
                if best is None or surrogate.correct > best.correct:
                    best = surrogate
            if best is not None and best.correct > majority:
                found.append(best)
    found.sort(key=lambda surrogate: -surrogate.correct)  # stable: the earlier column first
    return found[: problem.settings.max_surrogates]


def _stand_ins(problem: Problem, column: int, sided: Sided, rows: Rows) -> Iterator[RefSurrogate]:
    if problem.columns[column].is_split_by_threshold:
        yield from _thresholds(problem, column, sided, rows)
    else:
        yield from _level_map(problem, column, sided)


def _level_map(problem: Problem, column: int, sided: Sided) -> Iterator[RefSurrogate]:
    """Each level goes where most of its weight goes.

    A tied one goes where most of the rows that know the stand-in go; if these tie too, to the
    side of the larger mean target (class codes count as numbers).
    """
    values = problem.columns[column].values
    known = [entry for entry in sided if values[entry[0]] is not None]
    weights = [_of_side(known, 0), _of_side(known, 1)]
    is_tied = weights[0] == weights[1]
    otherwise = _side_of_larger_mean(problem, sided) if is_tied else weights.index(max(weights))
    children, correct = {}, 0
    for level in sorted({values[row] for row, _, _ in known}):
        of_level = [entry for entry in known if values[entry[0]] == level]
        weights = [_of_side(of_level, 0), _of_side(of_level, 1)]
        is_tied = weights[0] == weights[1]
        children[level] = otherwise if is_tied else weights.index(max(weights))
        correct += max(weights)
    if children:
        agreement = Fraction(correct) / _total(sided)
        yield RefSurrogate(column, correct, agreement, level_child=children)


def _side_of_larger_mean(problem: Problem, sided: Sided) -> int:
    means = [
        mean_of(problem, [(row, weight) for row, weight, its in sided if its == side])
        for side in (0, 1)
    ]
    return 0 if means[0] > means[1] else 1


def _of_side(sided: Sided, side: int) -> Weight:
    return sum(weight for _, weight, its in sided if its == side)


def _thresholds(problem: Problem, column: int, sided: Sided, rows: Rows) -> Iterator[RefSurrogate]:
    values = problem.columns[column].values
    known = [entry for entry in sided if values[entry[0]] is not None]
    distinct = sorted({values[row] for row, _ in rows if values[row] is not None})
    for lower, upper in pairwise(distinct):
        below = [(row, weight) for row, weight, _ in known if values[row] <= lower]
        above = [(row, weight) for row, weight, _ in known if values[row] > lower]
        if min(problem.size_of(below), problem.size_of(above)) < LEAST_ROWS:
            continue
        for is_flipped in (False, True):
            correct = sum(
                weight
                for row, weight, side in known
                if int((values[row] > lower) != is_flipped) == side
            )
            agreement = Fraction(correct) / _total(sided)
            yield RefSurrogate(column, correct, agreement, midpoint(lower, upper), is_flipped)


def _total(sided: Sided) -> Weight:
    return sum(weight for _, weight, _ in sided)
