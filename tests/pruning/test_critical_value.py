"""Mingers' critical value."""

from dataclasses import replace

import numpy as np

import treewright as tw
from builders import a_number_tree, a_tennis_tree
from treewright.pruning.critical_value import highest_below
from treewright.pruning.methods import METHODS, prune_tree


def pruned(tree, value, **options):
    return prune_tree(tree, METHODS["critical_value"], None, {"value": value, **options})


def scored(*score):
    """The tennis tree: splits at 0, 1 and 3."""
    tree = a_tennis_tree()
    values = np.zeros(tree.n_nodes)
    values[[0, 1, 3]] = score
    return replace(tree, score=values)


def test_a_split_that_does_not_reach_the_value_goes():
    result = pruned(scored(0.9, 0.5, 0.2), 0.3)
    (cut,) = result.report.cuts
    assert (cut.was, cut.as_leaf, cut.as_subtree) == (3, 0.3, 0.2)


def test_a_weak_split_stays_for_a_strong_one_below():
    tree = scored(0.1, 0.5, 0.2)
    assert np.flatnonzero(~pruned(tree, 0.3).tree.is_leaf).tolist() == [0, 1]
    np.testing.assert_array_equal(highest_below(tree, tree.score)[[0, 1, 3]], [0.5, 0.5, 0.2])


def test_reaching_the_value_is_enough():
    tree = scored(0.9, 0.5, 0.3)
    assert pruned(tree, 0.3).tree is tree
    assert pruned(tree, 1.0).tree.n_nodes == 1


def test_the_gain_may_be_asked_in_place_of_the_score():
    tree = replace(scored(0.9, 0.9, 0.9), gain=scored(0.9, 0.1, 0.9).score)
    assert pruned(tree, 0.5, by="gain").report.was.tolist() == [1]


def test_numbers_too():
    tree = a_number_tree()
    assert pruned(tree, 0.25).tree is tree
    assert pruned(tree, 0.26).tree.n_nodes == 1
    X, y = np.arange(8.0).reshape(-1, 1), [0.0, 0.1, 0.2, 0.3, 9, 9.1, 9.2, 9.3]
    model = tw.TreeRegressor(prune="critical_value", prune_options={"value": 1.0}).fit(X, y)
    assert model.get_n_leaves() == 2
