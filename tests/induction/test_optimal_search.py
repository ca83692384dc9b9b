"""The search for optimal trees: equal to trying every tree, whatever the table."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.optimal import least_cost
from treewright._kernels.short_cuts import left_out
from treewright.data.sources import table_from
from treewright.data.target import encode_classes
from treewright.data.weights import are_counts
from treewright.errors import DataError
from treewright.induction.optimal.questions import check_sets, level_sets, questions_about
from treewright.induction.optimal.rows import searched_rows, whole_weights
from treewright.induction.optimal.search import (
    NO_TIME,
    OptimalSettings,
    native_limits,
    optimal_tree,
)
from treewright.tree.check import check_tree
from treewright.tree.layout import BRANCHES, INTERVALS
from treewright.tree.predict import predict_leaves

NUMBERS = st.integers(0, 6).map(float)
LEVELS = st.sampled_from("abcde")


@st.composite
def small_tables(draw):
    """A few rows of numbers, words and holes with a class and a weight each."""
    kinds = draw(st.lists(st.sampled_from([NUMBERS, LEVELS]), min_size=1, max_size=3))
    if draw(st.booleans()):
        kinds = [st.one_of(kind, st.none()) for kind in kinds]
    row = st.tuples(st.tuples(*kinds), st.integers(0, 2), st.sampled_from([1.0, 1.0, 2.0, 3.0]))
    return draw(st.lists(row, min_size=1, max_size=9))


def as_table(rows):
    return table_from([{f"c{i}": value for i, value in enumerate(row)} for row, _, _ in rows])


def errors_of(tree, table, target, weights):
    predictions = tree.node_class[predict_leaves(tree, table)]
    return float(weights[predictions != target.codes].sum())


@settings(max_examples=100, deadline=None)
@given(
    rows=small_tables(),
    max_depth=st.integers(1, 2),
    max_leaf_nodes=st.one_of(st.none(), st.integers(1, 4)),
    penalty=st.sampled_from([0.0, 0.0, 0.05, 0.2]),
    min_samples_leaf=st.integers(1, 3),
    nominal=st.sampled_from(["one_vs_rest", "subset"]),
    max_cuts=st.sampled_from([None, 50]),
    by_pairs=st.booleans(),
)
def test_no_tree_costs_less_than_the_one_found(rows, by_pairs, **asked):
    table, target = as_table(rows), encode_classes([label for _, label, _ in rows])
    weights = np.array([weight for _, _, weight in rows])
    asked = OptimalSettings(**asked)
    with left_out(*(() if by_pairs else ("pair_counts",))):
        tree, proof = optimal_tree(table, target, weights, asked)
    check_tree(tree)
    whole = whole_weights(weights, len(rows))
    price = asked.penalty * float(whole.sum())
    times = weights.astype(int) if are_counts(weights) else np.ones(len(rows), dtype=int)
    counted = [
        (row, int(code), float(weight) / int(n))
        for (row, _, _), code, weight, n in zip(rows, target.codes, whole, times, strict=True)
        for _ in range(n)
    ]
    least = least_cost(
        counted,
        asked.max_depth,
        asked.most_leaves,
        price=price,
        min_rows=asked.min_samples_leaf,
        nominal=asked.nominal,
    )
    assert proof.proven
    assert proof.cost == pytest.approx(least / whole.sum(), abs=1e-12)
    assert errors_of(tree, table, target, whole) + price * tree.n_leaves == pytest.approx(least)
    assert tree.n_leaves <= asked.most_leaves


@settings(max_examples=30, deadline=None)
@given(rows=small_tables())
def test_of_equal_trees_one_with_fewest_leaves_is_taken(rows):
    target = encode_classes([label for _, label, _ in rows])
    tree, proof = optimal_tree(as_table(rows), target, None, OptimalSettings(max_depth=2))
    counted = [(row, int(code), 1.0) for (row, _, _), code in zip(rows, target.codes, strict=True)]
    assert least_cost(counted, 2, 4, price=1e-3) == pytest.approx(
        proof.errors + 1e-3 * tree.n_leaves
    )


@pytest.mark.parametrize("others", [(), ("pair_counts",)])
@pytest.mark.parametrize("seed", range(4))
def test_three_levels_are_searched_as_exactly_as_two(seed, others):
    rng = np.random.default_rng(seed)
    rows = [((float(a), "xyz"[b]), int(c), 1.0) for a, b, c in rng.integers(0, 3, (8, 3))]
    table, target = as_table(rows), encode_classes([label for _, label, _ in rows])
    for leaves in (4, 5, 8):
        asked = OptimalSettings(max_depth=3, max_leaf_nodes=leaves)
        with left_out(*others):
            _, proof = optimal_tree(table, target, None, asked)
        counted = [
            (row, int(code), 1.0) for (row, _, _), code in zip(rows, target.codes, strict=True)
        ]
        assert proof.errors == least_cost(counted, 3, leaves)


@pytest.mark.parametrize("second", ["numbers", "levels"])
def test_columns_of_many_values_are_searched_as_exactly_as_those_of_few(second):
    rng = np.random.default_rng(3)
    n_rows = 66  # above 64 different values columns are scanned in another way
    first = [float(value) for value in rng.permutation(n_rows)]
    other = [float(value) if second == "numbers" else f"{value:02}" for value in range(n_rows)]
    other[5] = other[40] = None
    labels = (np.array(first) > 30).astype(int) ^ (rng.random(n_rows) < 0.25)
    rows = [
        (values, int(label), 1.0)
        for values, label in zip(zip(first, other, strict=True), labels, strict=True)
    ]
    table, target = as_table(rows), encode_classes(labels)
    asked = OptimalSettings(max_depth=2, max_leaf_nodes=3)
    least = least_cost(rows, 2, 3)
    for others in ((), ("pair_counts",)):
        with left_out(*others):
            _, proof = optimal_tree(table, target, None, asked)
        assert proof.proven
        assert proof.errors == least


@pytest.mark.parametrize(
    "asked",
    [
        OptimalSettings(max_depth=4),
        OptimalSettings(max_depth=4, penalty=0.003, min_samples_leaf=5),
        OptimalSettings(max_depth=4, max_leaf_nodes=7),
        OptimalSettings(max_depth=5, max_leaf_nodes=9, min_samples_leaf=2),
    ],
)
def test_both_searches_find_trees_of_the_same_cost(asked):
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (150, 5))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 2) ^ (rng.random(150) < 0.15)
    table, target = table_from(X), encode_classes(y + (X[:, 3] == 2))
    weights = rng.choice([1.0, 2.0, 5.0], 150)
    _, proof = optimal_tree(table, target, weights, asked)
    with left_out("pair_counts"):
        _, by_columns = optimal_tree(table, target, weights, asked)
    assert proof.proven
    assert by_columns.proven
    assert proof.cost == by_columns.cost


@pytest.mark.parametrize(
    "asked",
    [
        OptimalSettings(max_depth=1),
        OptimalSettings(max_depth=2, max_leaf_nodes=3),
        OptimalSettings(max_depth=3, penalty=0.01),
        OptimalSettings(max_depth=3, max_leaf_nodes=5, penalty=0.005),
    ],
)
def test_a_column_of_many_values_beside_others_of_few_is_searched_as_exactly(asked):
    rng = np.random.default_rng(11)
    n_rows = 520  # from 500 different values on, a column is taken in order
    long, few = rng.permutation(n_rows), rng.integers(0, 4, (n_rows, 3))
    y = (few[:, 0] + (long > 200) + (long > 430) * few[:, 1] > 2) ^ (rng.random(n_rows) < 0.1)
    table, target = table_from(np.column_stack([few, long])), encode_classes(y)
    weights = rng.choice([1.0, 3.0], n_rows)
    _, proof = optimal_tree(table, target, weights, asked)
    with left_out("pair_counts"):
        _, by_columns = optimal_tree(table, target, weights, asked)
    assert proof.proven
    assert proof.cost == by_columns.cost
    assert proof == optimal_tree(table, target, weights, asked, n_threads=3)[1]


def planted(n_rows=200, seed=0):
    """Parity of three thresholds in noise: no single split is of any use."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 4)).round(2)
    return X, ((X[:, :3] > 0.5).sum(axis=1) % 2).astype(int)


def test_a_planted_tree_is_found_where_greedy_growth_finds_none():
    X, y = planted()
    tree, proof = optimal_tree(
        table_from(X), encode_classes(y), None, OptimalSettings(max_depth=3, max_cuts=10)
    )
    assert proof.errors <= 0.1 * len(y)
    tree, proof = optimal_tree(table_from(X), encode_classes(y), None, OptimalSettings(max_depth=3))
    assert (proof.errors, proof.proven, tree.n_leaves) == (0.0, True, 8)


def test_when_time_runs_out_the_bound_is_below_and_the_tree_above_the_optimum():
    X, y = planted(300, seed=1)
    y = y ^ (np.random.default_rng(2).random(300) < 0.2)
    table, target = table_from(X), encode_classes(y)
    _, full = optimal_tree(table, target, None, OptimalSettings(max_depth=2))
    assert full.proven
    for seconds in (1e-9, 0.001, 0.01):
        asked = OptimalSettings(max_depth=2, time_limit=seconds)
        tree, proof = optimal_tree(table, target, None, asked)
        assert proof.lower_bound <= full.cost <= proof.cost
        assert proof.gap == (0.0 if proof.proven else proof.cost - proof.lower_bound)
        assert errors_of(tree, table, target, np.ones(300)) == proof.errors


def test_the_time_before_the_search_counts_too():
    X, y = planted(20)
    rows = searched_rows(
        questions_about(table_from(X), "one_vs_rest", None), encode_classes(y), None
    )
    asked = OptimalSettings(time_limit=1.0)
    assert native_limits(asked, rows, None, time.monotonic() - 5, 1).seconds == NO_TIME
    assert 0.5 < native_limits(asked, rows, None, time.monotonic(), 1).seconds <= 1


def test_a_weight_of_two_is_the_row_twice():
    X, y = planted(60, seed=4)
    y = y ^ (X[:, 3] > 0.8)
    weights = np.random.default_rng(0).integers(1, 3, 60)
    asked = OptimalSettings(max_depth=2)
    one, proof = optimal_tree(table_from(X), encode_classes(y), weights.astype(float), asked)
    rows = np.repeat(np.arange(60), weights)
    other, of_twice = optimal_tree(table_from(X[rows]), encode_classes(y[rows]), None, asked)
    assert proof.errors == of_twice.errors
    np.testing.assert_array_equal(one.threshold, other.threshold)


def test_weights_become_whole_numbers_in_proportion():
    np.testing.assert_array_equal(whole_weights(np.array([0.1, 0.3, 0.2]) * 1e300, 3), [1, 3, 2])
    np.testing.assert_array_equal(whole_weights(np.array([1e300, 1e-300]), 2) > 0, [True, False])
    odd = whole_weights(np.array([1.0, np.pi, 1e-9]), 3)
    assert odd[1] / odd[0] == pytest.approx(np.pi)
    assert 2**49 <= odd.sum() <= 2**51


def test_rows_alike_are_one_row_and_their_minority_is_a_sure_loss():
    table = table_from([["a"], ["a"], ["a"], ["b"]])
    target = encode_classes([0, 1, 1, 0])
    rows = searched_rows(questions_about(table, "one_vs_rest", None), target, None)
    unit = rows.weight // 4
    assert rows.weights.tolist() == [unit, 2 * unit, unit]
    assert rows.sure_loss.tolist() == [unit, 0, 0]
    assert unit > 2**16  # leaves of the deepest tree do not add up to an error


@pytest.mark.parametrize(("n_levels", "n_sets"), [(1, 1), (2, 1), (3, 3), (4, 7), (5, 15)])
def test_every_parting_of_levels_is_one_set(n_levels, n_sets):
    sets = {tuple(levels) for levels in level_sets(n_levels, "subset")}
    others = {tuple(set(range(n_levels)) - set(levels)) for levels in sets}
    assert len(sets) == n_sets
    assert n_levels == 1 or not sets & others


def test_too_many_levels_for_all_sets_are_told_by_name():
    table = table_from([{"town": f"t{i}"} for i in range(13)])
    with pytest.raises(DataError, match="`town` has 13 levels, so 4,095 sets"):
        questions_about(table, "subset", None)


def test_few_thresholds_share_the_rows_out_evenly_and_the_rest_is_counted():
    table = table_from(np.arange(100.0)[:, None])
    questions = questions_about(table, "one_vs_rest", 3)
    assert np.bincount(questions.columns[0].codes).tolist() == [25, 25, 25, 25]
    assert (questions.n_questions, questions.n_left_out) == (3, 96)


@pytest.mark.parametrize("column", [["a", None, "b", "a", None], [1.0, None, 2.0, 3.0, None]])
def test_whether_there_is_a_value_can_be_the_question(column):
    table, target = table_from([{"c": value} for value in column]), encode_classes([0, 1, 0, 0, 1])
    asked = OptimalSettings(max_depth=1, max_cuts=1 if column[0] == 1.0 else None)
    tree, proof = optimal_tree(table, target, None, asked)
    check_tree(tree)
    assert proof.errors == 0
    if asked.max_cuts:  # no tree of CART to start from
        assert tree.kind[0] in (BRANCHES, INTERVALS)


@pytest.mark.parametrize(
    ("n_levels", "told"),
    [(40, "has 40 levels, so 549,755,813,887"), (20_000, r"has 20,000 levels, so 2\^19999 - 1")],
)
def test_too_many_levels_for_all_sets_are_told_with_their_number(n_levels, told):
    with pytest.raises(DataError, match=f"column `id` {told}"):
        check_sets("id", n_levels)
