"""Dates as year, month, weekday and hour."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.date_parts import with_date_parts
from treewright.data.schema import Schema
from treewright.data.sources.from_files import read_table
from treewright.errors import DataError, ParameterError

moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))


@given(st.lists(moments, min_size=1, max_size=5))
def test_parts_are_those_of_the_standard_library(times):
    table = with_date_parts(tw.table_from({"at": np.array(times, dtype="datetime64[us]")}))
    assert table.names == ("at year", "at month", "at weekday", "at hour")
    for name, part in (
        ("year", lambda time: time.year),
        ("month", lambda time: time.month),
        ("weekday", lambda time: time.isoweekday()),
        ("hour", lambda time: time.hour),
    ):
        assert table[f"at {name}"].values.tolist() == [part(time) for time in times]


def test_days_have_no_hour_and_missing_dates_no_parts():
    table = read_table({"day": ["2021-05-17", None], "n": [1, 2]}, dates="parts")
    assert table.names == ("day year", "day month", "day weekday", "n")
    assert table["day weekday"].n_missing == 1
    assert repr(table).splitlines()[2].split() == ["2021", "May", "Monday", "1"]


def weekend_rows():
    days = [dt.date(2021, 1, 1) + dt.timedelta(days=at) for at in range(120)]
    return {
        "seen": [f"{day:%d/%m/%Y}" for day in days],
        "shut": ["yes" if day.weekday() > 4 else "no" for day in days],
    }


def test_a_model_of_parts_takes_the_dates_themselves(tmp_path):
    X, y = read_table(weekend_rows(), "shut", dates="parts")
    tw.C45Classifier().fit(X, y).save(tmp_path / "m.json")
    model = tw.load(tmp_path / "m.json")
    assert str(model.tree_).startswith("seen weekday <= Friday: no (86)\n")
    later = {"seen": ["11/06/2022", "13/06/2022"]}  # a Saturday and a Monday
    expected = ["yes", "no"]
    assert model.predict(read_table(later, dates="parts")).tolist() == expected
    assert model.predict(read_table(later)).tolist() == expected
    typed = {"seen": np.array(["2022-06-11", "2022-06-13"], dtype="datetime64[s]")}
    assert model.predict(typed).tolist() == expected
    with pytest.raises(DataError, match=r"`seen` holds text, but the model needs dates"):
        model.predict(later)


def test_what_a_new_table_does_not_settle_is_read_as_the_training_dates_were():
    schema = Schema.of(read_table(weekend_rows(), dates="parts").drop("shut"))
    new = read_table({"seen": ["05/06/2022", "07/08/2022"]}, schema=schema)
    assert schema.encode(new)["seen month"].values.tolist() == [6, 8]


def test_the_target_keeps_its_dates():
    rows = {"seen": ["2021-05-17", "2021-05-18"], "due": ["2022-05-17", "2022-05-18"]}
    X, y = read_table(rows, "due", dates="parts")
    assert X.names == ("seen year", "seen month", "seen weekday")
    assert y.dtype.kind == "M"


def test_other_words_for_dates_are_refused():
    with pytest.raises(ParameterError, match="dates='month' is not allowed"):
        read_table({"a": [1]}, dates="month")
