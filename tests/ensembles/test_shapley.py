"""Shapley values of fitted models: they add up, and the package `shap` finds the same."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeRegressor

import builders
import treewright as tw
from fitted_states import with_learned
from machine import imported
from treewright.tree.layout import SPREAD
from treewright.tree.predict import predict_values


def a_table_with_holes(n_rows=120, *, seed=0):
    rng = np.random.default_rng(seed)
    number = np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows))
    color = rng.choice(["red", "green", "blue"], n_rows).astype(object)
    color[rng.random(n_rows) < 0.2] = None
    size = rng.normal(size=n_rows)
    X = [{"number": a, "color": b, "size": c} for a, b, c in zip(number, color, size, strict=True)]
    signal = np.nan_to_num(number) + (color == "red") * (size > 0) + rng.normal(0, 0.2, n_rows)
    return tw.table_from(X), signal


CLASSIFIERS = [
    tw.ID3Classifier(),
    tw.C45Classifier(),
    tw.CARTClassifier(prune=None, max_depth=5),
    tw.RandomForestClassifier(n_estimators=12, max_depth=6),
    tw.RandomForestClassifier(n_estimators=12, max_depth=6, voting="hard"),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_values_add_up_to_the_probabilities(model, n_classes):
    X, signal = a_table_with_holes()
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    model.fit(X, y)
    for background in (None, X[:10]):
        found = tw.shap_values(model, X, background)
        assert found.values.shape == (len(X), 3, n_classes)
        assert found.output_names == tuple(range(n_classes))
        np.testing.assert_allclose(found.predictions, model.predict_proba(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_values_add_up_to_the_scores_of_boosted_trees(n_classes):
    X, signal = a_table_with_holes()
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    model = tw.BoostedTreesClassifier(n_estimators=10, min_samples_leaf=5).fit(X, y)
    for background in (None, X[:10]):
        found = tw.shap_values(model, X, background)
        np.testing.assert_allclose(found.predictions, model.decision_function(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        tw.CARTRegressor(prune=None, max_depth=5),
        tw.RandomForestRegressor(n_estimators=12, max_depth=6),
        tw.BoostedTreesRegressor(n_estimators=10, min_samples_leaf=5),
    ],
    ids=repr,
)
def test_values_add_up_to_the_number(model):
    X, signal = a_table_with_holes()
    model.fit(X, signal)
    for background in (None, X[:10]):
        found = tw.shap_values(model, X, background)
        assert found.values.shape == (len(X), 3)
        np.testing.assert_allclose(found.predictions, model.predict(X), rtol=0, atol=1e-9)


def test_scores_behind_a_link_are_explained():
    X, signal = a_table_with_holes()
    counts = np.round(np.exp(np.clip(signal, -2, 2)))
    model = tw.BoostedTreesRegressor(loss="poisson", n_estimators=10, min_samples_leaf=5)
    found = tw.shap_values(model.fit(X, counts), X)
    np.testing.assert_allclose(np.exp(found.predictions), model.predict(X), rtol=1e-9)


def test_an_isolation_forest_is_explained_by_its_number_of_splits():
    X, _ = a_table_with_holes()
    forest = tw.IsolationForest(n_estimators=10).fit(X)
    found = tw.shap_values(forest, X)
    assert found.scale == "number of splits"
    rows = forest.schema_.encode(X, "error")  # with the forest's codes of categories
    n_splits = np.mean([predict_values(tree, rows)[:, 0] for tree in forest.trees_], axis=0)
    np.testing.assert_allclose(found.predictions, n_splits, rtol=0, atol=1e-9)
    order = np.argsort(found.predictions)
    assert (np.diff(forest.score_samples(X)[order]) >= -1e-12).all()  # fewer splits are odder


def test_members_of_every_kind_add_up():
    X, signal = a_table_with_holes()
    inductors = [
        tw.ID3Classifier(),
        tw.C45Classifier(),
        tw.CARTClassifier(prune=None, missing="surrogate"),
    ]
    forest = tw.RandomForestClassifier(n_estimators=6, inductors=inductors).fit(X, signal > 0)
    for background in (None, X[:5]):
        found = tw.shap_values(forest, X, background)
        np.testing.assert_allclose(found.predictions, forest.predict_proba(X), rtol=0, atol=1e-9)


def test_interactions_add_up_to_the_values():
    X, signal = a_table_with_holes(40)
    model = tw.RandomForestRegressor(n_estimators=5, max_depth=5).fit(X, signal)
    found = tw.shap_values(model, X, interactions=True)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.interactions, found.interactions.swapaxes(1, 2))


def a_tree_like(sk_tree):
    """The tree of a scikit-learn regressor, as one of ours."""
    t = sk_tree.tree_

    def sketch(node):
        if t.children_left[node] < 0:
            return builders.leaf(
                float(t.value[node, 0, 0]), weight=float(t.weighted_n_node_samples[node])
            )
        below = (sketch(t.children_left[node]), sketch(t.children_right[node]))
        return builders.threshold(int(t.feature[node]), float(t.threshold[node]), *below)

    names = [f"x{i}" for i in range(sk_tree.n_features_in_)]
    return builders.build(sketch(0), builders.numeric_schema(*names), None)


def test_the_package_shap_finds_the_same_values():
    shap = imported("shap")
    rng = np.random.default_rng(3)
    X = rng.integers(-20, 20, size=(150, 5)) / 8  # float32 holds them
    y = X[:, 0] * X[:, 1] + np.abs(X[:, 2])
    sk_tree = DecisionTreeRegressor(max_depth=6, random_state=0).fit(X, y)
    tree = a_tree_like(sk_tree)
    explainer = shap.TreeExplainer(sk_tree, feature_perturbation="tree_path_dependent")
    ours = tw.shap_values(tree, X, interactions=True)
    np.testing.assert_allclose(ours.values, explainer.shap_values(X), rtol=0, atol=1e-6)
    theirs = explainer.shap_interaction_values(X[:20])
    np.testing.assert_allclose(ours.interactions[:20], theirs, rtol=0, atol=1e-6)
    explainer = shap.TreeExplainer(sk_tree, X[:30], feature_perturbation="interventional")
    ours = tw.shap_values(tree, X, X[:30])
    np.testing.assert_allclose(ours.values, explainer.shap_values(X), rtol=0, atol=1e-6)


def test_plots_of_shap_take_the_values():
    shap = imported("shap")
    X, signal = a_table_with_holes(30)
    model = tw.RandomForestClassifier(n_estimators=5).fit(X, signal > 0)
    found = tw.shap_values(model, X)
    explanation = found.to_shap()
    assert isinstance(explanation, shap.Explanation)
    assert explanation.shape == (30, 3, 2)
    assert explanation[..., 1].values.shape == (30, 3)
    assert found.of(True).to_shap().feature_names == ["number", "color", "size"]
    imported("matplotlib").use("Agg")
    shap.plots.bar(found.of(True).to_shap(), show=False)
    shap.plots.waterfall(found.of(True).to_shap()[0], show=False)


def test_one_output_is_taken_by_its_name():
    X, y = tw.load_sample("iris")
    found = tw.shap_values(
        tw.CARTClassifier(prune=None, max_depth=3).fit(X, y), X, interactions=True
    )
    one = found.of("virginica")
    np.testing.assert_array_equal(one.values, found.values[..., 2])
    np.testing.assert_array_equal(one.predictions, found.predictions[:, 2])
    assert one.interactions.shape == (150, 4, 4)
    with pytest.raises(tw.ParameterError, match="virginica"):
        found.of("virginca")
    with pytest.raises(tw.ParameterError, match="only one output"):
        one.of("virginica")


def test_data_is_shown_as_given_and_as_numbers():
    X, y = tw.load_sample("tennis")
    found = tw.shap_values(tw.ID3Classifier().fit(X, y), X)
    assert found.data[0].tolist() == ["Sunny", "Hot", "High", "Weak"]
    assert found.codes[0].tolist() == [0, 0, 0, 0]
    assert found.feature_names == ("outlook", "temperature", "humidity", "wind")
    assert found.mean_sizes.shape == (4, 2)
    assert len(found) == 14
    assert "14 rows, 4 columns for 2 outputs" in repr(found)


def test_some_rows_can_be_taken():
    X, y = tw.load_sample("iris")
    found = tw.shap_values(
        tw.CARTClassifier(prune=None, max_depth=2).fit(X, y), X, interactions=True
    )
    part = found[10:12]
    assert len(part) == 2
    np.testing.assert_array_equal(part.predictions, found.predictions[10:12])
    np.testing.assert_array_equal(found[np.array([3, 5])].interactions, found.interactions[[3, 5]])
    with pytest.raises(tw.ParameterError, match="slice"):
        found[3]


def test_what_cannot_be_explained_is_told():
    X, y = tw.load_sample("tennis")
    with pytest.raises(NotFittedError):
        tw.shap_values(tw.RandomForestClassifier(), X)
    with pytest.raises(tw.ParameterError, match="rules"):
        tw.shap_values(tw.C45Rules().fit(X, y), X)
    with pytest.raises(tw.ParameterError, match="a str is not a model of treewright"):
        tw.shap_values("model", X)
    model = tw.ID3Classifier().fit(X, y)
    with pytest.raises(tw.DataError, match="background has no rows"):
        tw.shap_values(model, X, X[:0])
    with pytest.raises(tw.DataError, match="interactions"):
        tw.shap_values(model, X, X, interactions=True)


def test_votes_of_trees_that_spread_rows_are_refused():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    forest = tw.RandomForestClassifier(n_estimators=2, voting="hard").fit(X, X[:, 0] > 0)
    spreading = builders.a_stump(missing=SPREAD)
    forest = with_learned(forest, trees_=[spreading])
    X[3, 1] = np.nan
    with pytest.raises(tw.ParameterError, match="soft"):
        tw.shap_values(forest, X)


@pytest.mark.parametrize("model", [DecisionTreeRegressor(), tw.KNeighborsRegressor()])
def test_a_model_without_shapley_values_is_told_which_models_have_them(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    name = type(model).__name__
    with pytest.raises(tw.ParameterError) as refused:
        tw.shap_values(model.fit(X, X[:, 0]), X)
    message = str(refused.value)
    assert f"for trees and ensembles of treewright, and a {name} is n" in message
    assert "tw.importance(model, X, y) works with any model" in message
    assert ("`shap`" in message) == isinstance(model, DecisionTreeRegressor)
    small = tw.distil(model, X, min_samples_leaf=1).model  # as the hint says
    assert tw.shap_values(small, X).values.shape == (30, 2)


@pytest.mark.parametrize("use", [tw.draw, tw.rules, lambda model: tw.export(model, "python")])
def test_a_tree_of_another_package_has_no_equations_in_its_leaves(use):
    model = DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(tw.ParameterError, match=r"(?s)is not a model of treewright.*tw\.distil"):
        use(model)
