"""The steps of a program as chains of tests: if this, then there; else if that ...

A test on a number is false where the number is missing (NaN), so a chain may ask for `value <= t`,
then for `value > t`, and what comes after both has no value. A test on a level is false for every
other level, for unseen ones and for missing values.
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
    as_levels,
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
    """A level is there, but none that training has seen."""

    column: int
    levels: tuple[Any, ...]  # all that training has seen


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
    """One link of a chain: where a row goes for which one of the tests holds."""

    tests: tuple[Test, ...]  # none: whatever the arms before left over
    heirs: Heirs  # where to, as `Step.missing`: none means that the node itself answers
    takes_missing: bool = False  # whether a missing value comes here

    @property
    def child(self) -> int | None:
        """The only heir; None where there is none, or several."""
        return self.heirs[0][0] if len(self.heirs) == 1 else None


def is_simple(step: Step) -> bool:
    """Whether every child of a step can have one arm of its own."""
    return not step.surrogates and not step.splits_rows


def simple_arms(program: Program, step: Step) -> list[Arm]:
    """One arm for each child of a simple step, and one if the node itself may answer."""
    question = step.question
    if isinstance(question, WeightedSum):
        tests: dict[int, Test] = {
            question.children[0]: SumAtMost(question.terms, question.threshold)
        }
        return _numeric_arms(step, tests, question.children[1])
    spec = program.columns[question.column]
    if isinstance(question, Levels):
        return _level_arms(step, levels_by_child(question, spec), spec)
    if not spec.is_numeric:
        groups = levels_by_child(as_levels(question, spec), spec)
        return _level_arms(step, groups, spec)
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
    rest = taker if step.unseen is None else step.unseen  # whoever has the last arm, the `else`
    apart = taker != rest  # missing values and unseen levels part
    arms: list[Arm] = []
    if apart:
        listed = {level for levels in groups.values() for level in levels}
        # Levels that the node does not know are missing to it; here they must be told from unseen.
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
    """All ways out of a step, one after the other: its question, its surrogates, the rest."""
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
    """The ways out for a value that is known."""
    if isinstance(question, WeightedSum):
        known = SumKnown(columns_of(question))
        at_most = SumAtMost(question.terms, question.threshold)
        return _arms_to((at_most, known), question.children)
    spec = program.columns[question.column]
    if isinstance(question, Cuts) and spec.is_numeric:
        tests: list[Test] = [AtMost(question.column, cut) for cut in question.cuts]
        tests.append(Above(question.column, question.cuts[-1]))
        return _arms_to(tests, question.children)
    listed = question if isinstance(question, Levels) else as_levels(question, spec)
    groups = levels_by_child(listed, spec)
    return _arms_to([Among(question.column, levels) for levels in groups.values()], groups)


def _arms_to(tests: Iterable[Test], children: Iterable[int]) -> list[Arm]:
    return [Arm((test,), ((child, 1.0),)) for test, child in zip(tests, children, strict=True)]
