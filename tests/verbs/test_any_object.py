"""Functions that need only predictions take any object that has them."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from machine import imported

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
NUMBER = 2.0 * X[:, 0] + X[:, 1]
LABEL = np.where(NUMBER > 0, "yes", "no")


class Predicts:
    """Has `predict`, and nothing else."""

    def __init__(self, function):
        self.function = function

    def predict(self, rows):
        return self.function(np.asarray(rows, dtype=float))


class Shares:
    """Has `predict_proba`, and names no classes."""

    def predict_proba(self, rows):
        second = 1 / (1 + np.exp(-2.0 * np.asarray(rows, dtype=float)[:, 0]))
        return np.column_stack([1 - second, second])


def labels(rows):
    return np.where(rows[:, 0] > 0, "yes", "no")


OBJECTS = {
    "labels": (Predicts(labels), LABEL),
    "labels in one column": (Predicts(lambda rows: labels(rows)[:, np.newaxis]), LABEL),
    "numbers": (Predicts(lambda rows: 2.0 * rows[:, 0]), NUMBER),
    "whole numbers are classes": (Predicts(lambda rows: (rows[:, 0] > 0) * 1), (NUMBER > 0) * 1),
    "probabilities": (Shares(), (NUMBER > 0) * 1),
    "a pipeline": (make_pipeline(StandardScaler(), LogisticRegression()).fit(X, LABEL), LABEL),
    "a regressor": (LinearRegression().fit(X, NUMBER), NUMBER),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_every_function_takes_the_object(name):
    model, y = OBJECTS[name]
    is_number = y is NUMBER
    found = tw.evaluate_fitted(model, X, y)
    assert (found.classes is None) == is_number
    assert found.mean("r2" if is_number else "accuracy") > 0.7
    assert tw.importance(model, X, y).order[0] == 0
    assert tw.distil(model, X).fidelity > 0.7
    page = tw.report(model, X, y).to_text()
    assert "A tree that approximates it" in page
    assert "The tree\n" not in page


@pytest.mark.parametrize("name", ["labels", "numbers", "probabilities"])
def test_what_cannot_be_fitted_is_scored_as_it_is(name):
    model, y = OBJECTS[name]
    found = tw.evaluate(model, X, y)
    assert found.scheme == "the model as it is"
    assert found.scores == tw.evaluate_fitted(model, X, y).scores
    for given in ({"folds": 5}, {"hold_out": 0.3}, {"repeats": 2}, {"cv": 3}):
        with pytest.raises(tw.ParameterError, match=f"`{next(iter(given))}` has nothing to split"):
            tw.evaluate(model, X, y, **given)


def test_an_imported_model_is_scored_as_it_is():
    from sklearn.tree import DecisionTreeClassifier

    model = tw.import_model(DecisionTreeClassifier(max_depth=2).fit(X, LABEL))
    assert tw.evaluate(model, X, LABEL, scoring="f1_macro").mean("f1_macro") > 0.5
    assert tw.evaluate(model, X, LABEL).scheme == "the model as it is"


def test_an_estimator_that_is_not_fitted_is_cross_validated_in_a_report():
    page = tw.report(make_pipeline(StandardScaler(), LogisticRegression()), X, LABEL, folds=3)
    assert page.facts.learned_here
    assert page.facts.evaluation.n_splits == 3
    with pytest.raises(NotFittedError):
        tw.evaluate_fitted(LogisticRegression(), X, LABEL)


def test_tables_become_what_the_object_knows():
    table = tw.table_from({"a": X[:, 0], "b": X[:, 1], "kind": list("xyz") * 40})

    class Frames:
        def predict(self, rows):
            return np.where(rows["a"] > 0, "yes", "no")

    found = tw.evaluate(Frames(), table, LABEL)
    assert found.mean("accuracy") > 0.7
    assert "kind" in tw.report(Frames(), table, LABEL).to_text()


VERBS = {
    "evaluate": tw.evaluate,
    "evaluate_fitted": tw.evaluate_fitted,
    "importance": tw.importance,
    "distil": lambda model, rows, y: tw.distil(model, rows),
    "report": tw.report,
}


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_missing_is_named(verb):
    run = VERBS[verb]
    with pytest.raises(tw.ParameterError, match="predict"):
        run(object(), X, LABEL)
    with pytest.raises(tw.DataError, match=r"shape \(120, 2\) for 120 rows"):
        run(Predicts(lambda rows: rows[:, :2]), X, LABEL)

    def fails(rows):
        raise TypeError("need a matrix of another kind")

    with pytest.raises(tw.DataError, match="TypeError: need a matrix of another kind"):
        run(Predicts(fails), X, LABEL)
    if verb != "distil":
        with pytest.raises(tw.DataError, match="needs numbers"):
            run(Predicts(lambda rows: rows[:, 0]), X, LABEL)


def test_boosters_are_told_apart():
    lightgbm = imported("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=3, verbosity=-1, n_jobs=1).fit(X, NUMBER > 0)
    with pytest.warns(UserWarning, match="import_model"):
        tw.evaluate(model.booster_, X, (NUMBER > 0) * 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tw.evaluate_fitted(model, X, NUMBER > 0).mean("accuracy") > 0.7
    xgboost = imported("xgboost")
    booster = xgboost.XGBRegressor(n_estimators=2, n_jobs=1).fit(X, NUMBER).get_booster()
    with pytest.raises(tw.DataError, match="DMatrix"):
        tw.importance(booster, X, NUMBER)
