"""Packed trees predict together exactly what they predict one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packed_forests import a_forest, a_table, kinds
from treewright._kernels.learners import (
    GradientTreeGrower,
    GradientTreeSettings,
    LeafPrediction,
    TreeGrowth,
)
from treewright.data.column import NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.ensembles.packed import PackedTreeSequence, binned
from treewright.tree.predict import predict_leaves, predict_values


def one_by_one(trees, rows, start):
    """The definition: predictions added up in the order of the trees."""
    total = start.copy()
    for tree in trees:
        total += predict_values(tree, rows)
    return total


@settings(max_examples=40)
@given(kinds, st.integers(0, 1000), st.sampled_from([2, 4, 20, 10_000]), st.integers(1, 3))
def test_shares_are_those_of_the_single_trees_whatever_their_size(kinds, seed, leaves, n_threads):
    table = a_table(kinds, seed, 400)
    trees, bins = a_forest(table, seed, max_leaf_nodes=leaves)
    new = a_table(kinds, seed + 1, 700)
    expected = one_by_one(trees, new, np.zeros((700, 3))) / len(trees)
    assert np.array_equal(trees.mean_shares(new, n_threads), expected)
    same = one_by_one(trees, table, np.zeros((400, 3))) / len(trees)
    assert np.array_equal(trees.mean_shares(bins, n_threads), same)


@settings(max_examples=15)
@given(kinds, st.integers(0, 1000), st.sampled_from([1, 3]), st.booleans())
def test_a_few_rows_are_predicted_alike_before_and_after_trees_are_arranged(
    kinds, seed, n_classes, hard
):
    trees, _ = a_forest(a_table(kinds, seed, 300), seed, n_classes=n_classes)
    new = a_table(kinds, seed + 1, 70)

    def predicted(rows):
        return trees.mean_shares(rows, hard=hard) if n_classes > 1 else trees.mean_values(rows)

    one_by_one = np.concatenate([predicted(new[at : at + 1]) for at in range(70)])
    assert np.array_equal(one_by_one, predicted(new))


@settings(max_examples=20)
@given(kinds, st.integers(0, 1000), st.sampled_from([1, 2, 16, 17, 63, 64, 65, 513]))
def test_any_number_of_rows_ends_at_the_same_leaves(kinds, seed, n_rows):
    table = a_table(kinds, seed, 300)
    trees, _ = a_forest(table, seed, max_leaf_nodes=[8, 64, 100][seed % 3], n_trees=11)
    new = a_table(kinds, seed + 1, n_rows)
    expected = np.column_stack([predict_leaves(tree, new) for tree in trees])
    assert np.array_equal(trees.leaves(new), expected)


@settings(max_examples=15)
@given(kinds, st.integers(0, 1000), st.booleans())
def test_every_tree_votes_for_the_first_of_its_largest_classes(kinds, seed, deep):
    table = a_table(kinds, seed, 300)
    trees, _ = a_forest(table, seed, max_leaf_nodes=1000 if deep else 10)
    expected = np.zeros((300, 3))
    for tree in trees:
        expected[np.arange(300), predict_values(tree, table).argmax(axis=1)] += 1
    assert np.array_equal(trees.mean_shares(table, hard=True), expected / len(trees))


@settings(max_examples=15)
@given(st.integers(0, 1000), st.sampled_from([1, 2, 3]), st.sampled_from([5, 60, 1000]))
def test_values_go_to_outputs_in_turn_and_ranges_of_trees_add_up(seed, n_outputs, leaves):
    table = a_table(["numbers", "few"], seed, 300)
    trees, _ = a_forest(table, seed, n_classes=1, n_trees=7, max_leaf_nodes=leaves)
    start = np.random.default_rng(seed).normal(size=(300, n_outputs))
    expected = start.copy()
    for i, tree in enumerate(trees):
        expected[:, i % n_outputs] += predict_values(tree, table)[:, 0]
    at_once = start.copy()
    trees.add_values(table, at_once)
    assert np.array_equal(at_once, expected)
    in_steps = start.copy()
    for first, last in [(0, 2), (2, 2), (2, 6), (6, 7)]:
        trees.add_values(table, in_steps, first=first, last=last)
    assert np.array_equal(in_steps, expected)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("leaves", [31, 5000])
def test_a_matrix_of_any_layout_gives_the_same_predictions(kind, leaves):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5)).astype(kind)
    X[rng.random(X.shape) < 0.1] = np.nan
    table = Table([NumericColumn(f"x{i}", X[:, i]) for i in range(5)])
    trees, _ = a_forest(table, 0, n_classes=1, max_leaf_nodes=leaves)
    expected = one_by_one(trees, table, np.zeros((1000, 1)))[:, 0] / len(trees)
    layouts = {
        "rows": X,
        "columns": np.asfortranarray(X),
        "every second": np.repeat(X, 2, axis=0)[::2],
        "backwards": X[::-1][::-1],
        "mirrored": np.ascontiguousarray(X[:, ::-1])[:, ::-1],
        "wider": np.hstack([X, X])[:, :5],
        "read-only": np.frombuffer(X.tobytes(), kind).reshape(X.shape),
    }
    for name, given_as in layouts.items():
        assert np.array_equal(trees.mean_values(given_as, 2), expected), name


def test_scaling_a_tree_scales_its_predictions_also_after_it_has_predicted():
    table = a_table(["numbers", "few"], 0, 200)
    trees, _ = a_forest(table, 0, n_classes=1, max_leaf_nodes=20)
    before = trees.mean_values(table)
    trees.packed.scale(1, 3.0)
    expected = one_by_one(trees, table, np.zeros((200, 1)))[:, 0] / len(trees)
    assert np.array_equal(trees.mean_values(table), expected)
    assert not np.array_equal(before, expected)


def test_trees_that_are_appended_predict_too_and_the_head_predicts_without_them():
    table = a_table(["numbers", "many"], 0, 200)
    trees, _ = a_forest(table, 0)
    more, _ = a_forest(table, 1)
    alone = trees.mean_shares(table)
    trees.packed.append(more.packed)
    assert len(trees) == 10
    expected = one_by_one(trees, table, np.zeros((200, 3))) / 10
    assert np.array_equal(trees.mean_shares(table), expected)
    head = PackedTreeSequence(trees.packed.head(5), trees.schema, trees.classes, "missing")
    assert np.array_equal(head.mean_shares(table), alone)


def test_codes_that_are_no_levels_go_where_missing_values_go():
    table = a_table(["few", "wide"], 3, 400)
    trees, _ = a_forest(table, 3)
    predictions = []
    for code in (-1, 2**31 - 1):
        codes = np.full(3, code, dtype=np.int32)
        predictions.append(np.zeros((3, 3)))
        trees.packed.add_values(
            [codes, codes], predictions[-1], 1, LeafPrediction.shares, 0, len(trees)
        )
    assert np.array_equal(*predictions)


@pytest.mark.parametrize("growth", [TreeGrowth.leaf, TreeGrowth.level, TreeGrowth.symmetric])
@pytest.mark.parametrize("kinds", [["numbers", "tails"], ["numbers", "few", "ordered"]])
def test_boosted_trees_predict_as_they_were_grown_also_with_new_missing_values(growth, kinds):
    table = a_table(kinds, 5, 1000)
    bins = binned(table, None, max_bins=255, n_threads=1)
    settings = GradientTreeSettings()
    settings.min_samples_leaf, settings.max_depth, settings.growth = 5, 4, growth
    grower = GradientTreeGrower(bins, settings, 1)
    packed, scores = grower.no_trees(), np.zeros(1000)
    y = np.random.default_rng(5).normal(size=1000)
    for _ in range(6):
        grower.grow(packed, scores - y, None, None, scores)
    trees = PackedTreeSequence(packed, Schema.of(table), None, "missing")
    out = np.zeros((1000, 1))
    trees.add_values(table, out)
    assert np.allclose(out[:, 0], scores)
    assert np.array_equal(out, one_by_one(trees, table, np.zeros((1000, 1))))
    for seed in range(4):  # some with holes in columns that had none, some without
        new = a_table(kinds, seed, 300)
        out = np.zeros((300, 1))
        trees.add_values(new, out)
        assert np.array_equal(out, one_by_one(trees, new, np.zeros((300, 1))))


def test_nodes_and_bytes_are_counted():
    table = a_table(["numbers", "few"], 0, 500)
    trees, _ = a_forest(table, 0)
    assert trees.n_nodes == sum(tree.n_nodes for tree in trees)
    assert trees.nbytes > 8 * trees.n_nodes


def test_what_does_not_fit_is_refused_in_words():
    table = a_table(["numbers"], 0, 50)
    trees, _ = a_forest(table, 0)
    packed, X = trees.packed, np.zeros((4, 1))
    shares = LeafPrediction.shares
    with pytest.raises(ValueError, match="trees that are not there"):
        packed.add_values(X, np.zeros((4, 3)), 1, shares, 0, 99)
    with pytest.raises(ValueError, match="one line per row"):
        packed.add_values(X, np.zeros((5, 3)), 1, shares, 0, 1)
    with pytest.raises(ValueError, match="as many columns"):
        packed.add_values(X, np.zeros((4, 2)), 1, shares, 0, 1)
    with pytest.raises(ValueError, match="as many columns"):
        packed.add_values(X, np.zeros((4, 1)), 1, LeafPrediction.value, 0, 1)
    with pytest.raises(ValueError, match="one column per column"):
        packed.add_values(np.zeros((4, 2)), np.zeros((4, 3)), 1, shares, 0, 1)
    other = binned(a_table(["counts"], 0, 50), None, max_bins=255, n_threads=1)
    with pytest.raises(ValueError, match="other bins"):
        packed.add_values(other, np.zeros((50, 3)), 1, shares, 0, 1)
