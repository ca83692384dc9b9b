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
    assert page.facts.learned_here
    assert page.facts.is_resampled
    text = page.to_markdown()
    assert "learned from 150 rows of iris" in text
    assert "model = tw.RandomForestClassifier(n_estimators=5, oob_score=True).fit(X, y)" in text


def test_the_page_tells_size_first_tree_and_columns(page):
    text = page.to_markdown()
    assert "## The trees" in text
    assert "The model has 5 trees" in text
    assert "Out-of-bag score: " in text
    assert "## Which columns matter" in text
    assert "## Rules" not in text
    assert "<svg" in page.to_html()


def test_on_other_rows_it_is_judged_as_it_is():
    model = tw.BoostedTreesRegressor(n_estimators=5).fit(X[::2], SIZE[::2])
    page = tw.report(model, X[1::2], SIZE[1::2])
    assert not page.facts.learned_here
    assert "learned from 75 rows. Here it predicts 75 rows" in page.to_markdown()


def stop_at_once(_):
    return True


HELD_BACK = (X[::3], Y[::3])
KNOW_THEIR_ROWS = {
    "another seed each time": tw.RandomForestClassifier(n_estimators=2, random_state=None),
    "a generator": tw.ExtraTreesClassifier(n_estimators=2, random_state=np.random.RandomState(1)),
    "stopped by rows": tw.BoostedTreesClassifier(n_estimators=4, n_iter_no_change=2),
    "stopped by a callback": tw.BoostedTreesClassifier(n_estimators=4, callbacks=[stop_at_once]),
}


@pytest.mark.parametrize("model", KNOW_THEIR_ROWS.values(), ids=KNOW_THEIR_ROWS)
def test_every_model_knows_its_rows_again(model):
    given = {"validation": HELD_BACK} if getattr(model, "n_iter_no_change", None) else {}
    page = tw.report(model.fit(X, Y, **given), X, Y, folds=2)
    assert page.facts.learned_here
    assert page.facts.is_resampled
    stopped = "they grew the same number of rounds" in page.to_markdown()
    assert stopped == isinstance(model, tw.BoostedTreesClassifier)


def test_a_model_stopped_by_rows_has_a_page_on_test_rows():
    model = tw.BoostedTreesClassifier(n_estimators=4, n_iter_no_change=2)
    model.fit(X[::2], Y[::2], validation=HELD_BACK)
    page = tw.report(model, X[1::2], Y[1::2])
    assert not page.facts.learned_here
    assert "learned from 75 rows. Here it predicts 75 rows" in page.to_markdown()


def own_loss(y, scores):
    return scores - y, np.ones_like(y)


def test_a_loaded_model_with_a_loss_of_ones_own_is_judged_as_it_is(tmp_path):
    model = tw.BoostedTreesRegressor(loss=own_loss, n_estimators=2).fit(X, SIZE)
    model.save(tmp_path / "m.tw")
    page = tw.report(tw.load(tmp_path / "m.tw"), X, SIZE)
    assert page.facts.learned_here
    assert "so the scores are optimistic" in page.to_markdown()


def test_a_model_that_is_not_fitted_is_fitted_first():
    page = tw.report(tw.BoostedTreesClassifier(n_estimators=2), X, Y, folds=2)
    assert "The model has 6 trees" in page.to_markdown()


def test_a_model_without_trees_to_tell_of_has_no_page():
    with pytest.raises(tw.ParameterError, match="has no report"):
        tw.report(tw.Discretizer(), X, Y)
