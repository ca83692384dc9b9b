"""Marks: numbers within rounding, names by their spelling, and a word on what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.worksheets.marking import Mark, Marking, Question, answers_in, named, number_of


def a_number(answer="0.940", decimals=3) -> Question:
    return Question(1, "entropy(9, 5) at node 0", (answer,), decimals=decimals)


def a_name(*answers, choices=("outlook", "wind", "credit_rating")) -> Question:
    return Question(2, "column chosen at node 0", answers or ("outlook",), choices)


@pytest.mark.parametrize(
    "written", ["0.94", "0.940", "0.9403", "47/50", "0,94", "94 %", " .94", "= 0.94", "9.4e-1"]
)
def test_a_number_is_right_in_every_way_to_write_it(written):
    assert a_number().is_right(written)


@pytest.mark.parametrize("written", ["0.9", "1", "0.96", "0.930", "0.9443", "9/10", "-0.94", "9.4"])
def test_a_number_is_wrong_beyond_the_last_digit_that_was_written(written):
    assert not a_number().is_right(written)


@pytest.mark.parametrize("printed", ["0.246", "0.247", "0.2467", "0.25"])
def test_numbers_as_the_lecture_notes_round_them_are_right(printed):
    assert a_number("0.247").is_right(printed)


@given(st.floats(-1e6, 1e6), st.integers(2, 6))
def test_an_answer_rounded_to_two_decimals_or_more_is_right(number, decimals):
    question = a_number(f"{number:.{decimals}f}", decimals)
    assert all(question.is_right(f"{number:.{digits}f}") for digits in range(2, decimals + 3))


@given(st.floats(0.01, 0.9), st.integers(2, 6))
def test_an_answer_two_units_off_is_wrong(number, decimals):
    question = a_number(f"{number:.{decimals}f}", decimals)
    assert not question.is_right(f"{number + 2.1 * 10**-decimals:.{decimals + 1}f}")


def test_large_numbers_may_be_written_without_decimals():
    assert a_number("12345.679").is_right("12346")
    assert not a_number("12345.679").is_right("12600")


@pytest.mark.parametrize("written", ["", "many", "1/0", "1/2/3", "0.9.4", "nan", "inf", "1e400x"])
def test_what_is_no_number_is_told_from_a_wrong_one(written):
    assert number_of(written) is None
    if written:
        assert Mark(a_number(), written).verdict == "not a number"


def test_names_are_right_whatever_their_case_and_spaces():
    assert a_name().is_right("Outlook")
    assert a_name("petal width", choices=("petal width", "petal length")).is_right("PETAL  width")
    assert not a_name().is_right("wind")


def test_case_counts_where_names_differ_by_it():
    assert named("yes", ("Yes", "YES")) is None
    assert named("Yes", ("Yes", "YES")) == "Yes"


def test_columns_that_are_as_good_are_right_too():
    question = a_name("outlook", "wind")
    assert question.is_right("outlook")
    assert question.is_right("wind")
    assert not question.is_right("credit_rating")


def test_every_blank_gets_a_verdict():
    verdicts = {
        "": "empty",
        "outlook": "right",
        "wind": "wrong",
        "outlok": "not a name of the table; outlook?",
        "zzz": "not a name of the table",
    }
    assert {word: Mark(a_name(), word).verdict for word in verdicts} == verdicts
    assert Mark(a_number(), "0.5").verdict == "wrong"


QUESTIONS = (a_number(), a_name())


def test_answers_come_by_number_or_in_the_text():
    assert answers_in({1: 0.94, "2": "wind"}, QUESTIONS) == {1: "0.94", 2: "wind"}
    assert answers_in({1: None, 2: " "}, QUESTIONS) == {}
    filled = "$$H = [1: 0.94]$$\n\n| a | [1: ] |\n\nChosen: [2: credit\\_rating]."
    assert answers_in(filled, QUESTIONS) == {1: "0.94", 2: "credit_rating"}
    assert answers_in("[1: ______] and [2: _wind_]", QUESTIONS) == {2: "wind"}


@pytest.mark.parametrize(
    ("filled", "told"),
    [
        ({3: "0.5"}, "no blank 3"),
        ({"first": "0.5"}, "'first'"),
        ("0.94, wind", "no blanks"),
        ("[7: 0.94]", "no blank 7"),
    ],
)
def test_blanks_that_do_not_exist_are_an_error(filled, told):
    with pytest.raises(tw.ParameterError, match=told):
        answers_in(filled, QUESTIONS)


def test_the_marking_counts_points_and_shows_the_answers():
    marking = Marking([Mark(QUESTIONS[0], "0.94"), Mark(QUESTIONS[1], "wind")], "Exercise")
    assert (marking.points, marking.n_blanks) == (1, 2)
    assert marking[2].verdict == "wrong"
    assert "1 of 2 points" in str(marking)
    assert "outlook" in marking.to_markdown()
    assert repr(marking) == "<Marking: 1 of 2 points>"
