"""CART: beside scikit-learn, with costs and priors, with levels and holes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw


def bumpy(n_rows: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, np.digitize(X[:, 0] + 0.5 * rng.normal(size=n_rows), [-0.5, 0.5])


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"criterion": "entropy"},
        {"min_samples_leaf": 7},
        {"min_samples_split": 20},
        {"max_leaf_nodes": 6},
        {"min_samples_leaf": 0.05},
        {"min_samples_split": 0.1},
        {"min_weight_fraction_leaf": 0.04},
        {"class_weight": {0: 2.0, 2: 0.5}},
    ],
)
def test_the_tree_is_the_one_that_scikit_learn_grows(params):
    X, y = bumpy()
    params = {"max_depth": 3, **params}  # further down ties abound, which each breaks in its way
    weights = 0.5 + np.random.default_rng(1).random(len(y))
    ours = tw.CARTClassifier(prune=None, **params).fit(X, y, sample_weight=weights)
    theirs = DecisionTreeClassifier(random_state=0, **params).fit(X, y, sample_weight=weights)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


def test_balanced_classes_are_those_of_scikit_learn_without_row_weights():
    X, y = bumpy()
    ours = tw.CARTClassifier(prune=None, class_weight="balanced", max_depth=3).fit(X, y)
    theirs = DecisionTreeClassifier(class_weight="balanced", max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_the_regression_tree_is_the_one_that_scikit_learn_grows(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.exp(X[:, 0]) + rng.random(200)
    ours = tw.CARTRegressor(prune=None, criterion=criterion, max_depth=3).fit(X, y)
    theirs = DecisionTreeRegressor(criterion=criterion, max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_diabetes])
def test_full_trees_know_their_training_rows(load):
    X, y = load(return_X_y=True)
    kind = tw.CARTRegressor if load is load_diabetes else tw.CARTClassifier
    assert kind(prune=None).fit(X, y).score(X, y) == pytest.approx(1.0)


def test_costs_decide_what_a_leaf_answers():
    X = np.zeros((10, 1))
    y = np.array([0] * 7 + [1] * 3)
    assert tw.CARTClassifier(prune=None).fit(X, y).predict(X[:1]) == [0]
    dear = tw.CARTClassifier(prune=None, costs=[[0, 1], [5, 0]]).fit(
        X, y
    )  # missing a 1 costs five times more
    assert dear.predict(X[:1]) == [1]
    np.testing.assert_allclose(dear.predict_proba(X[:1]), [[0.7, 0.3]])


def test_priors_change_the_probabilities():
    X = np.zeros((10, 1))
    y = np.array([0] * 8 + [1] * 2)
    model = tw.CARTClassifier(prune=None, priors=[0.5, 0.5]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.5]])


def test_costs_enter_the_split_as_class_weights_do():
    X, y = bumpy()
    y = (y > 0).astype(int)
    by_costs = tw.CARTClassifier(prune=None, costs=[[0, 1], [4, 0]], max_depth=3).fit(X, y).tree_
    by_weight = tw.CARTClassifier(prune=None, class_weight={1: 4}, max_depth=3).fit(X, y).tree_
    np.testing.assert_array_equal(by_costs.feature, by_weight.feature)
    np.testing.assert_allclose(by_costs.threshold, by_weight.threshold)


def test_the_cost_matrix_in_the_formula_only_rescales_gini_for_two_classes():
    X, y = bumpy()
    y = (y > 0).astype(int)
    formula = (
        tw.CARTClassifier(prune=None, criterion="cost_gini", costs=[[0, 1], [4, 0]]).fit(X, y).tree_
    )
    plain = tw.CARTClassifier(prune=None).fit(X, y).tree_
    np.testing.assert_array_equal(formula.feature, plain.feature)


def test_a_set_of_levels_goes_to_one_side():
    X = {"color": ["red", "green", "blue", "black"] * 5}
    y = [1, 0, 1, 0] * 5
    model = tw.CARTClassifier(prune=None).fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.predict({"color": ["blue", "green"]}).tolist() == [1, 0]


def test_ordered_levels_split_by_their_order():
    order = ["low", "mid", "high", "top"]
    X = pd.DataFrame({"level": pd.Categorical(order * 5, order, ordered=True)})
    model = tw.CARTClassifier(prune=None, max_depth=1).fit(X, [0, 1, 0, 1] * 5)
    assert model.export_text().splitlines()[0].startswith("level <=")


def test_surrogates_stand_in_for_missing_values():
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    X = np.column_stack([a, a + 0.01 * rng.normal(size=200)])
    y = (a > 0).astype(int)
    X[::5, 0] = np.nan
    model = tw.CARTClassifier(prune=None, max_depth=1).fit(X, y)
    assert model.score(X, y) > 0.97
    none = tw.CARTClassifier(prune=None, max_depth=1, max_surrogates=0, missing="surrogate").fit(
        X[:, :1], y
    )
    assert none.score(X[:, :1], y) < 0.97


@pytest.mark.parametrize(
    ("holes", "max_surrogates", "kept"), [(False, "auto", 0), (True, "auto", 1), (False, 3, 1)]
)
def test_surrogates_are_kept_where_the_table_has_holes(holes, max_surrogates, kept):
    a = np.arange(40.0)
    X = np.column_stack([a, a * 2])
    if holes:
        X[3, 0] = np.nan
    model = tw.CARTClassifier(prune=None, max_surrogates=max_surrogates).fit(X, a > 20)
    assert len(model.tree_.surrogate_feature) == kept


def test_cp_none_keeps_the_grown_tree_and_a_number_cuts_it():
    X, y = bumpy()
    full = tw.CARTClassifier(prune=None).fit(X, y)
    cut = tw.CARTClassifier(cp=0.01).fit(X, y)
    assert 1 < cut.get_n_leaves() < full.get_n_leaves()


def test_integer_columns_may_be_declared_categorical():
    X = pd.DataFrame({"code": [1, 2, 3, 4] * 5, "size": np.arange(20.0)})
    y = [0, 1, 0, 1] * 5
    model = tw.CARTClassifier(prune=None, categorical_features=["code"]).fit(X, y)
    assert "code in {1, 3}" in model.export_text()
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("cp", [None, 0.0])
def test_a_poisson_tree_refuses_a_child_without_counts(cp):
    """A rate of 0 would rule out any count in new rows; scikit-learn refuses it too."""
    X = np.arange(1.0, 21.0)[:, np.newaxis]
    counts = np.array([0] * 10 + [2, 3, 1, 2, 4, 2, 3, 1, 2, 3])
    model = tw.CARTRegressor(criterion="poisson", max_depth=1, cp=cp).fit(X, counts)
    assert model.tree_.threshold[0] == 11.5
    assert (model.predict(X) > 0).all()
    theirs = DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(X, counts)
    assert theirs.tree_.threshold[0] == 11.5


def test_a_value_equal_to_a_threshold_goes_left():
    model = tw.CARTRegressor(cp=0.0).fit([[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 5.0, 5.0])
    assert model.tree_.threshold[0] == 2.5
    assert model.predict([[2.5]]) == [0.0]
