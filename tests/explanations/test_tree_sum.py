"""Shapley values against their definition, on trees of every kind of question and missing route."""

import signal
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
import treewright as tw
from reference.predict_reference import node_predictions, records
from reference.shap_reference import (
    game_against,
    game_by_weight,
    shapley_pairs,
    shapley_values,
)
from treewright.explanations.tree_sum import TreeSum, own_predictions
from treewright.tree.predict import predict_values
from watched import SLOWER

seeds = st.integers(0, 2**32 - 1)


def sum_of(*trees, **more):
    tree = trees[0]
    outputs = tree.classes or ("prediction",)
    start = more.pop("start", np.zeros(len(outputs)))
    return TreeSum(tree.schema, trees, outputs, "predictions", start, **more)


def a_case(seed, n_splits, *, is_classifier, n_rows=3):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=n_splits, is_classifier=is_classifier)
    return tree, builders.a_random_table(rng, schema, n_rows)


@settings(max_examples=30)
@given(seed=seeds, n_splits=st.integers(0, 8), is_classifier=st.booleans())
def test_values_by_weight_are_those_of_the_definition(seed, n_splits, is_classifier):
    tree, table = a_case(seed, n_splits, is_classifier=is_classifier)
    model = sum_of(tree)
    base, values = model.by_weight(table)
    for row, record in enumerate(records(table)):
        game = game_by_weight(tree, node_predictions(tree), record)
        defined = shapley_values(game, tree.schema.n_columns)
        np.testing.assert_allclose(values[row], defined, rtol=0, atol=1e-12)
        np.testing.assert_allclose(base, game(frozenset()), rtol=0, atol=1e-12)


@settings(max_examples=25)
@given(seed=seeds, n_splits=st.integers(0, 8), is_classifier=st.booleans())
def test_values_against_a_background_are_those_of_the_definition(seed, n_splits, is_classifier):
    tree, table = a_case(seed, n_splits, is_classifier=is_classifier, n_rows=6)
    rows, others = table[:2], table[2:]
    values = sum_of(tree).against(rows, others)
    for row, record in enumerate(records(rows)):
        game = game_against(tree, node_predictions(tree), record, records(others))
        defined = shapley_values(game, tree.schema.n_columns)
        np.testing.assert_allclose(values[row], defined, rtol=0, atol=1e-12)


@settings(max_examples=25)
@given(seed=seeds, n_splits=st.integers(0, 8))
def test_rows_without_holes_and_nodes_of_one_column_are_no_exception(seed, n_splits):
    rng = np.random.default_rng(seed)
    schema = builders.numeric_schema("a", "b", "c", "d")
    tree = builders.a_random_tree(rng, schema, n_splits=n_splits, only_numbers=True)
    X = rng.normal(size=(20, 4)).round(1)
    rows = [tuple(row) for row in X.tolist()]
    by_weight, against = sum_of(tree).by_weight(X)[1], sum_of(tree).against(X, X[:9])
    for row in (0, 13):
        game = game_by_weight(tree, node_predictions(tree), rows[row])
        np.testing.assert_allclose(by_weight[row], shapley_values(game, 4), rtol=0, atol=1e-12)
        game = game_against(tree, node_predictions(tree), rows[row], rows[:9])
        np.testing.assert_allclose(against[row], shapley_values(game, 4), rtol=0, atol=1e-12)


@settings(max_examples=20)
@given(seed=seeds, n_splits=st.integers(0, 8))
def test_interactions_are_those_of_the_definition(seed, n_splits):
    tree, table = a_case(seed, n_splits, is_classifier=True, n_rows=2)
    pairs = sum_of(tree).pairs(table)
    for row, record in enumerate(records(table)):
        game = game_by_weight(tree, node_predictions(tree), record)
        defined = shapley_pairs(game, tree.schema.n_columns)
        np.testing.assert_allclose(pairs[row], defined, rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(seed=seeds, n_splits=st.integers(0, 40), is_classifier=st.booleans())
def test_values_add_up_to_the_prediction(seed, n_splits, is_classifier):
    tree, table = a_case(seed, n_splits, is_classifier=is_classifier, n_rows=12)
    model, predictions = sum_of(tree), predict_values(tree, table)
    base, values = model.by_weight(table)
    added_up = base + values.sum(axis=1)
    np.testing.assert_allclose(added_up, predictions, rtol=0, atol=1e-12)
    others = table[:5]
    added_up = predict_values(tree, others).mean(axis=0) + model.against(table, others).sum(axis=1)
    np.testing.assert_allclose(added_up, predictions, rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(seed=seeds)
def test_the_number_of_threads_changes_no_bit(seed):
    tree, table = a_case(seed, 15, is_classifier=True, n_rows=60)
    model = sum_of(tree)
    for values_of in (
        lambda n: model.by_weight(table, n)[1],
        lambda n: model.against(table, table[:7], n),
        lambda n: model.pairs(table[:20], n),
    ):
        assert values_of(1).tobytes() == values_of(3).tobytes()


@settings(max_examples=30)
@given(seed=seeds, n_splits=st.integers(0, 40), is_classifier=st.booleans())
def test_a_row_alone_has_the_same_digits_as_among_others(seed, n_splits, is_classifier):
    tree, table = a_case(seed, n_splits, is_classifier=is_classifier, n_rows=12)
    model = sum_of(tree)
    _, together = model.by_weight(table)
    alone = [model.by_weight(table[at : at + 1])[1] for at in range(len(table))]
    assert together.tobytes() == np.concatenate(alone).tobytes()


@pytest.mark.parametrize("model_class", [tw.RandomForestClassifier, tw.BoostedTreesRegressor])
def test_a_row_alone_has_the_same_digits_in_an_ensemble(model_class):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 8)).round(1)
    y = (X[:, 0] * X[:, 1] + rng.normal(size=500) > 0).astype(int)
    model = model_class(n_estimators=5).fit(X, y)
    together = tw.shap_values(model, X[:20])
    alone = [tw.shap_values(model, X[at : at + 1]) for at in range(20)]
    assert together.values.tobytes() == b"".join(one.values.tobytes() for one in alone)
    assert together.base_values[:1].tobytes() == alone[0].base_values.tobytes()


@settings(max_examples=30)
@given(seed=seeds)
def test_trees_that_take_turns_predict_one_output_each(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    trees = [builders.a_random_tree(rng, schema, is_classifier=False) for _ in range(4)]
    table = builders.a_random_table(rng, schema, 5)
    start = np.array([0.5, -1.0])
    model = TreeSum(schema, trees, ("a", "b"), "scores", start, takes_turns=True)
    each = [sum_of(tree) for tree in trees]
    first, second = (each[k].by_weight(table)[1] + each[k + 2].by_weight(table)[1] for k in (0, 1))
    expected = np.concatenate([first, second], axis=2)
    np.testing.assert_allclose(model.by_weight(table)[1], expected, rtol=0, atol=1e-12)
    base, values = model.by_weight(table)
    added_up = base + values.sum(axis=1)
    np.testing.assert_allclose(added_up, model.values(table), rtol=0, atol=1e-12)


def test_deep_paths_over_many_columns_lose_no_digits():
    n_columns = 120
    below = builders.leaf(1.0, weight=1)
    for column in range(n_columns):
        below = builders.threshold(column, 0.0, below, builders.leaf(float(column), weight=1))
    schema = builders.numeric_schema(*(f"x{i}" for i in range(n_columns)))
    tree = builders.build(below, schema, None)
    X = np.full((1, n_columns), -1.0)
    model = sum_of(tree)
    base, values = model.by_weight(X)
    added_up = base + values.sum(axis=1)
    np.testing.assert_allclose(added_up, [[1.0]], rtol=0, atol=1e-11)
    others = np.random.default_rng(0).normal(size=(6, n_columns))
    base = predict_values(tree, others).mean()
    added_up = base + model.against(X, others).sum(axis=1)
    np.testing.assert_allclose(added_up, [[1.0]], rtol=0, atol=1e-11)


def test_a_chain_of_many_nodes_is_walked_without_recursion():
    tree = builders.a_chain(20_000)
    model, X = sum_of(tree), np.array([[10.0], [30_000.0]])
    base, values = model.by_weight(X)
    added_up = base + values.sum(axis=1)
    np.testing.assert_allclose(added_up, predict_values(tree, X), rtol=0, atol=1e-9)


def test_a_column_that_nobody_asks_gets_nothing():
    rng = np.random.default_rng(0)
    schema = builders.numeric_schema("a", "b")
    tree = builders.build(
        builders.threshold(0, 0.0, builders.leaf(1, 0), builders.leaf(0, 1)), schema, ("n", "y")
    )
    X = rng.normal(size=(9, 2))
    assert not sum_of(tree).by_weight(X)[1][:, 1].any()
    assert not sum_of(tree).against(X, X)[:, 1].any()


@pytest.mark.parametrize("against_others", [False, True])
def test_an_interrupt_is_heard(against_others):
    rng = np.random.default_rng(0)
    tree = builders.a_random_tree(rng, builders.numeric_schema(*"abcdefgh"), n_splits=3000)
    X, model = rng.normal(size=(4000, 8)), sum_of(tree)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    begin = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            model.against(X, X) if against_others else model.by_weight(X)[1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begin < 5 * SLOWER  # the machine may be busy


def test_arrays_of_another_shape_are_refused():
    from treewright._kernels.shap import ShapTree

    tree = builders.a_stump()
    arranged = ShapTree(tree, own_predictions(tree), np.array([-1], dtype=np.int32))
    with pytest.raises(ValueError, match="out"):
        arranged.add_by_weight(np.zeros((3, 1)), np.zeros((2, 1, 2)))
    with pytest.raises(ValueError, match="background"):
        arranged.add_against(np.zeros((3, 1)), np.zeros((0, 1)), np.zeros((3, 1, 2)))
