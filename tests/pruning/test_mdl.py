"""The bits of a tree and its exceptions, counted by hand."""

from math import comb, log2

import numpy as np
import pytest

from builders import (
    a_tennis_tree,
    branches,
    build,
    intervals,
    leaf,
    numeric_schema,
    oblique,
    subset,
    tennis_schema,
    threshold,
)
from treewright.data.schema import ColumnSpec, Schema
from treewright.pruning.mdl import choice_bits, exception_bits, log2_choose
from treewright.pruning.methods import METHODS, prune_tree
from treewright.tree.layout import STOP


def pruned(tree, **options):
    return prune_tree(tree, METHODS["mdl"], None, options)


def exceptions(n, e, k=2):
    return log2(n + 1) + log2(comb(n, e)) + e * log2(k - 1)


def test_the_message_of_a_stump_by_hand():
    tree = build(
        threshold(0, 1.0, leaf(15, 1), leaf(1, 3)), numeric_schema("a", "b"), ("no", "yes")
    )
    (cut,) = pruned(tree).report.cuts
    assert cut.as_leaf == pytest.approx(1 + 1 + exceptions(20, 4))
    question = 1 + log2(2) + log2(19)
    leaves = 2 * (1 + 1) + exceptions(16, 1) + exceptions(4, 1)
    assert cut.as_subtree == pytest.approx(question + leaves)


def test_rows_that_stop_at_a_split_tell_its_class_and_their_exceptions():
    root = threshold(0, 0.5, leaf(2, 0), leaf(0, 2), missing=STOP, value=[3, 2], weight=5.0)
    (cut,) = pruned(build(root, numeric_schema("x"), ("a", "b"))).report.cuts
    split = 1 + 0 + log2(4)
    leaves = 2 * (1 + 1 + exceptions(2, 0))
    assert cut.as_subtree == pytest.approx(split + leaves + 1 + exceptions(1, 0))


def test_exceptions_of_several_classes_are_named():
    bits = exception_bits(np.array([20.0, 0.0]), np.array([4.0, 0.0]), 5)
    assert bits[0] == pytest.approx(exceptions(20, 4, 5))
    assert bits[1] == 0


def test_a_large_gain_pays_for_its_split():
    root = threshold(0, 1.0, leaf(50, 0), leaf(0, 50))
    tree = build(root, numeric_schema("a"), ("no", "yes"))
    assert pruned(tree).tree is tree
    assert pruned(tree, structure=20.0).tree.n_nodes == 1


def test_bits_of_the_tree_may_count_for_nothing():
    tree = a_tennis_tree()
    assert pruned(tree).tree.n_nodes == 1
    assert pruned(tree, structure=0.0).tree is tree


def bits_of(root, schema):
    return choice_bits(build(root, schema, ("no", "yes")))[0]


def test_each_kind_of_question_has_its_choices():
    numbers = numeric_schema("a", "b", "c", "d")
    order = Schema((ColumnSpec("size", "ordered", ("s", "m", "l", "xl", "xxl")),))
    some = (leaf(5, 0), leaf(0, 4))
    assert bits_of(threshold(0, 1.0, *some), numbers) == pytest.approx(log2(8))
    assert bits_of(threshold(0, 1.5, *some), order) == pytest.approx(log2(4))
    assert bits_of(branches(1, {0: 0, 1: 1}, *some), tennis_schema()) == 0
    assert bits_of(subset(0, {0: 0, 1: 1, 2: 1}, *some), tennis_schema()) == pytest.approx(log2(3))
    cuts = intervals(0, [1.0, 2.0], *some, leaf(1, 0))  # 2 of 9 thresholds
    assert bits_of(cuts, numbers) == pytest.approx(log2(9) + log2(comb(9, 2)))
    summed = oblique([(0, 1.0), (2, -1.0)], 0.5, *some)
    assert bits_of(summed, numbers) == pytest.approx(3 * log2(8) + 2 * log2(4))


def test_a_set_of_very_many_levels_needs_a_bit_for_each():
    levels = {code: code % 2 for code in range(2000)}
    schema = Schema((ColumnSpec("id", "nominal", tuple(f"v{code}" for code in range(2000))),))
    assert bits_of(subset(0, levels, leaf(5, 0), leaf(0, 4)), schema) == pytest.approx(1999)


def test_binomial_coefficients_take_fractions():
    exact = log2_choose(np.array([10.0, 10.0, 0.0]), np.array([3.0, 0.0, 0.0]))
    np.testing.assert_allclose(exact, [log2(120), 0, 0], atol=1e-12)
    between = log2_choose(np.array([10.0]), np.array([3.5]))[0]
    assert log2(comb(10, 3)) < between < log2(comb(10, 4))
