"""Columns by their distinct values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.column import NominalColumn, NumericColumn
from treewright.worksheets.training import coded_column

CELLS = (
    st.integers(-3, 3).map(float)
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.sampled_from([0.5, -0.0, 70_000.0, 1e300])
)


@given(st.lists(CELLS))
def test_codes_are_positions_among_rising_values(cells):
    numbers = np.array(cells, dtype=np.float64)
    coded = coded_column(NumericColumn("x", numbers))
    assert (np.diff(coded.values) > 0).all() if len(coded.values) > 1 else True
    is_missing = coded.codes == len(coded.values)
    np.testing.assert_array_equal(is_missing, np.isnan(numbers))
    np.testing.assert_array_equal(coded.values[coded.codes[~is_missing]], numbers[~is_missing])


@pytest.mark.parametrize("width", [3, 255, 256, 64_999, 65_000, 70_000])
def test_whole_numbers_of_any_width_keep_their_values(width):
    numbers = np.array([width, 0, width, 1, np.nan], dtype=np.float64) - 7
    coded = coded_column(NumericColumn("x", numbers))
    assert coded.values.tolist() == [-7, -6, width - 7]
    assert coded.codes.tolist() == [2, 0, 2, 1, 3]


def test_levels_keep_their_codes_and_unknown_ones_are_missing():
    coded = coded_column(NominalColumn("x", np.array([1, -1, 0, -2], np.int32), ("a", "b", "c")))
    assert coded.values.tolist() == [0, 1, 2]
    assert coded.codes.tolist() == [1, 3, 0, 3]
