"""A loss of the user's own does what the built-in one does, and mistakes in it are told."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import treewright as tw
from treewright.ensembles.boosting.losses import Logistic, Multinomial, Poisson, SquaredError
from treewright.errors import ParameterError


def squared(y, scores):
    return scores - y, np.ones_like(scores)


def test_a_function_of_targets_and_scores_is_enough():
    X, y = load_diabetes(return_X_y=True)
    own = tw.BoostedTreesRegressor(loss=squared, n_estimators=60).fit(X, y - y.mean())
    built_in = tw.BoostedTreesRegressor(n_estimators=60).fit(X, y - y.mean())
    assert own.start_.tolist() == [0.0]
    np.testing.assert_allclose(own.predict(X), built_in.predict(X), atol=1e-6)


@pytest.mark.parametrize(
    ("own", "load"),
    [(Logistic(), load_breast_cancer), (Multinomial(3), load_iris)],
    ids=["logistic", "multinomial"],
)
def test_an_object_may_start_and_predict_as_well(own, load):
    X, y = load(return_X_y=True)
    model = tw.BoostedTreesClassifier(loss=own, n_estimators=10).fit(X, y)
    built_in = tw.BoostedTreesClassifier(n_estimators=10).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), built_in.predict_proba(X), atol=1e-9)
    assert model.link_ == "own"


@pytest.mark.parametrize("loss", [squared, Logistic()], ids=["function", "object"])
def test_a_single_class_is_certain_whatever_the_loss(loss):
    X = np.arange(60.0)[:, np.newaxis]
    model = tw.BoostedTreesClassifier(loss=loss, n_estimators=3).fit(X, ["only"] * 60)
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((60, 1)))


def test_weights_count_for_an_own_loss_too():
    X, y = load_diabetes(return_X_y=True)
    weights = np.arange(len(y)) % 3 + 0.5
    own = tw.BoostedTreesRegressor(loss=SquaredError(), n_estimators=9)
    built_in = tw.BoostedTreesRegressor(n_estimators=9)
    expected = built_in.fit(X, y, sample_weight=weights).predict(X)
    np.testing.assert_allclose(own.fit(X, y, sample_weight=weights).predict(X), expected)


def test_an_own_loss_can_be_watched_if_it_tells_the_loss_of_a_row():
    X, y = load_diabetes(return_X_y=True)
    model = tw.BoostedTreesRegressor(loss=Poisson(), n_iter_no_change=3, validation_fraction=0.3)
    assert model.fit(X, y).n_estimators_ < 100
    with pytest.raises(ParameterError, match="has no row losses"):
        model.set_params(loss=squared).fit(X, y)


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (lambda y, scores: scores - y, "gives no pair"),
        (lambda y, scores: (scores - y, np.ones(3)), "shape"),
        (lambda y, scores: (scores - y, -np.ones_like(y)), "below 0"),
        (lambda y, scores: (scores * np.nan, np.ones_like(y)), "not finite"),
    ],
)
def test_what_a_loss_must_give_is_said(loss, words):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ParameterError, match=words):
        tw.BoostedTreesRegressor(loss=loss).fit(X, y)


def test_a_start_of_the_wrong_length_is_told():
    class WideStartError(SquaredError):
        def start(self, y, weights):
            return np.zeros(2)

    with pytest.raises(ParameterError, match="starts with scores of shape"):
        tw.BoostedTreesRegressor(loss=WideStartError()).fit([[1.0], [2.0]], [1.0, 2.0])


def test_a_name_that_is_no_loss_is_told_with_the_nearest():
    with pytest.raises(ParameterError, match='did you mean "poisson"'):
        tw.BoostedTreesRegressor(loss="poison").fit([[1.0], [2.0]], [1.0, 2.0])


def test_a_loaded_model_asks_for_the_loss_that_says_what_scores_stand_for(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    loss = Poisson()
    model = tw.BoostedTreesRegressor(loss=loss, n_estimators=5).fit(X, y)
    model.save(tmp_path / "model.tw")
    loaded = tw.load(tmp_path / "model.tw")
    with pytest.raises(ParameterError, match=r"set the parameter `loss` again"):
        loaded.predict(X)
    np.testing.assert_array_equal(loaded.set_params(loss=loss).predict(X), model.predict(X))
