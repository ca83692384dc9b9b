"""How values are written: text in a format, and formats in a model file."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.formats import PLAIN, Format, fields_of, format_of, in_format
from treewright.errors import ModelFileError

formats = st.one_of(
    st.just(PLAIN),
    st.builds(
        Format,
        before=st.sampled_from(["", "$", "CHF ", "US$"]),
        decimal=st.just("."),
        thousands=st.sampled_from(["", ",", " ", "'"]),
    ),
    st.builds(
        Format,
        after=st.sampled_from(["", "%", " kg", " €", " km/h", "°C"]),
        decimal=st.just(","),
        thousands=st.sampled_from(["", ".", " "]),
    ),
    st.builds(
        Format,
        st.just("date"),
        pattern=st.sampled_from(["DD.MM.YYYY", "M/D/YY", "MMM YYYY", "D MMMM YYYY hh:mm"]),
        language=st.sampled_from(["", "de", "fr", "es"]),
    ),
    st.builds(Format, st.just("time"), pattern=st.sampled_from(["hh:mm", "h:mm:ss AM"])),
    st.builds(
        Format, st.sampled_from(["year", "month", "weekday", "hour"]), of=st.text(min_size=1)
    ),
)


@given(formats)
def test_a_format_comes_back_from_json(form):
    if form == PLAIN:
        assert form.to_json() == {}
    else:
        assert Format.from_json(form.to_json(), "here") == form


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        [],
        {"kind": "color"},
        {"kind": 3},
        {"before": "x" * 25},
        {"after": "*/ drop"},
        {"after": "\n"},
        {"decimal": ";"},
        {"thousands": "."},  # and the decimal mark is a point, too
        {"thousands": "x"},
        {"kind": "date"},
        {"kind": "date", "pattern": "%Y"},
        {"kind": "date", "pattern": "DD.MM.YYYY", "language": "xx"},
        {"kind": "month"},
        {"of": "seen"},
        {"width": "3"},
    ],
    ids=repr,
)
def test_what_is_no_format_is_refused(data):
    with pytest.raises(ModelFileError, match="column 3, `format`"):
        Format.from_json(data, "schema, column 3")


@pytest.mark.parametrize(
    ("form", "plain", "written"),
    [
        (PLAIN, "1234.5", "1234.5"),
        (Format(before="$", thousands=","), "1234567.25", "$1,234,567.25"),
        (Format(before="$", thousands=","), "-5", "-$5"),
        (Format(after="%"), "22.2", "22.2%"),
        (Format(after=" €", decimal=",", thousands="."), "1234.56", "1.234,56 €"),
        (Format(after=" kg", decimal=","), "0.5", "0,5 kg"),
        (Format(before="$", thousands=","), "1.25e+16", "$1.25e+16"),
        (Format(thousands=" "), "12345678", "12 345 678"),
    ],
)
def test_numbers_are_written_in_the_format(form, plain, written):
    assert form.number_text(plain) == written


@pytest.mark.parametrize(
    ("pattern", "language", "written"),
    [
        ("DD.MM.YYYY", "", "05.03.2021"),
        ("M/D/YY", "", "3/5/21"),
        ("YYYY/MM/DD", "", "2021/03/05"),
        ("MMM YYYY", "", "Mar 2021"),
        ("MMMM D, YYYY", "", "March 5, 2021"),
        ("D. MMMM YYYY", "de", "5. März 2021"),
        ("DD.MM.YYYY hh:mm", "", "05.03.2021 14:05"),
        ("D/M/YYYY h:mm AM", "", "5/3/2021 2:05 PM"),
    ],
)
def test_dates_are_written_in_the_pattern(pattern, language, written):
    count = int(np.datetime64("2021-03-05T14:05", "m").astype(np.int64))
    form = Format("date", pattern=pattern, language=language)
    assert form.time_text(count, "datetime64[m]") == written


@given(st.integers(-(2**40), 2**40), st.sampled_from(["D", "h", "m", "s"]))
def test_any_count_has_a_text_or_none(count, step):
    text = Format("date", pattern="YYYY-MM-DD").time_text(count, f"datetime64[{step}]")
    date = np.datetime64(count, step).astype("datetime64[D]")
    in_reach = np.datetime64("0001-01-01") <= date <= np.datetime64("9999-12-31")
    assert text == (str(date) if in_reach else "")


def test_parts_of_dates_have_names():
    month, weekday = Format("month", of="seen"), Format("weekday", of="seen")
    assert month.bound_text(3.5, "3.5") == "March"
    assert weekday.bound_text(5.5, "5.5") == "Friday"
    assert weekday.bound_text(0.5, "0.5") == "0.5"
    assert Format("year", of="seen").bound_text(2020.5, "2020.5") == "2020.5"


def test_formats_contradict_each_other_if_one_text_has_two_meanings():
    european = Format("date", pattern="DD/MM/YYYY")
    assert european.contradicts(Format("date", pattern="MM/DD/YYYY"))
    assert not european.contradicts(Format("date", pattern="D.M.YY"))
    assert Format(decimal=",").contradicts(Format(thousands=","))
    assert not Format(before="$", thousands=",").contradicts(PLAIN)


def test_a_pattern_is_its_fields():
    assert fields_of("DD.MM.YYYY hh:mm") == ["DD", ".", "MM", ".", "YYYY", " ", "hh", ":", "mm"]


def test_parts_of_a_second_have_no_pattern():
    form = Format("date", pattern="DD.MM.YYYY hh:mm:ss")
    assert form.time_text(1_500_000, "datetime64[us]") == ""
    assert form.time_text(2_000_000, "datetime64[us]") == "01.01.1970 00:00:02"


@pytest.mark.parametrize(
    ("number", "text"),
    [(121607.66, "$121,608"), (-1204.4, "-$1,204"), (0.0, "$0"), (9.16021, "$9.16")],
)
def test_means_have_four_digits_and_all_before_the_point(number, text):
    assert Format(before="$", thousands=",").value_text(number) == text
    assert Format(before="$", thousands=",").value_text(number, 0).replace("$", "") == (
        f"{number:,.0f}".replace("-0", "0")
    )


def test_parts_of_a_target_keep_its_format_and_what_is_computed_does_not():
    dollars = Format(before="$")
    numbers = in_format(np.array([1.0, 2.0, 4.0]), dollars)
    for part in (numbers[1:], numbers[[0, 2]], numbers.take([0]), np.take(numbers, [1])):
        assert format_of(part) == dollars
    assert format_of(pickle.loads(pickle.dumps(numbers))) == dollars
    for other in (np.log(numbers), numbers * 2, np.asarray(numbers), numbers[0], numbers.copy()):
        assert format_of(other) == PLAIN
    assert type(in_format(np.array([1.0]), PLAIN)) is np.ndarray
