"""A cut between two dates becomes the last microsecond that is not above it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import ExportError
from treewright.exports.sql.columns import NANOSECONDS, as_count, last_moment

units = st.sampled_from(sorted(NANOSECONDS))


@given(st.floats(-1e9, 2e9), units)
def test_moments_up_to_the_last_one_are_not_above_the_cut(seconds, unit):
    size = NANOSECONDS[unit]
    cut = seconds * 1e9 / size
    last = int(np.datetime64(last_moment(cut, unit), "us").astype(np.int64))
    assert as_count(last, size) <= cut < as_count(last + 1, size)


def test_a_cut_between_two_days_is_noon():
    assert last_moment(0.5, "D").isoformat() == "1970-01-01T12:00:00"
    assert last_moment(-0.5, "D").isoformat() == "1969-12-31T12:00:00"


def test_a_cut_in_nanoseconds_is_rounded_as_the_model_rounds():
    moment = 1_700_000_000_123_456  # microseconds; in nanoseconds beyond what a double counts
    assert last_moment(float(moment * 1000), "ns") == np.datetime64(moment, "us").item()
    below = math.nextafter(float(moment * 1000), 0)
    assert last_moment(below, "ns") == np.datetime64(moment - 1, "us").item()


def test_years_that_no_engine_has_are_refused():
    with pytest.raises(ExportError, match="outside the years 1 to 9999"):
        last_moment(1e7, "D")
