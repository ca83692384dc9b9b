"""Conditions as people write them."""

from math import inf, nextafter

import pytest

from treewright.errors import ParameterError
from treewright.tree.conditions import Clause, clause_of, read_clause

BELOW_FIVE = nextafter(5.0, -inf)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("x <= 5", Clause("x", high=5.0)),
        ("x > -2.5e3", Clause("x", low=-2500.0)),
        ("x < 5", Clause("x", high=BELOW_FIVE, strict=True)),
        ("x >= 5", Clause("x", low=BELOW_FIVE, strict=True)),
        ("2 < petal width <= 5", Clause("petal width", 2.0, 5.0)),
        ("2 < x < 5", Clause("x", 2.0, BELOW_FIVE)),
        ("color = red", Clause("color", levels=("red",))),
        ("color == dark red", Clause("color", levels=("dark red",))),
        ("color is red", Clause("color", levels=("red",))),
        ("color is not red", Clause("color", levels=("red",), excluded=True)),
        ("color != red", Clause("color", levels=("red",), excluded=True)),
        ("age = <=30", Clause("age", levels=("<=30",))),
        ("color in {red, dark blue}", Clause("color", levels=("red", "dark blue"))),
        ("color not in {red}", Clause("color", levels=("red",), excluded=True)),
        ("color missing", Clause("color", word="missing")),
        ("color otherwise", Clause("color", word="other")),
        ("color known", Clause("color", word="known")),
    ],
)
def test_a_condition_is_read(text, clause):
    assert read_clause(text) == clause


@pytest.mark.parametrize("text", ["", "x", "x <= high", "<= 5", "x <= inf", "= 3"])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(ParameterError):
        read_clause(text)


@pytest.mark.parametrize(
    ("key", "clause"),
    [
        ("<= 5", Clause("x", high=5.0)),
        (">5", Clause("x", low=5.0)),
        ("(2, 5]", Clause("x", 2.0, 5.0)),
        ("red", Clause("x", levels=("red",))),
        (True, Clause("x", levels=(True,))),
        (3, Clause("x", levels=(3,))),
        (("red", "blue"), Clause("x", levels=("red", "blue"))),
        ("in {red, blue}", Clause("x", levels=("red", "blue"))),
        ("other", Clause("x", word="other")),
        ("missing", Clause("x", word="missing")),
    ],
)
def test_a_key_of_a_nested_dict_is_read(key, clause):
    assert clause_of("x", key) == clause
