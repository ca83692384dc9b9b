"""A changed comparison is found out: by later surrogates, by the leaves below, from afar."""

import math
import re

import pytest

from builders import build, leaf, numeric_schema, threshold
from exports.export_models import fitted
from treewright.exports.distinguishing import (
    Reach,
    child_by_question,
    child_of,
    rival_of,
    value_for,
)
from treewright.exports.program import Cuts, Levels, Program, WeightedSum
from treewright.verbs.export import export, verify_export

# Models in whose code no two comparisons come to the same.
TOLD_APART = [
    "array without names",
    "numbers grown to the end",
    "intervals",
    "missing by surrogates",
    "missing to the majority",
    "missing stops",
    "costs",
    "priors",
    "regression",
    "regression, fractional",
]


def with_one_comparison_changed(code: str) -> list[str]:
    return [code[: found.start()] + "<" + code[found.end() :] for found in re.finditer("<=", code)]


def surrogate(column: int, at: float, *, flip: int = 0) -> dict[str, float]:
    return {"kind": 1, "feature": column, "threshold": at, "flip": flip}


def unnoticed(model) -> list[str]:
    """The lines with `<=` that may as well have `<`, as far as witnesses show."""
    code = export(model, to="python", form="ifs")
    lines = [line.strip() for line in code.splitlines() for _ in re.findall("<=", line)]
    wrong = zip(lines, with_one_comparison_changed(code), strict=True)
    return [line for line, text in wrong if verify_export(model, text, to="python")]


@pytest.mark.parametrize("name", TOLD_APART)
def test_every_changed_comparison_is_noticed(name):
    assert unnoticed(fitted(name)) == []


def test_a_changed_surrogate_is_noticed_though_the_next_one_would_mostly_vote_alike():
    surrogates = [surrogate(1, 77.5), surrogate(2, 0.5), surrogate(3, 2.0, flip=1)]
    root = threshold(0, 1.0, leaf(1, 0), leaf(0, 1), surrogates=surrogates, missing=0)
    tree = build(root, numeric_schema("a", "fare", "parch", "size"), ("no", "yes"))
    assert unnoticed(tree) == []


def test_the_last_surrogate_may_say_what_the_majority_does():
    root = threshold(0, 1.0, leaf(1, 0), leaf(0, 1), surrogates=[surrogate(1, 2.0)], missing=0)
    tree = build(root, numeric_schema("a", "b"), ("no", "yes"))
    assert unnoticed(tree) == ["elif b <= 2.0:"]  # at 2.0 both ways lead to the same leaf


def test_a_threshold_is_tried_where_the_leaves_below_differ():
    below = threshold(1, 5.0, leaf(3, 0), leaf(0, 3))
    tree = build(threshold(0, 1.0, leaf(2, 0), below), numeric_schema("a", "b"), ("no", "yes"))
    assert unnoticed(tree) == []


def test_surrogates_lead_the_way_where_a_missing_column_was_asked_before():
    again = threshold(
        0, 3.0, leaf(3, 0), leaf(0, 3), surrogates=[surrogate(2, 7.0, flip=1)], missing=0
    )
    root = threshold(0, 1.0, leaf(4, 1), again, surrogates=[surrogate(1, 5.0)], missing=0)
    tree = build(root, numeric_schema("a", "b", "c"), ("no", "yes"))
    assert "elif c <= 7.0:" not in unnoticed(tree)


def test_a_row_takes_the_way_that_the_program_describes():
    root = threshold(0, 1.0, leaf(1, 0), leaf(0, 1), surrogates=[surrogate(1, 5.0, flip=1)])
    program = Program(build(root, numeric_schema("a", "b"), ("no", "yes")))
    step = program.step(0)
    assert step is not None
    ways = [{0: 1.0}, {0: 1.5}, {0: math.nan, 1: 5.0}, {0: math.nan, 1: 6.0}]
    assert [child_of(program, step, row) for row in ways] == [1, 2, 2, 1]
    assert child_of(program, step, {0: math.nan, 1: math.nan}) == step.missing[0][0]


def test_a_sum_with_a_missing_term_leads_nowhere():
    program = Program(build(leaf(1, 0), numeric_schema("a", "b"), ("no", "yes")))
    question = WeightedSum(((0, 1.0), (1, 2.0)), 4.0, (1, 2))
    assert child_by_question(program, question, {0: 2.0, 1: 1.0}) == 1
    assert child_by_question(program, question, {0: 2.0, 1: 1.5}) == 2
    assert child_by_question(program, question, {0: 2.0, 1: math.nan}) is None
    assert value_for(program, question, 1, Reach()) is None


def test_the_rival_is_the_next_child_and_of_the_last_the_one_before():
    question = Cuts(0, (1.0, 2.0), (4, 5, 6))
    assert [rival_of(question, child) for child in (4, 5, 6)] == [5, 6, 5]
    assert rival_of(Levels(0, {0: 7, 1: 8}, None), 8) == 7


def test_a_vote_keeps_to_the_room_that_the_path_leaves():
    program = Program(build(leaf(1, 0), numeric_schema("a"), ("no", "yes")))
    question = Cuts(0, (3.0,), (1, 2))
    assert value_for(program, question, 1, Reach(bounds={0: (2.0, math.inf)})) == 2.5
    assert value_for(program, question, 1, Reach(bounds={0: (3.0, math.inf)})) is None
