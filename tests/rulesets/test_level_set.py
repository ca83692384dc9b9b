"""Sets of levels by what is in them or by what is not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.rulesets.condition import EVERY_LEVEL, LevelSet

N_LEVELS = 8
level_sets = st.builds(
    LevelSet, st.frozensets(st.integers(0, N_LEVELS - 1)), excluded=st.booleans()
)


@given(level_sets, level_sets)
def test_the_intersection_holds_what_both_hold(one, other):
    expected = {code for code in range(N_LEVELS) if code in one and code in other}
    assert set((one & other).within(N_LEVELS)) == expected


@given(level_sets)
def test_a_mask_and_a_list_say_the_same(levels):
    codes = np.arange(N_LEVELS, dtype=np.int32)
    assert np.flatnonzero(levels.mask(codes)).tolist() == list(levels.within(N_LEVELS))


def test_everything_and_nothing_are_told():
    assert EVERY_LEVEL.is_everything
    assert (EVERY_LEVEL & LevelSet(frozenset())).is_empty
