"""Deep trees fall into shallow pieces, in few stages."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from builders import a_chain, a_mixed_schema, a_random_tree
from treewright.exports.program import Program
from treewright.exports.sql.branches import pieces_of


def depth_in_piece(tree, pieces, node):
    depth = 0
    while pieces.roots[pieces.piece_of[node]] != node:
        node = int(tree.parent[node])
        depth += 1
    return depth


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_every_piece_is_connected_and_shallow(seed, most_depth):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), n_splits=40)
    pieces = pieces_of(Program(tree), most_depth)
    for node in range(tree.n_nodes):
        root = pieces.roots[pieces.piece_of[node]]
        on_the_way = [at for at in tree.path_to(node) if at >= root]
        assert root in on_the_way
        inside = on_the_way[on_the_way.index(root) :]
        assert {pieces.piece_of[at] for at in inside} == {pieces.piece_of[node]}
        assert depth_in_piece(tree, pieces, node) <= most_depth


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_following_the_splits_leads_every_node_to_its_piece(seed, most_depth):
    """A row at a node passes the stages as the query sends it."""
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), n_splits=40)
    pieces = pieces_of(Program(tree), most_depth)
    for node in range(tree.n_nodes):
        path = tree.path_to(node)
        steps = set(pairwise(path))
        piece = 0
        for stage in pieces.stages:
            for split in stage:
                if split.piece == piece and steps.issuperset(split.path):
                    piece = split.new_piece
                    break
        assert piece == pieces.piece_of[node]


def test_a_shallow_tree_is_one_piece():
    tree = a_chain(5)
    assert pieces_of(Program(tree), 5).stages == []
    assert len(pieces_of(Program(tree), 4).stages) == 1


def test_a_chain_needs_few_stages():
    pieces = pieces_of(Program(a_chain(10_000)), 10)
    assert len(pieces.stages) <= 12
