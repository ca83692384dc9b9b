"""Ensembles have a page, too."""

import numpy as np
import pytest

import treewright as tw

X, Y = tw.load_sample("iris")
SIZE = np.asarray(X)[:, 0].astype(float)


@pytest.fixture(scope="module")
def page():
    model = tw.RandomForestClassifier(n_estimators=5, oob_score=True).fit(X, Y)
    return tw.report(model, X, Y, name="iris", target="species", folds=2)


def test_a_forest_is_judged_by_cross_validation_on_its_own_rows(page):
    assert page.facts.learnt_here
    assert page.facts.is_resampled
    text = page.to_markdown()
    assert "learnt from 150 rows of iris" in text
    assert "model = tw.RandomForestClassifier(n_estimators=5, oob_score=True).fit(X, y)" in text


def test_the_page_tells_size_first_tree_and_columns(page):
    text = page.to_markdown()
    assert "## The trees" in text
    assert "The model has 5 trees" in text
    assert "Judged by trees that had not drawn a row" in text
    assert "## Which columns matter" in text
    assert "## Rules" not in text
    assert "<svg" in page.to_html()


def test_on_other_rows_it_is_judged_as_it_is():
    model = tw.BoostedTreesRegressor(n_estimators=5).fit(X[::2], SIZE[::2])
    page = tw.report(model, X[1::2], SIZE[1::2])
    assert not page.facts.learnt_here
    assert "learnt from 75 rows. Here it answers for 75 rows" in page.to_markdown()


def test_nobody_knows_the_rows_of_a_model_with_a_random_seed():
    model = tw.RandomForestClassifier(n_estimators=2, random_state=None).fit(X, Y)
    assert not tw.report(model, X, Y).facts.learnt_here


def test_a_model_that_is_not_fitted_is_fitted_first():
    page = tw.report(tw.BoostedTreesClassifier(n_estimators=2), X, Y, folds=2)
    assert "The model has 6 trees" in page.to_markdown()


def test_a_model_without_trees_to_tell_of_has_no_page():
    with pytest.raises(tw.ParameterError, match="has no report"):
        tw.report(tw.Discretizer(), X, Y)
