"""Rows as text are what the csv and json modules write, but for formulas."""

import csv
import io
import json
import math

from hypothesis import given
from hypothesis import strategies as st

from treewright.cli.output import csv_header, csv_lines, json_lines

WORDS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
KINDS = [st.none() | WORDS, st.none() | st.integers(), st.floats(), st.booleans()]
COLUMN = st.sampled_from(KINDS).flatmap(lambda kind: st.lists(kind, min_size=3, max_size=3))


@given(st.lists(COLUMN, min_size=1, max_size=4))
def test_lines_are_read_back_by_the_csv_module(columns):
    text = csv_lines(columns, raw=True)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows == [[plain(value) for value in row] for row in zip(*columns, strict=True)]


def plain(value):
    return "" if value is None or value != value else str(value)


@given(COLUMN)
def test_no_text_begins_like_a_formula_and_numbers_are_left_alone(column):
    for value, row in zip(
        column, csv.reader(io.StringIO(csv_lines([column], raw=False), newline="")), strict=True
    ):
        if isinstance(value, str):
            assert row[0] in (value, "'" + value)
            assert not row[0].startswith(("=", "+", "-", "@", "＝", "\t", "\r"))
        else:
            assert row[0] == plain(value)


@given(st.dictionaries(WORDS, COLUMN, min_size=1, max_size=3))
def test_lines_are_read_back_by_the_json_module(columns):
    lines = json_lines(list(columns), list(columns.values())).split("\n")[:-1]
    found = [json.loads(line, parse_constant=lambda name: 1 / 0) for line in lines]
    for at, row in enumerate(found):
        for name, values in columns.items():
            is_number = not isinstance(values[at], float) or math.isfinite(values[at])
            assert row[name] == (values[at] if is_number else None)


def test_a_header_is_text_too():
    assert csv_header(["a", "b,c", "=d"], raw=False) == 'a,"b,c",\'=d\n'
