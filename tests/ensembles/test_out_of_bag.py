"""Out-of-bag predictions against their definition: the mean of the trees that left a row out."""

import pickle

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.tree.predict import predict_values


def by_definition(forest, X, y, *, hard=False):
    rows = forest.encode_rows(X)
    of_trees = [predict_values(tree, rows) for tree in forest.trees_]
    if hard:
        n_classes = of_trees[0].shape[1]
        of_trees = [np.eye(n_classes)[predictions.argmax(axis=1)] for predictions in of_trees]
    left_out = [
        ~np.isin(np.arange(len(y)), forest.drawn_rows(tree)) for tree in range(len(of_trees))
    ]
    return np.array(
        [
            np.mean([a[row] for a, out in zip(of_trees, left_out, strict=True) if out[row]], axis=0)
            for row in range(len(y))
        ]
    )


def table(n_rows=150, seed=0):
    rng = np.random.default_rng(seed)
    word = rng.choice(["a", "b", "c"], n_rows)
    number = rng.normal(size=n_rows)
    score = number + (word == "a") + 0.3 * rng.normal(size=n_rows)
    number[::9] = np.nan
    return {"word": word, "number": number}, np.digitize(score, [0, 1]), score


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("drawing", [{}, {"bootstrap": False, "max_samples": 0.6}])
@pytest.mark.parametrize("members", [{}, {"inductors": ["cart", "c45"]}, {"splits": "exact"}])
def test_class_shares_are_those_of_the_trees_that_did_not_draw_the_row(voting, drawing, members):
    X, y, _ = table()
    forest = tw.RandomForestClassifier(
        n_estimators=25, oob_score=True, voting=voting, n_jobs=2, **drawing, **members
    ).fit(X, y)
    expected = by_definition(forest, X, y, hard=voting == "hard")
    np.testing.assert_allclose(forest.oob_decision_function_, expected, atol=1e-12)
    assert forest.oob_score_ == np.mean(forest.classes_[expected.argmax(axis=1)] == y)
    assert 0.6 < forest.oob_score_ < 1


@pytest.mark.parametrize("kind", [tw.RandomForestRegressor, tw.ExtraTreesRegressor])
def test_means_are_those_of_the_trees_that_did_not_draw_the_row(kind):
    X, _, y = table()
    forest = kind(n_estimators=25, oob_score=True, bootstrap=True).fit(X, y)
    expected = by_definition(forest, X, y)[:, 0]
    np.testing.assert_allclose(forest.oob_prediction_, expected)
    residuals = y - expected
    assert forest.oob_score_ == pytest.approx(1 - residuals.var() / y.var(), abs=0.02)


def test_a_warm_start_judges_all_trees():
    X, y, _ = table()
    forest = tw.RandomForestClassifier(n_estimators=20, oob_score=True, warm_start=True).fit(X, y)
    forest.set_params(n_estimators=25).fit(X, y)
    at_once = tw.RandomForestClassifier(n_estimators=25, oob_score=True).fit(X, y)
    np.testing.assert_allclose(
        forest.oob_decision_function_, at_once.oob_decision_function_, rtol=1e-12
    )


def test_the_score_is_near_that_on_new_rows():
    X, y, _ = table(1000)
    new_X, new_y, _ = table(1000, seed=1)
    forest = tw.RandomForestClassifier(oob_score=True).fit(X, y)
    assert forest.oob_score_ == pytest.approx(forest.score(new_X, new_y), abs=0.08)


def test_rows_without_a_prediction_are_reported():
    X, y, _ = table(20)
    with pytest.warns(UserWarning, match="sampled for every tree"):
        forest = tw.RandomForestClassifier(n_estimators=1, oob_score=True).fit(X, y)
    assert np.isnan(forest.oob_decision_function_).any()


@pytest.mark.parametrize("max_samples", [None, 1.0, 20])
def test_where_every_tree_gets_every_row_there_is_nothing_to_judge(max_samples):
    X, y, _ = table(20)
    forest = tw.ExtraTreesClassifier(oob_score=True, max_samples=max_samples)
    with pytest.raises(ParameterError, match="no row is left out"):
        forest.fit(X, y)


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.RandomForestRegressor])
@pytest.mark.filterwarnings("ignore:1 of 1 rows")
def test_without_any_prediction_the_score_is_not_a_number(kind):
    forest = kind(n_estimators=2, oob_score=True).fit([[1.0]], [1])
    assert np.isnan(forest.oob_score_)
    assert np.isnan(pickle.loads(pickle.dumps(forest)).oob_score_)


@pytest.mark.parametrize("drawing", [{"max_samples": 0.5}, {"bootstrap": False}])
def test_a_warm_start_that_would_draw_other_rows_is_refused(drawing):
    X, y, _ = table(80)
    forest = tw.RandomForestClassifier(n_estimators=2, warm_start=True).fit(X, y)
    with pytest.raises(ParameterError, match="80 rows with replacement then"):
        forest.set_params(n_estimators=3, **drawing).fit(X, y)


def some_without_weight(n_rows):
    """Weights, of which every third is 0."""
    return np.where(np.arange(n_rows) % 3 == 1, 0.0, 1.0)


def test_predictions_stand_where_the_rows_stand_that_were_given():
    X, y, numbers = table()
    weights = some_without_weight(len(y))
    kept = weights > 0
    few = {name: cells[kept] for name, cells in X.items()}
    forest = tw.RandomForestClassifier(n_estimators=25, oob_score=True)
    alone = tw.RandomForestClassifier(n_estimators=25, oob_score=True).fit(few, y[kept])
    forest.fit(X, y, sample_weight=weights)
    assert np.isnan(forest.oob_decision_function_[~kept]).all()
    np.testing.assert_array_equal(forest.oob_decision_function_[kept], alone.oob_decision_function_)
    assert forest.oob_score_ == alone.oob_score_
    regression = tw.RandomForestRegressor(n_estimators=25, oob_score=True)
    regression.fit(X, numbers, sample_weight=weights)
    np.testing.assert_array_equal(np.isnan(regression.oob_prediction_), ~kept)


def test_drawn_rows_are_counted_as_they_were_given():
    X, y, _ = table()
    weights = some_without_weight(len(y))
    forest = tw.RandomForestClassifier(n_estimators=3, class_weight={0: 0.0, 1: 1.0, 2: 1.0})
    forest.fit(X, y, sample_weight=weights)
    for other in (forest, pickle.loads(pickle.dumps(forest))):
        rows = other.drawn_rows(2)
        assert len(rows) == ((weights > 0) & (y > 0)).sum()
        assert weights[rows].all()
        assert y[rows].all()


def test_a_later_fit_without_the_score_forgets_it():
    X, y, _ = table(80)
    forest = tw.RandomForestClassifier(n_estimators=20, oob_score=True).fit(X, y)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_score_")
    assert not hasattr(forest, "oob_decision_function_")
