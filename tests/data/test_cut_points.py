"""Cut points: against Weka, against the slow reference, and by what must hold for any column."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import datasets

from reference import mdl
from reference.impurity import fifty_digits
from treewright.data.cut_points import (
    equal_frequency_cuts,
    equal_width_cuts,
    given_cuts,
    interval_codes,
    kmeans_cuts,
    midpoint,
)
from treewright.data.mdl import mdl_cuts
from treewright.errors import DataError, ParameterError

WEKA = json.loads((Path(__file__).parents[1] / "files" / "weka_mdl_cuts.json").read_text())["cuts"]
WITHOUT_CLASSES = [equal_width_cuts, equal_frequency_cuts, kmeans_cuts]

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
few_numbers = st.integers(0, 12).map(float)
columns = st.one_of(st.lists(numbers, max_size=30), st.lists(few_numbers, max_size=30))


@st.composite
def labeled_columns(draw):
    """Values with ties, classes that follow them loosely, and whole weights."""
    n_rows = draw(st.integers(1, 40))
    values = draw(st.lists(few_numbers, min_size=n_rows, max_size=n_rows))
    noise = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    classes = [int(v > 6) if e else e % 2 for v, e in zip(values, noise, strict=True)]
    weights = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    return np.array(values), np.array(classes), np.array(weights)


@pytest.mark.parametrize("name", sorted(WEKA))
def test_mdl_cuts_are_those_of_weka(name):
    table = getattr(datasets, f"load_{name}")()
    n_rows = 600 if name == "digits" else None
    X, y = table.data[:n_rows], table.target[:n_rows]
    for at, expected in enumerate(WEKA[name]):
        np.testing.assert_allclose(mdl_cuts(X[:, at], y), expected, atol=1e-6, err_msg=f"a{at}")


@given(column=labeled_columns())
def test_mdl_cuts_are_those_of_the_exact_reference(column):
    values, classes, weights = column
    triples = [
        (value, of_class, weight)
        for value, of_class, weight in zip(*map(np.ndarray.tolist, column), strict=True)
        if weight > 0
    ]
    with fifty_digits():
        expected = mdl.mdl_cuts(triples)
    assert mdl_cuts(values, classes, weights).tolist() == expected


@given(column=labeled_columns())
def test_for_mdl_a_weight_of_two_is_the_row_twice_and_zero_the_row_left_out(column):
    values, classes, weights = column
    repeated = mdl_cuts(np.repeat(values, weights), np.repeat(classes, weights))
    assert mdl_cuts(values, classes, weights).tolist() == repeated.tolist()


@given(column=labeled_columns())
def test_mdl_cuts_do_not_depend_on_the_order_of_rows(column):
    values, classes, weights = column
    backwards = mdl_cuts(values[::-1], classes[::-1], weights[::-1])
    assert mdl_cuts(values, classes, weights).tolist() == backwards.tolist()


def test_mdl_finds_planted_cuts():
    values = np.arange(300.0)
    classes = np.digitize(values, [99.5, 199.5])
    assert mdl_cuts(values, classes).tolist() == [99.5, 199.5]


def test_mdl_leaves_noise_alone():
    rng = np.random.default_rng(4)
    assert len(mdl_cuts(rng.normal(size=500), rng.integers(0, 3, size=500))) == 0


def test_mdl_takes_missing_and_infinite_values():
    values = [-math.inf, -math.inf, 1, 2, 3, 4, math.inf, math.nan] * 5
    classes = [0, 0, 0, 0, 1, 1, 1, 0] * 5
    assert mdl_cuts(values, classes).tolist() == [2.5]


def test_mdl_scans_a_column_in_blocks_with_the_same_result(monkeypatch):
    rng = np.random.default_rng(1)
    values = rng.normal(size=400).round(1)
    classes = (values + rng.normal(size=400) > 0).astype(int) + (values > 1)
    whole = mdl_cuts(values, classes)
    monkeypatch.setattr("treewright.data.mdl.BLOCK", 12)
    assert len(whole) > 0
    assert mdl_cuts(values, classes).tolist() == whole.tolist()


@pytest.mark.parametrize("cuts_of", WITHOUT_CLASSES)
@given(values=columns, n_bins=st.integers(2, 8))
def test_cuts_rise_lie_inside_and_are_not_more_than_asked_for(cuts_of, values, n_bins):
    cuts = cuts_of(values, None, n_bins)
    assert len(cuts) < n_bins
    assert (np.diff(cuts) > 0).all()
    if len(cuts):
        assert min(values) <= cuts[0] <= cuts[-1] < max(values)


@pytest.mark.parametrize("cuts_of", WITHOUT_CLASSES)
@given(values=st.lists(few_numbers, min_size=1, max_size=20), data=st.data())
def test_a_weight_of_two_is_the_row_twice(cuts_of, values, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    repeated = np.repeat(values, times)
    np.testing.assert_allclose(cuts_of(values, times, 4), cuts_of(repeated, None, 4))


@pytest.mark.parametrize("cuts_of", WITHOUT_CLASSES)
def test_a_constant_empty_or_missing_column_has_no_cuts(cuts_of):
    for values in ([], [3.0, 3.0], [math.nan, math.nan], [math.nan, 2.0]):
        assert len(cuts_of(values, None, 4)) == 0


def test_equal_frequency_puts_the_same_weight_into_each_interval():
    values = np.random.default_rng(0).permutation(100).astype(float)
    codes = interval_codes(values, equal_frequency_cuts(values, None, 4))
    assert np.bincount(codes).tolist() == [25, 25, 25, 25]


def sum_of_squares(groups):
    return sum(float(np.square(group - np.mean(group)).sum()) for group in groups)


@given(
    values=st.lists(st.integers(0, 30).map(float), min_size=3, max_size=9, unique=True),
    n_bins=st.integers(2, 3),
)
def test_kmeans_finds_the_best_clusters_of_all(values, n_bins):
    ordered = np.sort(values)
    cuts = kmeans_cuts(values, None, n_bins)
    codes = interval_codes(ordered, cuts)
    found = sum_of_squares(ordered[codes == code] for code in np.unique(codes))
    places = combinations(range(1, len(ordered)), n_bins - 1)
    best = min(sum_of_squares(np.split(ordered, place)) for place in places)
    assert found == pytest.approx(best)


def test_kmeans_merges_neighbors_in_a_long_column():
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(center, 0.5, 5000) for center in (0, 10, 30)])
    np.testing.assert_allclose(kmeans_cuts(values, None, 3), [5, 20], atol=0.1)


@given(lower=st.floats(allow_nan=False), upper=st.floats(allow_nan=False))
def test_a_midpoint_is_finite_and_separates(lower, upper):
    if lower < upper and upper != -1.7976931348623157e308:
        assert math.isfinite(midpoint(lower, upper))
        assert lower <= midpoint(lower, upper) < upper


def test_intervals_are_closed_above():
    assert interval_codes([1.0, 2.0, 2.1, math.inf, math.nan], np.array([1.0, 2.0])).tolist() == [
        0,
        1,
        2,
        2,
        -1,
    ]


@pytest.mark.parametrize("cuts", [[2, 1], [1, 1], [1, math.inf], [[1, 2]]])
def test_given_cuts_that_do_not_rise_are_refused(cuts):
    with pytest.raises(ParameterError, match="cut_points of `age`"):
        given_cuts(cuts, column="age")


def test_too_few_bins_and_too_few_weights_are_refused():
    with pytest.raises(ParameterError, match="n_bins=1 is below 2"):
        equal_width_cuts([1, 2], None, 1)
    with pytest.raises(DataError, match="2 values and 1 weights"):
        equal_frequency_cuts([1, 2], [1], 2)
