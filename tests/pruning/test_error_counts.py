"""Weights and errors in one unit, with priors and costs in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_mixed_schema, a_random_tree, a_tennis_tree, build, leaf, numeric_schema
from builders import threshold as split
from treewright.pruning.risk import error_counts
from treewright.tree.layout import STOP


def test_without_costs_they_are_the_plain_numbers():
    counts = error_counts(a_tennis_tree())
    np.testing.assert_array_equal(counts.weight, [14, 5, 4, 5, 3, 2, 3, 2])
    np.testing.assert_array_equal(counts.errors, [5, 2, 0, 2, 0, 0, 0, 0])
    np.testing.assert_array_equal(counts.unit, [1, 1])


def test_a_row_counts_what_it_may_cost_and_all_rows_what_they_weigh():
    counts = error_counts(a_tennis_tree(costs=np.array([[0.0, 3.0], [1.0, 0.0]])))
    # 5 No x 3 + 9 Yes x 1 = 24, scaled to 14. The root predicts Yes: 9 against 15.
    np.testing.assert_allclose(counts.unit, np.array([3, 1]) * 14 / 24)
    assert counts.weight[0] == pytest.approx(14)
    assert counts.errors[0] == pytest.approx(9 * 14 / 24)
    np.testing.assert_allclose(counts.price, np.array([[0, 3], [1, 0]]) * 14 / 24)


def test_errors_of_every_prediction_among_some_rows():
    plain = error_counts(a_tennis_tree())
    np.testing.assert_array_equal(plain.errors_among(np.array([5.0, 9.0])), [9, 5])
    priced = error_counts(a_tennis_tree(costs=np.array([[0.0, 3.0], [1.0, 0.0]])))
    np.testing.assert_allclose(
        priced.errors_among(np.array([5.0, 9.0])), np.array([9, 15]) * 14 / 24
    )


def test_very_many_classes_need_no_matrix():
    root = split(0, 1.0, leaf(*np.eye(1, 60_000)[0]), leaf(*np.eye(1, 60_000, 7)[0]))
    counts = error_counts(build(root, numeric_schema("x"), tuple(range(60_000))))
    assert counts.price is None
    assert counts.errors.tolist() == [1, 0, 0]


def test_rows_that_stop_at_a_node_are_counted_there():
    root = split(0, 1.0, leaf(4, 0), leaf(0, 3), missing=STOP, value=[5, 5], weight=10.0)
    counts = error_counts(build(root, numeric_schema("x"), ("no", "yes")))
    np.testing.assert_array_equal(counts.stopped_weight, [3, 0, 0])
    np.testing.assert_array_equal(counts.stopped_errors, [2, 0, 0])


def test_a_single_class_has_weight_and_no_errors():
    tree = build(split(0, 1.0, leaf(4), leaf(3)), numeric_schema("x"), ("only",))
    counts = error_counts(tree)
    np.testing.assert_array_equal(counts.weight, [7, 4, 3])
    np.testing.assert_array_equal(counts.errors, [0, 0, 0])


@given(seed=st.integers(0, 2**32 - 1))
def test_errors_never_exceed_the_weight(seed):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng))
    counts = error_counts(tree)
    assert (counts.errors <= counts.weight * (1 + 1e-12)).all()
    assert (counts.errors >= 0).all()
    assert counts.weight[0] == pytest.approx(tree.value[0].sum())
