"""What works for our own models works for imported ones."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

import treewright as tw
from treewright.verbs.load import as_reader

X, y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def one_tree():
    return tw.import_model(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))


@pytest.fixture(scope="module", params=["boosting", "forest"])
def many_trees(request):
    if request.param == "boosting":
        return tw.import_model(GradientBoostingClassifier(n_estimators=3).fit(X, y))
    return tw.import_model(RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y))


def test_fit_is_refused(one_tree, many_trees):
    for model in (one_tree, many_trees, clone(one_tree)):
        with pytest.raises(tw.ParameterError, match="cannot be fitted"):
            model.fit(X, y)


def test_a_single_tree_behaves_as_ours(one_tree):
    own = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    assert one_tree.tree_.value[0].tolist() == [50.0, 50.0, 50.0]
    assert one_tree.get_n_leaves() == own.get_n_leaves()
    np.testing.assert_allclose(one_tree.feature_importances_, own.feature_importances_)
    assert "x3 <= 0.8" in one_tree.export_text()
    assert "0.80" in export_text(own)
    assert "<svg" in one_tree.draw().to_svg()
    assert len(tw.rules(one_tree)) == one_tree.get_n_leaves()
    assert "x3" in str(tw.worksheet(one_tree))
    assert tw.prune(one_tree, "pessimistic").get_n_leaves() <= one_tree.get_n_leaves()
    assert one_tree.explain(X[0]).prediction == 0
    for form in ("python", "c", "sql", "json"):
        code = tw.export(one_tree, to=form)
        if form == "python":
            assert tw.verify_export(one_tree, code, to=form)


def test_a_regression_tree_behaves_as_ours():
    own = DecisionTreeRegressor(max_depth=3).fit(X[:, :3], X[:, 3])
    model = tw.import_model(own)
    assert np.array_equal(model.predict(X[:, :3]), own.predict(X[:, :3]))
    assert tw.verify_export(model, tw.export(model, to="python"), to="python")
    assert "mean" in str(tw.worksheet(model)).lower()


def test_many_trees_are_explained(many_trees):
    values = tw.shap_values(many_trees, X[:5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if many_trees.state_.averages_shares:
            expected = many_trees.predict_proba(X[:5])
        else:
            expected = many_trees.raw_scores(X[:5])
    total = np.asarray(values.values).sum(axis=1) + np.asarray(values.base_values)
    np.testing.assert_allclose(total, expected, atol=1e-9)
    assert "x" in str(many_trees.explain(X[0]))
    assert "<svg" in tw.draw(many_trees.trees_[0]).to_svg()
    assert abs(many_trees.feature_importances_.sum() - 1) < 1e-9
    assert "trees" in many_trees.summary()
    assert tw.distil(many_trees, X, max_leaf_nodes=4).fidelity > 0.8
    assert tw.importance(many_trees, X, y) is not None
    assert tw.evaluate_fitted(many_trees, X, y) is not None


def test_a_saved_model_is_read_without_scikit_learn(one_tree, many_trees, tmp_path):
    for model in (one_tree, many_trees):
        path = tmp_path / "m.tw"
        model.save(path)
        reader = as_reader(tw.load_state(path))
        assert reader.predict(X).tolist() == model.predict(X).tolist()
        assert str(reader.explain(X[0])) == str(model.explain(X[0]))
        assert reader.import_report_ == model.import_report_


def test_the_report_says_what_was_compared(one_tree):
    report = one_tree.import_report_
    assert (report.status, report.library, report.source) == (
        "verified",
        "scikit-learn",
        "object DecisionTreeClassifier",
    )
    assert "just below and just above every threshold" in str(report)
    assert report.to_dict()["n_witness_rows"] == report.n_witness_rows > 100
    assert tw.ImportReport.from_dict(report.to_dict()) == report
    with pytest.raises(tw.ModelFileError, match="status"):
        tw.ImportReport.from_dict(report.to_dict() | {"status": "surely"})


def test_a_report_and_costs(one_tree, many_trees):
    for model in (one_tree, many_trees):
        assert "ccuracy" in tw.report(model, X, y).to_text()
        shifted = model.with_costs({2: 1000.0})
        assert (shifted.predict(X) == 2).sum() > (model.predict(X) == 2).sum()
    with pytest.raises(tw.ParameterError, match="another library chose"):
        tw.worksheet(many_trees)


@pytest.mark.parametrize("n_rows", [1, 5, 150])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_packed_and_ordinary_trees_add_up_alike(n_classes, n_rows):
    kept = y < n_classes
    model = tw.import_model(GradientBoostingClassifier(n_estimators=9).fit(X[kept], y[kept]))
    for in_float32 in (False, True):
        packed = replace(model.state_, in_float32=in_float32)
        ordinary = replace(packed, trees=tuple(packed.trees))
        rows = X[:n_rows]
        found = model.with_state(packed).raw_scores(rows)
        assert np.array_equal(found, model.with_state(ordinary).raw_scores(rows))
        if in_float32:
            assert np.array_equal(found, found.astype(np.float32))
