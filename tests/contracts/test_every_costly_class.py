"""Costs in every classifier: the class of least expected cost, from unchanged probabilities."""

import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import registry
from treewright.verbs.load import model_bytes, model_from_bytes

SETTINGS = {
    "RandomForestClassifier": {"n_estimators": 5, "max_leaf_nodes": 6},
    "ExtraTreesClassifier": {"n_estimators": 5, "max_leaf_nodes": 6},
    "BoostedTreesClassifier": {"n_estimators": 5},
    "GradientDescentClassifier": {"solver": "newton"},
    "TreeClassifier": {"max_depth": 3},
    "OptimalTreeClassifier": {"max_depth": 2},
}
NAMES = [
    name
    for name in registry.ESTIMATORS
    if any(param.name == "costs" for param in registry.params_of(name))
]
for_every_classifier = pytest.mark.parametrize("name", NAMES)
CLASSES = ("a", "b", "c")
SKEWED = {"a": 1, "b": 40, "c": {"a": 20, "b": 7}}
BY_CLASS = {"a": 1, "b": 40, "c": 20}
MATRIX = {"OptimalTreeClassifier": [[0, 1, 1], [40, 0, 40], [20, 20, 0]]}


def costs_for(name):
    """Costs that the classifier can train with."""
    return BY_CLASS if name in MATRIX else SKEWED


@cache
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3)).round(2)
    score = X[:, 0] + 0.8 * rng.normal(size=120)
    return X, np.array(CLASSES)[(score > 0.3).astype(int) + (score > 1.2)]


def fitted(name, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(tw, name)(**SETTINGS.get(name, {}), **params).fit(*rows())


plain = cache(fitted)


def cheapest(shares, costs, classes):
    """The class of least expected cost by the definition; of equal costs the first."""
    found = []
    for row in shares.tolist():
        expected = [
            sum(share * costs[i][j] for i, share in enumerate(row)) for j in range(len(row))
        ]
        least = min(expected) + 1e-12 * max(expected)
        found.append(classes[next(j for j, cost in enumerate(expected) if cost <= least)])
    return found


@st.composite
def cost_matrices(draw):
    numbers = draw(st.lists(st.sampled_from([0.1, 0.5, 1, 2, 7, 100]), min_size=6, max_size=6))
    costs = np.zeros((3, 3))
    costs[~np.eye(3, dtype=bool)] = numbers
    return costs.tolist()


def test_every_classifier_with_probabilities_has_costs():
    without = {
        name
        for name, entry in registry.ESTIMATORS.items()
        if entry.task == registry.CLASSIFICATION and name not in NAMES
    }
    assert without == {"FindS", "CandidateElimination"}


@for_every_classifier
@settings(max_examples=15)
@given(costs=cost_matrices())
def test_predictions_are_those_of_least_expected_cost(name, costs):
    X, _ = rows()
    model = plain(name).with_costs(costs)
    shares = model.predict_proba(X)
    np.testing.assert_array_equal(shares, plain(name).predict_proba(X))
    assert model.predict(X).tolist() == cheapest(shares, costs, model.classes_.tolist())
    np.testing.assert_array_equal(model.with_costs(None).predict(X), plain(name).predict(X))


@for_every_classifier
def test_costs_of_a_fit_are_used_and_kept(name):
    X, y = rows()
    model = fitted(name, costs=costs_for(name))
    predicted = model.predict(X).tolist()
    assert predicted == cheapest(model.predict_proba(X), model.costs_, CLASSES)
    assert predicted != plain(name).predict(X).tolist()
    usual = [[0, 1, 1], [40, 0, 40], [20, 7, 0]]
    np.testing.assert_array_equal(model.costs_, MATRIX.get(name, usual))
    for copy in (model_from_bytes(model_bytes(model)), pickle.loads(pickle.dumps(model))):
        assert copy.predict(X).tolist() == predicted
        np.testing.assert_array_equal(copy.costs_, model.costs_)
    assert tw.evaluate_fitted(model, X, y).costs is not None


@for_every_classifier
def test_costs_that_are_all_the_same_change_nothing(name):
    X, _ = rows()
    equal = fitted(name, costs=1 - np.eye(3))
    np.testing.assert_array_equal(equal.predict_proba(X), plain(name).predict_proba(X))
    np.testing.assert_array_equal(equal.predict(X), plain(name).predict(X))


@for_every_classifier
def test_class_weights_change_probabilities_and_costs_come_after_them(name):
    if not any(param.name == "class_weight" for param in registry.params_of(name)):
        return
    X, _ = rows()
    weighted = fitted(name, class_weight={"c": 4})
    both = weighted.with_costs(SKEWED)
    np.testing.assert_array_equal(both.predict_proba(X), weighted.predict_proba(X))
    expected = cheapest(weighted.predict_proba(X), both.costs_, CLASSES)
    assert both.predict(X).tolist() == expected


@for_every_classifier
def test_a_class_without_rows_needs_no_costs_of_its_own(name):
    X, y = rows()
    weights = (y != "c").astype(float)
    model = getattr(tw, name)(**SETTINGS.get(name, {}), costs=costs_for(name))
    model.fit(X, y, weights)
    assert len(model.costs_) == len(model.classes_)
    assert set(model.predict(X)) <= {"a", "b"}
    copy = model_from_bytes(model_bytes(model))
    assert copy.predict(X).tolist() == model.predict(X).tolist()


def test_costs_that_only_an_absent_class_has_can_be_saved():
    X, y = rows()
    costs = [[0, 0, 1], [1, 0, 1], [1, 1, 0]]
    with pytest.warns(UserWarning, match="never costs more"):
        model = tw.KNeighborsClassifier(costs=costs).fit(X, y, (y != "c").astype(float))
    assert model.costs_.tolist() == [[0, 0], [1, 0]]
    copy = model_from_bytes(model_bytes(model))
    assert copy.predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(getattr(tw, name), "as_tree")])
@pytest.mark.parametrize("to", ["python", "json", "sql", "pmml"])
def test_exports_predict_by_costs(name, to):
    model = fitted(name, costs=costs_for(name))
    assert tw.verify_export(model, tw.export(model, to=to), to=to)


def test_models_without_costs_say_so():
    X, y = tw.load_sample("tennis")
    with pytest.raises(tw.ParameterError, match="FindS has no costs"):
        tw.FindS().fit(X, y).with_costs([[0, 1], [1, 0]])


def test_costs_that_a_file_holds_are_checked():
    model = fitted("KNeighborsClassifier", costs=SKEWED)
    parts, arrays = model.state_.to_parts()
    for wrong in ([[0, 1], [1, 0]], [[0, 1, 1], [1, 0, 1], [1, 1, -1.0]], 3, [[0, "x", 1]] * 3):
        with pytest.raises(tw.ModelFileError, match="costs"):
            type(model.state_).from_parts({**parts, "costs": wrong}, arrays)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 50), sick=st.sampled_from([2, 3, 10]), counted=st.booleans())
def test_no_split_costs_less_than_that_of_an_optimal_tree(seed, sick, counted):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(30, 2)).astype(float)
    y = (X[:, 0] + rng.normal(size=30) > 2).astype(int)
    y[:2] = 0, 1
    weights = rng.integers(1, 4, 30).astype(float) if counted else np.ones(30)
    costs = {0: 1, 1: sick}
    model = tw.OptimalTreeClassifier(max_depth=1, costs=costs).fit(X, y, weights)
    price = weights * np.where(y == 1, sick, 1)

    def least(side):
        return min(price[side & (y == 0)].sum(), price[side & (y == 1)].sum())

    sides = [X[:, at] <= cut for at in (0, 1) for cut in range(5)]
    best = min(least(side) + least(~side) for side in sides)
    assert price[model.predict(X) != y].sum() == best == model.proof_.errors
    shares = model.predict_proba(X)
    for leaf in np.unique(model.apply(X)):
        here = model.apply(X) == leaf
        share = weights[here & (y == 1)].sum() / weights[here].sum()
        np.testing.assert_allclose(shares[here, 1], share)


def test_an_optimal_tree_takes_one_cost_for_each_class():
    with pytest.raises(tw.ParameterError, match="one cost for all errors on a class"):
        fitted("OptimalTreeClassifier", costs=SKEWED)
