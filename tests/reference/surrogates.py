"""Splits of other columns that repeat a binary split, for rows that do not know its column."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from reference.candidates import Candidate
from reference.problem import Problem, Weight, weight_of
from reference.thresholds import midpoint

Sided = list[tuple[int, Weight, int]]  # row, weight, side that the primary split sends it to


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


def surrogates_of(problem: Problem, primary: Candidate) -> list[RefSurrogate]:
    """The best stand-in of each other column that beats sending all to the larger side."""
    if len(primary.groups) != 2:
        return []
    sided = [
        (row, weight, side) for side, group in enumerate(primary.groups) for row, weight in group
    ]
    majority = max(weight_of(group) for group in primary.groups)
    found = []
    for column in range(len(problem.columns)):
        if column != primary.column:
            best = None
            for surrogate in _stand_ins(problem, column, sided):
                if best is None or surrogate.correct > best.correct:
                    best = surrogate
            if best is not None and best.correct > majority:
                found.append(best)
    found.sort(key=lambda surrogate: -surrogate.correct)  # stable: the earlier column first
    return found[: problem.settings.max_surrogates]


def _stand_ins(problem: Problem, column: int, sided: Sided) -> Iterator[RefSurrogate]:
    values = problem.columns[column].values
    known = [entry for entry in sided if values[entry[0]] is not None]
    total = sum(weight for _, weight, _ in sided)
    distinct = sorted({values[row] for row, _, _ in known})
    if not problem.columns[column].is_split_by_threshold:
        children, correct = {}, 0
        for level in distinct:
            by_side = [
                sum(weight for row, weight, side in known if values[row] == level and side == s)
                for s in (0, 1)
            ]
            children[level] = int(by_side[1] > by_side[0])
            correct += max(by_side)
        yield RefSurrogate(column, correct, Fraction(correct) / total, level_child=children)
        return
    for lower, upper in pairwise(distinct):
        for is_flipped in (False, True):
            correct = sum(
                weight
                for row, weight, side in known
                if int((values[row] > lower) != is_flipped) == side
            )
            threshold = midpoint(lower, upper)
            agreement = Fraction(correct) / total
            yield RefSurrogate(column, correct, agreement, threshold, is_flipped)
