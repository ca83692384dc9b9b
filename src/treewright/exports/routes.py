"""The steps of a program as chains of tests: if this, then there; else if that ...

A test on a number is false if the number is missing (NaN). So a chain may test `value <= t`, then
`value > t`, and a row that fails both has a missing value. A test on a level is false for other
levels, unseen levels and missing values.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from treewright.data.schema import ColumnSpec
from treewright.exports.program import (
    Cuts,
    Heirs,
    Levels,
    Program,
    Question,
    Step,
    WeightedSum,
    columns_of,
    levels_by_child,
)


@dataclass(frozen=True, slots=True)
class AtMost:
    """The number of a column is known and <= the bound."""

    column: int
    bound: float


@dataclass(frozen=True, slots=True)
class Above:
    """The number of a column is known and > the bound."""

    column: int
    bound: float


@dataclass(frozen=True, slots=True)
class Among:
    """The level of a column is one of these."""

    column: int
    levels: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Unseen:
    """The level of a column is known, but not one of the training rows."""

    column: int
    levels: tuple[Any, ...]  # of the training rows


@dataclass(frozen=True, slots=True)
class Missing:
    """At least one of these columns has no value."""

    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SumAtMost:
    """The weighted sum is known and <= the bound."""

    terms: tuple[tuple[int, float], ...]
    bound: float


@dataclass(frozen=True, slots=True)
class SumKnown:
    """None of the columns of a sum is missing."""

    columns: tuple[int, ...]


Test = AtMost | Above | Among | Unseen | Missing | SumAtMost | SumKnown


@dataclass(frozen=True, slots=True)
class Arm:
    """One link of a chain: where a row goes if one of the tests holds."""

    tests: tuple[Test, ...]  # none: all rows that no arm before has taken
    heirs: Heirs  # where to, as `Step.missing`; none: the node itself predicts
    takes_missing: bool = False

    @property
    def child(self) -> int | None:
        """The only heir; None if there is none, or several."""
        return self.heirs[0][0] if len(self.heirs) == 1 else None


def is_simple(step: Step) -> bool:
    """Whether one arm for each child is enough."""
    return not step.surrogates and not step.splits_rows


def simple_arms(program: Program, step: Step) -> list[Arm]:
    """One arm for each child of a simple step, and one if the node itself may predict."""
    question = step.question
    if isinstance(question, WeightedSum):
        tests: dict[int, Test] = {
            question.children[0]: SumAtMost(question.terms, question.threshold)
        }
        return _numeric_arms(step, tests, question.children[1])
    spec = program.columns[question.column]
    if isinstance(question, Levels) or not spec.is_numeric:
        return _level_arms(step, levels_by_child(question, spec), spec)
    last = question.children[-1]
    tests = {
        child: AtMost(question.column, cut)
        for child, cut in zip(question.children[:-1], question.cuts, strict=True)
    }
    return _numeric_arms(step, tests, last)


def _numeric_arms(step: Step, tests: dict[int, Test], last: int) -> list[Arm]:
    missing = Missing(columns_of(step.question))
    taker = step.missing[0][0] if step.missing else None
    arms = []
    if taker is None or taker not in {*tests, last}:
        arms.append(Arm((missing,), step.missing, takes_missing=True))
    for child, test in tests.items():
        takes = child == taker
        arms.append(Arm((test, missing) if takes else (test,), ((child, 1.0),), takes))
    return [*arms, Arm((), ((last, 1.0),), takes_missing=last == taker)]


def _level_arms(step: Step, groups: dict[int, tuple[Any, ...]], spec: ColumnSpec) -> list[Arm]:
    assert isinstance(step.question, Cuts | Levels)
    column = step.question.column
    taker = step.missing[0][0] if step.missing else None
    rest = taker if step.unseen is None else step.unseen  # the child of the last arm, the `else`
    apart = taker != rest  # missing values and unseen levels go to different nodes
    arms: list[Arm] = []
    if apart:
        listed = {level for levels in groups.values() for level in levels}
        # Levels that the node does not list count as missing, not as unseen.
        unlisted = tuple(level for level in spec.levels if level not in listed)
        own = () if taker is None else groups.pop(taker, ())
        tests: tuple[Test, ...] = (Missing((column,)),)
        if own or unlisted:
            tests = (Among(column, (*own, *unlisted)), *tests)
        arms.append(Arm(tests, step.missing, takes_missing=True))
    arms += [
        Arm((Among(column, levels),), ((child, 1.0),))
        for child, levels in groups.items()
        if child != rest
    ]
    heirs = ((rest, 1.0),) if rest is not None else ()
    return [*arms, Arm((), heirs, takes_missing=not apart)]


def chained_arms(program: Program, step: Step) -> list[Arm]:
    """All ways out of a step in order: its question, its surrogates, the rest."""
    arms = _known_arms(program, step.question)
    if step.unseen is not None:
        assert isinstance(step.question, Cuts | Levels)
        column = step.question.column
        unseen = Unseen(column, program.columns[column].levels)
        arms.append(Arm((unseen,), ((step.unseen, 1.0),)))
    for surrogate in step.surrogates:
        arms += _known_arms(program, surrogate)
    return [*arms, Arm((), step.missing, takes_missing=True)]


def _known_arms(program: Program, question: Question) -> list[Arm]:
    """The ways out for a known value."""
    if isinstance(question, WeightedSum):
        known = SumKnown(columns_of(question))
        at_most = SumAtMost(question.terms, question.threshold)
        return _arms_to((at_most, known), question.children)
    spec = program.columns[question.column]
    if isinstance(question, Cuts) and spec.is_numeric:
        tests: list[Test] = [AtMost(question.column, cut) for cut in question.cuts]
        tests.append(Above(question.column, question.cuts[-1]))
        return _arms_to(tests, question.children)
    groups = levels_by_child(question, spec)
    return _arms_to([Among(question.column, levels) for levels in groups.values()], groups)


def _arms_to(tests: Iterable[Test], children: Iterable[int]) -> list[Arm]:
    return [Arm((test,), ((child, 1.0),)) for test, child in zip(tests, children, strict=True)]
