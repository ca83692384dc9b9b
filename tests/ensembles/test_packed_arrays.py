"""Packed trees become arrays and come back; arrays that no trees gave are refused."""

import itertools
import sys

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


@pytest.mark.parametrize("kind", ["few", "wide"])
def test_sets_of_levels_may_reach_to_the_last_word(kind):
    trees, _ = a_forest(a_table([kind], 0, 2000), 0, n_trees=20, max_leaf_nodes=8)
    arrays = trees.arrays()
    again = read_back(trees, arrays)
    assert np.array_equal(again.arrays()["set_words"], arrays["set_words"])


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
    with pytest.raises(ValueError, match="arrays that belong to nothing"):
        read_back(TREES, {**ARRAYS, "gains": ARRAYS["gain"]})


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


LEAF = 2**32 - 1  # the question of a leaf
NUMBERS, FEW, ORDERED, WIDE = range(4)  # the columns of TABLE


def slots_asking(column):
    """The inner nodes of the first tree that ask a column, from the root on."""
    is_set = {0: False}
    for slot in range(int(ARRAYS["slot_start"][1])):
        question, child = int(ARRAYS["question"][slot]), int(ARRAYS["child"][slot])
        if is_set[slot] or question == LEAF:
            continue
        is_nominal = question >> 9 in (FEW, WIDE)
        is_set |= {child: False, child + 1: False} | ({child - 1: True} if is_nominal else {})
        if question >> 9 == column:
            yield slot


def first_set_of(column):
    """The slot that says where a set begins, and the first of its words."""
    slot = int(ARRAYS["child"][next(slots_asking(column))]) - 1
    return slot, int(ARRAYS["question"][slot])


CUT, RANK, SET = (next(slots_asking(column)) for column in (NUMBERS, ORDERED, FEW))
EARLIER, LATER = next(
    (one, other)
    for one, other in itertools.combinations(slots_asking(NUMBERS), 2)
    if other < ARRAYS["child"][one]
)
LEAVES = np.flatnonzero(ARRAYS["question"] == LEAF)
FEW_SLOT, FEW_WORDS = first_set_of(FEW)
WIDE_SLOT, WIDE_WORDS = first_set_of(WIDE)
N_SLOTS, N_LEAVES, N_SET_WORDS = (
    int(ARRAYS[name][1]) for name in ("slot_start", "leaf_start", "set_start")
)
TWO_PARENTS = "a node with two parents"
AFTER_PARENT = "children come after their parent"
AFTER_END = "a set goes on after the end"
RANKS = ORDERED << 9  # a question that sends holes right


@pytest.mark.parametrize(
    ("name", "at", "number", "words"),
    [
        ("column_kind", NUMBERS, 3, "no such kind"),
        ("column_kind", NUMBERS, 1, "not that of the schema"),
        ("column_kind", FEW, 0, "not that of the schema"),
        ("has_missing", NUMBERS, 2, "neither 0 nor 1"),
        ("cuts", 1, ARRAYS["cuts"][0], "must ascend"),
        ("cuts", 0, np.nan, "cuts: must be finite"),
        ("cuts", 0, -np.inf, "cuts: must be finite"),
        ("levels", 1, ARRAYS["levels"][0], "levels: must ascend"),
        ("levels", 2, 3, "levels of the schema"),
        ("levels", 0, -1, "levels of the schema"),
        *(
            (name, at, number, f"{name}: not the starts")
            for name in ("slot_start", "leaf_start", "set_start", "cut_start", "level_start")
            for at, number in ((0, 1), (-1, ARRAYS[name][-1] - 1), (1, ARRAYS[name][-1] + 1))
        ),
        ("child", CUT, CUT, AFTER_PARENT),
        ("child", CUT, N_SLOTS - 1, AFTER_PARENT),
        ("child", SET, SET + 1, AFTER_PARENT),
        ("child", LATER, ARRAYS["child"][EARLIER], TWO_PARENTS),
        ("child", LEAVES[0], N_LEAVES, "each once"),
        ("child", LEAVES[0], ARRAYS["child"][LEAVES[1]], "each once"),
        ("question", CUT, 4 << 9, "no such column"),
        ("question", RANK, RANKS | 1 << 8 | 4, "no such cut"),
        ("question", RANK, RANKS | 5, "no such cut"),
        ("question", FEW_SLOT, N_SET_WORDS, "a set that is not there"),
        ("question", FEW_SLOT, N_SET_WORDS - 1, AFTER_END),
        ("set_words", FEW_WORDS + 1, 0, "a level goes left that was not met"),
        ("set_words", FEW_WORDS + 1, 15, "no such level"),
        ("set_words", WIDE_WORDS, 401, AFTER_END),
        ("set_words", WIDE_WORDS, 2 * N_SET_WORDS, AFTER_END),
        ("set_words", WIDE_WORDS + 1, 400 << 1, "no such level"),
        ("set_words", WIDE_WORDS + 1, 7 << 33 | 7 << 1, "levels must ascend"),
        ("gain", 0, np.inf, "gain: numbers must be finite"),
        ("weight", 0, np.inf, "weight: numbers must be finite"),
        ("weight", 0, -1.0, "weight: numbers must be finite and not below 0"),
        ("value", 0, -1.0, "must not be below 0"),
        ("value", 0, np.inf, "leaf 0: value: numbers must be finite"),
    ],
)
def test_a_number_that_no_trees_have_is_named(name, at, number, words):
    values = ARRAYS[name].copy()
    values[at] = number
    with pytest.raises(ValueError, match=words):
        read_back(TREES, {**ARRAYS, name: values})


@pytest.mark.parametrize(
    ("name", "at", "number"),
    [
        ("question", RANK, RANKS | 1 << 8 | 3),
        ("question", RANK, RANKS | 4),  # all values go left, holes right
        ("weight", 0, 0.0),
        ("gain", 0, -1.0),
        ("cuts", 0, -sys.float_info.max),
    ],
)
def test_the_last_number_that_trees_may_have_is_taken(name, at, number):
    values = ARRAYS[name].copy()
    values[at] = number
    assert np.isfinite(read_back(TREES, {**ARRAYS, name: values}).mean_shares(TABLE)).all()


def test_each_word_of_a_set_ends_with_the_last_level():
    trees, _ = a_forest(a_table(["many"], 0, 2000), 0, n_trees=1, max_leaf_nodes=2)
    arrays = trees.arrays()
    assert len(arrays["levels"]) == 200  # 8 levels in the last of 4 words

    def with_level(level):
        words = arrays["set_words"].copy()
        words[7] |= np.uint64(1 << level)
        return {**arrays, "set_words": words}

    read_back(trees, with_level(7))
    for level in (8, 63):
        with pytest.raises(ValueError, match="no such level"):
            read_back(trees, with_level(level))
