"""Dates and times as people write them, as whole columns."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.formats import Format
from treewright.data.sources.from_files import read_table
from treewright.data.sources.written_dates import MANY_TEXTS, date_reading, time_reading
from treewright.errors import DataError


def read(*texts, **settings):
    return date_reading(texts, np.ones(len(texts), dtype=np.int64), **settings)


def dates(*texts, **settings):
    return [str(date) for date in read_table({"d": texts}, **settings)["d"].to_numpy()]


@pytest.mark.parametrize(
    ("texts", "expected", "pattern"),
    [
        (["19.10.2017", "1.2.2018"], ["2017-10-19", "2018-02-01"], "D.M.YYYY"),
        (["01.02.2018", "03.04.2018"], ["2018-02-01", "2018-04-03"], "DD.MM.YYYY"),
        (["05/06/2021", "25/06/2021"], ["2021-06-05", "2021-06-25"], "DD/MM/YYYY"),
        (["05/06/2021", "06/25/2021"], ["2021-05-06", "2021-06-25"], "MM/DD/YYYY"),
        (["5-6-21", "25-6-21"], ["2021-06-05", "2021-06-25"], "D-M-YY"),
        (["2021/06/05", "2021/12/31"], ["2021-06-05", "2021-12-31"], "YYYY/MM/DD"),
        (["Jan 2021", "Feb 2020"], ["2021-01-01", "2020-02-01"], "MMM YYYY"),
        (["January 2021", "May 2020"], ["2021-01-01", "2020-05-01"], "MMMM YYYY"),
        (["Jan-21", "Feb-99"], ["2021-01-01", "1999-02-01"], "MMM-YY"),
        (["01/2021", "12/2020"], ["2021-01-01", "2020-12-01"], "MM/YYYY"),
        (["2021-01", "2020-12"], ["2021-01-01", "2020-12-01"], "YYYY-MM"),
        (["5 Jan 2021", "17 March 2021"], ["2021-01-05", "2021-03-17"], "D MMM YYYY"),
        (["05-Jan-2021", "17-Mar-2021"], ["2021-01-05", "2021-03-17"], "DD-MMM-YYYY"),
        (["Jan 5, 2021", "Mar 17, 2021"], ["2021-01-05", "2021-03-17"], "MMM D, YYYY"),
        (["3. Oktober 2021", "1. Mai 2021"], ["2021-10-03", "2021-05-01"], "D. MMMM YYYY"),
        (["Mon, 4 Jan 2021", "Tue, 5 Jan 2021"], ["2021-01-04", "2021-01-05"], "D MMM YYYY"),
    ],
    ids=str,
)
def test_a_column_of_dates_is_read_in_one_pattern(texts, expected, pattern):
    assert dates(*texts) == expected
    assert read(*texts).format.pattern == pattern


def test_moments_have_the_coarsest_unit_that_fits():
    minutes = read_table({"d": ["19.10.2017 10:30", "20.10.2017 9:05"]})["d"]
    assert minutes.unit == "datetime64[m]"
    assert str(minutes.value(1)) == "2017-10-20T09:05"
    seconds = read_table({"d": ["10/19/2017 10:30:15 PM", "10/2/2017 9:05:00 AM"]})["d"]
    assert seconds.unit == "datetime64[s]"
    assert str(seconds.value(0)) == "2017-10-19T22:30:15"
    zoned = read_table({"d": ["2017-10-19T10:30:00+02:00", "2017-10-19T10:30:00Z"]})["d"]
    assert [str(zoned.value(row)) for row in (0, 1)] == ["2017-10-19T08:30", "2017-10-19T10:30"]


def test_a_date_that_nothing_settles_stays_text_and_names_the_way_out():
    texts = ["05/06/2021", "07/08/2021"]
    with pytest.warns(UserWarning, match="`05/06/2021` may be 2021-06-05 or 2021-05-06"):
        column = read_table({"seen": texts})["seen"]
    assert column.levels == tuple(texts)
    assert 'columns={"seen": "day-first"} or columns={"seen": "month-first"}' in column.caution
    assert dates(*texts, columns={"d": "day-first"}) == ["2021-06-05", "2021-08-07"]
    assert dates(*texts, columns={"d": "month-first"}) == ["2021-05-06", "2021-07-08"]
    with pytest.raises(DataError, match="no cell settles it") as error:
        read_table({"seen": texts}, columns={"seen": "date"})
    assert "day-first" in error.value.hint
    european = Format("date", pattern="DD/MM/YYYY")
    assert read(*texts, known=european).values.tolist() == [18783.0, 18846.0]


def test_days_that_read_the_same_both_ways_are_no_doubt():
    assert dates("05/05/2021", "06/06/2021") == ["2021-05-05", "2021-06-06"]


def test_a_day_that_does_not_exist_is_no_date():
    column = read_table({"d": ["13/13/2020", "31/31/2021"]})["d"]
    assert column.kind == "nominal"
    assert column.caution == "`13/13/2020` looks like a date, but there is no such day"
    with pytest.raises(DataError, match=r"row 0: `13/13/2020` in column `d` is not a date"):
        read_table({"d": ["13/13/2020", "31/31/2021"]}, columns={"d": "date"})
    among = ["13/13/2020", *[f"{day}/06/2021" for day in range(1, 31)] * 2]
    with pytest.warns(UserWarning, match="1 cell does not fit and counts as missing"):
        column = read_table({"d": among})["d"]
    assert column.n_missing == 1
    assert "`13/13/2020` in row 0" in column.caution


def test_compact_dates_are_numbers_unless_said_otherwise():
    assert read("20210131") is None
    assert dates("20210131", "20211224", columns={"d": "year-first"}) == [
        "2021-01-31",
        "2021-12-24",
    ]


@pytest.mark.parametrize(
    ("texts", "values", "unit", "pattern"),
    [
        (["10:30", "9:05"], [630, 545], "timedelta64[m]", "h:mm"),
        (["10:30", "09:05"], [630, 545], "timedelta64[m]", "hh:mm"),
        (["10:30:15", "00:00:01"], [37815, 1], "timedelta64[s]", "hh:mm:ss"),
        (["10:30 pm", "12:15 AM"], [1350, 15], "timedelta64[m]", "hh:mm AM"),
        (["36:15", "7:00"], [2175, 420], "timedelta64[m]", "h:mm"),
    ],
    ids=str,
)
def test_times_count_from_midnight(texts, values, unit, pattern):
    found = time_reading(texts, np.ones(len(texts), dtype=np.int64))
    assert found.values.tolist() == values
    assert (found.unit, found.format.pattern) == (unit, pattern)


@pytest.mark.parametrize(
    "texts", [["16:9", "4:3"], ["10:75", "11:99"], ["3-5-2", "4-4-2"], ["May", "June"]], ids=str
)
def test_what_is_no_date_stays_text(texts):
    assert read_table({"d": texts})["d"].kind == "nominal"


patterns = st.sampled_from(
    ["DD.MM.YYYY", "D/M/YYYY", "MM/DD/YYYY", "YYYY/MM/DD", "D MMM YYYY", "MMMM D, YYYY"]
)
some_days = st.lists(st.dates(dt.date(1970, 1, 1), dt.date(2068, 12, 31)), min_size=1)


@given(patterns, st.sampled_from(["", "de", "fr", "es"]), some_days)
def test_what_a_pattern_writes_is_read_back(pattern, language, days):
    days = [*days, dt.date(2021, 12, 28), dt.date(2021, 3, 4)]
    counts = np.array(days, dtype="datetime64[D]").astype(np.int64)
    form = Format("date", pattern=pattern, language=language)
    texts = [form.time_text(int(count), "datetime64[D]") for count in counts]
    assert read(*texts).values.tolist() == counts.tolist()


def test_many_different_dates_are_read_as_few_are():
    counts = np.arange(10_000, 10_000 + 2 * MANY_TEXTS)
    for pattern in ("DD/MM/YYYY", "YYYY/M/D", "D.M.YYYY"):
        form = Format("date", pattern=pattern)
        texts = [form.time_text(int(count), "datetime64[D]") for count in counts]
        assert read(*texts).values.tolist() == counts.tolist()
    assert np.isnan(read(*texts, "31.2.2020").values[-1])
    form = Format("date", pattern="DD.MM.YYYY hh:mm")
    texts = [form.time_text(int(count) * 1447, "datetime64[m]") for count in counts]
    found = read(*texts)
    assert found.values.tolist() == (counts * 1447).tolist()
    assert found.unit == "datetime64[m]"
