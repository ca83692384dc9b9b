"""Quinlan's pessimistic pruning, by hand."""

import numpy as np

from builders import build, leaf, numeric_schema, threshold
from treewright.pruning.methods import METHODS, prune_tree


def pruned(root, **options):
    tree = build(root, numeric_schema("a", "b", "c"), ("no", "yes"))
    return prune_tree(tree, METHODS["pessimistic"], None, options)


def test_a_leaf_within_one_standard_error_takes_the_place():
    # 20 rows, 4 errors as a leaf; 1 + 1 errors in two leaves: 3 +- sqrt(3 x 17 / 20) = 1.597.
    root = threshold(0, 1.0, leaf(9, 1), leaf(1, 9))
    assert pruned(root).report.n_cuts == 0  # 10.5 as a leaf
    root = threshold(0, 1.0, leaf(15, 1), leaf(1, 3))
    result = pruned(root)  # 4.5 as a leaf, 3 + 1.597 as a subtree
    (cut,) = result.report.cuts
    assert (cut.as_leaf, cut.as_subtree) == (4.5, 3.0)
    assert result.tree.n_nodes == 1
    assert pruned(root, standard_errors=0.9).tree.n_nodes == 3  # 3 + 1.437


def test_an_empty_leaf_is_not_charged():
    root = threshold(0, 1.0, leaf(15, 1), leaf(1, 3), leaf(1, 1, weight=0.0))
    assert pruned(root).report.cuts[0].as_subtree == 3.0


def test_from_the_top_a_subtree_is_judged_as_grown_from_the_bottom_as_pruned():
    lower = threshold(1, 1.0, leaf(1, 4), leaf(3, 2))
    root = threshold(0, 1.0, lower, leaf(2, 0))
    # The root as a leaf: 6.5. As grown: 3 errors and three halves, 4.5 + 1.677, so it stays.
    (lower_cut,) = pruned(root).report.cuts
    assert (lower_cut.was, lower_cut.as_leaf, lower_cut.as_subtree) == (1, 4.5, 4.0)
    # After the lower cut: 4 errors and two halves, 5 + 1.708, so it goes too.
    (whole,) = pruned(root, order="bottom_up").report.cuts
    assert (whole.was, whole.as_leaf, whole.as_subtree) == (0, 6.5, 5.0)


def test_the_sum_of_empty_subtrees_is_no_number_trouble():
    root = threshold(0, 1.0, threshold(1, 1.0, leaf(1, 0, weight=0.0), leaf(1, 0, weight=0.0)))
    with np.errstate(all="raise"):
        pruned(root)
