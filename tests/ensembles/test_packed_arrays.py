"""Packed trees become arrays and come back; arrays that no trees gave are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packed_forests import a_forest, a_table, kinds
from treewright.ensembles.packed import PackedTreeSequence


def read_back(trees, arrays):
    return PackedTreeSequence.from_arrays(arrays, trees.schema, trees.classes, trees.unseen)


@settings(max_examples=20)
@given(kinds, st.integers(0, 1000), st.sampled_from([1, 3]))
def test_arrays_give_the_same_trees_back(kinds, seed, n_classes):
    table = a_table(kinds, seed, 300)
    trees, _ = a_forest(table, seed, n_classes=n_classes, max_leaf_nodes=40)
    arrays = trees.arrays()
    again = read_back(trees, arrays)
    assert np.array_equal(again.leaves(table), trees.leaves(table))
    assert again.nbytes == trees.nbytes
    for name, values in again.arrays().items():
        assert np.array_equal(values, arrays[name]), name


TABLE = a_table(["numbers", "few", "ordered", "wide"], 0, 500)
TREES, _ = a_forest(TABLE, 0, max_leaf_nodes=20, n_trees=2)
ARRAYS = TREES.arrays()


@settings(max_examples=300)
@given(st.data())
def test_a_changed_number_is_refused_or_harmless(data):
    name = data.draw(st.sampled_from(sorted(ARRAYS)))
    values = ARRAYS[name].copy()
    at = data.draw(st.integers(0, len(values) - 1))
    if values.dtype.kind == "f":
        values[at] = data.draw(st.floats(width=values.itemsize * 8))
    else:
        limits = np.iinfo(values.dtype)
        near = st.integers(-3, 3).map(lambda step: int(values[at]) + step)
        any_number = st.integers(int(limits.min), int(limits.max))
        values[at] = np.clip(data.draw(near | any_number), limits.min, limits.max)
    try:
        trees = read_back(TREES, {**ARRAYS, name: values})
    except ValueError:
        return
    shares = trees.mean_shares(TABLE)
    assert np.isfinite(shares).all()
    assert trees[0].n_nodes > 1
    trees.leaves(TABLE[:3])


@settings(max_examples=100)
@given(st.sampled_from(sorted(ARRAYS)), st.integers(0, 5), st.booleans())
def test_arrays_of_other_lengths_are_refused(name, length, longer):
    values = ARRAYS[name]
    changed = np.concatenate([values, values[:1]]) if longer else values[:length]
    if len(changed) == len(values):
        return
    with pytest.raises(ValueError, match=r".+"):
        read_back(TREES, {**ARRAYS, name: changed})


def test_arrays_of_other_types_shapes_and_names_are_refused():
    for name, values in ARRAYS.items():
        with pytest.raises(ValueError, match=name):
            read_back(TREES, {**ARRAYS, name: values.astype(np.complex128)})
        with pytest.raises(ValueError, match=name):
            read_back(TREES, {**ARRAYS, name: values.reshape(-1, 1)})
        with pytest.raises(ValueError, match=name):
            read_back(TREES, {key: value for key, value in ARRAYS.items() if key != name})


def test_levels_that_the_schema_does_not_have_are_refused():
    levels = ARRAYS["levels"].copy()
    levels[-1] = 2**31 - 1
    with pytest.raises(ValueError, match="levels of the schema"):
        read_back(TREES, {**ARRAYS, "levels": levels})


def test_a_leaf_without_weight_is_refused():
    with pytest.raises(ValueError, match="a leaf without weight"):
        read_back(TREES, {**ARRAYS, "value": ARRAYS["value"] * 0})
    with pytest.raises(ValueError, match="finite"):
        read_back(TREES, {**ARRAYS, "value": np.full_like(ARRAYS["value"], np.inf)})


def test_leaves_that_weigh_more_than_any_number_are_refused():
    values, weights = ARRAYS["value"].copy(), ARRAYS["weight"].copy()
    n_classes = len(values) // len(weights)
    values[[0, n_classes]] = 1e308
    weights[:2] = 1e308
    with pytest.raises(ValueError, match="tree 0: value: all leaves together weigh more"):
        read_back(TREES, {**ARRAYS, "value": values})
    with pytest.raises(ValueError, match="tree 0: weight: all leaves together weigh more"):
        read_back(TREES, {**ARRAYS, "weight": weights})
