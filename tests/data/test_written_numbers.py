"""Numbers as people write them, as whole columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.formats import PLAIN, Format
from treewright.data.sources.from_files import read_table
from treewright.data.sources.type_inference import Wanted, infer_column
from treewright.data.sources.written_numbers import MANY_TEXTS, number_reading, quick_values
from treewright.plain_text import number_text

MONEY = Format(before="$", thousands=",")


def read(*texts, **settings):
    return number_reading(texts, np.ones(len(texts), dtype=np.int64), **settings)


def column_of(*texts, **settings):
    return read_table({"x": list(texts)}, **settings)["x"]


@pytest.mark.parametrize(
    ("texts", "values", "form"),
    [
        (["$101,508", "$95,000.50", "1200"], [101508, 95000.5, 1200], MONEY),
        (["-$5", "$-6", "($7)", "$8"], [-5, -6, -7, 8], Format(before="$")),
        (["1.234,56 €", "99 €"], [1234.56, 99], Format(after=" €", decimal=",", thousands=".")),
        (["EUR 5", "EUR 1'000.5"], [5, 1000.5], Format(before="EUR ", thousands="'")),
        (["22.2%", "5 %", "0"], [22.2, 5, 0], Format(after="%")),
        (["1 234", "5"], [1234, 5], Format(thousands=" ")),
        (["1\u202f234,5", "5"], [1234.5, 5], Format(decimal=",", thousands=" ")),
        (["(45)", "12"], [-45, 12], PLAIN),
        (["12 kg", "7.5 kg"], [12, 7.5], Format(after=" kg")),
        (["12kg", "13 KG", "14kg"], [12, 13, 14], Format(after="kg")),
        (["1 year", "2 years", "3 years"], [1, 2, 3], Format(after=" years")),
        (["30 m2", "45.5 m2"], [30, 45.5], Format(after=" m2")),
        (["20°C", "-3°C"], [20, -3], Format(after="°C")),
        (["€1.5M", "€300K"], [1.5e6, 3e5], Format(before="€", thousands=",")),
        (["1.5M", "300K", "12"], [1.5e6, 3e5, 12], Format(thousands=",")),
        (["−5", "3"], [-5, 3], PLAIN),
        (["1.5e3", "2"], [1500, 2], PLAIN),
        ([".5", "1."], [0.5, 1], PLAIN),
        (["1,23,456", "99"], [123456, 99], Format(thousands=",")),
        (["5-", "3"], [-5, 3], PLAIN),
    ],
    ids=str,
)
def test_a_column_is_read_in_one_format(texts, values, form):
    found = read(*texts)
    assert found.values.tolist() == values
    assert found.format == form


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1,234", "5,6"], [1.234, 5.6]),  # a comma is one or the other
        (["1,234", "0,5"], [1.234, 0.5]),
        (["1,234", "1,234,567"], [1234, 1234567]),
        (["1.234", "1.234.567"], [1234, 1234567]),
        (["1.234", "0.5"], [1.234, 0.5]),
        (["1,234", "2,345"], [1234, 2345]),
        (["1.234", "2.345"], [1.234, 2.345]),
    ],
    ids=str,
)
def test_the_whole_column_says_which_mark_is_the_decimal_mark(texts, values):
    assert read(*texts).values.tolist() == values


def test_three_digits_behind_every_comma_are_thousands_and_in_doubt():
    found = read("1,234", "2,345")
    assert found.doubt == "`1,234` is read as 1234, not as 1.234"
    assert read("$1,234", "$2,345").doubt == ""
    assert read("1,234", "12").doubt != ""
    assert read("1,234", "2,345", comma_is_decimal=True).values.tolist() == [1.234, 2.345]
    assert read("1,234", "2,345", decimal=",").values.tolist() == [1.234, 2.345]
    known = Format(decimal=",")
    assert read("1,234", "2,345", known=known).values.tolist() == [1.234, 2.345]


@pytest.mark.parametrize(
    "texts",
    [
        ["A1", "B2"],
        ["red", "blue"],
        ["10-20", "20-30"],
        ["1/2", "3/4"],
        ["555-1234", "555-9999"],
        ["1.2.3", "1.2.4"],
        ["10.0.0.1", "10.0.0.2"],
        ["007", "008"],
        ["<5", ">=6"],
        ["(1)", "(2)"],
        ["1st", "2nd", "3rd"],
        ["2wd", "4wd"],  # letters behind few numbers are a name
        ["3 red balls on a table", "5 red balls on a table"],
        ["--5", "+-3"],
    ],
    ids=str,
)
def test_what_is_no_number_stays_text(texts):
    found = read(*texts)
    assert found is None or not found.fits.any()
    assert column_of(*texts).kind == "nominal"


def test_other_units_and_currencies_do_not_fit():
    assert read("12 kg", "13 kg", "5 lb").fits.tolist() == [True, True, False]
    assert read("$5", "$6", "£7").fits.tolist() == [True, True, False]
    assert read("50%", "25%", "0.5").fits.tolist() == [True, True, False]
    assert read("5 mW", "6 mW", "7 MW").fits.tolist() == [True, True, False]


written_formats = st.sampled_from(
    [
        MONEY,
        Format(after=" €", decimal=",", thousands="."),
        Format(after="%"),
        Format(after=" kg", decimal=","),
        Format(before="CHF ", thousands="'"),
        Format(thousands=" "),
    ]
)


@given(written_formats, st.lists(st.floats(-1e9, 1e9).map(lambda x: round(x, 2)), min_size=1))
def test_what_a_format_writes_is_read_back(form, numbers):
    numbers = [*numbers, 1234567.25, 0.5]  # the marks of both kinds are seen
    texts = [form.number_text(number_text(number, 2)) for number in numbers]
    found = infer_column(table_column(texts), Wanted())
    expected = [float(number_text(number, 2)) for number in numbers]
    assert found.values.tolist() == expected
    assert found.format == form


def table_column(texts):
    from treewright.data.sources import table_from

    return table_from({"x": texts})["x"]


@given(st.lists(st.text(alphabet="0123456789.,' $€%()-+kgKM", max_size=9), min_size=1, max_size=8))
def test_any_text_is_read_or_stays_text(texts):
    column = infer_column(table_column([*texts, "x"]), Wanted())
    assert len(column) == len(texts) + 1


@given(written_formats, st.lists(st.integers(-(10**9), 10**9).map(lambda n: n / 100), min_size=1))
def test_the_quick_way_gives_what_the_slow_one_does(form, numbers):
    texts = [form.number_text(number_text(number, 2)) for number in numbers]
    found = quick_values(texts, form)
    slow = read(*texts, known=form)
    assert slow is not None
    assert found is not None
    assert found.tolist() == slow.values.tolist()


@pytest.mark.parametrize("odd", ["1,23", "12", "$1,23", "$01", "$1,234.5.6", "", "$1,2345", "(5)"])
def test_the_quick_way_gives_up_at_one_odd_text(odd):
    assert quick_values(["$1,234", odd], MONEY) is None


def test_many_different_texts_are_read_as_few_are():
    texts = [f"${number:,}" for number in range(900, 2 * MANY_TEXTS)]
    assert read(*texts).values.tolist() == list(range(900, 2 * MANY_TEXTS))
    odd = read(*texts, "5 kg")
    assert odd.fits.tolist() == [True] * len(texts) + [False]
