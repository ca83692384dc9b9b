"""Isolation forests: unusual rows are found, by the scores of their authors."""

import math

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from treewright.errors import ParameterError
from treewright.tree.predict import predict_values


@parametrize_with_checks([tw.IsolationForest(n_estimators=20)])
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
    "params", [{"contamination": 0.6}, {"max_samples": 1000}, {"max_features": "sqrt"}]
)
def test_a_wrong_parameter_is_refused(params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        tw.IsolationForest(**params).fit(crowd_and_strangers())
