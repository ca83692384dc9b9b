"""Logistic and multinomial regression against scikit-learn, and where classes need care."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import treewright as tw
from fitted_states import with_learned
from linear.linear_tables import a_mixed_table
from treewright import DataError, ModelFileError, ParameterError
from treewright.linear.classifier import GradientDescentClassifier

SOLVERS = pytest.mark.parametrize("solver", ["gradient_descent", "newton"])


def some_classes(n_classes: int, seed: int = 0):
    X, y = make_classification(
        300, 5, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=seed, flip_y=0.2
    )
    return X * [1, 10, 100, 0.1, 1] + 3, y


def by_scikit_learn(X, y, l2, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    mean = np.average(X, 0, weights)
    scale = np.sqrt(np.average(np.square(X - mean), 0, weights))
    peer = LogisticRegression(C=1 / (l2 * weights.sum()), tol=1e-10, max_iter=10_000)
    return peer.fit((X - mean) / scale, y, weights), scale


@SOLVERS
@pytest.mark.parametrize("n_classes", [2, 3])
def test_coefficients_are_those_of_logistic_regression(solver, n_classes):
    X, y = some_classes(n_classes)
    weights = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    peer, scale = by_scikit_learn(X, y, 0.01, weights)

    model = GradientDescentClassifier(l2=0.01, solver=solver, tol=1e-10).fit(X, y, weights)

    np.testing.assert_allclose(model.coef_ * scale, peer.coef_, rtol=1e-4, atol=1e-6)
    assert model.converged_
    assert model.decision_function(X).shape == ((300,) if n_classes == 2 else (300, 3))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_descent_and_newton_agree_on_mixed_tables(n_classes):
    table, y, weights = a_mixed_table(3, holes=0.1)
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    labels = np.roll(labels, 7)  # some disorder: no plane tells them apart

    descent = GradientDescentClassifier(tol=1e-10).fit(table, labels, weights)
    newton = GradientDescentClassifier(tol=1e-10, solver="newton").fit(table, labels, weights)

    np.testing.assert_allclose(descent.coef_, newton.coef_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(descent.predict_proba(table), newton.predict_proba(table), atol=1e-7)
    assert newton.n_iter_ < 12


def test_few_rows_at_a_time_come_near():
    X, y = some_classes(3)
    best = GradientDescentClassifier(solver="newton").fit(X, y)
    for method in ("stochastic", "mini_batch"):
        model = GradientDescentClassifier(method=method).fit(X, y)
        assert model.cost_ < 1.02 * best.cost_


def test_classes_that_a_plane_tells_apart_need_a_penalty():
    X, y = np.arange(10.0)[:, np.newaxis], [0] * 5 + [1] * 5

    with pytest.warns(UserWarning, match="grow without bound unless l2"):
        GradientDescentClassifier(l2=0.0, max_iter=100).fit(X, y)
    assert GradientDescentClassifier().fit(X, y).score(X, y) == 1.0


def test_balanced_classes_count_the_same():
    X, y = some_classes(2)
    few = np.flatnonzero((y == 0) | (np.arange(300) % 5 == 0))
    factors = len(few) / (2 * np.bincount(y[few]))

    balanced = GradientDescentClassifier(class_weight="balanced").fit(X[few], y[few])
    weighted = GradientDescentClassifier().fit(X[few], y[few], factors[y[few]])

    np.testing.assert_allclose(balanced.coef_, weighted.coef_, rtol=1e-6)


def test_one_class_is_certain():
    model = GradientDescentClassifier().fit([[1.0], [2.0]], ["a", "a"])

    assert model.predict([[5.0]]).tolist() == ["a"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]


def test_the_answer_of_a_row_is_told_class_by_class():
    X, y = tw.load_sample("iris")
    model = GradientDescentClassifier().fit(X, y)

    told = model.explain(X[100:101])

    scores = np.array(list(told.scores.values()))
    np.testing.assert_allclose(scores, model.decision_function(X[100:101])[0])
    adds = np.array([term.adds for term in told.terms]).sum(axis=0) + told.intercepts
    np.testing.assert_allclose(adds, scores)
    assert told.prediction == "virginica"
    assert "score of virginica" in told.to_text()
    assert "petal width" in told.to_html()
    with pytest.raises(tw.DataError, match="explain takes one row"):
        model.explain(X[:2])


def test_equations_name_the_class_that_they_are_for():
    X, y = tw.load_sample("tennis")
    lines = GradientDescentClassifier().fit(X, y).equation().splitlines()
    assert lines[0].startswith("log odds of Yes = ")
    X, y = tw.load_sample("iris")
    lines = GradientDescentClassifier().fit(X, y).equation().splitlines()
    assert [line.split(" = ")[0] for line in lines] == [
        "score of setosa",
        "score of versicolor",
        "score of virginica",
    ]


def test_a_file_with_lines_for_other_classes_is_refused():
    X, y = some_classes(3)
    model = GradientDescentClassifier().fit(X, y)
    model = with_learned(
        model,
        coef_=model.coef_[:2].copy(),
        intercept_=model.intercept_[:2].copy(),
        trace_points_=model.trace_points_[:, :2].copy(),
    )

    with pytest.raises(ModelFileError, match="classes"):
        pickle.loads(pickle.dumps(model))


def test_a_coefficient_of_one_class_that_no_fit_gives_is_refused():
    X, y = some_classes(3)
    model = GradientDescentClassifier().fit(X, y)
    coefficients = model.coef_.copy()
    coefficients[1, 0] = 2e300
    model = with_learned(model, coef_=coefficients)

    with pytest.raises(ModelFileError, match=r"a coefficient of `.*` beyond 1e\+300"):
        pickle.loads(pickle.dumps(model))


def test_an_intercept_of_one_class_that_no_fit_gives_is_refused():
    X, y = some_classes(3)
    model = GradientDescentClassifier().fit(X, y)
    model = with_learned(model, intercept_=np.array([0.0, -2e300, 0.0]))

    with pytest.raises(ModelFileError, match=r"an intercept beyond 1e\+300"):
        pickle.loads(pickle.dumps(model))


def test_a_file_with_two_lines_for_two_classes_is_refused():
    X, y = some_classes(2)
    model = GradientDescentClassifier().fit(X, y)
    model = with_learned(
        model,
        coef_=np.repeat(model.coef_, 2, 0),
        intercept_=np.repeat(model.intercept_, 2),
        trace_points_=np.repeat(model.trace_points_, 2, 1),
    )

    with pytest.raises(ModelFileError, match="classes"):
        pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_whose_scores_are_not_finite_is_named(n_classes):
    X, y = some_classes(n_classes)
    model = GradientDescentClassifier().fit(X * 1e-170, y)

    assert len(model.predict(X * 1e-170)) == len(X)
    with pytest.raises(DataError, match="row 1: its prediction overflows"):
        model.predict_proba([X[0] * 1e-170, X[1] * 1e145])


def test_l1_has_no_newton_steps():
    with pytest.raises(ParameterError, match="corners"):
        GradientDescentClassifier(solver="newton", l1=0.1).fit([[1.0], [2.0]], [0, 1])


def test_a_rate_at_which_the_cost_swings_above_the_start_is_too_large():
    X, y = some_classes(2)

    with pytest.raises(ParameterError, match=r"learning_rate=200 is too large.*after step \d+"):
        GradientDescentClassifier(learning_rate=200.0).fit(X, y)


def test_a_rate_at_which_the_cost_swings_below_the_start_is_told():
    X, y = some_classes(2)

    with pytest.warns(UserWarning, match="the cost oscillates, lower learning_rate"):
        GradientDescentClassifier(learning_rate=6.0, momentum=0.0, max_iter=201).fit(X, y)
