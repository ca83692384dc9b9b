"""Isolation forests: unusual rows are found, by the scores of their authors."""

import math

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from treewright.errors import ParameterError
from treewright.tree.predict import predict_values

WEIGHTS_AS_ROWS = {"check_sample_weight_equivalence_on_dense_data": "rows are drawn"}


@parametrize_with_checks(
    [tw.IsolationForest(n_estimators=20)], expected_failed_checks=lambda _: WEIGHTS_AS_ROWS
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def crowd_and_strangers(n_rows=500, seed=0):
    rng = np.random.default_rng(seed)
    crowd = rng.normal(size=(n_rows, 3))
    strangers = rng.uniform(4, 8, (10, 3)) * rng.choice([-1, 1], (10, 3))
    return np.vstack([crowd, strangers])


def test_strangers_get_the_lowest_scores():
    X = crowd_and_strangers()
    scores = tw.IsolationForest().fit(X).score_samples(X)
    assert set(np.argsort(scores)[:10]) == set(range(500, 510))


def test_scores_are_about_those_of_scikit_learn():
    X = crowd_and_strangers()
    ours = tw.IsolationForest(n_estimators=300).fit(X).score_samples(X)
    theirs = Peer(n_estimators=300, random_state=0).fit(X).score_samples(X)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.97
    assert np.abs(ours - theirs).mean() < 0.03


def test_the_score_follows_from_the_mean_depth():
    X = crowd_and_strangers(60)
    forest = tw.IsolationForest(n_estimators=7, max_samples=32).fit(X)
    depth = np.mean([predict_values(tree, X)[:, 0] for tree in forest.trees_], axis=0)
    harmonic = math.log(31) + 0.5772156649015329
    usual = 2 * harmonic - 2 * 31 / 32
    np.testing.assert_allclose(forest.score_samples(X), -(2 ** (-depth / usual)), rtol=1e-9)
    assert max(tree.depth for tree in forest.trees_) <= 5


def test_words_and_holes_are_taken_as_they_are():
    rng = np.random.default_rng(0)
    words = rng.choice(["a", "b"], 300).astype(object)
    words[7] = "rare"
    number = rng.normal(size=300)
    number[7] = 9.0
    number[::20] = np.nan
    table = {"word": words.tolist(), "number": number}
    scores = tw.IsolationForest().fit(table).score_samples(table)
    assert scores.argmin() == 7


def test_contamination_is_the_share_that_is_taken_for_outliers():
    X = crowd_and_strangers()
    forest = tw.IsolationForest(contamination=0.1).fit(X)
    assert np.mean(forest.predict(X) == -1) == pytest.approx(0.1, abs=0.003)
    np.testing.assert_array_equal(forest.predict(X) == -1, forest.decision_function(X) < 0)
    assert tw.IsolationForest().fit(X).offset_ == -0.5


def test_threads_change_nothing_and_a_warm_start_grows_on():
    X = crowd_and_strangers()
    whole = tw.IsolationForest(n_estimators=9, n_jobs=1).fit(X)
    threads = tw.IsolationForest(n_estimators=9, n_jobs=3).fit(X)
    warm = tw.IsolationForest(n_estimators=4, warm_start=True).fit(X)
    warm.set_params(n_estimators=9).fit(X)
    for other in (threads, warm):
        for ours, theirs in zip(whole.trees_, other.trees_, strict=True):
            assert ours.same_as(theirs)


def test_there_are_no_importances():
    forest = tw.IsolationForest(n_estimators=3).fit(crowd_and_strangers())
    assert not hasattr(forest, "feature_importances_")


@pytest.mark.parametrize(
    "params", [{"contamination": 0.6}, {"max_samples": None}, {"max_features": "sqrt"}]
)
def test_a_wrong_parameter_is_refused(params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        tw.IsolationForest(**params).fit(crowd_and_strangers())


def test_more_rows_than_there_are_cannot_be_drawn():
    X = crowd_and_strangers(50)
    with pytest.warns(UserWarning, match="max_samples=1000 is more than the 60 rows"):
        forest = tw.IsolationForest(n_estimators=2, max_samples=1000).fit(X)
    assert forest.n_drawn_ == 60


def test_heavy_rows_are_drawn_more_often():
    X = crowd_and_strangers()
    weights = np.where(np.arange(510) < 500, 1.0, 1000.0)
    plain = tw.IsolationForest(n_estimators=30, bootstrap=True).fit(X)
    heavy = tw.IsolationForest(n_estimators=30, bootstrap=True).fit(X, sample_weight=weights)
    assert plain.score_samples(X)[500:].mean() < heavy.score_samples(X)[500:].mean() - 0.1
    whole = np.mean([tree.weight[0] for tree in heavy.trees_])
    assert whole == 256


def test_a_row_of_weight_0_counts_as_left_out_and_equal_weights_as_none():
    X = crowd_and_strangers()
    weights = np.where(np.arange(510) < 500, 3.0, 0.0)
    forest = tw.IsolationForest(n_estimators=4).fit(X, sample_weight=weights)
    without = tw.IsolationForest(n_estimators=4).fit(X[:500])
    for ours, theirs in zip(forest.trees_, without.trees_, strict=True):
        assert ours.same_as(theirs)


def test_weighted_rows_are_drawn_alike_when_a_warm_start_grows_on():
    X = crowd_and_strangers()
    weights = np.random.default_rng(0).random(510)
    whole = tw.IsolationForest(n_estimators=6).fit(X, sample_weight=weights)
    warm = tw.IsolationForest(n_estimators=2, warm_start=True).fit(X, sample_weight=weights)
    warm.set_params(n_estimators=6).fit(X, sample_weight=weights)
    for ours, theirs in zip(whole.trees_, warm.trees_, strict=True):
        assert ours.same_as(theirs)


def test_a_warm_start_with_another_number_of_rows_is_refused():
    X = crowd_and_strangers()
    forest = tw.IsolationForest(n_estimators=2, warm_start=True).fit(X)
    with pytest.raises(ParameterError, match="256 rows without replacement then, all rows now"):
        forest.set_params(n_estimators=3, max_samples=1.0).fit(X)
