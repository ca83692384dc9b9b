"""The worksheet of a boosted model has the numbers of its rounds, worked out from the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from fitted_states import scores_of
from treewright.errors import DataError, ParameterError

X = np.array([[1.0], [2.0], [3.0], [4.0]])
Y = np.array([1.0, 2.0, 4.0, 5.0])


def friedmans(**params):
    """Squared error without regularization: stumps that add all they find."""
    plain = {"n_estimators": 2, "learning_rate": 1.0, "max_leaf_nodes": 2, "min_samples_leaf": 1}
    plain |= {"l2": 0, "smoothing": 0, "max_features_node": 1.0}
    return tw.BoostedTreesRegressor(**(plain | params))


def test_two_rounds_by_hand():
    first, second = tw.worksheet(friedmans().fit(X, Y), X, Y).rounds
    assert first.before.tolist() == [3, 3, 3, 3]
    assert first.residual.tolist() == [-2, -1, 1, 2]
    assert first.after.tolist() == [1.5, 1.5, 4.5, 4.5]
    assert [leaf.path for leaf in first.leaves] == [("x0 <= 2.5",), ("x0 > 2.5",)]
    assert [leaf.adds for leaf in first.leaves] == [-1.5, 1.5]
    assert second.residual.tolist() == [-0.5, 0.5, -0.5, 0.5]
    np.testing.assert_allclose(second.after, [1.0, 5 / 3, 14 / 3, 14 / 3])
    assert (first.loss_before, first.loss_after) == (1.25, 0.125)


def test_the_page_shows_prediction_residual_tree_and_new_prediction():
    text = tw.worksheet(friedmans().fit(X, Y), X, Y).to_text()
    assert "F_0 = (1 + 2 + 4 + 5)/4 = 3.0000" in text
    assert "row  y  prediction  residual  leaf  tree adds  new prediction" in text
    assert "  0  1      3.0000   -2.0000     1    -1.5000          1.5000" in text
    assert "x0 <= 2.5: -1.5 (2)" in text
    assert text.count("Round ") == 2


def test_every_form_of_page_can_be_had(tmp_path):
    sheet = tw.worksheet(friedmans().fit(X, Y), X, Y)
    for ending in ("txt", "md", "tex", "html"):
        sheet.save(tmp_path / f"sheet.{ending}")
        assert "new prediction" in (tmp_path / f"sheet.{ending}").read_text()
    assert "Round 1" not in sheet.to_text(steps="summary")
    assert "Round 1" not in sheet.to_text(steps=[2])
    assert "Round 2" not in sheet.to_text(max_nodes=1)
    assert "RoundSheet" in repr(sheet)


@pytest.mark.parametrize(
    "model",
    [
        tw.BoostedTreesClassifier(n_estimators=3),
        tw.BoostedTreesRegressor(n_estimators=3, l1=1.0, l2=2.0),
        tw.BoostedTreesRegressor(n_estimators=3, loss="absolute_error"),
        tw.BoostedTreesRegressor(n_estimators=3, loss="quantile", quantile=0.2),
        tw.BoostedTreesRegressor(n_estimators=3, loss="huber"),
        tw.BoostedTreesRegressor(n_estimators=3, loss="tweedie", growth="symmetric"),
        tw.BoostedTreesRegressor(n_estimators=3, loss=lambda y, s: (s - y, np.ones_like(s))),
    ],
    ids=lambda model: str(model.loss)[:8],
)
@given(seed=st.integers(0, 9), weighted=st.booleans(), n_classes=st.integers(2, 3))
@settings(max_examples=5, deadline=None)
def test_the_rounds_end_with_what_the_model_predicts(model, seed, weighted, n_classes):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(120, 3))
    y = np.abs(table[:, 0]) + rng.exponential(size=120)
    if hasattr(model, "predict_proba"):
        y = np.digitize(y, [1.0, 2.0][: n_classes - 1])
    weights = rng.uniform(0.5, 2.0, 120) if weighted else None
    model.fit(table, y, sample_weight=weights)
    works = list(tw.worksheet(model, table, y, weights).rounds)
    last = np.array([work.after for work in works[-len(model.start_) :]])
    np.testing.assert_allclose(last, scores_of(model, table).T)


def test_rows_of_another_fit_are_told():
    model = friedmans().fit(X, Y)
    with pytest.raises(DataError, match="not grown on these rows"):
        tw.worksheet(model, X, Y[::-1]).to_text()
    with pytest.raises(ParameterError, match="needs the training rows"):
        tw.worksheet(model)


def test_rounds_with_drawn_rows_have_no_worksheet():
    model = friedmans(subsample=0.5).fit(X, Y)
    with pytest.raises(ParameterError, match=r"subsample=0\.5"):
        tw.worksheet(model, X, Y)


def test_rounds_that_the_model_does_not_have_are_told():
    sheet = tw.worksheet(friedmans().fit(X, Y), X, Y)
    with pytest.raises(ParameterError, match="the model has 2"):
        sheet.to_text(steps=[3])
    with pytest.raises(ParameterError, match="not known"):
        sheet.to_text(steps="some")


def test_an_isolation_forest_has_no_worksheet():
    forest = tw.IsolationForest(n_estimators=2).fit(X)
    with pytest.raises(ParameterError, match="has no worksheet"):
        tw.worksheet(forest, X, Y)


@pytest.mark.parametrize("asked", [{"measures": "gini_gain"}, {"stability": 10}])
def test_what_is_asked_of_single_trees_is_refused(asked):
    X, y = tw.load_sample("tennis")
    model = tw.BoostedTreesClassifier(n_estimators=1).fit(X, y)
    with pytest.raises(tw.ParameterError, match="for single trees"):
        tw.worksheet(model, X, y, **asked)
