"""Arrays that are no tree are refused, and the node is named."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from builders import branches, intervals, leaf, oblique, subset, threshold
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError
from treewright.tree.check import check_tree
from treewright.tree.layout import NODE_ARRAYS, SIDE_GROUPS, SUBSET, THRESHOLD
from treewright.tree.tree import Tree
from watched import SLOWER

ARRAYS = [*NODE_ARRAYS, *(n for g in SIDE_GROUPS for n in (g.start, *g.arrays))]


def with_arrays(tree, **arrays):
    """The tree with some arrays replaced."""
    members = {name: getattr(tree, name) for name in ARRAYS} | arrays
    return Tree.from_arrays(
        members,
        schema=tree.schema,
        classes=tree.classes,
        class_factor=tree.class_factor,
        costs=tree.costs,
        unseen=tree.unseen,
    )


def with_entry(tree, name, at, value):
    array = getattr(tree, name).copy()
    array[at] = value
    return with_arrays(tree, **{name: array})


def a_tree_of_all_kinds():
    schema = Schema(
        (
            ColumnSpec("number", "numeric"),
            ColumnSpec("color", "nominal", ("red", "blue", "green")),
            ColumnSpec("other", "numeric"),
        )
    )
    surrogates = [
        {"kind": THRESHOLD, "feature": 2, "threshold": 1.0},
        {"kind": SUBSET, "feature": 1, "levels": {0: 0, 1: 1}},
    ]
    root = threshold(
        0,
        0.5,
        branches(1, {0: 0, 2: 1}, leaf(1, 0), leaf(0, 1), leaf(1, 1, weight=0)),
        subset(
            1,
            {0: 0, 1: 1},
            intervals(0, [1.0, 2.0], leaf(1, 0), leaf(0, 1), leaf(2, 0)),
            oblique([(0, 1.0), (2, -1.0)], 0.0, leaf(0, 2), leaf(3, 0)),
        ),
        surrogates=surrogates,
        competitors=[{"feature": 2, "gain": 0.1}],
    )
    return builders.build(root, schema, ("-", "+"))


@given(seed=st.integers(0, 2**32 - 1), is_classifier=st.booleans())
def test_sound_trees_pass(seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = builders.a_random_tree(
        rng, builders.a_mixed_schema(rng), n_splits=20, is_classifier=is_classifier
    )
    check_tree(tree)


def test_well_known_trees_pass():
    for tree in (
        builders.a_tennis_tree(),
        builders.a_stump(),
        builders.a_number_tree(),
        builders.a_chain(50_000),
        a_tree_of_all_kinds(),
        builders.build(leaf(1, 2), builders.numeric_schema("x"), ("a", "b")),
    ):
        check_tree(tree)


# In the tree of all kinds: 0 threshold, 1 branches, 2 subset, 3-5 leaves, 6 intervals, 7 oblique.
@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("kind", 4, 6, "node 4: `kind` is unknown"),
        ("kind", 4, THRESHOLD, "node 4: an inner node has a reason to stop"),
        ("kind", 1, 0, "node 1: a leaf has children"),
        ("stop_reason", 3, 99, "node 3: `stop_reason` is unknown"),
        ("stop_reason", 2, 1, "node 2: an inner node has a reason"),
        ("n_children", 3, 2, "node 3: a leaf has children"),
        ("first_child", 3, 4, "node 3: a leaf has children"),
        ("feature", 3, 0, "node 3: a leaf asks"),
        ("feature", 1, 3, "node 1: no such column"),
        ("feature", 1, -1, "node 1: no such column"),
        ("feature", 0, -(2**31), "node 0: no such column"),
        ("feature", 0, 1, "node 0: a nominal column has no threshold"),
        ("feature", 1, 0, "node 1: a numeric column has no levels"),
        ("feature", 7, 0, "node 7: an oblique node has no single column"),
        ("n_children", 1, 1, "node 1: an inner node needs at least two"),
        ("n_children", 1, -1, "node 1: an inner node needs at least two"),
        ("n_children", 7, 2**31 - 1, "node 7: its children end beyond the 13 nodes"),
        ("n_children", 1, 4, "node 2: its children have another parent too"),
        ("first_child", 2, 2, "node 2: its children do not come after it"),
        ("first_child", 2, -5, "node 2: its children do not come after it"),
        ("first_child", 7, 2**31 - 1, "node 7: its children end beyond"),
        ("first_child", 7, 10, "node 7: its children have another parent too"),
        ("missing_child", 0, 2, "node 0: no such child for missing"),
        ("missing_child", 0, -3, "node 0: no such child for missing"),
        ("missing_child", 3, 0, "node 3: a leaf sends"),
        ("threshold", 5, np.nan, "node 5: `threshold` is not a finite"),
        ("gain", 2, np.inf, "node 2: `gain` is not a finite"),
        ("value", (6, 1), np.nan, "node 6: `value` is not finite"),
        ("value", (6, 1), -1.0, "node 6: a class has negative weight"),
        ("weight", 6, -1.0, "node 6: `weight` is negative"),
        ("n_rows", 6, -1, "node 6: `n_rows` is negative"),
        ("split_order", 6, -2, "node 6: `split_order`"),
        ("split_order", 4, 3, "node 4: a leaf has a place"),
        ("level_code", 0, 3, "node 1: no such level"),
        ("level_code", 0, -1, "node 1: no such level"),
        ("level_code", 1, 0, "node 1: levels are not in ascending order"),
        ("level_child", 0, 3, "node 1: no such child"),
        ("level_child", 1, 0, "node 1: children and branches differ"),
        ("level_child", 2, 1, "node 2: a child has no level"),
        ("level_child", 3, -1, "node 2: no such child"),
        ("cut", 1, 1.0, "node 6: cuts are not in ascending order"),
        ("cut", 0, np.nan, "node 6: `cut` is not a finite"),
        ("term_feature", 0, 3, "node 7: no such column"),
        ("term_feature", 0, 1, "node 7: only numeric columns"),
        ("term_weight", 0, np.inf, "node 7: `term_weight`"),
        ("surrogate_kind", 0, 2, "node 0: a surrogate of unknown kind"),
        ("surrogate_kind", 0, SUBSET, "node 0: a numeric column has no levels"),
        ("surrogate_feature", 0, 3, "node 0: a surrogate asks no column"),
        ("surrogate_feature", 0, 1, "node 0: a nominal column has no threshold"),
        ("surrogate_flip", 0, 2, "node 0: `surrogate_flip`"),
        ("surrogate_agreement", 0, 1.5, "node 0: `surrogate_agreement`"),
        ("surrogate_level_code", 0, 3, "node 0: no such level in a surrogate"),
        ("surrogate_level_code", 1, 0, "node 0: a surrogate's levels are not in"),
        ("surrogate_level_child", 0, 2, "node 0: no such side in a surrogate"),
        ("competitor_feature", 0, -1, "node 0: a competitor asks no column"),
        ("competitor_feature", 0, 3, "node 0: a competitor asks no column"),
        ("competitor_tied", 0, 2, "node 0: `competitor_tied`"),
        ("competitor_gain", 0, np.nan, "node 0: `competitor_gain`"),
        ("surrogate_start", slice(1, 4), 0, "node 3: a node of this kind has no surrogates"),
        ("level_start", 1, 1, "node 0: a node of this kind has no levels"),
        ("level_start", 2, 9, "tree: `level_start` goes back"),
        ("level_start", 0, 1, "tree: `level_start` ends elsewhere"),
        ("cut_start", 13, 99, "tree: `cut_start` ends elsewhere"),
    ],
)
def test_a_wrong_entry_is_named(name, at, value, message):
    tree = a_tree_of_all_kinds()
    with pytest.raises(ModelFileError) as caught:
        check_tree(with_entry(tree, name, at, value))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_length_or_type_are_refused(name):
    tree = a_tree_of_all_kinds()
    array = getattr(tree, name)
    with pytest.raises(ModelFileError, match=r"tree: |node"):
        check_tree(with_arrays(tree, **{name: np.concatenate([array, array[-1:]])}))
    other = np.float32 if array.dtype == np.float64 else np.int16
    with pytest.raises(ModelFileError, match="tree: `"):
        check_tree(with_arrays(tree, **{name: array.astype(other)}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": ("-", "-")}, "a class occurs twice"),
        ({"classes": ("-", "+", "?")}, "not one value per class"),
        ({"classes": None}, "2 values for one mean"),
        ({"unseen": "ignore"}, "`unseen` is 'ignore'"),
        ({"class_factor": np.ones(3)}, "`class_factor`"),
        ({"class_factor": np.array([1.0, -1.0])}, "`class_factor`"),
        ({"costs": np.ones((2, 3))}, "`costs`"),
        ({"costs": np.array([[0.0, np.nan], [1.0, 0.0]])}, "`costs`"),
    ],
)
def test_predictions_must_fit_the_classes(change, message):
    tree = a_tree_of_all_kinds()
    members = {name: getattr(tree, name) for name in ARRAYS}
    settings = {"schema": tree.schema, "classes": tree.classes} | change
    with pytest.raises(ModelFileError, match=message):
        check_tree(Tree.from_arrays(members, **settings))


def test_nodes_that_nobody_owns_are_refused():
    tree = builders.build(leaf(1, 2), builders.numeric_schema("x"), ("a", "b"))
    twice = {name: np.concatenate([getattr(tree, name)] * 2) for name in NODE_ARRAYS}
    with pytest.raises(ModelFileError, match="some nodes have no parent"):
        check_tree(Tree.from_arrays(twice, schema=tree.schema, classes=tree.classes))


def test_checking_takes_no_time_to_speak_of():
    tree = builders.a_chain(50_000)
    begin = time.process_time()
    check_tree(tree)
    assert time.process_time() - begin < 2 * SLOWER  # 0.02; by a look at every pair, minutes
