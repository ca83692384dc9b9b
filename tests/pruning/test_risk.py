"""The risk of nodes: what their predictions cost the training rows."""

import numpy as np

from builders import a_tennis_tree, branches, build, leaf, numeric_schema, tennis_schema, threshold
from treewright.pruning.risk import (
    lets_rows_stop,
    node_risk,
    risk_of_stopped_rows,
    sums_over_leaves,
    weight_of_stopped_rows,
)
from treewright.tree.layout import STOP


def test_the_risk_is_the_misclassified_weight():
    tree = a_tennis_tree()
    np.testing.assert_array_equal(node_risk(tree), [5, 2, 0, 2, 0, 0, 0, 0])


def test_costs_and_factors_enter_the_risk():
    costs = np.array([[0.0, 3.0], [1.0, 0.0]])
    tree = a_tennis_tree(costs=costs, class_factor=np.array([1.0, 2.0]))
    # 5 No and 18 altered Yes at the root: predicting No costs 18, predicting Yes 3 x 5.
    assert node_risk(tree)[0] == 15
    assert tree.node_class[0] == 1


def test_an_empty_branch_has_no_risk_though_it_repeats_its_parents_weights():
    empty = leaf(3, 2, weight=0.0)
    root = branches(0, {0: 0, 1: 1}, leaf(3, 1), leaf(0, 1), empty)
    tree = build(root, tennis_schema(), ("No", "Yes"))
    assert node_risk(tree)[-1] == 0


def test_rows_that_stop_at_a_node_keep_its_risk():
    root = threshold(0, 1.0, leaf(4, 0), leaf(0, 3), missing=STOP, value=[5, 5], weight=10.0)
    tree = build(root, numeric_schema("x"), ("no", "yes"))
    # One `no` and two `yes` stayed; the node predicts `no`, the first of equal classes.
    np.testing.assert_array_equal(risk_of_stopped_rows(tree), [2, 0, 0])


def test_rows_that_stopped_in_training_count_though_later_ones_would_go_on():
    # Before the rows with surrogates were sent on no child had a majority; afterwards one had.
    root = threshold(0, 1.0, leaf(4, 0), leaf(0, 3), missing=0, value=[5, 5], weight=10.0)
    tree = build(root, numeric_schema("x"), ("no", "yes"))
    assert tree.n_rows.tolist() == [10, 4, 3]
    np.testing.assert_array_equal(lets_rows_stop(tree), [True, False, False])
    np.testing.assert_array_equal(risk_of_stopped_rows(tree), [2, 0, 0])
    assert weight_of_stopped_rows(tree, tree.weight).tolist() == [3, 0, 0]


def test_sums_run_from_the_leaves_up():
    tree = a_tennis_tree()
    ones = np.ones(tree.n_nodes)
    np.testing.assert_array_equal(
        sums_over_leaves(tree, ones, np.zeros(tree.n_nodes)), [5, 2, 1, 2, 1, 1, 1, 1]
    )
