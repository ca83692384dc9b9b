"""A step as a chain of tests leaves no row out and sends none to two places."""

import math

from hypothesis import given
from hypothesis import strategies as st

from exports.export_models import a_random_program
from treewright.exports.program import Program
from treewright.exports.routes import (
    Above,
    Among,
    Arm,
    AtMost,
    Missing,
    SumAtMost,
    SumKnown,
    Test,
    Unseen,
    chained_arms,
    is_simple,
    simple_arms,
)
from treewright.exports.witnesses import witnesses

seeds = st.integers(0, 2**32)


def holds(test: Test, values: list) -> bool:
    """Whether a test holds for a row of numbers (NaN: missing) and levels (None: missing)."""
    match test:
        case AtMost(column, bound):
            return values[column] <= bound
        case Above(column, bound):
            return values[column] > bound
        case Among(column, levels):
            return values[column] in levels
        case Unseen(column, levels):
            return values[column] is not None and values[column] not in levels
        case Missing(columns):
            return any(is_missing(values[column]) for column in columns)
        case SumAtMost(terms, bound):
            return sum(weight * values[column] for column, weight in terms) <= bound
        case SumKnown(columns):
            return not any(is_missing(values[column]) for column in columns)


def is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def taken(arms: list[Arm], values: list) -> Arm:
    return next(arm for arm in arms if not arm.tests or any(holds(t, values) for t in arm.tests))


def rows_of(program: Program) -> list[list]:
    columns = [
        column.values.tolist()
        if column.kind == "numeric"
        else [column.value(row) for row in range(len(column))]
        for column in witnesses(program.tree, max_rows=200).columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


@given(seeds)
def test_a_simple_step_has_one_arm_for_each_child(seed):
    program = a_random_program(seed)
    for step in filter(is_simple, program.steps()):
        arms = simple_arms(program, step)
        children = [arm.child for arm in arms if arm.child is not None]
        assert sorted(children) == list(step.children)
        assert [bool(arm.tests) for arm in arms] == [True] * (len(arms) - 1) + [False]


@given(seeds)
def test_a_chain_ends_with_the_heirs(seed):
    program = a_random_program(seed)
    for step in program.steps():
        *known, last = chained_arms(program, step)
        assert all(arm.tests for arm in known)
        assert last.tests == ()
        assert last.heirs == step.missing


@given(seeds)
def test_one_arm_for_each_child_and_a_long_chain_say_the_same(seed):
    program = a_random_program(seed)
    if program.unseen == "error":
        return  # unseen levels are refused before the first step
    rows = rows_of(program)
    for step in filter(is_simple, program.steps()):
        short, long = simple_arms(program, step), chained_arms(program, step)
        assert all(taken(short, row).heirs == taken(long, row).heirs for row in rows)
