"""KNeighborsRegressor: means of neighbors."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsRegressor as Peer
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import treewright as tw


@pytest.mark.parametrize(
    ("scale", "scaler"), [("range", MinMaxScaler()), ("standard", StandardScaler())]
)
@pytest.mark.parametrize(("distance", "metric"), [("heom", "l2"), ("manhattan", "l1")])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_scaled_numbers_are_predicted_as_scikit_learn_does(scale, scaler, distance, metric, seed):
    rng = np.random.default_rng(seed)
    X, new, y = rng.normal(size=(90, 3)), rng.normal(size=(30, 3)), rng.normal(size=90)
    X[:, 0], new[:, 0] = X[:, 0] * 1000 + 5, new[:, 0] * 1000 + 5
    ours = tw.KNeighborsRegressor(4, weights="distance", scale=scale, metric=distance).fit(X, y)
    theirs = Peer(4, weights="distance", metric=metric, algorithm="brute")
    theirs.fit(scaler.fit_transform(X), y)
    np.testing.assert_allclose(ours.predict(new), theirs.predict(scaler.transform(new)))


def test_the_mean_of_equal_numbers_is_that_number():
    X = np.zeros((3, 1))
    model = tw.KNeighborsRegressor(3).fit(X, [0.1, 0.1, 0.1])
    assert model.predict(X).tolist() == [0.1, 0.1, 0.1]


@pytest.mark.parametrize("scale", ["range", "standard", None])
def test_numbers_near_the_end_of_their_range_have_neighbors(scale):
    largest = np.finfo(float).max
    X = [[-largest], [0.0], [largest]]
    model = tw.KNeighborsRegressor(1, scale=scale).fit(X, [1.0, 2.0, 3.0])
    assert model.predict(X).tolist() == [1.0, 2.0, 3.0]


def test_a_column_of_one_value_says_nothing():
    X = [[5.0, 1.0], [5.0, 2.0]]
    model = tw.KNeighborsRegressor(1).fit(X, [1.0, 2.0])
    assert model.predict([[900.0, 1.0]]).tolist() == [1.0]


def test_dates_and_strings_stand_beside_numbers():
    X = {
        "day": np.array(["2024-01-01", "2024-01-31", "2024-12-31"], dtype="datetime64[D]"),
        "kind": ["flat", "flat", "house"],
        "rooms": [2, None, 5],
    }
    model = tw.KNeighborsRegressor(1).fit(X, [1.0, 2.0, 3.0])
    row = {"day": np.datetime64("2024-01-30"), "kind": "flat", "rooms": None}
    assert model.predict([row]).tolist() == [2.0]
    assert "2024-01-31" in model.explain(row).to_text()


@pytest.mark.parametrize("distance", ["heom", "manhattan", "gower"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_rounding_breaks_no_tie_of_scaled_whole_numbers(distance, seed):
    rng = np.random.default_rng(seed)
    widths = rng.integers(2, 30, int(rng.integers(1, 5))).tolist()
    X = rng.integers(0, widths, (60, len(widths)))
    X[:2] = np.zeros(len(widths)), widths
    y = rng.normal(size=60)
    model = tw.KNeighborsRegressor(3, metric=distance).fit(X, y)
    for query in rng.integers(0, widths, (5, len(widths))).tolist():
        apart = [exactly_apart(query, row, widths, squares=distance == "heom") for row in X]
        as_near = [one <= sorted(apart)[2] for one in apart]
        np.testing.assert_allclose(model.predict([query]), y[as_near].mean())


def exactly_apart(one, other, widths, *, squares):
    """The distance, or its square, of whole numbers scaled by their ranges; times their number."""
    parts = [
        Fraction(abs(int(a) - int(b)), width)
        for a, b, width in zip(one, other, widths, strict=True)
    ]
    return sum(part * part if squares else part for part in parts)


def test_numbers_that_are_not_scaled_are_compared_as_they_are():
    model = tw.KNeighborsRegressor(1, scale=None).fit([[1e18, 300.0], [1e18, 100.0]], [1.0, 2.0])
    assert model.predict([[1e18, 0.0]]).tolist() == [2.0]
