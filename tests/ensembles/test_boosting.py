"""Boosted trees: classes and numbers, holes and words, and the same model for any threads."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_score

import treewright as tw
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
    assert model.score(X, y) > 0.98
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
