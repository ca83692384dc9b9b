"""Explanations in trees that sum up columns."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from builders import build, leaf, numeric_schema, oblique, threshold
from treewright.explanations.sums import with_one_column
from treewright.tree.predict import predict_leaves, predict_values


@pytest.fixture(scope="module")
def iris():
    X, y = tw.load_sample("iris")
    return tw.ObliqueTreeClassifier().fit(X, y), X, y


def test_the_path_works_out_the_sums(iris):
    model, X, _ = iris
    found = model.explain(X[100:101])
    assert found.prediction == "virginica"
    assert found.path[-1].condition == "2 * petal length + 5 * petal width > 17.45"
    assert found.path[-1].value == "2 × 6 + 5 × 2.5 = 24.5"
    assert [condition.text for condition in found.reason.conditions] == [
        "petal length > 2.45",
        "2 * petal length + 5 * petal width > 17.45",
    ]
    assert "some conditions may not be needed" in str(found)
    assert json.loads(found.to_json())["prediction"] == "virginica"
    assert "24.5" in found.to_html()


def test_a_missing_term_is_told_with_what_it_did(iris):
    model, _, _ = iris
    found = model.explain([5.0, 3.0, 4.5, None])
    assert found.path[-1].value == "missing"
    (gap,) = found.gaps
    assert (gap.column, gap.why) == ("petal width", "missing")
    assert "where missing values go" in gap.effect
    assert found.reason.conditions[-1].text == "2 * petal length + 5 * petal width missing"


def test_every_change_leads_to_the_prediction_it_promises(iris):
    model, X, y = iris
    for at in range(0, 150, 10):
        found = model.explain(X[at : at + 1], X=X, y=y)
        assert len(found.change.columns) == 1
        changed = {**found.row, found.change.columns[0].column: found.change.columns[0].new}
        assert model.predict([changed])[0] == found.change.prediction != found.prediction


def test_what_must_not_change_does_not(iris):
    model, X, _ = iris
    found = model.explain(X[100:101], immutable=["petal width"], wanted="versicolor")
    assert found.change.columns[0].column == "petal length"
    assert found.change.prediction == "versicolor"
    names = ["petal width", "petal length"]
    assert model.explain(X[100:101], immutable=names).change is None


def slanted_tree():
    below = oblique([(0, -1.5), (2, 1.0)], 0.3, leaf(4, 1), leaf(1, 5), missing=1)
    root = oblique([(0, 2.0), (1, 1.0)], 1.7, below, threshold(1, 0.5, leaf(2, 3), leaf(6, 1)))
    return build(root, numeric_schema("a", "b", "c"), ("no", "yes"))


@settings(max_examples=60)
@given(
    st.tuples(*[st.one_of(st.just(np.nan), st.integers(-30, 30).map(lambda k: k / 10))] * 3),
    st.integers(0, 2),
    st.lists(st.integers(-40, 40).map(lambda k: k / 8), min_size=1, max_size=6),
)
def test_a_tree_of_one_column_predicts_as_the_whole_tree(row, column, values):
    tree = slanted_tree()
    seen = with_one_column(tree, row, column)
    rows = np.tile(np.array(row, dtype=np.float64), (len(values), 1))
    rows[:, column] = values
    bounds = seen.threshold[(seen.feature == column) & ~seen.is_leaf]
    beside = np.array([side for at in bounds for side in (at, np.nextafter(at, np.inf))])
    more = np.tile(rows[0], (len(beside), 1))
    more[:, column] = beside
    rows = np.vstack([rows, more])
    assert np.array_equal(predict_values(seen, rows), predict_values(tree, rows))
    assert (predict_leaves(seen, rows) < seen.n_nodes).all()


@pytest.mark.parametrize("weight", [3.0, -3.0, 1e-9])
def test_the_bound_is_found_where_the_rest_of_the_sum_is_the_threshold(weight):
    root = oblique([(0, 7.0), (1, weight)], 0.7, leaf(4, 1), leaf(1, 5))
    tree = build(root, numeric_schema("a", "b"), ("no", "yes"))
    seen = with_one_column(tree, (0.1, 5.0), 1)
    bound = float(seen.threshold[0])
    rows = np.array([[0.1, bound], [0.1, np.nextafter(bound, np.inf)]])
    sides = predict_leaves(tree, rows)
    assert sides[0] != sides[1]


@pytest.mark.parametrize("at", [1.0, 3.0])
def test_a_term_without_weight_decides_nothing(at):
    root = oblique([(0, 0.0), (1, 1.0)], at, leaf(4, 1), leaf(1, 5))
    tree = build(root, numeric_schema("a", "b"), ("no", "yes"))
    alone = with_one_column(tree, (5.0, 2.0), 0)
    rows = np.array([[-1e308, 2.0], [0.0, 2.0], [1e308, 2.0]])
    np.testing.assert_array_equal(predict_values(alone, rows), predict_values(tree, rows))


def test_what_is_taken_away_has_a_minus():
    X = np.random.default_rng(1).normal(size=(300, 2)).round(1)
    model = tw.ObliqueTreeClassifier(max_depth=1).fit(X, X[:, 0] - 3 * X[:, 1] > 0)
    value = model.explain([-1.5, 2.0]).path[-1].value
    assert "+ -" not in value
    assert " - " in value
