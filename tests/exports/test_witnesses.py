"""Witnesses reach every leaf, sit on both sides of each cut, and catch a program that is wrong."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from builders import (
    a_chain,
    a_perfect_tree,
    a_stump,
    a_tennis_tree,
    build,
    leaf,
    numeric_schema,
    subset,
    threshold,
)
from exports.export_models import EXPORT_MODELS, fitted
from treewright.data.schema import ColumnSpec, Schema
from treewright.exports.distinguishing import value_between
from treewright.exports.witnesses import (
    thinned,
    unseen_level,
    values_around,
    witnesses,
)
from treewright.single_trees.as_tree import tree_of
from treewright.tree.predict import predict_leaves
from treewright.verbs.export import export, verify_export

GROWN = [name for name in EXPORT_MODELS if "everything" not in name and "chain" not in name]


def leaves_reached(tree: tw.Tree) -> set[int]:
    rows = tree.schema.encode(witnesses(tree), "majority")
    return set(predict_leaves(tree, rows).tolist())


@pytest.mark.parametrize("name", GROWN)
@pytest.mark.filterwarnings("ignore:categories not seen")
def test_every_leaf_with_training_rows_has_a_witness(name):
    tree = tree_of(fitted(name))
    leaves = np.flatnonzero(tree.is_leaf & (tree.weight > 0))
    assert leaves_reached(tree) >= set(leaves.tolist())


def test_a_row_stands_just_below_at_and_just_above_a_threshold():
    values = witnesses(a_stump(at=0.8)).columns[0].values
    around = {math.nextafter(0.8, -math.inf), 0.8, math.nextafter(0.8, math.inf)}
    assert around < set(values[~np.isnan(values)].tolist())


def test_a_missing_value_and_infinities_are_tried():
    values = witnesses(a_stump()).columns[0].values
    assert np.isnan(values).any()
    assert {-math.inf, math.inf} < set(values.tolist())


def test_each_level_a_missing_one_and_an_unseen_one_are_tried():
    table = witnesses(a_tennis_tree())
    for column, n_levels in zip(table.columns, (3, 2, 2), strict=True):
        assert set(column.codes.tolist()) == {-1, *range(n_levels + 1)}
        assert column.levels[-1] == "never seen"


def test_surrogates_are_asked_with_the_values_before_them_missing():
    surrogate = {"kind": 1, "feature": 1, "threshold": 2.0, "flip": 1}
    root = threshold(0, 1.0, leaf(1, 0), leaf(0, 1), surrogates=[surrogate])
    table = witnesses(build(root, numeric_schema("a", "b"), ("no", "yes")))
    first, second = (column.values for column in table.columns)
    beside = second[np.isnan(first)]
    assert {2.0, math.nextafter(2.0, 9), math.nextafter(2.0, -9)} < set(beside.tolist())
    assert np.isnan(beside).any()


def test_rows_below_a_threshold_keep_to_it():
    inner = threshold(0, -5.0, leaf(1, 0), leaf(0, 1))
    tree = build(threshold(0, -4.0, inner, leaf(2, 0)), numeric_schema("x"), ("no", "yes"))
    assert leaves_reached(tree) == {2, 3, 4}


def test_times_are_tried_as_whole_counts():
    schema = Schema((ColumnSpec("day", "numeric", (), "datetime64[D]"),))
    tree = build(threshold(0, 18_321.5, leaf(1, 0), leaf(0, 1)), schema, ("no", "yes"))
    values = witnesses(tree).columns[0].values
    known = values[~np.isnan(values)]
    assert {18_321.0, 18_322.0} <= set(known.tolist())
    assert (known == np.floor(known)).all()


def test_the_same_tree_always_gives_the_same_rows():
    tree = fitted("everything, classes")
    assert witnesses(tree).same_as(witnesses(tree))


@pytest.mark.full
def test_their_number_is_bounded():
    assert len(witnesses(a_perfect_tree(13))) <= 20_000
    assert len(witnesses(a_chain(5000))) <= 400
    assert len(witnesses(a_perfect_tree(6), max_rows=50)) <= 50


# ---------------------------------------------------------------------------- planted mistakes


def is_noticed(tree: tw.Tree, **changed: np.ndarray) -> bool:
    """Whether the witnesses of a tree tell it from a tree with other arrays."""
    wrong = export(replace(tree, **changed), to="python")
    return not verify_export(tree, wrong, to="python")


def changed_at(array: np.ndarray, at: int, value: float) -> np.ndarray:
    changed = array.copy()
    changed[at] = value
    return changed


@pytest.mark.parametrize("to", [-math.inf, math.inf])
@pytest.mark.parametrize("node", range(15))
def test_a_threshold_moved_by_one_step_is_noticed(node, to):
    tree = a_perfect_tree(4)
    moved = math.nextafter(tree.threshold[node], to)
    assert is_noticed(tree, threshold=changed_at(tree.threshold, node, moved))


def a_tree_of_seven_columns() -> tw.Tree:
    """Each node asks a column of its own and sends missing values to the first child."""
    below = [leaf(float(at), weight=1 + at) for at in range(8)]
    for columns in ((3, 4, 5, 6), (1, 2), (0,)):
        pairs = zip(columns, below[::2], below[1::2], strict=True)
        below = [threshold(column, 0.5, left, right) for column, left, right in pairs]
    return build(below[0], numeric_schema(*"abcdefg"), None)


@pytest.mark.parametrize("route", [1, -1, -2])
@pytest.mark.parametrize("node", range(7))
def test_another_route_of_missing_values_is_noticed(node, route):
    tree = a_tree_of_seven_columns()
    assert is_noticed(tree, missing_child=changed_at(tree.missing_child, node, route))


def test_a_level_sent_elsewhere_is_noticed():
    schema = Schema((ColumnSpec("level", "nominal", tuple("abcdef")),))
    sides = {0: 0, 1: 0, 2: 1, 4: 1, 5: 0}
    tree = build(subset(0, sides, leaf(1, 0), leaf(0, 1), missing=-1), schema, ("no", "yes"))
    for entry, side in enumerate(sides.values()):
        assert is_noticed(tree, level_child=changed_at(tree.level_child, entry, 1 - side))


def test_another_treatment_of_unseen_levels_is_noticed():
    tree = a_tennis_tree(unseen="majority")
    for policy in ("missing", "error"):
        wrong = export(replace(tree, unseen=policy), to="python")
        assert not verify_export(tree, wrong, to="python")


@pytest.mark.parametrize("flip", [0, 1])
def test_a_stand_in_turned_round_is_noticed(flip):
    surrogate = {"kind": 1, "feature": 1, "threshold": 2.0, "flip": flip}
    root = threshold(0, 1.0, leaf(1, 0), leaf(0, 1), surrogates=[surrogate], missing=-1)
    tree = build(root, numeric_schema("a", "b"), ("no", "yes"))
    assert is_noticed(tree, surrogate_flip=changed_at(tree.surrogate_flip, 0, 1 - flip))


# ---------------------------------------------------------------------------- parts


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.booleans())
def test_a_value_between_two_bounds_is_between_them(low, high, is_whole):
    value = value_between(low, high, is_whole=is_whole)
    if value is None:
        assert not low < high or is_whole
    else:
        assert low < value <= high
        assert not is_whole or value == math.floor(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_values_around_a_cut_are_on_both_sides(cut):
    values = list(values_around((cut,), is_whole=False))
    assert min(values) < cut < max(values)
    assert cut in values


@given(st.lists(st.integers()), st.integers(0, 20))
def test_thinning_keeps_order_and_bound(items, most):
    kept = thinned(items, most)
    assert len(kept) <= max(most, 0) or kept == items
    rest = iter(items)
    assert all(any(item is other for other in rest) for item in kept)


def test_an_unseen_level_has_the_type_of_the_others():
    assert unseen_level(ColumnSpec("c", "nominal", ("never seen", "b"))) == "never seen!"
    assert unseen_level(ColumnSpec("c", "nominal", (3, 7))) == 8
    assert unseen_level(ColumnSpec("c", "nominal", (True,))) is False
    assert unseen_level(ColumnSpec("c", "nominal", (True, False))) is None
    assert unseen_level(ColumnSpec("c", "numeric")) is None
