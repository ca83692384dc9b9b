"""Boxes part as prediction parts rows: every value goes to one child, and to the right one."""

import math
from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from treewright.data.schema import ColumnSpec
from treewright.explanations.boxes import (
    between,
    codes_of,
    holds,
    is_one_value,
    nearest,
    only_levels,
    parted,
)
from treewright.exports.program import Cuts
from treewright.tree.reach import Reach

NUMBER = ColumnSpec("x", "numeric")
DAY = ColumnSpec("day", "numeric", unit="datetime64[D]")
numbers = (
    st.floats(allow_nan=False)
    | st.integers(-5, 5).map(float)
    | st.sampled_from([-math.inf, math.inf])
)


@given(cuts=st.lists(numbers, min_size=1, unique=True).map(sorted), value=numbers)
def test_a_number_goes_to_the_first_cut_that_is_not_below_it(cuts, value):
    question = Cuts(0, tuple(cuts), tuple(range(10, 11 + len(cuts))))
    parts, unknown = parted(NUMBER, question, Reach())
    takers = [child for child, part in parts if holds(NUMBER, part, value)]
    assert takers == [10 + bisect_left(cuts, value)]
    assert unknown.missing
    assert not unknown.low <= unknown.high


@given(
    cuts=st.lists(st.integers(-9, 9).map(lambda n: n + 0.5), min_size=1, unique=True).map(sorted),
    low=st.integers(-10, 10),
    days=st.integers(0, 20),
)
def test_days_are_whole(cuts, low, days):
    question = Cuts(0, tuple(cuts), tuple(range(len(cuts) + 1)))
    parts, _ = parted(DAY, question, between(DAY, low, low + days))
    for _, part in parts:
        assert part.low == math.floor(part.low)
        assert part.high == math.floor(part.high)
    assert sum(part.high - part.low + 1 for _, part in parts) == days + 1


@given(low=numbers, high=numbers, value=numbers)
def test_the_nearest_number_of_a_reach_is_in_it_and_no_other_is_nearer(low, high, value):
    low, high = min(low, high), max(low, high)
    reach = Reach(low, high, missing=False)
    found = nearest(NUMBER, reach, value)
    assert holds(NUMBER, reach, found)
    assert found in (low, high, value)
    assert (found == value) == (low <= value <= high)
    assert is_one_value(NUMBER, reach) == (low == high)


@given(levels=st.integers(1, 2**70))
def test_codes_are_the_places_of_the_bits(levels):
    codes = codes_of(only_levels(levels))
    assert sum(1 << code for code in codes) == levels
    assert codes == sorted(codes)
    spec = ColumnSpec("kind", "nominal", tuple(map(str, range(71))))
    outside = next(code for code in range(72) if code not in codes)
    assert nearest(spec, only_levels(levels), float(outside)) == codes[0]
    assert is_one_value(spec, only_levels(levels)) == (len(codes) == 1)
