"""Means by weight where weights and numbers are very large or very small."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.weights import in_range, weighted_deviation, weighted_mean

HALF_KNOWN = np.array([[np.nan, 1], [1, 2], [2, 5], [np.nan, 3], [np.nan, 4]])
LIGHT_WHERE_KNOWN = np.array([1e300, 1e-30, 1e-30, 1e300, 1e300])


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=6),
    st.integers(-1000, 1000),
    st.integers(-1000, 900),
)
def test_means_hang_on_no_unit(weights, power, unit):
    values = np.arange(len(weights), dtype=float)
    weights = np.array(weights, dtype=float)
    assert weighted_mean(values, np.ldexp(weights, power)) == np.average(values, weights=weights)
    mean = np.average(values, weights=weights)
    deviation = np.sqrt(np.average((values - mean) ** 2, weights=weights))
    found = weighted_deviation(np.ldexp(values, unit), np.ldexp(weights, power))
    assert found == pytest.approx(np.ldexp(deviation, unit), rel=1e-12)


def test_the_lightest_row_still_weighs_something():
    shares, unit = in_range(np.array([1e300, 5e-324, 0.0]))
    assert shares[0] * unit == 1e300
    assert shares[1] > 0 == shares[2]


@pytest.mark.parametrize(
    "model",
    [
        tw.KMeans(2, scale="standard"),
        tw.KMeans(2, tol=1e-4),
        tw.KPrototypes(2),
        tw.KNeighborsRegressor(2, scale="standard"),
        tw.GradientDescentRegressor(),
        tw.GradientDescentRegressor(solver="normal_equations"),
    ],
    ids=repr,
)
def test_a_column_known_in_light_rows_alone_does_no_harm(model):
    y = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    found = model.fit(HALF_KNOWN, y, sample_weight=LIGHT_WHERE_KNOWN).predict(HALF_KNOWN)
    assert np.isfinite(found).all()
    if hasattr(model, "term_means_"):
        np.testing.assert_allclose(model.term_means_, [1.5, 8 / 3])


def test_tiny_numbers_are_scaled_as_others_are():
    X = np.repeat([[0.0], [1.0], [5.0], [6.0]], 3, axis=0)
    plain = tw.KMeans(2, scale="standard").fit(X)
    assert (tw.KMeans(2, scale="standard").fit(X * 1e-200).labels_ == plain.labels_).all()
