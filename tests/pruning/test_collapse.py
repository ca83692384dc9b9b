"""C4.5's collapse: subtrees that are no better than a leaf in training go."""

import numpy as np

from builders import a_chain, a_tennis_tree, build, leaf, numeric_schema, threshold
from treewright.pruning.error_based import collapse
from treewright.tree.layout import STOP_REASONS


def useless_split():
    """Both sides of the lower split predict `no`, as their parent does."""
    lower = threshold(1, 0.5, leaf(5, 1), leaf(4, 2))
    return build(threshold(0, 1.0, lower, leaf(0, 6)), numeric_schema("a", "b"), ("no", "yes"))


def test_a_subtree_that_predicts_as_its_node_does_goes():
    tree = collapse(useless_split())
    assert tree.n_nodes == 3
    np.testing.assert_array_equal(tree.value[1], [9, 3])
    assert STOP_REASONS[tree.stop_reason[1]] == "collapsed"


def test_a_useful_tree_stays_the_very_same():
    tree = a_tennis_tree()
    assert collapse(tree) is tree


def test_collapsing_twice_is_collapsing_once():
    once = collapse(useless_split())
    assert collapse(once).same_as(once)


def test_a_whole_tree_may_become_one_leaf():
    root = threshold(0, 1.0, leaf(5, 1), leaf(4, 2))
    assert collapse(build(root, numeric_schema("a"), ("no", "yes"))).n_nodes == 1


def test_a_gain_below_a_thousandth_of_a_row_does_not_count():
    root = threshold(0, 1.0, leaf(5, 0), leaf(1.0, 1.0009))
    tree = build(root, numeric_schema("a"), ("no", "yes"))
    assert collapse(tree).n_nodes == 1


def test_a_chain_of_many_nodes_needs_no_recursion():
    assert collapse(a_chain(20_000)).n_nodes >= 1
