"""T34 to T37: model files that are cut, damaged or made to do harm, of every kind.

A spoilt file is a `ModelFileError`; where the checksum was made to fit, it may also be another
sound model, which answers rows.
"""

import json
import random
import re
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import treewright as tw
from torture.saved_files import (
    ALL_NAMES,
    Parts,
    content_of,
    for_every_container,
    for_every_kind,
    for_every_text,
    parts_of,
    places_in,
    refused,
    refused_or_sound,
)
from treewright.persistence.container import MAGIC, checksum, gap_after
from treewright.verbs.load import model_from_bytes

pytestmark = pytest.mark.filterwarnings("ignore")  # of the numbers of spoilt models

ODD_VALUES = (
    *(None, True, -(2**63), -1, 0, 1, 3, 2**31, 2**63, 2**70, 0.5, -1e-308, 1e308),
    *("", "x", [], [1], {}, {"x": 1}, {"estimator": ["Popen", {}]}, {"float": "inf"}),
)


def assert_refused_at_every_length(content: bytes) -> None:
    for length in range(len(content)):
        try:
            model_from_bytes(content[:length])
        except tw.ModelFileError:
            continue
        raise AssertionError(f"{length} of {len(content)} bytes were taken for a model")


@for_every_kind
def test_T34_a_file_cut_at_any_byte_is_refused(name):
    assert_refused_at_every_length(content_of(name))


@pytest.mark.large
def test_T34_every_golden_file_cut_at_any_byte_is_refused():
    for name in ALL_NAMES:
        assert_refused_at_every_length(content_of(name))


@for_every_kind
def test_T34_a_cut_file_is_named(name, tmp_path):
    path = tmp_path / "cut.model"
    path.write_bytes(content_of(name)[:-1])
    with pytest.raises(tw.ModelFileError, match=re.escape(str(path))):
        tw.load(path)


@for_every_kind
def test_T34_whatever_is_added_at_the_end_is_noticed(name):
    for added in (b"\n", b" ", b"\0", b"\0" * 64, content_of(name)):
        refused(content_of(name) + added)


@for_every_kind
def test_T35_flipped_inserted_and_lost_bytes_are_noticed(name):
    content, pick = content_of(name), random.Random(name)
    for _ in range(100):
        spoilt = bytearray(content)
        for _ in range(pick.randint(1, 3)):
            at = pick.randrange(len(spoilt))
            spoilt[at : at + pick.randint(0, 2)] = pick.randbytes(pick.randint(0, 2))
        if spoilt != content:
            refused(bytes(spoilt))


Change = Callable[[Parts], Parts]


def value_changes(parts: Parts) -> list[Change]:
    """Ways to put another value into one place of the JSON."""
    return [
        partial(Parts.with_value, path=path, value=value)
        for path in places_in(parts.model)
        for value in ODD_VALUES
    ]


def array_changes(parts: Parts) -> list[Change]:
    """Ways to lose, add, reshape or retype an array, or to give it an odd number."""
    changes: list[Change] = [partial(Parts.with_array, name="more", array=np.zeros(2))]
    for name, array in (parts.arrays or {}).items():
        changes.append(partial(Parts.without_array, name=name))
        changes += [
            partial(Parts.with_array, name=name, array=np.ascontiguousarray(odd))
            for odd in odd_arrays(array)
        ]
    return changes


def odd_arrays(array: np.ndarray) -> Iterator[np.ndarray]:
    yield array[:0]
    yield array[:-1]
    yield np.concatenate([array, array])
    yield array.astype(np.float32) if array.dtype.kind == "f" else array.astype(np.float64)
    yield array[..., None] if array.ndim < 3 else array[0]
    for value in (np.nan, -np.inf, 1e308, -1.0, 0.0, 7.0, 2.0**31, -(2.0**31)):
        for at in sorted({0, array.size // 2, array.size - 1} & set(range(array.size))):
            if array.dtype.kind == "f" or np.isfinite(value):
                other = array.copy()
                with np.errstate(all="ignore"):
                    other.flat[at] = np.array(value).astype(array.dtype)
                yield other


def assert_harmless(name: str, changes: list[Change]) -> None:
    """Files so changed are refused, many of them, or hold a sound model."""
    parts = parts_of(name)
    n_refused = sum(refused_or_sound(name, change(parts).to_bytes()) for change in changes)
    assert n_refused > len(changes) / 4


@for_every_kind
def test_T35_a_changed_value_under_a_right_checksum_does_no_harm(name):
    changes = value_changes(parts_of(name))
    assert_harmless(name, random.Random(name).sample(changes, 50))


@for_every_container
def test_T35_a_changed_array_under_a_right_checksum_does_no_harm(name):
    changes = array_changes(parts_of(name))
    assert_harmless(name, random.Random(name).sample(changes, min(50, len(changes))))


@pytest.mark.large
@pytest.mark.parametrize("name", ALL_NAMES)
def test_T35_no_changed_value_or_array_does_harm(name):
    parts = parts_of(name)
    assert_harmless(name, value_changes(parts))
    if parts.arrays is not None:
        assert_harmless(name, array_changes(parts))


NO_INDEX = (-7, 10**6, 2**31 - 1, 2**31, 2**63, -(2**63))
TEXT_TREES = pytest.mark.parametrize(
    "name", ["c45", "cart", "tree_intervals", "tree_dates_and_grades", "oblique", "rules_of_tree"]
)


@TEXT_TREES
@pytest.mark.parametrize("fact", ["first_child", "n_children", "feature", "missing_child", "kind"])
def test_T36_an_index_out_of_range_names_the_node(name, fact):
    parts = parts_of(name)
    for value in NO_INDEX:
        spoilt = parts.with_value(("tree", "nodes", fact, 0), value)
        assert "node 0" in refused(spoilt.to_bytes())


@TEXT_TREES
def test_T36_an_index_of_one_too_many_names_the_node(name):
    parts = parts_of(name)
    tree = parts.model["tree"]
    for fact, size in {
        "first_child": tree["n_nodes"],
        "n_children": tree["n_nodes"],
        "feature": len(tree["schema"]["columns"]),
        "missing_child": tree["nodes"]["n_children"][0],
    }.items():
        spoilt = parts.with_value(("tree", "nodes", fact, 0), size)
        assert "node 0" in refused(spoilt.to_bytes())


SIZES = {  # what the numbers in an array stay below
    ("kmeans", "labels_"): 3,
    ("kprototypes", "labels_"): 3,
    ("neighbors", "targets_"): 3,
    ("m5", "term_columns_"): 4,
    ("m5", "level_ranks_"): 5,
    ("linear", "hole_columns_"): 4,
    ("candidate_elimination", "specific_"): 3,
    ("random_forest_inductors", "trees.feature"): 4,
    ("isolation_forest", "trees.feature"): 4,
}


@pytest.mark.parametrize(("name", "array"), SIZES, ids="-".join)
def test_T36_one_too_many_is_refused_in_every_array(name, array):
    parts = parts_of(name)
    spoilt = parts.arrays[array].copy()
    assert spoilt.max() < SIZES[name, array]
    spoilt.flat[0] = SIZES[name, array]
    refused(parts.with_array(array, spoilt).to_bytes())


@pytest.mark.parametrize("fact", ["level_code", "level_child"])
def test_T36_a_level_out_of_range_names_the_node(fact):
    for value in (-1, 99, 2**31, 2**63):
        spoilt = parts_of("c45").with_value(("tree", "level", fact, 0), value)
        assert "node" in refused(spoilt.to_bytes())


@TEXT_TREES
def test_T36_a_leaf_with_children_and_an_inner_node_without_are_refused(name):
    parts = parts_of(name)
    leaf = parts.model["tree"]["nodes"]["kind"].index("leaf")
    question = parts.model["tree"]["nodes"]["kind"][0]
    for fact, node, value in (
        ("n_children", leaf, 2),
        ("first_child", leaf, 1),
        ("kind", leaf, question),
        ("kind", 0, "leaf"),
        ("n_children", 0, 0),
        ("n_children", 0, 1),
        ("first_child", 0, 0),
    ):
        spoilt = parts.with_value(("tree", "nodes", fact, node), value)
        assert f"node {node}: " in refused(spoilt.to_bytes()), (fact, value)


ENSEMBLE_INDICES = {  # arrays of places, columns and levels, by the form of the trees
    "random_forest": ("question", "child", "set_words"),
    "random_forest_many_levels": ("question", "child", "set_words"),
    "boosted_three_classes": ("question", "child", "set_words"),
    "random_forest_inductors": ("feature", "first_child", "n_children", "level_code"),
    "isolation_forest": ("feature", "first_child", "n_children", "level_child"),
}


@pytest.mark.parametrize(
    ("name", "array"), [(name, one) for name, arrays in ENSEMBLE_INDICES.items() for one in arrays]
)
def test_T36_an_index_out_of_range_names_tree_and_node(name, array):
    parts = parts_of(name)
    found = parts.arrays[f"trees.{array}"]
    for at in (0, len(found) // 2, len(found) - 1):
        for value in (-9, 2**31 - 7, 2**63 - 7):
            spoilt = found.copy()
            spoilt[at] = np.array(value).astype(found.dtype)
            message = refused(parts.with_array(f"trees.{array}", spoilt).to_bytes())
            assert re.search(r"tree \d+: node (in slot )?\d+: ", message)


PACKED = [
    name for name in ALL_NAMES if parts_of(name).model.get("trees", {}).get("form") == "packed"
]
ORDINARY = ["random_forest_inductors", "random_forest_exact", "isolation_forest"]
LEAF = 2**32 - 1  # what packed trees hold in place of a question
MIDDLE = 1  # the tree that is spoilt: others stand before and after it


def told_of(name: str, changes: dict[tuple[str, int], int]) -> str:
    """The message for a file whose trees hold other numbers at some places."""
    parts = parts_of(name)
    for (array, at), value in changes.items():
        spoilt = parts.arrays[f"trees.{array}"].copy()
        spoilt[at] = value
        parts = parts.with_array(f"trees.{array}", spoilt)
    return refused(parts.to_bytes())


@pytest.mark.parametrize("name", PACKED)
def test_T36_packed_trees_that_do_not_hang_together_name_tree_and_node(name):
    """Children, leaves and columns one too many, and 2^31; a root that is a leaf; a leaf that asks.

    Negative numbers and 2^63 do not fit the type, and another type is refused.
    """
    arrays = parts_of(name).arrays
    question = arrays["trees.question"]
    splits = np.flatnonzero(question[arrays["trees.slot_start"][:-1]] != LEAF)  # roots that ask
    middle = int(splits[len(splits) // 2])
    start, end = arrays["trees.slot_start"][middle : middle + 2].tolist()
    n_leaves = int(np.diff(arrays["trees.leaf_start"])[middle])
    n_columns = len(arrays["trees.column_kind"])
    leaf = start + question[start:end].tolist().index(LEAF)
    changes = [
        {("child", start): value} for value in (0, end - start - 1, end - start, 2**31, LEAF)
    ]
    changes += [{("child", leaf): value} for value in (n_leaves, 2**31, LEAF)]
    changes += [{("question", start): 512 * column} for column in (n_columns, 2**22)]
    changes += [{("question", start): LEAF}, {("question", leaf): int(question[start])}]
    for change in changes:
        assert re.search(rf"tree {middle}: node in slot \d+: ", told_of(name, change)), change


@pytest.mark.parametrize("name", ORDINARY)
def test_T36_trees_of_ensembles_with_an_index_out_of_range_name_tree_and_node(name):
    """Each kind of index below its range, one too many, and at the ends of 32 bits."""
    arrays = parts_of(name).arrays
    n_nodes = arrays["trees.n_nodes"].tolist()
    root, size = n_nodes[0], n_nodes[MIDDLE]
    sizes = {
        "first_child": size,
        "n_children": size,
        "feature": len(parts_of(name).model["schema"]["columns"]),
        "missing_child": int(arrays["trees.n_children"][root]),
    }
    for fact, one_too_many in sizes.items():
        for value in (-(2**31), -3, one_too_many, 2**31 - 1):
            told = told_of(name, {(fact, root): value})
            assert f"tree {MIDDLE}: node 0: " in told, (fact, value)
    last = [*arrays["trees.level_count"].nonzero()[0]][-1]
    for fact in ("level_code", "level_child"):
        for value in (-(2**31), -1, 99, 2**31 - 1):
            told = told_of(name, {(fact, -1): value})
            node = int(last - sum(n_nodes[:-1]))
            assert f"tree {len(n_nodes) - 1}: node {node}: no such" in told, (fact, value)


@pytest.mark.parametrize("name", ORDINARY)
def test_T36_leaves_with_children_and_inner_nodes_without_name_tree_and_node(name):
    arrays = parts_of(name).arrays
    root = int(arrays["trees.n_nodes"][0])
    leaf = root + arrays["trees.kind"][root:].tolist().index(0)
    children = {("n_children", leaf): 2, ("first_child", leaf): 1}
    for change, node in (
        ({("n_children", leaf): 2}, leaf - root),
        (children, leaf - root),
        ({("kind", root): 0}, 0),
        ({("kind", leaf): 1}, leaf - root),
        ({("n_children", root): 0}, 0),
        ({("n_children", root): 0, ("first_child", root): 0}, 0),
        ({("n_children", root): 1}, 0),
    ):
        assert f"tree {MIDDLE}: node {node}: " in told_of(name, change), change


@pytest.mark.parametrize("name", [*PACKED[:2], *ORDINARY])
@pytest.mark.parametrize("value", [-1, 2**31, 2**63])
def test_T36_numbers_that_need_a_larger_type_are_refused_with_their_array(name, value):
    parts = parts_of(name)
    places = ("question", "child") if name in PACKED else ("feature", "first_child", "n_children")
    for array in places:
        wide = parts.arrays[f"trees.{array}"].astype(np.int64 if value < 2**63 else np.uint64)
        wide[0] = value
        assert array in refused(parts.with_array(f"trees.{array}", wide).to_bytes())


OTHER_INDICES = {
    "candidate_elimination": ("specific_", "general_"),
    "find_s": ("specific_",),
    "kmeans": ("labels_",),
    "kprototypes": ("labels_",),
    "linear": ("hole_columns_", "trace_steps_"),
    "m5": ("rank_starts_", "level_ranks_", "term_starts_", "term_columns_", "term_cuts_"),
    "neighbors": ("targets_",),
    "random_forest_quantiles": ("learned.training_leaves_",),
    "boosted_many_levels": ("trees.slot_start", "trees.leaf_start", "trees.levels"),
}


@pytest.mark.parametrize(
    ("name", "array"), [(name, one) for name, arrays in OTHER_INDICES.items() for one in arrays]
)
def test_T36_other_indices_out_of_range_are_refused(name, array):
    parts = parts_of(name)
    found = parts.arrays[array]
    for value in (-9, 10**6, 2**31 - 7, 2**63 - 7):
        spoilt = found.copy()
        spoilt.flat[found.size // 2] = np.array(value).astype(found.dtype)
        refused(parts.with_array(array, spoilt).to_bytes())


@for_every_text
def test_T37_lengths_that_disagree_are_refused(name):
    parts = parts_of(name)
    if "tree" not in parts.model:
        predictions = parts.model["rules"]["answers"][:-1]
        refused(parts.with_value(("rules", "answers"), predictions).to_bytes())
        return
    tree = parts.model["tree"]
    for path, value in {
        ("tree", "nodes", "weight"): [*tree["nodes"]["weight"], 1.0],
        ("tree", "n_nodes"): 2**62,
        ("tree", "classes"): [*(tree["classes"] or []), "one more"],
    }.items():
        refused(parts.with_value(path, value).to_bytes())


def container_with(name: str, path: tuple[Any, ...], value: object) -> bytes:
    """A container whose JSON says something else of the arrays, which stay as they are."""
    content = content_of(name)
    length = int.from_bytes(content[24:32], "little")
    entry = Parts(json.loads(content[64 : 64 + length]), None).with_value(path, value).model
    text = json.dumps(entry).encode()
    text += b" " * gap_after(len(text))
    start = MAGIC + content[16:24] + len(text).to_bytes(8, "little")
    body = text + content[64 + length :]
    return start + checksum(start, body) + body


@for_every_container
def test_T37_sizes_that_a_file_states_are_not_allocated(name):
    tracemalloc.start()
    for value in ([2**62], [2**31, 2**31], [0, 2**62], [-1], [2**62, 0, 1], [1.0], "9"):
        refused(container_with(name, ("arrays", 0, 2), value))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("name", ["random_forest", "boosted_two_classes"])
def test_T37_counts_of_trees_and_classes_are_those_of_the_arrays(name):
    parts = parts_of(name)
    for value in (0, 7, 2**31, 2**62):
        refused(parts.with_value(("trees", "n_values"), value).to_bytes())
    for n_trees in (0, 1, 2**20):
        starts = np.zeros(n_trees + 1, dtype=np.int64)
        refused(parts.with_array("trees.slot_start", starts).to_bytes())
    refused(parts.with_value(("classes",), [*parts.model["classes"], "z"]).to_bytes())
