"""KNeighborsClassifier: shares of neighbors, ties, weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier as Peer

import treewright as tw

COLORS = [["red"], ["red"], ["blue"], ["green"]]


def numbers(seed, n_rows=120):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, 4)), rng.integers(0, 3, n_rows)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_neighbors=st.integers(1, 15))
def test_plain_numbers_are_predicted_as_scikit_learn_does(weights, seed, n_neighbors):
    X, y = numbers(seed)
    new, _ = numbers(seed + 1, 40)
    ours = tw.KNeighborsClassifier(n_neighbors, weights=weights, scale=None).fit(X, y)
    theirs = Peer(n_neighbors, weights=weights, algorithm="brute").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), distance=st.sampled_from(["heom", "gower", "ibl"]))
def test_the_order_of_the_rows_does_not_matter(seed, distance):
    rng = np.random.default_rng(seed)
    X = tw.table_from(
        {
            "color": rng.choice(["red", "green", "blue"], 60),
            "size": np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 4, 60)),
        }
    )
    y = rng.integers(0, 3, 60)
    order = rng.permutation(60)
    model = tw.KNeighborsClassifier(4, metric=distance)
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(X[order], y[order]).predict_proba(X), expected)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("scale", ["range", "standard"])
def test_a_row_of_weight_two_is_the_same_as_two_rows(weights, scale):
    X, y = numbers(0)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    model = tw.KNeighborsClassifier(7, weights=weights, scale=scale)
    weighted = model.fit(X, y, sample_weight=times).predict_proba(X)
    repeated = model.fit(X.repeat(times, axis=0), y.repeat(times)).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


def test_all_rows_count_that_are_as_far_as_the_last_neighbor():
    y = ["a", "b", "b", "b"]
    rows = [["red"]]
    every = tw.KNeighborsClassifier(1).fit(COLORS, y)
    assert every.predict_proba(rows).tolist() == [[0.5, 0.5]]
    assert every.predict(rows).tolist() == ["a"]  # of equal classes the first
    first = tw.KNeighborsClassifier(1, ties="first").fit(COLORS, y)
    assert first.predict_proba(rows).tolist() == [[1.0, 0.0]]


def test_the_first_of_equally_far_rows_count_in_part_if_they_weigh_too_much():
    model = tw.KNeighborsClassifier(3, ties="first")
    model.fit([[0.0], [1.0]], ["a", "b"], sample_weight=[2.0, 2.0])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[2 / 3, 1 / 3]])


def test_rows_at_no_distance_predict_alone_if_neighbors_count_by_distance():
    model = tw.KNeighborsClassifier(4, weights="distance").fit(COLORS, ["a", "a", "b", "b"])
    assert model.predict_proba([["blue"]]).tolist() == [[0.0, 1.0]]


def test_every_class_may_count_something_beforehand():
    model = tw.KNeighborsClassifier(2, smooth=1.0).fit(COLORS, ["a", "a", "b", "b"])
    assert model.predict_proba([["red"]]).tolist() == [[0.75, 0.25]]


def test_missing_values_differ_by_one_are_left_out_or_as_far_as_they_can_be():
    X = {"size": [0.0, 10.0, 4.0], "color": ["red", "red", "blue"]}
    row = [{"size": None, "color": "red"}]
    expected = {
        "heom": [1.0, 1.0, 2**0.5],
        "manhattan": [1.0, 1.0, 2.0],
        "gower": [0.0, 0.0, 1.0],
        "ibl": [1.0, 1.0, (0.6**2 + 1) ** 0.5],
    }
    for distance, distances in expected.items():
        model = tw.KNeighborsClassifier(3, metric=distance).fit(X, ["a", "b", "c"])
        np.testing.assert_allclose(model.kneighbors(row)[0], [distances])


def test_ordered_levels_are_as_far_apart_as_their_places():
    table = tw.table_from({"size": ["small", "medium", "large"]})
    table = table.with_order("size", ["small", "medium", "large"])
    model = tw.KNeighborsClassifier(3).fit(table, ["a", "b", "c"])
    assert model.kneighbors(table)[0][0].tolist() == [0.0, 0.5, 1.0]


def test_a_level_that_training_never_met_is_missing_or_an_error():
    model = tw.KNeighborsClassifier(2).fit(COLORS, ["a", "a", "b", "b"])
    with pytest.warns(UserWarning, match="violet"):
        assert model.predict([["violet"]]).tolist() == ["a"]
    model.set_params(handle_unknown="error")
    with pytest.raises(tw.DataError, match="violet"):
        model.predict([["violet"]])


@pytest.mark.parametrize(
    ("settings", "rows", "hint"),
    [
        ({"metric": "euclidean", "n_neighbors": 4}, COLORS, "heom"),
        ({"metric": "euclidean", "n_neighbors": 1}, [[1.0], [None], [2.0], [3.0]], "heom"),
        ({"metric": "ibl", "scale": None}, COLORS, "range"),
        ({"metric": "eucledian"}, COLORS, "euclidean"),
        ({"n_neighbors": 0}, COLORS, "at least 1"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_way_out(settings, rows, hint):
    with pytest.raises(ValueError, match="(?s)hint: .*" + hint):
        tw.KNeighborsClassifier(**settings).fit(rows, ["a", "a", "b", "b"])


def test_holes_in_new_rows_are_refused_by_the_distance_of_plain_numbers():
    model = tw.KNeighborsClassifier(1, metric="euclidean").fit([[1.0], [2.0]], ["a", "b"])
    for ask in (model.predict, model.explain, lambda rows: tw.worksheet(model, rows)):
        with pytest.raises(tw.DataError, match="`x0`, row 0"):
            ask([[np.nan]])


def test_more_neighbors_than_rows_are_refused():
    y = ["a", "a", "b", "c"]
    with pytest.raises(tw.DataError, match="n_neighbors=5, but there are n_samples=4 rows"):
        tw.KNeighborsClassifier().fit(COLORS, y)
    with pytest.raises(tw.DataError, match="n_neighbors=5, but there are n_samples=4 rows"):
        tw.KNeighborsClassifier(4).fit(COLORS, y).set_params(n_neighbors=5).predict(COLORS)


def test_infinite_numbers_are_refused_by_column_row_and_value():
    model = tw.KNeighborsClassifier(1)
    with pytest.raises(tw.DataError, match="`x0`, row 1: inf"):
        model.fit([[1.0], [np.inf]], ["a", "b"])
    model.fit([[1.0], [2.0]], ["a", "b"])
    for ask in (model.predict, model.kneighbors, model.explain):
        with pytest.raises(tw.DataError, match="`x0`, row 0: -inf"):
            ask([[-np.inf]])


def test_the_users_arrays_stay_as_they_are():
    X, y = numbers(0)
    weights = np.full(len(X), 0.5)
    tw.KNeighborsClassifier().fit(X, y, sample_weight=weights)
    assert all(given.flags.writeable for given in (X, y, weights))
    before = X.copy()
    model = tw.KNeighborsClassifier().fit(X, y)
    expected = model.predict_proba(before)
    X[:] = 0.0
    assert (model.predict_proba(before) == expected).all()
