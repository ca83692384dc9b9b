"""What a split shows depends on its training rows and on nothing that is held out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from evaluation.random_rows import random_rows, rows_from, with_other_values
from treewright.errors import DataError
from treewright.evaluation.judging import fitted_copy
from treewright.evaluation.prepared import PREPARATIONS, PreparedModel
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.rows import rows_for

TREES = [
    tw.C45Classifier(),
    tw.CARTClassifier(prune="cv"),
    tw.ID3Classifier(),
    tw.TreeClassifier(missing="learned"),
    tw.C45Rules(),
    *(PreparedModel(tw.CARTClassifier(), how) for how in PREPARATIONS),
]


def name_of(model):
    inner = getattr(model, "preparation", "")
    return f"{type(model).__name__} {inner}".strip()


@pytest.mark.parametrize("model", TREES, ids=name_of)
@settings(max_examples=8)
@given(rows=random_rows, seed=st.integers(0, 100))
def test_no_model_learns_from_rows_that_are_held_out(model, rows, seed):
    held_out = np.flatnonzero(rows.folds == 0)
    other_y = rows.y.copy()
    other_y[held_out] = rows.y[held_out][::-1]
    poisoned = with_other_values(rows.table, held_out, seed)
    learned = rows.folds != 0
    predictions = []
    for table, y in ((rows.table, rows.y), (poisoned, other_y)):
        given_rows = rows_for([model], table, y, rows.weights)
        fitted, _ = fitted_copy(model, given_rows, np.flatnonzero(learned))
        predictions.append(fitted.predict_proba(rows.table))
    np.testing.assert_array_equal(*predictions)


@settings(max_examples=2)
@given(rows=random_rows)
def test_pipelines_of_scikit_learn_learn_inside_the_split_too(rows):
    numbers = np.column_stack([rows.table["a"].values, rows.table["b"].values])
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
    poisoned = numbers.copy()
    poisoned[rows.folds == 0] = 1e6
    first, again = (tw.evaluate(model, X, rows.y, folds=rows.folds) for X in (numbers, poisoned))
    # The model of fold 0 never saw the poison: its shares on clean rows are what they were.
    clean = rows_for([model], numbers, rows.y)
    plan = Protocol(folds=rows.folds).plan(clean)
    for given_rows in (clean, rows_for([model], poisoned, rows.y)):
        fitted, _ = fitted_copy(model, given_rows, plan[0].train)
        np.testing.assert_array_equal(
            fitted.predict_proba(numbers[plan[0].test]), first.judgments[0].shares
        )
    assert again.n_splits == 4


@settings(max_examples=6)
@given(rows=random_rows, n_jobs=st.integers(2, 5))
def test_threads_and_repetition_change_no_number(rows, n_jobs):
    plain = tw.evaluate(tw.CARTClassifier(), rows.table, rows.y, rows.weights, folds=5, n_jobs=1)
    again = tw.evaluate(
        tw.CARTClassifier(), rows.table, rows.y, rows.weights, folds=5, n_jobs=n_jobs
    )
    for name, scores in plain.scores.items():
        np.testing.assert_array_equal(scores, again.scores[name])
    np.testing.assert_array_equal(plain.predictions, again.predictions)


@settings(max_examples=10)
@given(rows=random_rows)
def test_a_row_of_weight_two_is_the_row_twice(rows):
    weights = np.where(np.arange(60) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(60), weights.astype(int))
    weighted = tw.evaluate(tw.C45Classifier(), rows.table, rows.y, weights, folds=rows.folds)
    doubled = tw.evaluate(
        tw.C45Classifier(), rows.table[twice], rows.y[twice], folds=rows.folds[twice]
    )
    for name, scores in weighted.scores.items():
        np.testing.assert_allclose(scores, doubled.scores[name], atol=1e-9, err_msg=name)
    np.testing.assert_allclose(weighted.confusion, doubled.confusion)


def test_a_class_too_rare_for_every_fold_is_judged_where_it_is():
    rows = rows_from(1)
    y = rows.y.astype(str)
    y[7] = "rare"
    found = tw.evaluate(tw.CARTClassifier(), rows.table, y, folds=5)
    at = found.classes.index("rare")
    defined = ~np.isnan(found.by_class["sensitivity"][:, at])
    assert defined.sum() == 1
    assert found.class_table()["rare"]["sensitivity"][0] == 0
    assert found.confusion.sum() == 60
    assert np.isfinite([found.mean(name) for name in found.scores]).all()


def test_costs_hold_in_folds_that_miss_a_class():
    rows = rows_from(1)
    y = np.where(np.arange(60) == 7, 9, rows.y)
    n_classes = len(np.unique(y))
    model = tw.CARTClassifier(costs=2 * (1 - np.eye(n_classes)))
    found = tw.evaluate(model, rows.table, y, folds=5)
    assert found.mean("cost") == pytest.approx(2 - 2 * found.mean("accuracy"))


@pytest.mark.parametrize(
    "model", [KMeans(3, n_init=1), tw.KMeans(3), tw.IsolationForest()], ids=lambda model: str(model)
)
def test_a_model_without_a_target_is_told_so(model):
    X, y = tw.load_sample("iris")
    X = np.asarray(X, dtype=float)
    judge = [
        lambda: tw.evaluate(model, X, y, folds=3),
        lambda: tw.compare([model], X, y, folds=3),
        lambda: tw.learning_curve(model, X, y, folds=3),
        lambda: tw.tune(model, {"random_state": [0, 1]}, X, y, folds=3),
        lambda: tw.evaluate_fitted(model.fit(X), X, y),
    ]
    for ask in judge:
        with pytest.raises(tw.ParameterError, match="learns without a target"):
            ask()


class AlwaysBlue(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), "blue")


def test_predictions_that_are_no_class_are_refused():
    X, y = tw.load_sample("iris")
    told = r"(?s)AlwaysBlue predicts 'blue', which is not a class of y.*'setosa'"
    with pytest.raises(DataError, match=told):
        tw.evaluate(AlwaysBlue(), np.asarray(X, dtype=float), y, folds=3)


def test_a_scale_does_not_see_rows_of_weight_0():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [1000.0]])
    model = PreparedModel(tw.CARTClassifier(), "unit").fit(X, list("aabbb"), [1, 1, 1, 1, 0])
    assert model._prepared([[3.0], [6.0]]).columns[0].values.tolist() == [1.0, 2.0]
