"""Niblett and Bratko's expected errors, by hand."""

import numpy as np
import pytest

from builders import a_tennis_tree, build, leaf, numeric_schema, threshold
from treewright.pruning.methods import METHODS, prune_tree


def pruned(tree, **options):
    return prune_tree(tree, METHODS["minimum_error"], None, options)


def a_weak_split(**more):
    return build(
        threshold(0, 1.0, leaf(3, 1), leaf(2, 2)), numeric_schema("x"), ("no", "yes"), **more
    )


def test_laplace_adds_one_row_of_each_class():
    (cut,) = pruned(a_weak_split()).report.cuts
    assert cut.as_leaf == pytest.approx(8 * (3 + 1) / (8 + 2))
    assert cut.as_subtree == pytest.approx(4 * (1 + 1) / 6 + 4 * (2 + 1) / 6)


def test_a_useful_tree_stays():
    tree = a_tennis_tree()
    assert pruned(tree).tree is tree


def test_the_m_estimate_adds_rows_of_the_classes_in_training():
    (cut,) = pruned(a_weak_split(), m=4.0).report.cuts
    rate = 3 / 8  # of the prediction `no` in the whole table
    assert cut.as_leaf == pytest.approx(8 * (3 + 4 * rate) / (8 + 4))
    assert cut.as_subtree == pytest.approx(4 * (1 + 4 * rate) / 8 + 4 * (2 + 4 * rate) / 8)


def test_without_further_rows_errors_are_as_seen():
    report = pruned(a_weak_split(), m=0.0).report
    assert (report.as_leaf[0], report.as_subtree[0]) == (3, 3)


def test_costs_enter_the_rows_added():
    root = threshold(0, 1.0, leaf(1, 5), leaf(1, 4))
    costs = np.array([[0.0, 1.0], [4.0, 0.0]])
    tree = build(root, numeric_schema("x"), ("no", "yes"), costs=costs)
    # 2 no and 9 yes at 4 each weigh 38, scaled to 11; every node predicts yes, wrong for its no.
    unit = 11 / 38
    (cut,) = pruned(tree).report.cuts
    assert cut.as_leaf == pytest.approx(38 * unit * (2 + 1) / (38 + 5))
    assert cut.as_subtree == pytest.approx(21 * unit * (1 + 1) / 26 + 17 * unit * (1 + 1) / 22)
