"""Ticks of dates stand where years, months, days or hours begin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.figures.scales import Times


def labels(low, high, unit, most=6):
    ends = [
        float(np.datetime64(end).astype(f"datetime64[{unit}]").astype(int)) for end in (low, high)
    ]
    return [tick.label for tick in Times(*ends, f"datetime64[{unit}]").ticks(most)]


def test_each_span_has_its_own_steps():
    assert labels("1957", "2015", "D") == ["1960", "1970", "1980", "1990", "2000", "2010"]
    assert labels("2020-01", "2021-02", "s", 4) == ["2020-01", "2020-07", "2021-01"]
    assert labels("2020-01-01", "2020-01-09", "D", 5)[:2] == ["2020-01-01", "2020-01-03"]
    assert labels("2020-01-01T10:00", "2020-01-01T10:35", "s", 3)[1] == "01-01 10:15"
    assert labels("2020-01-01T10:00:00", "2020-01-01T10:00:42", "ns", 3)[1] == "10:00:15"


@given(
    st.sampled_from(["Y", "M", "D", "h", "s", "ms", "ns"]),
    st.datetimes(),
    st.datetimes(),
    st.integers(1, 10),
)
def test_ticks_of_dates_are_few_in_order_and_on_the_axis(unit, one, other, most):
    low, high = sorted(
        float(np.datetime64(end, "s").astype(f"datetime64[{unit}]").astype(np.int64))
        for end in (one, other)
    )
    ticks = Times(low, high + 1, f"datetime64[{unit}]").ticks(most)
    values = [tick.value for tick in ticks]
    assert len(ticks) <= most
    assert values == sorted({*values})
    assert all(low <= value <= high + 1 for value in values)


def test_durations_are_told_in_their_unit():
    assert [tick.label for tick in Times(0, 50, "timedelta64[h]").ticks(3)] == [
        "0 hours",
        "20 hours",
        "40 hours",
    ]


def test_dates_that_nobody_means_have_ticks_too():
    assert Times(-1e17, 1e18, "datetime64[D]").ticks(4)
