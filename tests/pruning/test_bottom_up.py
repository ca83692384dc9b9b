"""One pass from the leaves to the root."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_chain, a_mixed_schema, a_perfect_tree, a_random_tree, a_tennis_tree
from treewright.pruning.bottom_up import judge_bottom_up, nodes_by_depth


def decide_by_recursion(tree, as_leaf, at_inner, node=0):
    """(worth of the pruned subtree, nodes that become leaves): the definition."""
    view = tree.node(node)
    if view.is_leaf:
        return as_leaf[node], set()
    parts = [decide_by_recursion(tree, as_leaf, at_inner, c.index) for c in view.children]
    as_subtree = at_inner[node] + sum(worth for worth, _ in parts)
    cuts = set().union(*(cuts for _, cuts in parts))
    return (as_leaf[node], cuts | {node}) if as_leaf[node] <= as_subtree else (as_subtree, cuts)


@given(seed=st.integers(0, 2**32 - 1), n_splits=st.integers(0, 30))
def test_it_decides_as_the_recursive_definition(seed, n_splits):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), n_splits=n_splits)
    as_leaf = rng.integers(0, 9, tree.n_nodes).astype(float)
    at_inner = rng.integers(0, 2, tree.n_nodes).astype(float)
    decided = judge_bottom_up(tree, as_leaf, at_inner)
    worth, cuts = decide_by_recursion(tree, as_leaf, at_inner)
    assert set(np.flatnonzero(decided.cut).tolist()) == cuts
    assert min(decided.as_subtree[0], as_leaf[0]) == worth


def test_a_subtree_is_judged_as_pruned_below():
    tree = a_tennis_tree()
    as_leaf = np.array([10.0, 1, 1, 9, 5, 5, 1, 1])
    decided = judge_bottom_up(tree, as_leaf, np.zeros(8))
    # The left subtree (10 as grown) becomes a leaf of 1; the right one is worth 2.
    np.testing.assert_array_equal(np.flatnonzero(decided.cut), [1])
    np.testing.assert_array_equal(decided.as_subtree[[0, 1, 3]], [4, 10, 2])


def test_rounding_decides_nothing():
    tree = a_tennis_tree()
    as_leaf = np.array([9.0, 0.3, 0, 9, 0.1, 0.2 - 1e-17, 0, 0])
    assert as_leaf[4] + as_leaf[5] != as_leaf[1] or as_leaf[1] == 0.3
    assert judge_bottom_up(tree, as_leaf, np.zeros(8)).cut[1]


def test_a_rule_sees_the_nodes_of_one_depth_together():
    seen = []

    def rule(nodes, as_leaf, as_subtree):
        seen.append(nodes.tolist())
        return np.zeros(len(nodes), dtype=bool)

    judge_bottom_up(a_tennis_tree(), np.ones(8), np.zeros(8), rule)
    assert seen == [[], [1, 3], [0]]


@pytest.mark.parametrize("tree", [a_tennis_tree(), a_chain(50), a_perfect_tree(5)], ids=repr)
def test_every_node_stands_in_the_list_of_its_depth(tree):
    lists = nodes_by_depth(tree)
    assert np.concatenate(lists).tolist() == sorted(
        range(tree.n_nodes), key=lambda node: (tree.node_depth[node], node)
    )
    assert [int(tree.node_depth[nodes[0]]) for nodes in lists] == list(range(tree.depth + 1))
