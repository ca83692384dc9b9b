"""Which nodes a picture shows: none is lost, the heavy ones come first, limits hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from treewright.pictures.folded import MOST_BRANCHES, fold


@st.composite
def random_trees(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    schema = builders.a_mixed_schema(rng)
    n_splits = draw(st.integers(0, 25))
    return builders.a_random_tree(rng, schema, n_splits=n_splits, is_classifier=draw(st.booleans()))


@given(random_trees(), st.integers(1, 80), st.integers(0, 6) | st.none(), st.floats(0, 1))
def test_every_node_is_shown_or_counted_and_limits_hold(tree, max_nodes, max_depth, min_share):
    folded = fold(tree, max_nodes=max_nodes, max_depth=max_depth, min_share=min_share)
    n_single = sum(not place.group for place in folded.shown)
    assert n_single + sum(folded.n_hidden) == tree.n_nodes
    assert len(folded.shown) <= max_nodes
    for place, shown in enumerate(folded.shown):
        assert len(shown.children) <= MOST_BRANCHES
        assert all(child > place for child in shown.children)
        if shown.children:
            assert tree.weight[shown.node] >= min_share * tree.weight[0]
            assert max_depth is None or tree.node_depth[shown.node] < max_depth
            below = [node for child in shown.children for node in folded.shown[child].nodes]
            first = tree.first_child[shown.node]
            assert sorted(below) == [*range(first, first + tree.n_children[shown.node])]


@given(random_trees(), st.data())
def test_the_way_of_a_row_is_shown_whatever_the_limits(tree, data):
    path = tree.path_to(data.draw(st.integers(0, tree.n_nodes - 1)))
    folded = fold(tree, max_nodes=1, max_depth=0, keep=path[:-1])
    assert {*path} <= {place.node for place in folded.shown if not place.group}


@given(random_trees())
def test_a_picture_with_room_for_all_hides_only_groups(tree):
    folded = fold(tree, max_nodes=10**6)
    if (tree.n_children <= MOST_BRANCHES).all():
        assert sum(folded.n_hidden) == 0
        assert [place.node for place in folded.shown] != []
        assert sorted(place.node for place in folded.shown) == [*range(tree.n_nodes)]


def test_heavy_nodes_open_first():
    tree = builders.a_chain(50)
    folded = fold(tree, max_nodes=9)
    assert len(folded.shown) == 9
    assert max(tree.node_depth[place.node] for place in folded.shown) == 4
    assert max(folded.n_hidden) == tree.n_nodes - 9


def test_a_tree_of_a_million_nodes_folds_in_a_moment():
    tree = builders.a_perfect_tree(19)
    folded = fold(tree, max_nodes=63)
    assert len(folded.shown) == 63
    assert sum(folded.n_hidden) == pytest.approx(tree.n_nodes - 63)
