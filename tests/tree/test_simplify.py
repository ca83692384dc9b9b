"""Simplification changes no decision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
import treewright as tw
from treewright.tree.check import check_tree
from treewright.tree.predict import predict_values, predicted_classes


@given(seed=st.integers(0, 2**32 - 1))
def test_every_row_keeps_its_prediction(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=20, is_classifier=bool(seed % 4))
    simple = tree.simplify()
    check_tree(simple)
    assert simple.n_nodes <= tree.n_nodes
    assert simple.simplify().n_nodes == simple.n_nodes
    table = builders.a_random_table(rng, schema, n_rows=60)
    before, after = predict_values(tree, table), predict_values(simple, table)
    if tree.classes is None:
        np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)
    else:
        expected, got = predicted_classes(tree, before), predicted_classes(simple, after)
        differ = expected != got
        # Only where fractions of rows make two classes equal may rounding decide otherwise.
        top_two = np.sort(before[differ], axis=1)[:, -2:]
        np.testing.assert_allclose(top_two[:, 0], top_two[:, 1], atol=1e-12)


def test_leaves_of_one_class_become_one():
    X = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "z": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}
    tree = tw.CARTClassifier(prune=None).fit(X, ["a", "a", "b", "a", "c", "c"]).tree_
    merged = tree.to_leaves(2).simplify()
    assert merged.n_leaves == 2
    assert (
        tw.CARTClassifier(prune=None)
        .fit(X, ["a"] * 5 + ["b"])
        .tree_.to_depth(1)
        .simplify()
        .n_leaves
        == 2
    )


def test_a_split_that_changes_no_prediction_goes():
    rows = [[0.0]] * 6 + [[1.0]] * 6
    labels = ["a"] * 4 + ["b"] * 2 + ["a"] * 5 + ["b"]
    tree = tw.CARTClassifier(prune=None).fit(rows, labels).tree_
    assert tree.n_leaves == 2
    assert str(tree.simplify()) == ": a (12/3)"


def test_a_branch_that_no_row_can_reach_goes():
    model = tw.tree_from(
        {
            "x <= 5": {
                "x <= 7": "small",
                "x > 7": "never",
            },
            "x > 5": "large",
        }
    )
    assert str(model.tree_.simplify()).splitlines() == ["x <= 5: small", "x > 5: large"]


def test_leaves_of_one_class_stay_apart_where_rows_are_spread_above():
    X = {"n": ["p", "p", "p", "q", "q", "q", "q", "q"], "x": [1.0, 2, 3, 1, 1, 2, 2, 2]}
    y = ["a", "b", "b", "a", "a", "a", "a", "b"]
    tree = tw.TreeClassifier(missing="fractional", nominal="branches").fit(X, y).tree_
    simple = tree.simplify()
    hole = simple.schema.encode(tw.table_from({"n": [None], "x": [2.0]}), "missing")
    np.testing.assert_array_equal(predict_values(simple, hole), predict_values(tree, hole))


@pytest.mark.parametrize("name", ["tennis", "golf", "buys_computer"])
def test_simple_trees_stay_as_they_are(name):
    X, y = tw.load_sample(name)
    tree = tw.ID3Classifier().fit(X, y).tree_
    assert str(tree.simplify()) == str(tree)
