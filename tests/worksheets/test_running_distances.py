"""Distances from the median of every beginning of a sequence are those of the beginning itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import measures
from treewright.data.fill_statistics import median
from treewright.worksheets.number_scoring import distances, ranks_of, running_distances

NUMBERS = st.lists(
    st.tuples(st.integers(-5, 5).map(float) | st.floats(-1e3, 1e3), st.integers(1, 9)), max_size=40
)


@given(NUMBERS)
def test_every_beginning_has_its_own_median(rows):
    values = np.array([value for value, _ in rows])
    weights = np.array([weight / 4 for _, weight in rows])
    ends = np.arange(len(rows) + 1)
    found = running_distances(values, weights, 3 * ranks_of(values), ends)
    for end in ends:
        weight = weights[:end].sum()
        wanted = weight * measures.absolute_error(values[:end], weights[:end]) if end else 0.0
        assert found[end] == pytest.approx(wanted, abs=1e-9)


@given(NUMBERS.filter(bool))
def test_numbers_in_order_may_weigh_nothing(rows):
    rows = sorted(rows)
    values = np.array([value for value, _ in rows])
    weights = np.array([float(weight % 3) for _, weight in rows])
    kept = weights > 0
    wanted = 0.0
    if kept.any():
        wanted = weights.sum() * measures.absolute_error(values[kept], weights[kept])
    assert distances(values, weights) == pytest.approx(wanted, abs=1e-9)


def test_a_median_between_two_halves_is_midway():
    assert median(np.array([4.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0])) == 2.0
    assert median(np.array([4.0, 1.0]), np.array([1.0, 1.0])) == 2.5
