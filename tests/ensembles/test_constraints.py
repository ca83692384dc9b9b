"""Constraints on columns: what is written, and what trees do with it."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import ParameterError


def rising_table(n_rows=600, seed=0):
    """A target that mostly rises with `age`, mostly falls with `price`, and has noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.uniform(0, 10, n_rows),
            "price": rng.uniform(0, 10, n_rows),
            "color": rng.choice(["red", "green", "blue"], n_rows),
        }
    )
    noise = rng.normal(scale=3.0, size=n_rows)
    return frame, frame["age"] - frame["price"] + noise + (frame["color"] == "red")


def predictions_along(model, column):
    """What is predicted as one column rises, for a few rows."""
    frame, _ = rising_table(20, seed=1)
    steps = [model.predict(frame.assign(**{column: value})) for value in np.linspace(-1, 11, 25)]
    return np.array(steps)


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
def test_predictions_follow_the_given_directions(growth):
    frame, y = rising_table()
    params = {"growth": growth, "n_estimators": 30, "min_samples_leaf": 5, "max_depth": 4}
    params |= {"learning_rate": 0.1, "max_features_node": 1.0}
    free = tw.BoostedTreesRegressor(**params).fit(frame, y)
    bound = tw.BoostedTreesRegressor(monotonic_cst={"age": 1, "price": -1}, **params).fit(frame, y)
    assert (np.diff(predictions_along(free, "age"), axis=0) < 0).any()
    assert (np.diff(predictions_along(bound, "age"), axis=0) >= 0).all()
    assert (np.diff(predictions_along(bound, "price"), axis=0) <= 0).all()
    assert bound.score(frame, y) > 0.5


def test_probabilities_go_the_way_they_are_told():
    frame, y = rising_table()
    model = tw.BoostedTreesClassifier(monotonic_cst=[1, 0, 0], n_estimators=20, min_samples_leaf=5)
    model.fit(frame, y > 0)
    frame, _ = rising_table(20, seed=1)
    steps = [model.predict_proba(frame.assign(age=age))[:, 1] for age in np.linspace(0, 10, 20)]
    assert (np.diff(steps, axis=0) >= 0).all()


def columns_on_paths(tree):
    """The sets of columns that the paths to the leaves ask."""
    paths = {0: frozenset()}
    for node in range(tree.n_nodes):
        if tree.feature[node] >= 0:
            first = tree.first_child[node]
            for child in range(first, first + tree.n_children[node]):
                paths[child] = paths[node] | {int(tree.feature[node])}
    return {paths[node] for node in range(tree.n_nodes) if tree.feature[node] < 0}


def test_columns_of_a_path_are_of_one_group():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 5))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4]
    model = tw.BoostedTreesRegressor(interaction_cst=[[0, 1], [1, 2]], n_estimators=20).fit(X, y)
    paths = set().union(*(columns_on_paths(tree) for tree in model.trees_))
    groups = [{0, 1}, {1, 2}, {3, 4}]  # the columns in no group make a further one
    assert all(any(path <= group for group in groups) for path in paths)
    assert {frozenset({0, 1}), frozenset({1, 2}), frozenset({3, 4})} & paths


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"monotonic_cst": {"agee": 1}}, "did you mean `age`"),
        ({"monotonic_cst": {"color": 1}}, "no order"),
        ({"monotonic_cst": [1, 0]}, "2 directions"),
        ({"monotonic_cst": {"age": 2}}, "not allowed"),
        ({"interaction_cst": [["age", "prize"]]}, "did you mean `price`"),
        ({"interaction_cst": [[7]]}, "positions from 0 to 2"),
        ({"interaction_cst": ["age"]}, "not allowed"),
        ({"interaction_cst": [[1.5]]}, "no column"),
    ],
)
def test_constraints_that_cannot_be_are_told(params, words):
    frame, y = rising_table(50)
    with pytest.raises((ParameterError, ValueError), match=words):
        tw.BoostedTreesRegressor(**params).fit(frame, y)


def test_directions_are_for_two_classes():
    frame, y = rising_table(90)
    with pytest.raises(ParameterError, match="two classes"):
        tw.BoostedTreesClassifier(monotonic_cst={"age": 1}).fit(frame, np.digitize(y, [-3, 3]))


def test_directions_need_a_single_score():
    frame, y = rising_table(90)
    model = tw.BoostedTreesClassifier(monotonic_cst={"age": 1}, loss="multinomial")
    with pytest.raises(ParameterError, match="a score for each class"):
        model.fit(frame, y > 0)


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_directions_are_refused_where_leaves_predict_quantiles(loss):
    frame, y = rising_table(90)
    with pytest.raises(ParameterError, match=f'monotonic_cst does not go with loss="{loss}"'):
        tw.BoostedTreesRegressor(monotonic_cst={"age": 1}, loss=loss).fit(frame, y)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_directions_hold_for_losses_with_a_logarithm(loss):
    frame, y = rising_table(300)
    model = tw.BoostedTreesRegressor(monotonic_cst={"age": 1}, loss=loss, n_estimators=30)
    model.fit(frame, np.exp(y / 10))
    steps = [model.predict(frame.assign(age=age)) for age in np.linspace(0, 10, 20)]
    assert (np.diff(steps, axis=0) >= 0).all()
