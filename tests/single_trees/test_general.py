"""Trees from parts: every choice of every part grows a tree that predicts."""

import itertools

import numpy as np
import pytest

import treewright as tw
from treewright.estimators.params import MISSING_POLICIES, NOMINAL_SPLITS
from treewright.single_trees.general import CLASS_CRITERIA


def holey(n_rows: int = 120, seed: int = 0):
    rng = np.random.default_rng(seed)
    color = rng.choice(["red", "green", "blue", "black"], n_rows).astype(object)
    size = rng.normal(size=n_rows).round(1)
    y = np.where((color == "red") | (size > 0.4), "yes", np.where(size < -1, "maybe", "no"))
    color[rng.random(n_rows) < 0.1] = None
    size[rng.random(n_rows) < 0.1] = np.nan
    return {"color": color.tolist(), "size": size}, y


PARTS = list(
    itertools.product(CLASS_CRITERIA, NOMINAL_SPLITS, ["threshold", "intervals"], MISSING_POLICIES)
)


@pytest.mark.parametrize(("criterion", "nominal", "numeric", "missing"), PARTS)
def test_every_mixture_of_parts_grows_a_tree_that_predicts(criterion, nominal, numeric, missing):
    X, y = holey()
    costs = 1 - np.eye(3) if criterion == "cost_gini" else None
    model = tw.TreeClassifier(
        criterion=criterion, nominal=nominal, numeric=numeric, missing=missing, costs=costs
    ).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    assert model.score(X, y) > 0.6
    np.testing.assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("nominal", NOMINAL_SPLITS)
@pytest.mark.parametrize("missing", MISSING_POLICIES)
def test_every_mixture_of_parts_grows_a_regression_tree(criterion, nominal, missing):
    X, y = holey()
    numbers = np.unique(y, return_inverse=True)[1].astype(float)
    model = tw.TreeRegressor(criterion=criterion, nominal=nominal, missing=missing).fit(X, numbers)
    assert model.score(X, numbers) > 0.5


def test_a_function_of_class_weights_is_a_criterion():
    def gini(weights):
        shares = weights / weights.sum()
        return 1 - (shares**2).sum()

    X, y = holey()
    own = tw.TreeClassifier(criterion=gini, max_depth=3).fit(X, y)
    built_in = tw.TreeClassifier(criterion="gini", max_depth=3).fit(X, y)
    np.testing.assert_array_equal(own.tree_.feature, built_in.tree_.feature)
    np.testing.assert_allclose(own.tree_.threshold, built_in.tree_.threshold)


def test_an_error_in_the_function_reaches_the_user():
    def broken(weights):
        raise ZeroDivisionError("own mistake")

    with pytest.raises(ZeroDivisionError, match="own mistake"):
        tw.TreeClassifier(criterion=broken).fit(*holey())


def test_stop_rules_make_smaller_trees():
    X, y = holey()
    full = tw.TreeClassifier().fit(X, y).get_n_leaves()
    for params in (
        {"significance": 0.001},
        {"error_confidence": 0.1},
        {"min_gain": 0.05},
        {"max_splits": 3},
        {"max_leaf_nodes": 4},
        {"max_depth": 2},
    ):
        assert 1 < tw.TreeClassifier(**params).fit(X, y).get_n_leaves() < full, params


def test_intervals_cut_a_number_into_several():
    X = np.arange(60.0).reshape(-1, 1)
    y = (np.arange(60) // 20) % 2
    model = tw.TreeClassifier(numeric="intervals").fit(X, y)
    assert model.get_depth() == 1
    assert model.get_n_leaves() == 3
    few = tw.TreeClassifier(numeric="intervals", max_intervals=2, max_depth=1).fit(X, y)
    assert few.get_n_leaves() == 2


def test_a_number_target_needs_the_number_of_intervals():
    with pytest.raises(tw.ParameterError, match="max_intervals"):
        tw.TreeRegressor(numeric="intervals").fit([[1.0], [2.0]], [1.0, 2.0])


def test_importances_without_a_split_are_zero():
    model = tw.TreeRegressor().fit([[1.0], [1.0]], [1.0, 2.0])
    np.testing.assert_array_equal(model.feature_importances_, [0.0])


def test_a_row_gets_the_same_class_alone_and_among_many():
    """A level that a subset node does not list was spread in a small table, but not in a large."""
    rng = np.random.default_rng(13)
    X = {"x": rng.choice(list("abcdef"), 60).tolist(), "z": rng.choice(list("uvw"), 60).tolist()}
    model = tw.TreeClassifier(missing="fractional", nominal="subset").fit(X, rng.integers(0, 3, 60))
    pairs = list(itertools.product("abcdef", "uvw")) * 100
    many = {"x": [x for x, _ in pairs], "z": [z for _, z in pairs]}
    alone = [model.predict({"x": [x], "z": [z]})[0] for x, z in pairs[:18]]
    assert model.predict(many)[:18].tolist() == alone
