"""Conditions and missing routes as people read them."""

import pytest

from treewright.data.schema import ColumnSpec
from treewright.rulesets.condition import Condition, LevelSet, Question, condition_text, route_text

X = ColumnSpec("x", "numeric")
DAY = ColumnSpec("day", "numeric", (), "datetime64[D]")
COLOR = ColumnSpec("color", "nominal", ("red", "blue", "green", "gray"))
SIZE = ColumnSpec("size", "ordered", ("small", "medium", "large"))


def about(column: ColumnSpec, *questions: Question) -> Condition:
    return Condition((0,), (column,), (), questions)


def levels(*codes: int, excluded: bool = False) -> LevelSet:
    return LevelSet(frozenset(codes), excluded)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (about(X, Question(high=2.5)), "x <= 2.5"),
        (about(X, Question(low=2.5)), "x > 2.5"),
        (about(X, Question(low=2.0), Question(high=5.0)), "2 < x <= 5"),
        (about(X, Question()), "x known"),
        (about(X, Question(wants_missing=True)), "x missing"),
        (about(DAY, Question(high=0.5)), "day <= 1970-01-01"),
        (about(SIZE, Question(low=0.5)), "size > small"),
        (about(COLOR, Question(levels=levels(0))), "color = red"),
        (about(COLOR, Question(levels=levels(0, 2))), "color in {red, green}"),
        (about(COLOR, Question(levels=levels(1, excluded=True))), "color is not blue"),
        (about(COLOR, Question(levels=levels(0, 1, 2, excluded=True))), "color = gray"),
        (about(COLOR, Question(levels=levels(0, 1, 2, 3))), "color known"),
        (about(COLOR, Question(levels=levels())), "color in {}"),
        (
            about(COLOR, Question(wants_missing=True, unlisted=levels(0, 1, 2, excluded=True))),
            "(color missing or color = gray)",
        ),
        (Condition((0, 1), (X, DAY), (2.0, -1.0), (Question(high=3.0),)), "2 * x - day <= 3"),
    ],
)
def test_a_condition_reads_as_one_would_say_it(condition, text):
    assert condition_text(condition) == text


STAND_IN = about(COLOR, Question(levels=levels(0)))


@pytest.mark.parametrize(
    ("questions", "text"),
    [
        ([Question(high=1.0)], ""),
        ([Question(high=1.0, share=1.0)], "passes if missing"),
        ([Question(high=1.0, share=0.25)], "if missing, 25 % of the row passes"),
        (
            [Question(high=1.0, share=1.0, surrogates=(STAND_IN,))],
            "if missing, ask color = red; if all are missing, it passes",
        ),
        (
            [Question(wants_missing=True, share=1.0, surrogates=(STAND_IN,))],
            "only if what else would be asked is missing too: color = red",
        ),
        ([Question(wants_missing=True, share=1.0)], ""),
        ([Question(high=1.0), Question(low=0.0, share=1.0, surrogates=(STAND_IN,))], ""),
    ],
)
def test_the_missing_route_is_told_where_it_is_not_to_fail(questions, text):
    assert route_text(about(X, *questions)) == text


def test_a_name_of_several_lines_stays_on_one():
    column = ColumnSpec("a\nb", "numeric")
    assert condition_text(about(column, Question(high=1.0))) == "a\\nb <= 1"


def test_decimals_round_bounds_only_in_words():
    condition = about(X, Question(low=1.23456, high=2.0))
    assert condition_text(condition, decimals=1) == "1.2 < x <= 2"
    assert condition.low == 1.23456
