"""Boosted trees: classes and numbers, holes and words, and the same model for any threads."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_score

import treewright as tw
from treewright.errors import DataError, ParameterError
from treewright.tree.predict import predict_values


def test_two_classes_are_told_apart_as_well_as_scikit_learn_does():
    X, y = load_breast_cancer(return_X_y=True)
    ours = cross_val_score(tw.BoostedTreesClassifier(), X, y, cv=3).mean()
    theirs = cross_val_score(HistGradientBoostingClassifier(), X, y, cv=3).mean()
    assert ours > theirs - 0.01


def test_three_classes_have_three_trees_a_round():
    X, y = load_iris(return_X_y=True)
    model = tw.BoostedTreesClassifier(n_estimators=20).fit(X, y)
    assert len(model.trees_) == 60
    assert model.score(X, y) > 0.97
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_numbers_are_met_as_well_as_by_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours = cross_val_score(tw.BoostedTreesRegressor(), X, y, cv=3).mean()
    theirs = cross_val_score(HistGradientBoostingRegressor(), X, y, cv=3).mean()
    assert ours > theirs - 0.03


def test_answers_are_the_start_and_what_all_trees_add():
    X, y = load_diabetes(return_X_y=True)
    model = tw.BoostedTreesRegressor(n_estimators=10).fit(X, y)
    added = sum(predict_values(tree, X)[:, 0] for tree in model.trees_)
    np.testing.assert_allclose(model.predict(X), y.mean() + added)


def test_one_class_is_always_answered():
    model = tw.BoostedTreesClassifier(n_estimators=2).fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[3.0]]).tolist() == ["a"]
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]


def counts_and_rates(n_rows=2000, seed=0):
    """Rows whose target has a mean that depends on two columns, by an exponential."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n_rows, 4))
    return X, np.exp(X[:, 0] + np.sin(3 * X[:, 1])), rng


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_counts_and_amounts_are_met_as_well_as_by_scikit_learn(loss):
    X, rate, rng = counts_and_rates()
    y = rng.poisson(rate) if loss == "poisson" else rng.gamma(2.0, rate / 2.0)
    ours = tw.BoostedTreesRegressor(loss=loss).fit(X[:1000], y[:1000]).predict(X[1000:])
    theirs = HistGradientBoostingRegressor(loss=loss).fit(X[:1000], y[:1000]).predict(X[1000:])
    error, allowed = (((answer - rate[1000:]) ** 2).mean() for answer in (ours, theirs))
    assert error < 1.1 * allowed


def test_amounts_of_which_many_are_0_are_met():
    X, rate, rng = counts_and_rates()
    n_claims = rng.poisson(rate)
    y = np.array([rng.gamma(2.0, 0.5, size=n).sum() for n in n_claims])
    model = tw.BoostedTreesRegressor(loss="tweedie").fit(X[:1000], y[:1000])
    error = ((model.predict(X[1000:]) - rate[1000:]) ** 2).mean()
    assert error < 0.4 * rate.var()
    assert (model.predict(X) > 0).all()


@pytest.mark.parametrize(
    ("loss", "y", "words"),
    [
        ("poisson", [1.0, -1.0], "at least 0"),
        ("gamma", [1.0, 0.0], "above 0"),
        ("tweedie", [0.0, 0.0], "every y is 0"),
    ],
)
def test_targets_that_a_loss_is_not_for_are_told(loss, y, words):
    with pytest.raises(DataError, match=words):
        tw.BoostedTreesRegressor(loss=loss).fit([[1.0], [2.0]], y)


def test_logistic_is_for_two_classes():
    with pytest.raises(ParameterError, match="for two classes"):
        tw.BoostedTreesClassifier(loss="logistic").fit([[1.0], [2.0], [3.0]], [0, 1, 2])


def test_class_weights_move_the_answers():
    X, y = load_breast_cancer(return_X_y=True)
    heavy = tw.BoostedTreesClassifier(n_estimators=5, class_weight={0: 50, 1: 1}).fit(X, y)
    plain = tw.BoostedTreesClassifier(n_estimators=5).fit(X, y)
    assert heavy.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean()
