"""Rows spread over several leaves in ONNX: the share of every node, and a sum over all answers.

For trees whose cases are too many to be written out as one walk. Every node gets its share of every
row from its parent; answers are added up from left to right, as the model does, so that sums round
alike. Nodes that a row does not reach add zero.
"""

from collections.abc import Mapping
from functools import reduce

import numpy as np

from treewright.exports.files.onnx_graph import Graph
from treewright.exports.program import Cuts, Levels, Program, Question, Step, WeightedSum, as_levels
from treewright.tree.answers import TIE

NOWHERE = -1  # in the place of a child

Column = int | WeightedSum


def values_by_shares(graph: Graph, program: Program, columns: Mapping[Column, str]) -> str:
    """(n_rows, n_values): the probabilities of the classes, or the number."""
    zero, one = graph.constant(np.zeros((1, 1))), graph.constant(np.ones((1, 1)))
    shape = graph.add("Shape", next(iter(columns.values())))
    total = graph.constant(np.zeros((1, program.tree.n_values)))
    waiting = [(0, graph.add("Expand", one, shape))]
    while waiting:
        node, share = waiting.pop()
        step = program.step(node)
        if step is not None:
            went = child_of_rows(graph, program, step, columns)
            shares = shares_of_children(graph, step, went, share)
            waiting += reversed(shares)
            if step.missing:
                continue
            share = graph.add("Where", is_child(graph, went, NOWHERE), share, zero)
        part = graph.times(share, program.answers[node][np.newaxis])
        # A node that answers itself comes before those below it, and no row has parts of both.
        total = graph.add("Add", total, part)
    return total


def shares_of_children(graph: Graph, step: Step, went: str, share: str) -> list[tuple[int, str]]:
    """What each child gets of the share of a node."""
    part_of = dict(step.missing)
    zero = graph.constant(np.zeros((1, 1)))
    lost = is_child(graph, went, NOWHERE)
    found = []
    for child in step.children:
        otherwise = zero
        if child in part_of:
            part = graph.times(share, np.array([[part_of[child]]]))
            otherwise = graph.add("Where", lost, part, zero)
        here = graph.add("Where", is_child(graph, went, child), share, otherwise)
        found.append((child, here))
    return found


def is_child(graph: Graph, went: str, child: int) -> str:
    return graph.add("Equal", went, graph.constant(np.array([[child]])))


def child_of_rows(graph: Graph, program: Program, step: Step, columns: Mapping[Column, str]) -> str:
    """(n_rows, 1): the child that each row goes to whole, or NOWHERE."""
    found = [
        child_by_question(graph, program, question, columns, unseen=None if at else step.unseen)
        for at, question in enumerate(step.questions)
    ]

    def first_known(one: str, other: str) -> str:
        return graph.add("Where", is_child(graph, one, NOWHERE), other, one)

    return reduce(first_known, found)


def child_by_question(
    graph: Graph,
    program: Program,
    question: Question,
    columns: Mapping[Column, str],
    unseen: int | None,
) -> str:
    """The child by the value of one column or sum, or NOWHERE."""
    value = columns[question if isinstance(question, WeightedSum) else question.column]
    is_missing = graph.add("IsNaN", value)
    if isinstance(question, WeightedSum):
        place = place_among(graph, (question.threshold,), value)
        children = list(question.children)
    elif isinstance(question, Cuts) and program.columns[question.column].is_numeric:
        place = place_among(graph, question.cuts, value)
        children = list(question.children)
    else:
        known = graph.add("Where", is_missing, graph.constant(np.zeros((1, 1))), value)
        place = graph.add("Cast", known, to=graph.onnx.TensorProto.INT64)
        children = children_of_codes(program, question, unseen)
    child = graph.add("Gather", graph.constant(np.array(children)), place)
    return graph.add("Where", is_missing, graph.constant(np.array([[NOWHERE]])), child)


def place_among(graph: Graph, cuts: tuple[float, ...], value: str) -> str:
    """How many cuts a number is above."""
    if not cuts:
        above = graph.add("IsNaN", value)  # missing is led elsewhere
        return graph.add("Cast", above, to=graph.onnx.TensorProto.INT64)
    above = graph.add("Greater", value, graph.constant(np.array([cuts], dtype=np.float64)))
    as_number = graph.add("Cast", above, to=graph.onnx.TensorProto.INT64)
    return graph.add("ReduceSum", as_number, graph.constant(np.array([1])), keepdims=1)


def children_of_codes(program: Program, question: Cuts | Levels, unseen: int | None) -> list[int]:
    """The child of each level, and of unseen ones after the last."""
    spec = program.columns[question.column]
    levels = question if isinstance(question, Levels) else as_levels(question, spec)
    found = [levels.child_of.get(code, levels.otherwise) for code in range(len(spec.levels))]
    return [NOWHERE if child is None else child for child in (*found, unseen)]


def chosen_classes(graph: Graph, program: Program, shares: str) -> str:
    """(n_rows,): the most probable or cheapest class, the first of those that rounding parts."""
    costs = program.tree.costs
    if costs is None:
        largest = graph.add("ReduceMax", shares, axes=[1], keepdims=1)
        bar = graph.times(largest, np.full((1, program.tree.n_values), 1 - TIE))
        best = graph.add("GreaterOrEqual", shares, bar)
    else:
        expected = ""
        for true_class, prices in enumerate(costs):
            share = graph.add("Gather", shares, graph.constant(np.array([true_class])), axis=1)
            price = graph.times(share, prices[np.newaxis])
            expected = graph.add("Add", expected, price) if expected else price
        size = graph.add("ReduceMax", graph.add("Abs", expected), axes=[1], keepdims=1)
        tie = graph.times(size, np.array([[TIE]]))
        least = graph.add("ReduceMin", expected, axes=[1], keepdims=1)
        best = graph.add("LessOrEqual", expected, graph.add("Add", least, tie))
    as_number = graph.add("Cast", best, to=graph.onnx.TensorProto.INT64)
    # The first counts most: runtimes differ in which of equal entries ArgMax takes.
    first_most = graph.constant(np.arange(program.tree.n_values, 0, -1)[np.newaxis])
    return graph.add("ArgMax", graph.add("Mul", as_number, first_most), axis=1, keepdims=0)
