"""Bins of numeric columns against sorting them: of all rows, in any order, by any threads."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.binning_reference import bins_of, cuts_of
from treewright._kernels.learners import BinnedTable
from treewright._kernels.short_cuts import left_out

MANY = 60_000  # rows that are searched, not sorted
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, 1.7e308, -1.7e308, 1.0]


def binned(columns, weights=None, n_bins=255, n_threads=1):
    made = [(0, column, 0) for column in columns]
    return BinnedTable(made, len(columns[0]), weights, n_bins, n_threads)


def check(columns, weights=None, n_bins=255, n_threads=1):
    table = binned(columns, weights, n_bins, n_threads)
    for at, column in enumerate(columns):
        cuts = cuts_of(column, n_bins, weights)
        assert table.cuts(at) == cuts
        np.testing.assert_array_equal(np.frombuffer(table.bins(at), "u1"), bins_of(column, cuts))


@st.composite
def weights_of_rows(draw, n_rows):
    kind = draw(st.sampled_from(["none", "counts", "balanced", "any"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if kind == "none":
        return None
    if kind == "counts":
        return rng.integers(0, 4, n_rows).astype(float) + np.eye(1, n_rows)[0]
    if kind == "balanced":
        return np.where(rng.random(n_rows) < 0.1, 5.0, 0.55555)
    return 10.0 ** rng.uniform(-20, 20, n_rows)


@st.composite
def small_columns(draw):
    n_rows = draw(st.integers(1, 60))
    value = st.one_of(st.sampled_from(SPECIAL), st.floats(), st.integers(-3, 3).map(float))
    columns = draw(st.lists(st.lists(value, min_size=n_rows, max_size=n_rows), min_size=1))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    with np.errstate(over="ignore"):
        arrays = [np.array(column).astype(dtype) for column in columns]
    return arrays, draw(weights_of_rows(n_rows)), draw(st.integers(2, 20))


@given(small_columns())
def test_few_rows_are_cut_as_sorted_values_are(given):
    columns, weights, n_bins = given
    check(columns, weights, n_bins)


def many_rows(seed: int) -> list[np.ndarray]:
    """Columns of every kind that the search has to do with."""
    rng = np.random.default_rng(seed)
    n = MANY
    normal = rng.standard_normal(n)
    return [
        normal,
        normal.astype(np.float32),
        np.sort(normal),
        np.exp(5 * normal),  # long tails
        rng.standard_cauchy(n),
        rng.integers(0, 3, n).astype(float),
        rng.integers(0, 255, n).astype(float),
        rng.integers(0, 256, n).astype(np.float32),
        rng.integers(0, 5000, n).astype(float),  # ties within ranges
        np.minimum(rng.zipf(1.3, n), 1e12).astype(float),
        np.where(rng.random(n) < 0.5, 0.0, normal),
        np.where(rng.random(n) < 2e-4, normal, 7.0),  # values that a sample misses
        np.where(rng.random(n) < 0.4, np.nan, normal),
        rng.choice(SPECIAL, n),
        np.where(rng.random(n) < 0.01, rng.choice(SPECIAL, n), normal),
        rng.integers(-40_000, 40_000, n) * 5e-324,  # subnormal numbers
        np.full(n, 3.0),
        np.full(n, np.nan),
        np.where(np.arange(n) % 7 == 3, normal, np.nan),
        np.repeat(normal[: n // 100], 100),  # a hundred neighbors of each value
    ]


@pytest.mark.parametrize("n_bins", [2, 37, 255])
def test_many_rows_are_cut_as_sorted_values_are(n_bins):
    check(many_rows(n_bins), n_bins=n_bins, n_threads=2)


@settings(max_examples=4, deadline=None)
@given(st.data())
def test_weights_of_many_rows_count_as_they_do_for_sorted_values(data):
    columns = many_rows(data.draw(st.integers(0, 2**32)))
    chosen = data.draw(st.permutations(range(len(columns))))[:5]
    check([columns[at] for at in chosen], data.draw(weights_of_rows(MANY)), n_threads=2)


def test_the_order_of_rows_and_the_threads_change_nothing():
    columns = many_rows(1)
    rng = np.random.default_rng(2)
    weights = 10.0 ** rng.uniform(-3, 3, MANY)
    for weight in (None, weights):
        tables = [binned(columns, weight, n_threads=n) for n in (1, 2, 3, 8)]
        order = rng.permutation(MANY)
        shuffled = binned([x[order] for x in columns], None if weight is None else weight[order])
        for at in range(len(columns)):
            assert len({table.bins(at) for table in tables}) == 1
            assert all(table.cuts(at) == shuffled.cuts(at) for table in tables)
            bins = np.frombuffer(tables[0].bins(at), "u1")[order]
            np.testing.assert_array_equal(np.frombuffer(shuffled.bins(at), "u1"), bins)


def test_without_the_search_the_bytes_are_the_same():
    columns = many_rows(3)
    table = binned(columns)
    with left_out("bin_guide", "radix_sort"):
        plain = binned(columns)
    for at in range(len(columns)):
        assert (table.cuts(at), table.bins(at)) == (plain.cuts(at), plain.bins(at))


def test_a_matrix_is_cut_as_its_columns_are():
    columns = many_rows(4)
    for matrix in (np.column_stack(columns), np.column_stack(columns).astype(np.float32)):
        by_rows = binned(list(matrix.T))
        by_columns = binned([np.ascontiguousarray(column) for column in matrix.T])
        for at in range(len(columns)):
            assert by_rows.cuts(at) == by_columns.cuts(at)
            assert by_rows.bins(at) == by_columns.bins(at)


@pytest.mark.parametrize("order", permutations(range(3)))
def test_tiny_and_huge_weights_are_added_exactly(order):
    """As floating-point numbers, 1e16 + 1 + 1 depends on the order."""
    values, weights = np.array([1.0, 1.0, 1.0]), np.array([1e16, 1.0, 1.0])
    x = np.concatenate([values, [2.0, 3.0]])
    w = np.concatenate([weights[list(order)], [1e16 + 2, 1.0]])
    assert binned([x], w, n_bins=2).cuts(0) == cuts_of(x, 2, w)


def test_ordered_categories_beyond_255_are_cut_as_numbers_are():
    codes = np.random.default_rng(5).integers(-1, 1000, MANY).astype(np.int32)
    table = BinnedTable([(2, codes, 1000)], MANY, None, 255, 1)
    known = np.where(codes < 0, np.nan, codes)
    assert table.cuts(0) == cuts_of(known, 255)
    np.testing.assert_array_equal(np.frombuffer(table.bins(0), "u1"), bins_of(known, table.cuts(0)))
