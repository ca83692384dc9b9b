"""Trees in files: there and back, and nothing else."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError, TreewrightError
from treewright.tree.as_json import tree_from_json, tree_to_json
from treewright.tree.layout import KIND_NAMES
from treewright.tree.predict import predict_leaves, predict_values


def text_of(tree):
    return json.dumps(tree_to_json(tree), allow_nan=False)


def some_json():
    return copy.deepcopy(SOME_JSON)


def json_with_everything():
    rng = np.random.default_rng(7)
    return tree_to_json(builders.a_random_tree(rng, builders.a_mixed_schema(rng), n_splits=20))


SOME_JSON = json_with_everything()


@given(seed=st.integers(0, 2**32 - 1), is_classifier=st.booleans())
def test_a_tree_comes_back_as_it_was(seed, is_classifier):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, is_classifier=is_classifier)
    text = text_of(tree)
    again = tree_from_json(json.loads(text))
    assert again.same_as(tree)
    assert text_of(again) == text
    table = builders.a_random_table(rng, schema, 10)
    np.testing.assert_array_equal(predict_values(again, table), predict_values(tree, table))


def test_costs_factors_and_policies_come_back():
    tree = builders.a_tennis_tree(
        costs=np.array([[0.0, 0.1], [7.0, 0.0]]),
        class_factor=np.array([0.5, 1 / 3]),
        unseen="error",
    )
    assert tree_from_json(json.loads(text_of(tree))).same_as(tree)


@pytest.mark.parametrize("classes", [(False, True), (1, 2), (0.5, 1.5), ("a", "b"), (2**70, -1)])
def test_classes_keep_their_type(classes):
    root = builders.threshold(0, 0.5, builders.leaf(1, 0), builders.leaf(0, 1))
    tree = builders.build(root, builders.numeric_schema("x"), classes)
    again = tree_from_json(json.loads(text_of(tree)))
    assert again.classes == classes
    assert list(map(type, again.classes)) == list(map(type, classes))


def test_classes_that_no_file_can_hold_are_refused_on_saving():
    root = builders.threshold(0, 0.5, builders.leaf(1, 0), builders.leaf(0, 1))
    tree = builders.build(root, builders.numeric_schema("x"), ((1, 2), (3, 4)))
    with pytest.raises(TreewrightError, match="tuple"):
        tree_to_json(tree)


def test_the_file_speaks_in_words():
    data = tree_to_json(builders.a_tennis_tree())
    assert data["nodes"]["kind"][:3] == ["branches", "branches", "leaf"]
    assert data["nodes"]["stop_reason"][:3] == ["", "", "pure"]
    assert data["level"]["node"] == [0, 0, 0, 1, 1, 3, 3]
    assert data["surrogate"] == {name: [] for name in data["surrogate"]}


@pytest.mark.parametrize(
    "name",
    ["", " ", "größe", "体重", "🌳", "[a]<b>", '"', "\\", "a\nb\t", "n" * 10_000, "nan", "1"],
)
def test_any_name_survives(name):
    schema = Schema((ColumnSpec(name, "nominal", (name, name + "!")),))
    root = builders.branches(0, {0: 0, 1: 1}, builders.leaf(1, 0), builders.leaf(0, 1))
    tree = builders.build(root, schema, (name, name + "?"))
    assert tree_from_json(json.loads(text_of(tree))).same_as(tree)


@pytest.mark.full
def test_a_chain_of_100_000_nodes_comes_back():
    tree = builders.a_chain(50_000)
    assert tree_from_json(json.loads(text_of(tree))).same_as(tree)


# ---------------------------------------------------------------------------- damaged files


def damaged(change):
    data = some_json()
    change(data)
    return data


def put(*path_and_value):
    *path, key, value = path_and_value

    def change(data):
        for step in path:
            data = data[step]
        data[key] = value

    return change


NODE_LISTS = sorted(some_json()["nodes"])
BAD_NUMBERS = ["3", None, True, [], {}, float("nan"), float("inf"), -float("inf"), 2**63, -(2**63)]


@pytest.mark.parametrize("name", NODE_LISTS)
@pytest.mark.parametrize("value", [*BAD_NUMBERS, 10**400], ids=repr)
def test_no_list_takes_a_value_of_another_type(name, value):
    bad_value = [value] * len(some_json()["classes"]) if name == "value" else value
    with pytest.raises(ModelFileError, match="node 3"):
        tree_from_json(damaged(put("nodes", name, 3, bad_value)))


@pytest.mark.parametrize(
    "group", ["level", "cut", "term", "surrogate", "surrogate_level", "competitor"]
)
@pytest.mark.parametrize("value", [*BAD_NUMBERS, 10**400], ids=repr)
def test_no_side_list_takes_a_value_of_another_type(group, value):
    for name, entries in some_json()[group].items():
        assert entries, "the sample has some of everything"
        with pytest.raises(ModelFileError, match=r"node \d+|surrogate \d+|belongs to"):
            tree_from_json(damaged(put(group, name, 0, value)))


def test_keys_are_a_closed_set():
    for path in ([], ["nodes"], ["level"], ["schema"], ["competitor"]):
        data = some_json()
        target = data
        for step in path:
            target = target[step]
        for key in list(target):
            kept = target.pop(key)
            with pytest.raises(ModelFileError, match=key):
                tree_from_json(data)
            target[key] = kept
        target["extra"] = 1
        with pytest.raises(ModelFileError, match="extra"):
            tree_from_json(data)


@pytest.mark.parametrize("n_nodes", [0, -1, 2**62, "7", None, True, 7.0, 10**400])
def test_a_declared_number_of_nodes_must_be_right(n_nodes):
    with pytest.raises(ModelFileError, match="entries, not"):
        tree_from_json(damaged(put("n_nodes", n_nodes)))


@pytest.mark.parametrize("data", [None, [], "tree", 3, {}, {"nodes": {}}])
def test_something_else_is_no_tree(data):
    with pytest.raises(ModelFileError, match="tree"):
        tree_from_json(data)


@pytest.mark.parametrize("key", ["classes", "class_factor", "costs", "unseen", "nodes", "level"])
@pytest.mark.parametrize("value", ["x", 3, True, [], {}, [[]], [None], ["a", "a"], [1.5]], ids=repr)
def test_no_part_takes_something_else(key, value):
    with pytest.raises(ModelFileError):
        tree_from_json(damaged(put(key, value)))


@given(seed=st.integers(0, 2**32 - 1))
def test_whatever_passes_the_check_can_be_predicted_and_printed(seed):
    """Numbers changed at random: an error, or a tree that is safe to use."""
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=6)
    data = tree_to_json(tree)
    parts = ["nodes", "level", "cut", "term", "surrogate", "surrogate_level", "competitor"]
    for _ in range(int(rng.integers(1, 4))):
        part = data[str(rng.choice(parts))]
        entries = part[str(rng.choice(list(part)))]
        if entries:
            at = int(rng.integers(len(entries)))
            entries[at] = odd_value(rng, entries[at])
    try:
        changed = tree_from_json(data)
    except ModelFileError:
        return
    table = builders.a_random_table(rng, schema, 20)
    assert np.isfinite(predict_values(changed, table)).all()
    assert (predict_leaves(changed, table) < changed.n_nodes).all()
    assert str(changed)
    assert [str(node) for node in changed.nodes()]


def odd_value(rng, value):
    """Another value of the same type, near or far."""
    if isinstance(value, list):
        return [odd_value(rng, item) for item in value]
    if isinstance(value, str):
        return str(rng.choice([*KIND_NAMES, "", "pure", "odd"]))
    if isinstance(value, float):
        return float(rng.choice([value + 1, -value, 0.0, 1e300, -1e-300, 5e-324]))
    return int(
        rng.choice([value + 1, value - 1, 0, -1, -2, 1, 2, 3, 7, 300, 2**31 - 1, 2**31, -(2**31)])
    )
