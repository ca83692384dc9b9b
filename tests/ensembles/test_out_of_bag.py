"""Out-of-bag answers against their definition: the mean over the trees that did not draw a row."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.tree.predict import predict_values


def by_definition(forest, X, y, *, hard=False):
    rows = forest._encoded(X)
    of_trees = [predict_values(tree, rows) for tree in forest.trees_]
    if hard:
        n_classes = of_trees[0].shape[1]
        of_trees = [np.eye(n_classes)[answers.argmax(axis=1)] for answers in of_trees]
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


def test_rows_without_an_answer_are_told_of():
    X, y, _ = table(20)
    with pytest.warns(UserWarning, match="drawn for every tree"):
        forest = tw.RandomForestClassifier(n_estimators=1, oob_score=True).fit(X, y)
    assert np.isnan(forest.oob_decision_function_).any()


def test_where_every_tree_gets_every_row_there_is_nothing_to_judge():
    X, y, _ = table(20)
    with pytest.raises(ParameterError, match="no row is left out"):
        tw.ExtraTreesClassifier(oob_score=True).fit(X, y)


def test_a_later_fit_without_the_score_forgets_it():
    X, y, _ = table(80)
    forest = tw.RandomForestClassifier(n_estimators=20, oob_score=True).fit(X, y)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_score_")
    assert not hasattr(forest, "oob_decision_function_")
