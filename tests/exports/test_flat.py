"""Tables hold the whole program, and the room that a walk needs is known beforehand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from builders import a_chain, a_number_tree
from exports.export_models import a_random_program
from treewright.exports.languages.flat import NOWHERE, SUM, FlatProgram, flat_program
from treewright.exports.program import Program

seeds = st.integers(0, 2**32)


@given(seeds)
def test_every_node_without_heirs_predicts_in_the_tables(seed):
    program = a_random_program(seed)
    flat = flat_program(program)
    for node in range(program.tree.n_nodes):
        has_heirs = flat.heir_start[node] < flat.heir_start[node + 1]
        assert (flat.prediction[node] == NOWHERE) == has_heirs
        if not has_heirs:
            values = tuple(program.node_values[node].tolist())
            assert flat.predictions[flat.prediction[node]] == values


@given(seeds, st.integers(0, 2**32))
def test_a_walk_never_needs_more_room_than_foretold(seed, choices):
    flat = flat_program(a_random_program(seed))
    rng = np.random.default_rng(choices)
    waiting = [0]
    while waiting:
        assert len(waiting) <= flat.n_waiting
        node = waiting.pop()
        heirs = flat.heir[flat.heir_start[node] : flat.heir_start[node + 1]]
        ways = [[child] for child in children_by_question(flat, node)] + [heirs]
        waiting += reversed(ways[int(rng.integers(len(ways)))])


def children_by_question(flat: FlatProgram, node: int) -> list[int]:
    children = [flat.unseen[node]]
    for question in range(flat.question_start[node], flat.question_start[node + 1]):
        entries = range(flat.entry_start[question], flat.entry_start[question + 1])
        children.append(flat.otherwise[question])
        if flat.kind[question] == SUM:
            children += [flat.target[entries[-1]], flat.target[entries[-1]] + 1]
        else:
            children += [flat.target[entry] for entry in entries]
    return [child for child in children if child != NOWHERE]


def test_where_no_row_is_split_one_part_waits():
    assert flat_program(Program(a_chain(50))).n_waiting == 1


def test_nodes_with_equal_values_share_a_prediction():
    assert len(flat_program(Program(a_chain(50))).predictions) == 2
    assert flat_program(Program(a_number_tree())).predictions == [(7.0,), (1.5,), (2.25,)]
