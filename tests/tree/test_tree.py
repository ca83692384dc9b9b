"""The tree type: counts, family, pickling, equality."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
import treewright as tw
from builders import branches, leaf
from treewright.data.schema import ColumnSpec, Schema
from treewright.tree.predictions import class_shares
from treewright.tree.tree import Tree
from watched import SLOWER


def test_counts_of_the_tennis_tree():
    tree = builders.a_tennis_tree()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (8, 5, 2)
    assert tree.parent.tolist() == [-1, 0, 0, 0, 1, 1, 3, 3]
    assert tree.node_depth.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert repr(tree) == "<Tree: 5 leaves, depth 2, 8 nodes>"


def test_leaves_that_levels_share_are_told_apart_from_those_of_the_textbook():
    root = branches(0, {0: 0}, leaf(5, 9), leaf(0, 0))  # two levels without rows
    tree = builders.build(root, builders.tennis_schema(), ("No", "Yes"))
    assert (tree.n_nodes, tree.n_leaves) == (3, 3)
    told = "3 leaves (2 if empty categories share one), depth 1"
    assert repr(tree) == f"<Tree: {told}, 3 nodes>"
    assert tw.draw(tree).drawing.description == f"Decision tree with {told}"
    assert f"<title>Decision tree: {told}</title>" in tw.draw(tree).to_html()


def test_a_single_leaf_is_a_tree():
    tree = builders.build(leaf(5, 9), builders.tennis_schema(), ("No", "Yes"))
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (1, 1, 0)
    assert str(tree) == ": Yes (14/5)"


def test_levels_that_share_an_empty_branch_count_one_leaf_each():
    schema = Schema((ColumnSpec("color", "nominal", ("red", "blue", "green", "pink")),))
    root = branches(0, {0: 0, 2: 1}, leaf(3, 0), leaf(0, 2), leaf(3, 2, weight=0))
    tree = builders.build(root, schema, ("-", "+"))
    assert tree.n_nodes == 4
    assert tree.n_leaves == 4  # red, green, and blue and pink that share one node
    assert tree.other_child.tolist() == [3, -1, -1, -1]


def test_a_branch_for_missing_values_is_no_level():
    schema = Schema((ColumnSpec("color", "nominal", ("red", "blue")),))
    root = branches(0, {0: 0, 1: 1}, leaf(3, 0), leaf(0, 2), leaf(1, 1), missing=2)
    tree = builders.build(root, schema, ("-", "+"))
    assert tree.n_leaves == 3
    assert tree.other_child.tolist() == [-1] * 4


def test_depth_of_a_long_chain():
    tree = builders.a_chain(50_000)
    assert tree.depth == 50_000
    assert tree.path_to(tree.n_nodes - 1)[:3] == (0, 2, 4)


@given(seed=st.integers(0, 2**32 - 1))
def test_family_arrays_agree_with_each_other(seed):
    rng = np.random.default_rng(seed)
    tree = builders.a_random_tree(rng, builders.a_mixed_schema(rng))
    for node in tree.nodes():
        for child in node.children:
            assert child.parent == node
            assert child.depth == node.depth + 1
        if not node.is_leaf:
            heaviest = max(node.children, key=lambda child: child.weight)
            assert tree.heaviest_child[node.index] == heaviest.index
    assert tree.heaviest_child[tree.is_leaf].tolist() == [-1] * int(tree.is_leaf.sum())


def test_a_tree_does_not_change():
    tree = builders.a_tennis_tree()
    with pytest.raises(FrozenInstanceError):
        tree.unseen = "error"
    for array in (tree.value, tree.level_code, tree.parent, tree.cut, tree.competitor_gain):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_copies_are_the_same_tree():
    tree = builders.a_tennis_tree(costs=np.array([[0.0, 1.0], [5.0, 0.0]]))
    for twin in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert isinstance(twin, Tree)
        assert twin.same_as(tree)
        assert not twin.threshold.flags.writeable


def test_one_different_number_makes_another_tree():
    assert not builders.a_stump(0.8).same_as(builders.a_stump(0.9))
    assert not builders.a_tennis_tree().same_as(builders.a_tennis_tree(unseen="error"))
    assert not builders.a_tennis_tree().same_as(builders.a_tennis_tree(costs=np.eye(2)))


def test_shares_of_huge_tiny_and_no_weights():
    value = np.array([[1.5e308, 1.5e308], [3e-320, 1e-320], [0.0, 0.0], [1.0, 3.0]])
    shares = class_shares(value, np.ones(2))
    np.testing.assert_allclose(shares, [[0.5, 0.5], [0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    shares = class_shares(np.array([[1e308, 1e308]]), np.array([1.0, 1e10]))
    np.testing.assert_allclose(shares, [[0.36, 0.64]], atol=0.2)


def test_factors_alter_the_shares_and_costs_the_class():
    tree = builders.a_tennis_tree(class_factor=np.array([1.0, 4.0]))
    np.testing.assert_allclose(tree.probabilities[0], [5 / 41, 36 / 41])
    costs = np.array([[0.0, 30.0], [1.0, 0.0]])
    assert builders.a_tennis_tree(costs=costs).node(0).prediction == "No"
    assert builders.a_tennis_tree().node(0).prediction == "Yes"


def test_making_a_tree_is_cheap():
    """Fitting iris as a whole takes scikit-learn half a millisecond: the tree is a small part."""
    import time

    tree = builders.a_tennis_tree()
    arrays = {name: getattr(tree, name) for name in builders.NODE_ARRAYS}
    seconds = []
    for _ in range(200):
        begin = time.perf_counter()
        Tree.from_arrays(arrays, schema=tree.schema, classes=tree.classes)
        seconds.append(time.perf_counter() - begin)
    assert min(seconds) < 200e-6 * SLOWER  # a few microseconds on most machines
