"""tw.tune: the table of candidates is that of separate evaluations, and the rule chooses."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

import treewright as tw
from treewright.errors import ParameterError
from treewright.evaluation.tuning import Tuning


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def test_each_candidate_scores_as_if_it_were_evaluated_alone(iris):
    X, y = iris
    found = tw.tune(tw.C45Classifier(), X, y, {"max_depth": [1, 2, 4], "confidence": [0.1, 0.4]})
    for given, scores in zip(found.candidates, found.scores, strict=True):
        alone = tw.evaluate(tw.C45Classifier(**given), X, y)
        np.testing.assert_array_equal(scores, alone.scores["accuracy"])


def test_the_model_has_the_chosen_settings_and_knows_all_rows(iris):
    X, y = iris
    found = tw.tune(tw.CARTClassifier(), X, y, {"max_depth": [1, 2, 3]}, folds=5)
    assert found.model.max_depth == found.settings["max_depth"]
    assert found.model.tree_.weight[0] == 150


def a_tuning(means, leaves, error, measure="accuracy"):
    spread = error * np.sqrt(2)
    scores = np.array([[m - spread / np.sqrt(2), m + spread / np.sqrt(2)] for m in means])
    candidates = tuple({"max_depth": at} for at in range(len(means)))
    return Tuning(measure, candidates, scores, np.array(leaves, dtype=float), True, None)


def test_the_smallest_within_one_standard_error_is_chosen():
    found = a_tuning([0.80, 0.86, 0.90, 0.89], [2, 5, 20, 30], error=0.05)
    assert (found.best, found.chosen) == (2, 1)
    assert found.errors[2] == pytest.approx(0.05)


def test_of_errors_less_is_better():
    found = a_tuning([3.0, 1.1, 1.0], [2, 5, 20], error=0.2, measure="rmse")
    assert (found.best, found.chosen) == (2, 1)


def test_without_the_rule_the_best_is_chosen(iris):
    X, y = iris
    grid = {"max_depth": [1, 2, 3, 5]}
    found = tw.tune(tw.CARTClassifier(), X, y, grid, one_standard_error=False)
    assert found.chosen == found.best


def test_random_search_tries_no_combination_of_lists_twice(iris):
    X, y = iris
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 2, 5]}
    found = tw.tune(tw.CARTClassifier(), X, y, grid, method="random", n_candidates=5, folds=3)
    assert len({tuple(given.items()) for given in found.candidates}) == 5
    again = tw.tune(tw.CARTClassifier(), X, y, grid, method="random", n_candidates=5, folds=3)
    assert found.candidates == again.candidates


def test_distributions_are_drawn_from(iris):
    X, y = iris
    grid = {"ccp_alpha": stats.uniform(0, 0.05), "max_depth": [2, 3]}
    found = tw.tune(tw.CARTClassifier(), X, y, grid, method="random", n_candidates=4, folds=3)
    assert all(0 <= given["ccp_alpha"] <= 0.05 for given in found.candidates)


def test_halving_ends_with_all_rows_and_few_candidates(iris):
    X, y = iris
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5, 20]}
    found = tw.tune(tw.CARTClassifier(), X, y, grid, method="halving", folds=3)
    assert np.isfinite(found.means).sum() == 3
    whole = tw.tune(tw.CARTClassifier(), X, y, grid, folds=3)
    alive = np.isfinite(found.means)
    np.testing.assert_array_equal(found.scores[alive], whole.scores[alive])


def test_a_nested_search_is_judged_on_rows_it_did_not_see(iris):
    X, y = iris
    found = tw.tune(tw.CARTClassifier(), X, y, {"max_depth": [1, 3]}, folds=3, nested=4)
    assert found.nested.n_splits == 4
    assert 0.85 < found.nested.mean("accuracy") <= 1
    json.dumps(found.to_dict(), allow_nan=False)
    assert "on rows it did not see" in str(found)


def test_models_that_are_no_trees_are_tuned_too(iris):
    X, y = iris
    found = tw.tune(
        LogisticRegression(max_iter=2000),
        np.asarray(X, dtype=float),
        y,
        {"C": [0.01, 1.0]},
        folds=3,
    )
    assert found.chosen == found.best


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"grid": {}}, "no setting"),
        ({"grid": {"max_depth": 3}}, "not a list"),
        ({"grid": {"max_depth": []}}, "no values"),
        ({"grid": {"max_dept": [3]}}, "max_depth"),
        ({"grid": {"max_depth": [0]}}, "max_depth=0"),
        ({"grid": {"max_depth": [2]}, "method": "bayes"}, "method='bayes'"),
        ({"grid": {"max_depth": [2]}, "measure": "rmse"}, "no measure `rmse`"),
        ({"grid": {"ccp_alpha": stats.uniform()}}, "distribution"),
    ],
)
def test_wrong_wishes_are_named(iris, wish, words):
    X, y = iris
    with pytest.raises(ParameterError, match=words):
        tw.tune(tw.CARTClassifier(), X, y, wish.pop("grid"), **wish)
