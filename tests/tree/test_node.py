"""Nodes as people see them."""

import pytest

import builders
from builders import leaf, subset, threshold
from treewright.data.schema import ColumnSpec, Schema
from treewright.tree.layout import SPREAD, STOP, SUBSET, THRESHOLD


def test_an_inner_node_tells_its_question_and_its_children():
    root = builders.a_tennis_tree().node(0)
    assert root.kind == "branches"
    assert root.question == "outlook"
    assert root.condition == ""
    assert [child.condition for child in root.children] == [
        "outlook = Sunny",
        "outlook = Overcast",
        "outlook = Rain",
    ]
    assert [child.levels for child in root.children] == [("Sunny",), ("Overcast",), ("Rain",)]
    assert (root.weight, root.n_rows, root.prediction, root.stop_reason) == (14.0, 14, "Yes", "")
    assert str(root) == "root, asks outlook"


def test_a_leaf_shows_its_prediction_and_the_path_to_it():
    node = builders.a_tennis_tree().node(4)
    assert [step.condition for step in node.path] == ["", "outlook = Sunny", "humidity = High"]
    assert (node.prediction, node.depth, node.stop_reason) == ("No", 2, "pure")
    assert node.probabilities.tolist() == [1.0, 0.0]
    assert node.column is None
    assert node.missing is None
    assert str(node) == "humidity = High: No (3)"


def test_where_missing_values_go():
    assert builders.a_stump(missing=STOP).node(0).missing == "stop"
    assert builders.a_stump(missing=SPREAD).node(0).missing == "spread"
    tree = builders.a_stump(missing=1)
    assert tree.node(0).missing == tree.node(2)


def test_surrogates_and_competitors_are_told_in_words():
    schema = Schema(
        (
            ColumnSpec("age", "numeric"),
            ColumnSpec("color", "nominal", ("red", "blue", "green")),
        )
    )
    by_color = {"kind": SUBSET, "feature": 1, "levels": {0: 0, 1: 1, 2: 0}}
    by_age = {"kind": THRESHOLD, "feature": 0, "threshold": 7.5, "flip": 1}
    root = threshold(0, 3.0, leaf(2, 0), leaf(0, 2), surrogates=[by_color, by_age])
    root.competitors = [{"feature": 1, "gain": 0.25}, {"feature": 0, "gain": 0.2, "threshold": 9}]
    node = builders.build(root, schema, ("-", "+")).node(0)
    assert [s.condition for s in node.surrogates] == ["color in {red, green}", "age > 7.5"]
    assert node.surrogates[0].agreement == 0.9
    assert [(c.column.name, c.gain, c.threshold) for c in node.competitors] == [
        ("color", 0.25, None),
        ("age", 0.2, 9.0),
    ]


def test_nodes_are_counted_from_both_ends():
    tree = builders.a_tennis_tree()
    assert tree.node(-1).index == 7
    assert [node.index for node in tree.nodes()] == list(range(8))
    with pytest.raises(IndexError, match="node 8 of a tree with 8 nodes"):
        tree.node(8)


def test_a_subset_asks_for_its_first_side():
    schema = Schema((ColumnSpec("color", "nominal", ("red", "blue")),))
    tree = builders.build(subset(0, {0: 1, 1: 0}, leaf(1, 0), leaf(0, 1)), schema, ("-", "+"))
    assert tree.node(0).question == "color = blue"
    assert builders.a_number_tree().node(1).prediction == pytest.approx(1.75)
