"""Coverage, confidence, its interval and lift."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from treewright.intervals import share_interval
from treewright.rulesets.counts import RuleCounts, counts_of_nodes


def test_the_wilson_interval_is_the_one_of_the_textbooks():
    # Brown, Cai and DasGupta (2001): 5 of 10 and 0 of 10 at 95 %.
    ends = np.transpose(share_interval([0.5, 0.0, 1.0], [10.0, 10.0, 3.0]))
    np.testing.assert_allclose(ends[0], [0.2366, 0.7634], atol=5e-5)
    np.testing.assert_allclose(ends[1], [0.0, 0.2775], atol=5e-5)
    np.testing.assert_allclose(ends[2], [0.4385, 1.0], atol=5e-5)


@given(st.floats(0, 1), st.floats(1e-3, 1e9))
def test_the_interval_holds_the_share_and_stays_within_0_and_1(share, weight):
    low, high = share_interval(share, weight)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1


def test_without_rows_nothing_is_known():
    counts = RuleCounts(np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros(1), np.ones(1))
    assert np.isnan(counts.confidence[0])
    assert np.isnan(counts.lift[0])
    assert counts.interval.tolist() == [[0.0, 1.0]]


def test_lift_compares_with_the_share_in_all_rows():
    tree = builders.a_tennis_tree()
    counts = counts_of_nodes(tree, np.flatnonzero(tree.is_leaf))
    no = tree.node_class[tree.is_leaf] == 0
    np.testing.assert_allclose(counts.lift[no], 14 / 5)
    np.testing.assert_allclose(counts.lift[~no], 14 / 9)


def test_errors_are_the_weight_of_other_classes():
    counts = counts_of_nodes(builders.a_stump(), np.array([1, 2]))
    assert counts.errors.tolist() == [0.0, 1.0]
    assert counts.confidence.tolist() == [1.0, 0.99]


def test_numbers_are_neither_right_nor_wrong():
    counts = counts_of_nodes(builders.a_number_tree(), np.array([2, 3]))
    assert np.isnan(counts.errors).all()
    assert counts.weight.sum() == pytest.approx(7)
