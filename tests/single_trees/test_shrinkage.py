"""Single trees with shrinkage: what they predict is shrunk, what they count is not."""

import numpy as np
import pytest

import treewright as tw
from treewright.tree.shrinkage import shrunk

CLASSIFIERS = [tw.CARTClassifier, tw.C45Classifier, tw.ID3Classifier, tw.TreeClassifier]
REGRESSORS = [tw.CARTRegressor, tw.TreeRegressor]


def noisy(kind):
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=80).round(1), "word": rng.choice(["a", "b", "c"], 80).tolist()}
    score = X["x"] + rng.normal(size=80)
    return X, score if kind in REGRESSORS else np.where(score > 0, "yes", "no")


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
def test_predictions_are_shrunk_and_counts_are_not(kind, tmp_path):
    X, y = noisy(kind)
    plain, model = kind(prune=None).fit(X, y), kind(prune=None, shrinkage=4.0).fit(X, y)
    assert model.tree_.same_as(plain.tree_)
    assert (plain.shrinkage_, model.shrinkage_) == (0.0, 4.0)
    method = "predict" if kind in REGRESSORS else "predict_proba"
    expected = getattr(plain.with_tree(shrunk(plain.tree_, 4.0)), method)(X)
    np.testing.assert_array_equal(getattr(model, method)(X), expected)
    model.save(tmp_path / "tree.json")
    loaded = tw.load(tmp_path / "tree.json")
    assert loaded.shrinkage_ == 4.0
    np.testing.assert_array_equal(getattr(loaded, method)(X), expected)
    assert "strength 4" in model.export_text()
    shares = tw.shap_values(model, X)
    total = shares.base_values + shares.values.sum(axis=1)
    np.testing.assert_allclose(total, expected.reshape(total.shape), atol=1e-9)


def test_text_and_rules_name_the_class_that_is_predicted():
    """The second leaf has two a of three rows, but almost all rows are b."""
    X = {"x": [0.0] * 40 + [1.0] * 3}
    y = ["b"] * 40 + ["a", "a", "b"]
    settings = {"prune": None, "max_depth": 1}
    assert tw.CARTClassifier(**settings).fit(X, y).predict({"x": [1.0]}).tolist() == ["a"]
    model = tw.CARTClassifier(**settings, shrinkage=100.0).fit(X, y)
    assert model.predict({"x": [1.0]}).tolist() == ["b"]
    assert model.export_text().endswith("x = yes: b (3/2)")
    assert [rule.prediction for rule in tw.rules(model)] == ["b", "b"]


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
def test_auto_shrinks_noise_and_does_not_depend_on_the_order_of_rows(kind):
    X, y = noisy(kind)
    model = kind(prune=None, shrinkage="auto").fit(X, y)
    assert model.shrinkage_ >= 1
    order = np.random.default_rng(1).permutation(len(y))
    shuffled = {name: np.asarray(cells)[order] for name, cells in X.items()}
    again = kind(prune=None, shrinkage="auto").fit(shuffled, y[order])
    assert again.shrinkage_ == model.shrinkage_


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("n_rows", [1, 2, 10])
def test_equal_rows_and_one_class_are_no_trouble(kind, n_rows):
    X = {"x": ["same"] * n_rows}
    y = np.zeros(n_rows, dtype=int)
    model = kind(shrinkage="auto").fit(X, y)
    assert model.predict(X).tolist() == [0] * n_rows
