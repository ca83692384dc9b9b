"""The compiled predictor against the plain one, and what callers may hand it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from reference.predict_reference import reference_leaves, reference_values
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.tree.layout import SPREAD, STOP
from treewright.tree.predict import predict_leaves, predict_values, predicted_classes

seeds = st.integers(0, 2**32 - 1)


def numeric_rows(rng, n_columns, n_rows=40):
    X = rng.normal(size=(n_rows, n_columns)).round(1)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


@pytest.mark.parametrize("n_threads", [1, 3])
@given(seed=seeds, n_splits=st.integers(0, 25), is_classifier=st.booleans())
def test_every_node_kind_predicts_as_the_reference_says(seed, n_splits, is_classifier, n_threads):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=n_splits, is_classifier=is_classifier)
    table = builders.a_random_table(rng, schema, n_rows=30)
    np.testing.assert_array_equal(
        predict_values(tree, table, n_threads), reference_values(tree, table)
    )
    assert predict_leaves(tree, table, n_threads).tolist() == reference_leaves(tree, table)


@pytest.mark.parametrize("n_more_columns", [0, 70])
@given(seed=seeds, n_splits=st.integers(1, 25))
def test_numbers_and_nominal_columns_predict_as_the_reference_says(seed, n_splits, n_more_columns):
    rng = np.random.default_rng(seed)
    columns = builders.a_mixed_schema(rng).columns
    further = tuple(ColumnSpec(f"more {i}", "numeric") for i in range(n_more_columns))
    schema = Schema(columns + further)
    tree = builders.a_random_tree(rng, schema, n_splits=n_splits, only_numbers=True)
    table = builders.a_random_table(rng, schema, n_rows=30)
    np.testing.assert_array_equal(predict_values(tree, table), reference_values(tree, table))
    assert predict_leaves(tree, table).tolist() == reference_leaves(tree, table)


@given(seed=seeds, dtype=st.sampled_from([np.float32, np.float64]))
def test_layout_of_a_matrix_does_not_matter(seed, dtype):
    rng = np.random.default_rng(seed)
    schema = builders.numeric_schema("a", "b", "c", "d")
    tree = builders.a_random_tree(rng, schema, n_splits=15)
    X = numeric_rows(rng, 4).astype(dtype)
    expected = reference_values(tree, Table.of_matrix(X, schema.names))
    read_only = X.copy()
    read_only.flags.writeable = False
    layouts = [
        X,
        np.asfortranarray(X),
        X[::-1, ::-1].copy()[::-1, ::-1],
        np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        X.T.copy().T,
        read_only,
        Table.of_matrix(X, schema.names),
    ]
    for layout in layouts:
        np.testing.assert_array_equal(predict_values(tree, layout), expected)


@pytest.mark.parametrize("n_rows", [0, 1, 255, 256, 257, 4096, 4097, 20_000])
def test_any_number_of_rows_on_any_number_of_threads(n_rows):
    rng = np.random.default_rng(n_rows)
    tree = builders.a_random_tree(rng, builders.numeric_schema("a", "b", "c"), n_splits=40)
    X = numeric_rows(rng, 3, n_rows)
    some = rng.permutation(n_rows)[:50]
    alone = predict_values(tree, X, 1)
    np.testing.assert_array_equal(predict_values(tree, X, 3), alone)
    np.testing.assert_array_equal(predict_leaves(tree, X, 3), predict_leaves(tree, X, 1))
    np.testing.assert_array_equal(alone[some], reference_values(tree, Table.of_matrix(X[some])))


def test_float32_values_are_compared_without_rounding_the_threshold():
    tree = builders.a_stump(at=0.1)  # float32(0.1) is larger than 0.1
    assert predict_leaves(tree, np.array([[0.1]], dtype=np.float32)).tolist() == [2]
    assert predict_leaves(tree, np.array([[0.1]])).tolist() == [1]


def test_a_missing_value_that_stops_is_predicted_by_the_node_itself():
    tree = builders.a_stump(missing=STOP)
    assert predict_leaves(tree, np.array([[np.nan]])).tolist() == [0]
    np.testing.assert_allclose(predict_values(tree, np.array([[np.nan]])), [[51 / 150, 99 / 150]])


def test_a_missing_value_is_spread_by_training_weight():
    tree = builders.a_stump(missing=SPREAD)
    shares = predict_values(tree, np.array([[np.nan]]))
    np.testing.assert_allclose(shares, [[50 / 150 + 100 / 150 * 0.01, 100 / 150 * 0.99]])
    assert predict_leaves(tree, np.array([[np.nan]])).tolist() == [2]


def test_a_chain_of_100_000_nodes_is_walked():
    tree = builders.a_chain(50_000)
    assert tree.n_nodes == 100_001
    rows = np.array([[1.0], [50_000.0], [50_001.0], [25_000.5]])
    assert tree.node_depth[predict_leaves(tree, rows)].tolist() == [1, 50_000, 50_000, 25_001]
    spread = builders.a_chain(3)
    assert spread.path_of(rows, 2) == (0, 2, 4, 6)
    assert spread.path_of(rows, -4) == (0, 1)


@pytest.mark.parametrize("depth", [1, 15, 16, 18])
def test_trees_with_more_nodes_than_16_bits_can_count(depth):
    tree = builders.a_perfect_tree(depth)
    rows = np.random.default_rng(0).integers(0, 2**depth, size=10_000)
    np.testing.assert_array_equal(predict_values(tree, rows[:, np.newaxis] + 1.0)[:, 0], rows)
    assert tree.n_leaves == 2**depth
    assert tree.depth == depth


def test_other_number_types_are_converted():
    tree = builders.a_stump(at=0.5)
    for dtype in (np.int8, np.int64, np.float16, np.bool_, ">f8"):
        assert predict_leaves(tree, np.array([[0], [1]]).astype(dtype)).tolist() == [1, 2]


@pytest.mark.parametrize(
    "rows", [np.zeros((2, 3)), np.zeros(3), [np.zeros(2)] * 2, [np.zeros(2, dtype=np.int32)]]
)
def test_rows_of_another_shape_or_type_are_refused_by_the_kernel(rows):
    with pytest.raises(ValueError, match="X: "):
        builders.a_stump().predictor.values(rows)


def test_the_predictor_does_not_travel_with_a_pickled_tree():
    import pickle

    tree = builders.a_tennis_tree()
    before = len(pickle.dumps(tree))
    predict_values(tree, builders.a_random_table(np.random.default_rng(0), tree.schema, 3))
    assert len(pickle.dumps(tree)) == before
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.same_as(tree)
    assert not copy.value.flags.writeable


def test_the_cheapest_class_is_chosen_and_the_first_on_ties():
    costs = np.array([[0.0, 1.0], [2.0, 0.0]])
    tree = builders.a_tennis_tree(costs=costs)
    shares = np.array([[0.7, 0.3], [2 / 3, 1 / 3], [0.5, 0.5]])
    assert predicted_classes(tree, shares).tolist() == [0, 0, 1]
    assert predicted_classes(builders.a_tennis_tree(), shares).tolist() == [0, 0, 0]
