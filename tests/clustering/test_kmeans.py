"""K-Means: the numbers of the lecture notes, scikit-learn's results, and odd tables."""

import signal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.datasets import make_blobs

import treewright as tw
from reference import clustering_reference as reference

FIVE_POINTS = tw.load_sample("five_points")[0]


def test_the_five_points_of_the_notes():
    model = tw.KMeans(2, init=FIVE_POINTS[[1, 3]]).fit(FIVE_POINTS)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]
    np.testing.assert_allclose(model.cluster_centers_, [[11 / 6, 7 / 3], [4.25, 6.0]], rtol=1e-15)
    assert (model.n_iter_, model.moves_.tolist()) == (2, [5, 0])
    assert model.transform(FIVE_POINTS).round(3).tolist() == [
        [1.572, 5.963],
        [0.471, 4.854],
        [2.034, 2.358],
        [5.640, 1.250],
        [3.145, 1.250],
    ]


def tables():
    """Ten tables, bundled and generated: rows, and how many clusters.

    None has rows half-way between two centers, which scikit-learn puts where its rounding leads.
    """
    rng = np.random.default_rng(7)
    yield np.asarray(tw.load_sample("five_points")[0]), 2
    yield np.asarray(tw.load_sample("iris")[0]), 3
    yield np.asarray(tw.load_sample("two_moons")[0]), 4
    loans = tw.load_sample("loans")[0]
    yield np.asarray(loans[:, ["age", "amount", "months"]]), 5
    yield make_blobs(2000, 5, centers=6, random_state=1)[0], 6
    yield make_blobs(500, 2, centers=4, cluster_std=3.0, random_state=2)[0], 9
    yield rng.normal(size=(3000, 8)), 12
    yield rng.exponential(size=(1500, 3)) ** 3, 7
    yield rng.integers(0, 4, (800, 6)) + rng.normal(0.0, 0.1, (800, 6)), 5
    yield rng.normal(size=(1000, 4)).astype(np.float32) + 1000.0, 20


@pytest.mark.parametrize("number", range(10))
def test_scikit_learn_comes_to_the_same_clusters_from_the_same_start(number):
    X, n_clusters = list(tables())[number]
    start = X[np.random.default_rng(number).permutation(len(X))[:n_clusters]]
    own = tw.KMeans(n_clusters, init=start).fit(X)
    theirs = TheirKMeans(n_clusters, init=start, n_init=1, tol=0, algorithm="lloyd")
    theirs.fit(X.astype(np.float64))
    np.testing.assert_array_equal(own.labels_, theirs.labels_)
    np.testing.assert_allclose(own.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    assert own.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    assert own.n_iter_ == theirs.n_iter_


@given(
    st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32 - 1), st.sampled_from([2, 5, 1000])
)
def test_P17_bounds_change_nothing(n_clusters, n_columns, seed, n_values):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (40, n_columns)) / 4.0  # ties, exactly
    start = rng.permutation(np.unique(X, axis=0))[:n_clusters]
    assume(len(start) == n_clusters)
    weights = rng.integers(1, 4, 40).astype(float)
    try:
        expected = reference.lloyd(X.tolist(), start.tolist(), weights.tolist())
    except reference.EmptyCluster:  # only after the first round; it has a test of its own
        reject()
    model = tw.KMeans(n_clusters, init=start).fit(X, sample_weight=weights)
    labels, centers, n_rounds = expected
    assert model.labels_.tolist() == labels
    np.testing.assert_allclose(model.cluster_centers_, centers, rtol=1e-12, atol=1e-12)
    assert model.n_iter_ == n_rounds


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([3, 1000]), st.booleans())
def test_P17_no_round_raises_the_inertia(n_clusters, seed, n_values, has_holes):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (40, 2)) / 4.0
    X[rng.random(X.shape) < 0.15 * has_holes] = np.nan
    start = rng.integers(0, n_values, (n_clusters, 2)) / 4.0  # some centers are nobody's nearest
    weights = rng.integers(1, 4, 40).astype(float)
    inertias = []
    for max_iter in range(1, 300):
        model = tw.KMeans(n_clusters, init=start, max_iter=max_iter).fit(X, sample_weight=weights)
        inertias.append(model.inertia_)
        if model.converged_:
            break
    assert model.converged_
    assert all(after <= before * (1 + 1e-14) for before, after in pairwise(inertias))


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_a_weight_is_the_row_several_times(init):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    weights = rng.integers(0, 4, 60)
    weighted = tw.KMeans(4, init=init, n_init=3).fit(X, sample_weight=weights)
    repeated = tw.KMeans(4, init=init, n_init=3).fit(X.repeat(weights, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-12)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=1e-12)
    assert len(weighted.labels_) == 60
    np.testing.assert_array_equal(weighted.labels_, weighted.predict(X))


def test_more_starts_are_no_worse():
    X, _ = make_blobs(300, 2, centers=8, random_state=3)
    inertias = [tw.KMeans(8, init="random", n_init=n).fit(X).inertia_ for n in (1, 2, 5, 20)]
    assert inertias == sorted(inertias, reverse=True)
    assert inertias[0] > inertias[-1]


def test_a_start_does_not_know_of_the_one_before():
    X = [[0.0], [1.0], [10.0], [11.0]]  # every start soon has the labels of the one before
    model = tw.KMeans(2, init="random", n_init=20).fit(X)
    assert sorted(model.cluster_centers_[:, 0].tolist()) == [0.5, 10.5]
    assert model.moves_[0] == 4


@pytest.mark.parametrize("scale", [None, "standard", "range"])
def test_P17_labels_are_what_predict_says(scale):
    X, _ = tw.load_sample("iris")
    for max_iter in (1, 2, 300):
        model = tw.KMeans(4, scale=scale, max_iter=max_iter).fit(X)
        np.testing.assert_array_equal(model.labels_, model.predict(X))
        np.testing.assert_array_equal(model.labels_, model.transform(X).argmin(axis=1))
        assert model.score(X) == pytest.approx(-model.inertia_, rel=1e-12)
        assert model.n_iter_ <= max_iter


def test_scaled_rows_are_clustered_as_if_the_user_had_scaled_them():
    X = np.asarray(tw.load_sample("iris")[0])
    for scale, divisors in (("standard", X.std(axis=0)), ("range", np.ptp(X, axis=0))):
        own = tw.KMeans(3, init=X[::50], scale=scale).fit(X)
        by_hand = tw.KMeans(3, init=X[::50] / divisors).fit(X / divisors)
        np.testing.assert_array_equal(own.labels_, by_hand.labels_)
        np.testing.assert_allclose(own.cluster_centers_ / divisors, by_hand.cluster_centers_)


def test_an_empty_cluster_gets_the_row_that_is_worst_off():
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    model = tw.KMeans(2, init=[[1.0], [500.0]]).fit(X)
    theirs = TheirKMeans(2, init=np.array([[1.0], [500.0]]), n_init=1, tol=0).fit(X)
    assert model.labels_.tolist() == theirs.labels_.tolist() == [0, 0, 0, 1]


def test_a_row_alone_in_its_cluster_is_not_taken_from_it():
    X = np.array([[0.0], [0.0], [1.0], [100.0]])
    model = tw.KMeans(3, init=[[0.0], [60.0], [1000.0]]).fit(X)
    assert sorted(np.bincount(model.labels_).tolist()) == [1, 1, 2]


def test_fewer_different_rows_than_clusters():
    X = [[1.0], [1.0], [2.0], [2.0], [2.0]]
    with pytest.warns(UserWarning, match="2 of 4 clusters have no rows: only 2 different rows"):
        model = tw.KMeans(4).fit(X)
    assert model.inertia_ == 0.0
    assert len(set(model.labels_.tolist())) == 2


def test_ties_go_to_the_first_center():
    model = tw.KMeans(2, init=[[0.0], [2.0]], max_iter=1).fit([[1.0], [0.0], [2.0]])
    assert model.start_centers_.tolist() == [[0.0], [2.0]]
    assert model.predict([[model.cluster_centers_.mean()]]).tolist() == [0]


def test_rows_with_holes_are_compared_in_what_they_know():
    X = np.array([[0.0, 0.0], [0.0, np.nan], [8.0, 9.0], [np.nan, 7.0], [9.0, 8.0]])
    model = tw.KMeans(2, init=[[0.0, 0.0], [9.0, 9.0]]).fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1, 1]
    assert model.cluster_centers_.tolist() == [[0.0, 0.0], [8.5, 8.0]]
    assert model.inertia_ == pytest.approx(0.5 + 2.0)
    assert model.predict([[np.nan, np.nan], [np.nan, 6.0]]).tolist() == [0, 1]


def test_holes_do_not_change_how_whole_tables_are_clustered():
    X = np.asarray(tw.load_sample("iris")[0])
    quick = tw.KMeans(3, init=X[::50]).fit(X)
    with_hole = np.vstack([X, np.full((1, 4), np.nan)])
    slow = tw.KMeans(3, init=X[::50]).fit(with_hole)
    np.testing.assert_array_equal(slow.labels_[:-1], quick.labels_)
    np.testing.assert_allclose(slow.cluster_centers_, quick.cluster_centers_, rtol=1e-12)


def test_a_column_without_any_value_is_passed_over():
    with pytest.warns(UserWarning, match="column `x1` without any value"):
        model = tw.KMeans(2).fit([[1.0, None], [2.0, None], [9.0, None]])
    assert sorted(model.cluster_centers_.tolist()) == [[1.5, 0.0], [9.0, 0.0]]


def test_dates_have_means():
    days = np.array(["2020-01-01", "2020-01-03", "2021-05-05"], dtype="datetime64[ns]")
    assert "2020-01-02\n" in tw.KMeans(2).fit({"day": days}).summary()


def test_an_interrupt_ends_the_fit_and_leaves_nothing():
    X = np.random.default_rng(0).normal(size=(200_000, 10))
    model = tw.KMeans(30, n_init=100)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not hasattr(model, "labels_")


def test_tol_ends_rounds_early():
    X = np.random.default_rng(0).normal(size=(2000, 3))
    exact, quick = tw.KMeans(8, n_init=1).fit(X), tw.KMeans(8, n_init=1, tol=0.01).fit(X)
    theirs = TheirKMeans(8, init=quick.start_centers_, n_init=1, tol=0.01).fit(X)
    assert quick.n_iter_ < exact.n_iter_
    assert quick.n_iter_ == theirs.n_iter_
    assert "still moved" in quick.notes_[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_threads_and_layouts_change_no_byte(dtype, layout, tmp_path):
    X = np.random.default_rng(5).normal(size=(9000, 4)).astype(dtype)
    given = np.asfortranarray(X) if layout == "F" else X
    if layout == "strided":
        given = np.repeat(X, 2, axis=0)[::2]
    files = []
    for n_jobs in (1, 2, 3):
        path = tmp_path / f"{n_jobs}.tw"
        tw.KMeans(7, n_init=2, n_jobs=n_jobs).fit(given).save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]
    again = tw.load(tmp_path / "1.tw")
    np.testing.assert_array_equal(again.labels_, tw.KMeans(7, n_init=2).fit(X).labels_)


def test_weights_of_any_size():
    X = np.asarray(tw.load_sample("iris")[0])
    plain = tw.KMeans(3, init=X[::50]).fit(X, sample_weight=np.arange(1.0, 151.0))
    for size in (1e-290, 1e300):
        scaled = tw.KMeans(3, init=X[::50]).fit(X, sample_weight=size * np.arange(1.0, 151.0))
        np.testing.assert_array_equal(scaled.labels_, plain.labels_)
        np.testing.assert_allclose(scaled.cluster_centers_, plain.cluster_centers_, rtol=1e-12)


def test_refusals_say_what_to_do():
    X, _ = tw.load_sample("loans")
    with pytest.raises(tw.DataError, match="column `loan` is nominal") as refused:
        tw.KMeans(2).fit(X)
    assert "KPrototypes" in refused.value.hint
    with pytest.raises(tw.DataError, match="inf in column `x1`, row 2"):
        tw.KMeans(2).fit([[0.0, 1.0], [1.0, 2.0], [0.0, np.inf]])
    with pytest.raises(tw.DataError, match="n_clusters=3 is more than the n_samples=2 rows"):
        tw.KMeans(3).fit([[0.0], [1.0]])
    with pytest.raises(tw.DataError, match="init has 1 columns, X has 2"):
        tw.KMeans(2, init=[[0.0], [1.0]]).fit([[0.0, 1.0], [1.0, 2.0]])
    with pytest.raises(tw.DataError, match="init has 1 rows for 2 clusters"):
        tw.KMeans(2, init=[[0.0]]).fit([[0.0], [1.0]])
    with pytest.raises(tw.DataError, match="init has a missing value in column `x0`, row 1"):
        tw.KMeans(2, init=[[0.0], [np.nan]]).fit([[0.0], [1.0]])
    with pytest.raises(tw.ParameterError, match='did you mean "k-means'):
        tw.KMeans(2, init="kmeans++").fit([[0.0], [1.0]])


def test_scores_of_heavy_rows_are_numbers():
    weights = np.full(5, 1e308)
    model = tw.KMeans(2).fit(FIVE_POINTS, sample_weight=weights)
    assert model.score(FIVE_POINTS, sample_weight=weights) == -model.inertia_
