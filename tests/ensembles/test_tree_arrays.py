"""Trees survive as long arrays, and arrays that are no trees are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.ensembles.tree_arrays import arrays_of, trees_from
from treewright.errors import ModelFileError
from treewright.tree.as_json import tree_to_json
from treewright.tree.predict import predict_values

SIZE = np.arange(40.0)
X = {
    "color": [*(["red", "blue", "red", "green"] * 10)[:39], None],
    "size": np.where(SIZE % 7 == 0, np.nan, SIZE),
    "mark": ["p", "q"] * 20,
}
Y = np.where((np.arange(40) % 5 < 2) ^ (np.arange(40) > 20), "no", "yes")


def some_trees():
    """Trees of all kinds over one table: branches, subsets, surrogates, prices, intervals."""
    models = [
        tw.C45Classifier(),
        tw.CARTClassifier(prune=None),
        tw.CARTClassifier(prune=None, costs=[[0, 3], [1, 0]], max_depth=2),
        tw.TreeClassifier(numeric="intervals", handle_unknown="majority"),
        tw.TreeClassifier(max_depth=1),
    ]
    return [model.fit(X, Y).tree_ for model in models]


TREES = some_trees()


def test_trees_of_all_kinds_come_back():
    found = trees_from(arrays_of(TREES), TREES[0].schema, TREES[0].classes)
    assert [tree_to_json(tree) for tree in found] == [tree_to_json(tree) for tree in TREES]


def test_trees_that_predict_numbers_come_back():
    trees = [tw.CARTRegressor(prune=None, max_depth=depth).fit(X, SIZE).tree_ for depth in (1, 3)]
    found = trees_from(arrays_of(trees), trees[0].schema, None)
    assert [tree_to_json(tree) for tree in found] == [tree_to_json(tree) for tree in trees]


def test_groups_that_no_tree_uses_are_left_out():
    trees = [tw.TreeRegressor(max_depth=1).fit({"size": SIZE}, SIZE).tree_]
    assert not {"level_count", "surrogate_count", "term_count"} & set(arrays_of(trees))


@pytest.mark.parametrize("name", sorted(arrays_of(TREES)))
def test_no_array_may_be_missing_or_of_another_type_or_length(name):
    arrays = arrays_of(TREES)
    array = arrays.pop(name)
    spoilt = [arrays, {**arrays, name: array[:-1]}, {**arrays, name: array.astype(np.float32)}]
    for found in spoilt:
        with pytest.raises(ModelFileError):
            trees_from(found, TREES[0].schema, TREES[0].classes)


def test_arrays_that_nobody_knows_are_refused():
    with pytest.raises(ModelFileError, match="`extra`"):
        trees_from({**arrays_of(TREES), "extra": SIZE}, TREES[0].schema, TREES[0].classes)


@pytest.mark.parametrize("count", [-1, 2**40 + 1])
@pytest.mark.parametrize("name", [name for name in arrays_of(TREES) if name.endswith("_count")])
def test_one_count_that_cannot_be_right_is_enough(name, count):
    arrays = arrays_of(TREES)
    arrays[name] = arrays[name].copy()
    arrays[name][1] = count
    with pytest.raises(ModelFileError, match=f"`{name}` cannot be right"):
        trees_from(arrays, TREES[0].schema, TREES[0].classes)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_changed_numbers_make_other_sound_trees_or_are_refused(data):
    arrays = {name: array.copy() for name, array in arrays_of(TREES).items()}
    name = data.draw(st.sampled_from(sorted(arrays)))
    flat = arrays[name].reshape(-1)
    at = data.draw(st.integers(0, len(flat) - 1))
    if flat.dtype.kind == "f":
        flat[at] = data.draw(st.floats())
    else:
        info = np.iinfo(flat.dtype)
        near = st.integers(max(info.min, int(flat[at]) - 3), min(info.max, int(flat[at]) + 3))
        flat[at] = data.draw(near | st.integers(int(info.min), int(info.max)))
    try:
        found = trees_from(arrays, TREES[0].schema, TREES[0].classes)
    except ModelFileError:
        return
    table = found[0].schema.encode(tw.table_from(X), "missing")
    for tree in found:
        assert predict_values(tree, table).shape == (40, 2)
        assert str(tree)
