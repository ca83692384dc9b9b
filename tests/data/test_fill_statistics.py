"""What holes are filled with: weights are rows, and only holes change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.fill_statistics import OF_NUMBERS, fill_of, filled, fills_by_class

numbers = st.lists(st.one_of(st.just(np.nan), st.integers(-4, 4)), min_size=1, max_size=12)
every_strategy = st.sampled_from(list(OF_NUMBERS))


def words(codes, levels=("a", "b", "c"), *, ordered=False):
    return NominalColumn("w", np.array(codes, dtype=np.int32), levels, ordered)


@given(values=numbers, strategy=every_strategy, data=st.data())
def test_a_weight_is_so_many_rows(values, strategy, data):
    n_rows = len(values)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)))
    column = NumericColumn("x", np.array(values, dtype=np.float64))
    repeated = column.take(np.repeat(np.arange(n_rows), weights))
    expected = fill_of(repeated, np.ones(len(repeated)), strategy)
    assert fill_of(column, weights.astype(float), strategy) == pytest.approx(expected, abs=1e-12)


@given(codes=st.lists(st.integers(-1, 2), min_size=1, max_size=9), ordered=st.booleans())
def test_the_median_of_ordered_levels_parts_the_rows_in_halves(codes, ordered):
    column = words(codes, ordered=ordered)
    fill = fill_of(column, np.ones(len(codes)), "median")
    known = [code for code in codes if code >= 0]
    if not known:
        assert fill is None
        return
    at = column.levels.index(fill)
    if ordered:
        assert 2 * sum(code <= at for code in known) >= len(known)
        assert 2 * sum(code >= at for code in known) >= len(known)
    else:
        assert known.count(at) == max(map(known.count, known))


@given(values=numbers)
def test_only_holes_change(values):
    column = NumericColumn("x", np.array(values, dtype=np.float64))
    whole = filled(column, 7.5).values
    np.testing.assert_array_equal(whole, np.where(np.isnan(values), 7.5, values))


def test_holes_of_some_rows_alone():
    done = filled(words([-1, 0, -1]), "c", np.array([True, True, False]))
    assert done.codes.tolist() == [2, 0, -1]


def test_classes_have_values_of_their_own():
    column = NumericColumn("x", np.array([1.0, 3.0, 8.0, np.nan]))
    codes = np.array([0, 0, 1, 2])
    assert fills_by_class(column, np.ones(4), "mean", codes, 3) == [2.0, 8.0, None]
