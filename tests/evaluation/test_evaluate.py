"""tw.evaluate and tw.compare on whole models."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_validate
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from treewright.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def test_scores_are_those_of_cross_validate_on_the_same_folds(iris):
    X, y = iris
    folds = np.arange(150) % 5
    ours = tw.evaluate(tw.CARTClassifier(), X, y, folds=folds)
    theirs = cross_validate(
        tw.CARTClassifier(),
        np.asarray(X, dtype=float),
        y,
        cv=PredefinedSplit(folds),
        scoring=["accuracy", "neg_log_loss", "balanced_accuracy"],
    )
    np.testing.assert_allclose(ours.scores["accuracy"], theirs["test_accuracy"])
    np.testing.assert_allclose(ours.scores["log_loss"], -theirs["test_neg_log_loss"])


def test_the_number_of_threads_changes_nothing(iris):
    X, y = iris
    one, two = (
        tw.evaluate(tw.C45Classifier(), X, y, folds=5, repeats=3, n_jobs=n).to_dict()
        for n in (1, 2)
    )
    for found in (one, two):
        found.pop("mean_fit_seconds")
    assert one == two


def test_tables_of_words_and_holes_are_taken_as_they_are():
    frame = pd.DataFrame(
        {"size": [1.0, None, 3.0, 4.0] * 10, "colour": ["red", "blue", None, "red"] * 10}
    )
    y = ["yes", "no", "no", "yes"] * 10
    found = tw.evaluate(tw.C45Classifier(), frame, y, folds=4)
    assert found.mean("accuracy") == 1


def test_numbers_are_judged_by_their_errors(iris):
    X, _ = iris
    table = tw.table_from(X)
    y = np.asarray(table["petal width"].values)
    found = tw.evaluate(tw.CARTRegressor(max_depth=3), table.drop("petal width"), y, folds=5)
    assert list(found.scores) == ["mae", "rmse", "r2"]
    assert 0.8 < found.mean("r2") < 1
    assert np.isfinite(found.predictions).all()
    assert found.to_dict()["measures"]["r2"]["mean"] == found.mean("r2")


def test_a_class_that_a_fold_never_saw_has_share_zero(iris):
    X, y = iris
    by_class = np.repeat([0, 1, 2], 50)  # the held-out class is unknown
    found = tw.evaluate(tw.CARTClassifier(), X, y, folds=by_class)
    assert found.mean("accuracy") == 0
    assert found.confusion.trace() == 0


def test_models_of_scikit_learn_are_judged_too(iris):
    X, y = iris
    numbers = np.asarray(X, dtype=float)
    found = tw.compare(
        {
            "ours": tw.CARTClassifier(),
            "theirs": DecisionTreeClassifier(random_state=0),
            "line": LogisticRegression(max_iter=1000),
        },
        numbers,
        y,
        folds=5,
    )
    assert found.best in found.evaluations
    assert np.isnan(found.evaluations["line"].mean_leaves)
    assert len(found.pairs) == 3
    json.dumps(found.to_dict(), allow_nan=True)
    assert "line" in str(found)


def test_a_tree_beats_chance_with_certainty(iris):
    X, y = iris
    found = tw.compare(
        {"tree": tw.CARTClassifier(), "chance": DummyClassifier()}, np.asarray(X, dtype=float), y
    )
    pair = found.pairs["tree", "chance"]
    assert pair.first_better > 0.999
    assert pair.p_value < 1e-6


def test_rows_of_weight_zero_are_neither_learnt_nor_judged(iris):
    X, y = iris
    kept = np.arange(150) % 3 != 0
    folds = np.arange(150) % 7
    weights = kept.astype(float)
    weighted = tw.evaluate(tw.CARTClassifier(), X, y, sample_weight=weights, folds=folds)
    without = tw.evaluate(tw.CARTClassifier(), X[kept], y[kept], folds=folds[kept])
    np.testing.assert_allclose(weighted.scores["accuracy"], without.scores["accuracy"])


def test_groups_and_times_reach_the_splits(iris):
    X, y = iris
    by_group = tw.evaluate(tw.CARTClassifier(), X, y, groups=np.arange(150) // 10, folds=3)
    assert "by groups" in by_group.scheme
    by_time = tw.evaluate(tw.CARTClassifier(), X, y, times=np.arange(150)[::-1], folds=3)
    assert (by_time.predictions == -1).sum() > 0
    assert "order of time" in by_time.scheme


def test_progress_is_told_split_by_split(iris):
    X, y = iris
    seen = []
    tw.evaluate(tw.CARTClassifier(), X, y, folds=4, progress=lambda done, n: seen.append((done, n)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"folds": 1}, "folds=1"),
        ({"folds": 151}, "150 rows"),
        ({"groups": [1, 2]}, "groups has shape"),
        ({"hold_out": 0.3, "groups": [1] * 150}, "exclude each other"),
        ({"times": np.arange(150), "repeats": 2}, "repeats must be 1"),
        ({"costs": [[0, 1], [1, 0]]}, "3 x 3 numbers"),
    ],
)
def test_wrong_wishes_are_named(iris, wish, words):
    X, y = iris
    with pytest.raises((DataError, ParameterError), match=words):
        tw.evaluate(tw.CARTClassifier(), X, y, **wish)


def test_an_unknown_measure_names_the_known_ones(iris):
    X, y = iris
    found = tw.evaluate(tw.CARTClassifier(), X, y, folds=3)
    with pytest.raises(ParameterError, match="accuracy"):
        found.mean("acuracy")


def test_shares_are_calibrated_where_they_say_what_happens():
    generator = np.random.default_rng(0)
    x = generator.integers(0, 4, 4000)
    y = (generator.random(4000) < x / 4 + 0.1).astype(int)
    found = tw.evaluate(tw.CARTClassifier(min_samples_leaf=50), x[:, None].astype(float), y)
    assert tw.calibration(found).error < 0.03


def test_a_learning_curve_rises():
    generator = np.random.default_rng(0)
    X = generator.random((1500, 4))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    curve = tw.learning_curve(tw.CARTClassifier(), X, y, shares=(0.02, 0.2, 1.0), folds=3)
    means = [point.mean for point in curve.held_out]
    assert means == sorted(means)
    assert curve.n_train == (20, 200, 1000)
    assert all(point.mean == 1 for point in curve.learnt)
