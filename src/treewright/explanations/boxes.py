"""Boxes: sets of rows, given by the values that each column may have.

A tree treats all rows of a box alike if none of its splits divides the box. So a few boxes are
enough to find out something about every possible row: each split divides a box into smaller ones,
until all rows of a box get the same prediction. The result is exact, also for missing values,
surrogate splits and rows that are divided among branches.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, floor, inf, isnan, nextafter

from treewright.data.column import UNSEEN
from treewright.data.schema import ColumnSpec
from treewright.exports.program import Cuts, Heirs, Levels, Program, Question, Step, WeightedSum
from treewright.tree.reach import NOTHING, Reach, anything, up_to

Row = tuple[float, ...]  # a number or the code of a level in each column; NaN where missing
Box = dict[int, Reach]  # for each column that the tree asks


def exactly(spec: ColumnSpec, value: float) -> Reach:
    """Only this value, or only what is missing."""
    if isnan(value):
        return replace(NOTHING, missing=True)
    if spec.is_numeric:
        return replace(NOTHING, low=value, high=value)
    if value == UNSEEN:
        return replace(NOTHING, unseen=True)
    return only_levels(1 << int(value))


def whatever(program: Program, column: int) -> Reach:
    """All that a row may hold, missing values and unseen levels too where they are accepted."""
    return anything(program.columns[column], program.unseen)


def any_known(spec: ColumnSpec) -> Reach:
    """All values that training has seen or could have seen."""
    return replace(anything(spec, "missing"), missing=False)


def holds(spec: ColumnSpec, reach: Reach, value: float) -> bool:
    """Whether a value is among those that may come."""
    if isnan(value):
        return reach.missing
    if spec.is_numeric:
        return reach.low <= value <= reach.high
    return reach.unseen if value == UNSEEN else bool(reach.levels >> int(value) & 1)


def is_one_value(spec: ColumnSpec, reach: Reach) -> bool:
    """Whether only one thing may come: a number, a level, or that there is none."""
    n_known = int(reach.low == reach.high) if spec.is_numeric else reach.levels.bit_count()
    if spec.is_numeric and reach.low < reach.high:
        return False
    return n_known + reach.missing + reach.unseen == 1


def nearest(spec: ColumnSpec, reach: Reach, value: float) -> float:
    """The value of the reach that is nearest to a value: itself if it is there."""
    if holds(spec, reach, value):
        return value
    if reach.low <= reach.high:
        if isnan(value):
            return _middle(reach)
        return reach.low if value < reach.low else reach.high
    if reach.levels:
        if spec.kind == "ordered" and value >= 0:
            return float(min(codes_of(reach), key=lambda code: abs(code - value)))
        return float((reach.levels & -reach.levels).bit_length() - 1)  # the first
    return float("nan") if reach.missing else float(UNSEEN)


def same(left: float, right: float) -> bool:
    """Whether two values of a row are equal, or both missing."""
    return left == right or (isnan(left) and isnan(right))


def codes_of(reach: Reach) -> list[int]:
    """The codes of the levels that may come."""
    return [code for code, bit in enumerate(reversed(f"{reach.levels:b}")) if bit == "1"]


@dataclass(frozen=True, slots=True)
class LevelSets(Levels):
    """Levels looked up all at once: one set of them for each child."""

    sets: tuple[tuple[int, int], ...]  # node, and one bit for each level that leads there


def step_of(program: Program, node: int) -> Step | None:
    """What a node does, its levels being sets; None if it is a leaf."""
    step = program.step(node)
    if step is None:
        return None
    question, *surrogates = (_with_sets(program, one) for one in step.questions)
    return replace(step, question=question, surrogates=tuple(surrogates))


def _with_sets(program: Program, question: Question) -> Question:
    if not isinstance(question, Levels):
        return question
    levels: dict[int, int] = {}
    for code, child in question.child_of.items():
        levels[child] = levels.get(child, 0) | 1 << code
    if question.otherwise is not None:
        listed = sum(levels.values())
        others = (1 << len(program.columns[question.column].levels)) - 1 & ~listed
        levels[question.otherwise] = levels.get(question.otherwise, 0) | others
    sets = tuple(sorted(levels.items()))
    return LevelSets(question.column, question.child_of, question.otherwise, sets)


def ways(program: Program, step: Step, box: Box) -> Iterator[tuple[Box, Heirs]]:
    """The parts into which a node divides a box, and the child of each; none: it ends there."""
    rest = box
    for question in step.questions:
        assert not isinstance(question, WeightedSum)
        column = question.column
        parts, unknown = parted(program.columns[column], question, rest[column])
        for child, part in parts:
            yield {**rest, column: part}, ((child, 1.0),)
        if unknown.unseen and question is step.question and step.unseen is not None:
            yield {**rest, column: replace(NOTHING, unseen=True)}, ((step.unseen, 1.0),)
            unknown = replace(unknown, unseen=False)
        if unknown.is_empty:
            return
        rest = {**rest, column: unknown}
    yield rest, step.missing


def parted(
    spec: ColumnSpec, question: Question, reach: Reach
) -> tuple[list[tuple[int, Reach]], Reach]:
    """What each child takes of the values that the question knows, and what it does not know."""
    if isinstance(question, Cuts):
        share_out = numbers if spec.is_numeric else positions
        parts = list(share_out(spec, question, reach))
    else:
        assert isinstance(question, LevelSets)
        parts = [
            (child, only_levels(own))
            for child, levels in question.sets
            if (own := reach.levels & levels)
        ]
    unknown = reach.levels
    for _, part in parts:
        unknown &= ~part.levels
    return parts, Reach(inf, -inf, unknown, reach.missing, reach.unseen)


def numbers(spec: ColumnSpec, question: Cuts, reach: Reach) -> Iterator[tuple[int, Reach]]:
    """The numbers between the cuts, where there are some."""
    low = reach.low
    for child, cut in zip(question.children, (*question.cuts, inf), strict=True):
        part = between(spec, low, min(reach.high, cut))
        if part.low <= part.high:
            yield child, part
        if cut >= reach.high:  # nothing is left above, nor above a cut at infinity
            return
        low = max(low, nextafter(cut, inf))


def between(spec: ColumnSpec, low: float, high: float) -> Reach:
    """The numbers from low to high; times are whole counts."""
    if spec.unit:
        low = low if low in (-inf, inf) else float(ceil(low))
        high = high if high in (-inf, inf) else float(floor(high))
    return Reach(low, high, missing=False)


def positions(_: ColumnSpec, question: Cuts, reach: Reach) -> Iterator[tuple[int, Reach]]:
    """The ordered levels between the cuts, where there are some."""
    masks = [0, *(up_to(cut, reach.levels) for cut in question.cuts), -1]
    for child, (below, above) in zip(question.children, pairwise(masks), strict=True):
        if own := reach.levels & above & ~below:
            yield child, only_levels(own)


def only_levels(levels: int) -> Reach:
    """These levels and nothing else."""
    return Reach(inf, -inf, levels, missing=False)


def _middle(reach: Reach) -> float:
    """A number for a column that had none: the bound that is there, the lower of two."""
    if reach.low > -inf:
        return reach.low
    return reach.high if reach.high < inf else 0.0
