"""Forests whose trees other algorithms grow."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.tree.layout import BRANCHES

ALL = {"bootstrap": False}
NOTES = {
    "shrinkage": 0,
    "bootstrap": False,
    "max_samples": 10,
    "voting": "hard",
}  # subset, tree, majority


def test_the_notes_procedure_subset_tree_majority():
    X, y = tw.load_sample("tennis")
    inductors = [tw.ID3Classifier(), tw.C45Classifier(), tw.CARTClassifier(prune=None)]
    forest = tw.RandomForestClassifier(n_estimators=9, inductors=inductors, **NOTES).fit(X, y)
    predictions = []
    for number, tree in enumerate(forest.trees_):
        subset = forest.drawn_rows(number)
        assert len(set(subset.tolist())) == 10
        alone = type(inductors[number % 3])().fit(X[subset], np.asarray(y)[subset])
        predictions.append(alone.predict(X))
        assert tree.weight[0] == 10
    majority = [
        max(sorted(set(votes)), key=lambda label: list(votes).count(label))
        for votes in np.array(predictions).T
    ]
    assert forest.predict(X).tolist() == majority
    np.testing.assert_array_equal(forest.votes(X), np.array(predictions).T)
    assert (forest.trees_[0].kind == BRANCHES).any()
    assert not (forest.trees_[2].kind == BRANCHES).any()


def test_names_stand_for_models_with_default_settings():
    X, y = tw.load_sample("iris")
    by_name = tw.RandomForestClassifier(n_estimators=4, inductors=["id3", "cart"]).fit(X, y)
    models = [tw.ID3Classifier(), tw.CARTClassifier(prune=None)]
    by_model = tw.RandomForestClassifier(n_estimators=4, inductors=models).fit(X, y)
    for ours, theirs in zip(by_name.trees_, by_model.trees_, strict=True):
        assert ours.same_as(theirs)
    assert not hasattr(models[0], "tree_")


def test_trees_over_intervals_cut_in_advance_predict_for_numbers():
    X, y = tw.load_sample("iris")
    forest = tw.RandomForestClassifier(n_estimators=10, inductors=["id3"]).fit(X, y)
    assert forest.score(X, y) > 0.9
    assert forest.trees_[0].schema == forest.schema_
    assert forest.apply(X).shape == (150, 10)


def test_a_regressor_has_regression_trees_as_members():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    members = [tw.CARTRegressor(prune=None, min_samples_leaf=4), tw.TreeRegressor(max_depth=5)]
    forest = tw.RandomForestRegressor(n_estimators=20, inductors=members, oob_score=True).fit(X, y)
    assert forest.oob_score_ > 0.8
    np.testing.assert_allclose(forest.predict(X), np.mean(list(predictions(forest, X)), axis=0))


def predictions(forest, X):
    from treewright.tree.predict import predict_values

    return [predict_values(tree, X)[:, 0] for tree in forest.trees_]


def test_a_warm_start_goes_on_with_the_next_inductor():
    X, y = tw.load_sample("tennis")
    names = ["id3", "cart", "c45"]
    forest = tw.RandomForestClassifier(n_estimators=2, inductors=names, warm_start=True, **NOTES)
    forest.fit(X, y).set_params(n_estimators=5).fit(X, y)
    at_once = tw.RandomForestClassifier(n_estimators=5, inductors=names, **NOTES).fit(X, y)
    for ours, theirs in zip(forest.trees_, at_once.trees_, strict=True):
        assert ours.same_as(theirs)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"inductors": []}, "names no algorithm"),
        ({"inductors": ["cat"]}, "did you mean `cart`"),
        ({"inductors": [tw.CARTRegressor(prune=None)]}, "cannot be a member"),
        ({"inductors": [tw.C45Rules()]}, "not a tree estimator"),
        ({"inductors": [3]}, "not a tree estimator"),
        ({"inductors": 3}, "inductors=3 is not allowed"),
        ({"inductors": ["cart"], "max_depth": 3}, "max_depth=3 has no effect"),
        ({"inductors": [tw.CARTClassifier(prune=None, max_depth=0)]}, "max_depth=0"),
        (
            {"inductors": [tw.C45Classifier(handle_unknown="error")]},
            "handle_unknown='error' of a C45Classifier",
        ),
        ({"inductors": [tw.CARTClassifier(prune=None, categorical_features=[0])]}, "to the forest"),
        (
            {"inductors": [tw.CARTClassifier(prune=None, costs=[[0, 1], [5, 0]])]},
            'use voting="hard"',
        ),
        ({"splits": "exact", "max_bins": 9}, "max_bins=9 has no effect"),
    ],
)
def test_what_cannot_be_a_member_is_refused_with_a_reason(params, message):
    X, y = tw.load_sample("tennis")
    with pytest.raises(ParameterError, match=message):
        tw.RandomForestClassifier(**params).fit(X, y)


def test_a_class_without_weight_takes_no_level_from_the_trees():
    colors = ["blue", "blue", "green", "green", "red", "red"] * 5
    y = ["none", "none", "low", "low", "high", "high"] * 5
    weights = {"none": 0.0, "low": 1.0, "high": 1.0}
    member = tw.CARTClassifier(prune=None, class_weight=weights)
    forest = tw.RandomForestClassifier(n_estimators=3, inductors=[member])
    forest.fit({"color": colors}, y)
    assert forest.predict({"color": ["green", "red"]}).tolist() == ["low", "high"]
    for tree in forest.trees_:
        assert tree.schema == forest.schema_


def test_costs_of_a_member_decide_its_vote():
    X, y = tw.load_sample("tennis")
    dear = tw.CARTClassifier(prune=None, max_depth=1, costs=[[0, 1], [100, 0]])
    forest = tw.RandomForestClassifier(n_estimators=3, inductors=[dear], voting="hard", **ALL)
    alone = dear.fit(X, y).predict(X).tolist()
    assert forest.fit(X, y).predict(X).tolist() == alone
    assert alone != tw.CARTClassifier(prune=None, max_depth=1).fit(X, y).predict(X).tolist()
