"""Cutting a tree back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from reference.predict_reference import reference_leaves
from treewright.tree.check import check_tree
from treewright.tree.layout import STOP_REASONS
from treewright.tree.predict import predict_leaves
from treewright.tree.rebuild import below, make_leaves


def only(tree, *nodes):
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[list(nodes)] = True
    return mask


def test_a_node_becomes_a_leaf_with_the_reason_given():
    tree = builders.a_tennis_tree()
    cut = make_leaves(tree, only(tree, 1), "pruned")
    assert cut.n_nodes == tree.n_nodes - 2
    assert str(cut).splitlines()[0] == "outlook = Sunny: No (5/2)"
    assert STOP_REASONS[cut.stop_reason[1]] == "pruned"
    assert cut.level_start.tolist() == [0, 3, 3, 3, 5, 5, 5]
    check_tree(cut)


def test_leaves_keep_the_reason_they_have():
    tree = builders.a_tennis_tree()
    assert make_leaves(tree, tree.is_leaf, "pruned").same_as(tree)


def test_cutting_at_the_root_leaves_one_leaf():
    tree = builders.a_tennis_tree()
    assert str(make_leaves(tree, only(tree, 0, 3), "collapsed")) == ": Yes (14/5)"


@pytest.mark.parametrize("at", [1_000, 90_000])
def test_a_long_chain_is_cut(at):
    tree = builders.a_chain(50_000)
    cut = make_leaves(tree, only(tree, at), "pruned")
    assert cut.n_nodes == at + 1
    check_tree(cut)


@given(seed=st.integers(0, 2**32 - 1))
def test_a_cut_tree_predicts_by_the_first_cut_node_on_the_way(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=15)
    chosen = rng.random(tree.n_nodes) < 0.2
    cut = make_leaves(tree, chosen, "pruned")
    check_tree(cut)
    assert cut.n_nodes == np.count_nonzero(~below(tree, chosen & ~tree.is_leaf))
    table = builders.a_random_table(rng, schema, n_rows=20)
    assert predict_leaves(cut, table).tolist() == reference_leaves(cut, table)
    # A kept node has kept its numbers.
    old_number = np.flatnonzero(~below(tree, chosen & ~tree.is_leaf))
    np.testing.assert_array_equal(cut.value, tree.value[old_number])
    np.testing.assert_array_equal(cut.node_depth, tree.node_depth[old_number])
