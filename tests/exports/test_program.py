"""The view that exporters share says of every tree what its arrays say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from builders import (
    a_number_tree,
    a_tennis_tree,
    branches,
    build,
    intervals,
    leaf,
)
from exports.export_models import a_random_program, fitted
from treewright.data.schema import ColumnSpec, Schema
from treewright.exports.program import Cuts, Levels, Program, as_levels, levels_by_child
from treewright.verbs.export import program_of

seeds = st.integers(0, 2**32)


@given(seeds)
def test_children_of_a_step_are_children_in_the_tree(seed):
    program = a_random_program(seed)
    tree = program.tree
    for step in program.steps():
        first = int(tree.first_child[step.node])
        assert set(step.children) <= {*range(first, first + int(tree.n_children[step.node]))}


@given(seeds)
def test_shares_of_a_split_row_add_up_to_one(seed):
    for step in a_random_program(seed).steps():
        assert not step.missing or np.isclose(sum(share for _, share in step.missing), 1)


def test_used_columns_are_those_that_are_asked():
    assert Program(a_tennis_tree()).used_columns == (0, 1, 2)
    assert Program(a_number_tree()).used_columns == (0, 1)
    assert program_of(fitted("one leaf")).used_columns == ()


def test_cuts_of_an_ordered_column_are_sets_of_levels():
    spec = ColumnSpec("size", "ordered", ("small", "medium", "large", "huge"))
    root = intervals(0, [0.5, 2.0], leaf(1, 0), leaf(0, 1), leaf(1, 1))
    program = Program(build(root, Schema((spec,)), ("no", "yes")))
    question = program.step(0).question
    assert isinstance(question, Cuts)
    groups = levels_by_child(as_levels(question, spec), spec)
    assert groups == {1: ("small",), 2: ("medium", "large"), 3: ("huge",)}


def test_levels_that_a_node_does_not_list_go_to_the_branch_of_others():
    spec = ColumnSpec("level", "nominal", ("a", "b", "c", "d"))
    root = branches(0, {1: 0, 3: 1}, leaf(1, 0), leaf(0, 1), leaf(1, 1))
    question = Program(build(root, Schema((spec,)), ("no", "yes"))).step(0).question
    assert isinstance(question, Levels)
    assert levels_by_child(question, spec) == {1: ("b",), 2: ("d",), 3: ("a", "c")}
