"""ONNX: a graph that adds up many trees, in doubles, or in float32 where the model does.

One `TreeEnsemble` finds what each tree adds; runtimes do not say in which order they would add, so
each tree has a target of its own, and a running sum adds them in the model's order. Sets of levels
become columns of 0 and 1. `exp` is computed by plain arithmetic, as in the model.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from treewright.data.table import Table
from treewright.exports.files import onnx_file
from treewright.exports.files.onnx_file import (
    check_program,
    columns_of,
    inputs_of,
    notes_on,
)
from treewright.exports.files.onnx_graph import (
    BRANCH_LEQ,
    ML,
    NO_TRANSFORM,
    SUM,
    Graph,
    TensorType,
    chosen_classes,
)
from treewright.exports.program import Predictions
from treewright.exports.sums import exponential as exp
from treewright.exports.sums.program import (
    LARGEST_FLOAT32_SCORE,
    LARGEST_SCORE,
    SumProgram,
    check_plain_trees,
    pairwise_sum,
)
from treewright.optional import optional_module

POWERS = 2.0 ** np.arange(-540, 515)  # of two, from the least that half an exponent can be


def write(program: SumProgram, *, missing_text: str = "") -> bytes:
    """The model as the bytes of an ONNX file, with the inputs and outputs of a single tree's."""
    onnx = optional_module("onnx", extra="onnx", purpose="export to ONNX")
    check_program(program, missing_text)
    check_plain_trees(program)
    inputs = inputs_of(program, onnx.TensorProto)
    graph = Graph(onnx, [name for name, *_ in inputs])
    columns = columns_of(graph, program, missing_text)
    scores = add_scores(graph, program, columns)
    if program.divisor != 1:
        scores = graph.add("Div", scores, graph.constant(np.array(program.divisor)))
    if program.scale != 1:
        scores = graph.add("Mul", scores, graph.constant(np.array(program.scale)))
    if program.terms:
        values = add_terms(graph, program, scores, columns)
    else:
        values = add_link(graph, program, scores)
    return graph.file(inputs, add_outputs(graph, program, values), notes_on(program))


def run(code: bytes, program: SumProgram, rows: Table, *, missing_text: str = "") -> Predictions:
    """What onnxruntime predicts."""
    return onnx_file.run(code, program, rows, missing_text=missing_text)


def add_outputs(graph: Graph, program: SumProgram, values: str) -> list[TensorType]:
    if program.link != "isolation":
        chosen = ""
        if program.classes is not None:
            chosen = chosen_classes(graph, program, values, tie=0.0)
        return onnx_file.add_outputs(graph, program, values, chosen)
    above = graph.add("Sub", values, graph.constant(np.array(program.offset)))
    usual = graph.add("GreaterOrEqual", above, graph.constant(np.array(0.0)))
    kind = graph.add("Where", usual, graph.constant(np.array(1)), graph.constant(np.array(-1)))
    types = graph.onnx.TensorProto
    label = graph.add_as("label", "Squeeze", kind, graph.constant(np.array([1])))
    score = graph.add_as("score", "Identity", values)
    return [(label, types.INT64, ("rows",)), (score, types.DOUBLE, ("rows", 1))]


# ---------------------------------------------------------------------------- the trees


def add_scores(graph: Graph, program: SumProgram, inputs: list[str]) -> str:
    """(n_rows, n_scores): the sums of the trees."""
    matrix, feature_of = add_features(graph, program, inputs)
    n_rows = graph.add("Shape", matrix, start=0, end=1)
    if not len(program.trees):
        shape = graph.add("Concat", n_rows, graph.constant(np.array([program.n_scores])), axis=0)
        return graph.add("Expand", graph.constant(program.start), shape)
    added = add_ensemble(graph, program, matrix, feature_of)
    if program.tables.leaves:
        leaves = np.array(program.tables.leaves).reshape(-1, program.n_scores)
        place = graph.add("Cast", added, to=graph.onnx.TensorProto.INT64)
        rows = graph.add("Gather", graph.constant(leaves), place)  # (n_rows, n_trees, n_scores)
        return running_sum(graph, rows, program.start[np.newaxis, np.newaxis], n_rows)
    sums = []
    for score, start in enumerate(program.start.tolist()):
        own = np.arange(score, len(program.trees), program.n_scores)
        terms = graph.add("Gather", added, graph.constant(own), axis=1)
        if program.in_float32:
            sums.append(rounded_sum(graph, terms, len(own), start))
        else:
            sums.append(running_sum(graph, terms, np.array([[start]]), n_rows))
    columns = [graph.add("Unsqueeze", one, graph.constant(np.array([1]))) for one in sums]
    return columns[0] if len(columns) == 1 else graph.add("Concat", *columns, axis=1)


def running_sum(graph: Graph, terms: str, start: np.ndarray[Any, Any], n_rows: str) -> str:
    """The start and the terms (n_rows, n_terms, ...), added one after the other."""
    others = graph.constant(np.array(start.shape[1:]))
    first = graph.add("Expand", graph.constant(start), graph.add("Concat", n_rows, others, axis=0))
    every = graph.add("Concat", first, terms, axis=1)
    sums = graph.add("CumSum", every, graph.constant(np.array(1)))
    last = graph.constant(np.array(-1))
    return graph.add("Gather", sums, last, axis=1)


def rounded_sum(graph: Graph, terms: str, n_terms: int, start: float) -> str:
    """The start and the terms (n_rows, n_terms), rounded to float32 after each addition.

    A running sum of float32 would round the terms first, and these may be products in doubles.
    """
    total = graph.constant(np.array(start))
    for at in range(n_terms):
        term = graph.add("Gather", terms, graph.constant(np.array(at)), axis=1)
        total = in_float32(graph, graph.add("Add", total, term))
    return total


def in_float32(graph: Graph, number: str) -> str:
    """Doubles rounded to float32."""
    small = graph.add("Cast", number, to=graph.onnx.TensorProto.FLOAT)
    return graph.add("Cast", small, to=graph.onnx.TensorProto.DOUBLE)


def add_features(
    graph: Graph, program: SumProgram, columns: list[str]
) -> tuple[str, dict[tuple[int, int], int]]:
    """A matrix of doubles, and where it holds a column and a set of its levels (-1: numbers)."""
    tables = program.tables
    parts: list[str] = []
    feature_of: dict[tuple[int, int], int] = {}
    asked: dict[int, list[int]] = {}
    for question, number in zip(tables.question, tables.number, strict=True):
        if question >= 0 and question & 2:
            asked.setdefault(question >> 2, []).append(int(number))
    for place, column in enumerate(program.used_columns):
        if program.columns[column].is_numeric:
            feature_of[place, -1] = len(feature_of)
            parts.append(columns[column])
            continue
        sets = sorted(set(asked.get(place, ())))
        if not sets:  # an equation has the column, and no tree
            continue
        for one in sets:
            feature_of[place, one] = len(feature_of)
        # Rows of the table: each level, one that was not seen, and a missing value.
        sides = [[*tables.sides[one][1:], tables.sides[one][0], "nan"] for one in sets]
        parts.append(looked_up(graph, columns[column], np.array(sides, dtype=np.float64).T.copy()))
    if not parts:
        return columns[0], {}
    return (parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)), feature_of


def looked_up(graph: Graph, positions: str, table: np.ndarray[Any, Any]) -> str:
    """The rows of a table by the positions of levels; its last row is for missing values."""
    nothing = graph.constant(np.array(float(len(table) - 1)))
    code = graph.add("Where", graph.add("IsNaN", positions), nothing, positions)
    code = graph.add("Cast", code, to=graph.onnx.TensorProto.INT64)
    flat = graph.add("Squeeze", code, graph.constant(np.array([1])))
    return graph.add("Gather", graph.constant(table), flat)


def add_terms(graph: Graph, program: SumProgram, scores: str, columns: list[str]) -> str:
    """(n_rows, 1): the value of each row's equation, its terms added in their order."""

    def score(at: int) -> str:
        return graph.add("Gather", scores, graph.constant(np.array([at])), axis=1)

    total = score(0)
    for at, term in enumerate(program.terms, start=1):
        column = columns[term.column]
        if term.sides:
            flags = [*term.sides[1:], term.sides[0], term.sides[0]]
            number = looked_up(graph, column, np.array(flags, dtype=np.float64)[:, np.newaxis])
        else:
            fill = graph.constant(np.array(term.fill))
            number = graph.add("Where", graph.add("IsNaN", column), fill, column)
        total = graph.add("Add", total, graph.add("Mul", score(at), number))
    return total


def add_ensemble(
    graph: Graph, program: SumProgram, matrix: str, feature_of: dict[tuple[int, int], int]
) -> str:
    """(n_rows, n_trees): what each tree adds, or where its leaf's numbers stand."""
    tables = program.tables
    node_of: dict[int, int] = {}
    for node, question in enumerate(tables.question):
        if question >= 0:
            node_of[node] = len(node_of)
    features, splits, missing_left = [], [], []
    ways: list[tuple[int, int, int, int]] = []  # node or leaf, and whether it is a leaf, twice
    targets: list[int] = []
    weights: list[float] = []
    roots: list[int] = []

    def leaf(node: int, tree: int) -> tuple[int, int]:
        value = (
            float(tables.child[node] // program.n_scores) if tables.leaves else tables.number[node]
        )
        targets.append(tree)
        weights.append(value)
        return len(weights) - 1, 1

    stumps = []  # trees of one leaf, which get a node at the end
    for tree, (first, last) in enumerate(tables.spans()):
        if tables.question[first] < 0:
            stumps.append((tree, first))
            roots.append(len(node_of) + len(stumps) - 1)
            continue
        roots.append(node_of[first])
        for node in range(first, last):
            question, number, child = tables.question[node], tables.number[node], tables.child[node]
            if question < 0:
                continue
            of_levels = bool(question & 2)
            features.append(feature_of[question >> 2, int(number) if of_levels else -1])
            splits.append(0.5 if of_levels else number)
            missing_left.append(1 - (question & 1))
            one, two = (
                (node_of[end], 0) if end in node_of else leaf(end, tree)
                for end in (child, child + 1)
            )
            ways.append((*one, *two))
    for tree, node in stumps:
        features.append(0)
        splits.append(0.0)
        missing_left.append(1)
        ways.append((*leaf(node, tree), *leaf(node, tree)))
    true_ids, true_leaves, false_ids, false_leaves = (list(one) for one in zip(*ways, strict=True))
    return graph.add(
        "TreeEnsemble",
        matrix,
        domain=ML,
        n_targets=len(program.trees),
        aggregate_function=SUM,
        post_transform=NO_TRANSFORM,
        tree_roots=roots,
        nodes_featureids=features,
        nodes_splits=graph.tensor(np.array(splits)),
        nodes_modes=graph.tensor(np.full(len(splits), BRANCH_LEQ, dtype=np.uint8)),
        nodes_truenodeids=true_ids,
        nodes_trueleafs=true_leaves,
        nodes_falsenodeids=false_ids,
        nodes_falseleafs=false_leaves,
        nodes_missing_value_tracks_true=missing_left,
        leaf_targetids=targets,
        leaf_weights=graph.tensor(np.array(weights)),
    )


# ---------------------------------------------------------------------------- what scores stand for


def add_link(graph: Graph, program: SumProgram, scores: str) -> str:
    """(n_rows, n_values) from (n_rows, n_scores)."""
    one, zero = graph.constant(np.array(1.0)), graph.constant(np.array(0.0))

    def rounded(number: str) -> str:
        return in_float32(graph, number) if program.in_float32 else number

    if program.link == "exponential":
        limit = graph.constant(np.array(LARGEST_SCORE))
        return rounded(power(graph, graph.add("Min", scores, limit)))
    if program.link == "signed_square":
        return graph.add("Mul", scores, graph.add("Abs", scores))
    if program.link == "step":
        second = graph.add("Where", graph.add("Greater", scores, zero), one, zero)
        return graph.add("Concat", graph.add("Sub", one, second), second, axis=1)
    if program.link in ("logistic", "logistic_each"):
        largest_score = LARGEST_FLOAT32_SCORE if program.in_float32 else LARGEST_SCORE
        limit = graph.constant(np.array(largest_score))
        odds = rounded(power(graph, graph.add("Min", graph.add("Neg", scores), limit)))
        second = rounded(graph.add("Div", one, rounded(graph.add("Add", one, odds))))
        if program.link == "logistic_each":
            return second
        return graph.add("Concat", rounded(graph.add("Sub", one, second)), second, axis=1)
    if program.link == "softmax":
        largest = graph.add("ReduceMax", scores, axes=[1], keepdims=1)
        powers = rounded(power(graph, rounded(graph.add("Sub", scores, largest))))
        columns = [
            graph.add("Gather", powers, graph.constant(np.array([at])), axis=1)
            for at in range(program.n_scores)
        ]

        def plus(first: str, next_one: str) -> str:
            return graph.add("Add", first, next_one)

        total = reduce(plus, columns) if program.in_float32 else pairwise_sum(columns, plus)
        return rounded(graph.add("Div", powers, rounded(total)))
    if program.link == "isolation":
        relative = graph.add("Div", scores, graph.constant(np.array(program.usual_depth)))
        return graph.add("Neg", power(graph, graph.add("Neg", relative), base_2=True))
    return scores


def power(graph: Graph, x: str, *, base_2: bool = False) -> str:
    """e (or 2) to the power of x, as native/core/arithmetic/exponential.hpp computes it."""

    def constant(number: float) -> str:
        return graph.constant(np.array(number))

    def add(one: str, two: str) -> str:
        return graph.add("Add", one, two)

    def times(one: str, two: str) -> str:
        return graph.add("Mul", one, two)

    def rounded(number: str) -> str:
        return graph.add("Sub", add(number, constant(exp.ROUNDING)), constant(exp.ROUNDING))

    low, high = (-1076.0, 1024.0) if base_2 else (-746.0, 710.0)
    x = graph.add("Min", graph.add("Max", x, constant(low)), constant(high))
    n = rounded(x if base_2 else times(x, constant(exp.PER_POWER)))
    if base_2:
        r = times(graph.add("Sub", x, n), constant(exp.LOG_2))
    else:
        r = graph.add("Sub", x, times(n, constant(exp.LOG_2_HIGH)))
        r = graph.add("Sub", r, times(n, constant(exp.LOG_2_LOW)))
    square = times(r, r)

    def series(coefficients: Sequence[float]) -> str:
        total = constant(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = add(constant(coefficient), times(square, total))
        return total

    near = add(series(exp.EVEN), times(r, series(exp.ODD)))
    near = add(constant(1.0), add(r, times(square, near)))
    half = rounded(graph.add("Sub", times(n, constant(0.5)), constant(0.25)))
    rest = graph.add("Sub", n, half)
    powers = graph.constant(POWERS)
    for exponent in (half, rest):
        place = add(exponent, constant(540.0))
        place = graph.add("Cast", place, to=graph.onnx.TensorProto.INT64)
        near = times(near, graph.add("Gather", powers, place))
    return near
