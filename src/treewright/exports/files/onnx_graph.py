"""The nodes of an ONNX graph, written one after the other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.exports.files.walk import Walk
from treewright.exports.files.xml_text import free_name
from treewright.exports.program import (
    Cuts,
    Exported,
    Levels,
    Program,
    Question,
    Step,
    WeightedSum,
    as_levels,
)
from treewright.tree.predictions import TIE

CORE_VERSION = 17
ML_VERSION = 5
FILE_VERSION = 10  # of the format itself, the first that has ML_VERSION
ML = "ai.onnx.ml"

TensorType = tuple[str, int, tuple[str | int, ...]]  # name, element type, shape


class Graph:
    """Nodes and constants of a graph; each new value gets a unique name."""

    def __init__(self, onnx: Any, taken: Iterable[str]) -> None:
        self.onnx = onnx
        self.taken = set(taken)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def name(self, wanted: str) -> str:
        """`wanted`, or the first name like it that is free."""
        name = free_name(wanted, self.taken)
        self.taken.add(name)
        return name

    def constant(self, array: NDArray[Any] | Sequence[str]) -> str:
        """The name of a constant tensor, of numbers or of strings."""
        name = self.name("constant")
        self.constants.append(self.tensor(array, name))
        return name

    def tensor(self, array: NDArray[Any] | Sequence[str], name: str = "") -> Any:
        if isinstance(array, np.ndarray):
            return self.onnx.numpy_helper.from_array(np.asarray(array, order="C"), name)
        texts = [text.encode("utf-8") for text in array]
        kind = self.onnx.TensorProto.STRING
        return self.onnx.helper.make_tensor(name, kind, [len(texts)], texts)

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """A new node; the name of its output."""
        return self.add_as(operator.lower(), operator, *inputs, domain=domain, **attributes)

    def add_as(
        self, wanted: str, operator: str, *inputs: str, domain: str = "", **attributes: Any
    ) -> str:
        """A new node whose output has the wanted name, or one like it."""
        output = self.name(wanted)
        make = self.onnx.helper.make_node
        self.nodes.append(make(operator, list(inputs), [output], domain=domain, **attributes))
        return output

    def times(self, tensor: str, factors: NDArray[np.float64]) -> str:
        """(n_rows, n): a column times each of the factors (1, n).

        onnxruntime drops a product with a single factor that rounds to 1 in 32 bits; it drops none
        of two factors.
        """
        if factors.size == 1 and factors[0, 0] != 1 and np.float32(factors[0, 0]) == 1:
            twice = self.add("Mul", tensor, self.constant(np.repeat(factors, 2, axis=1)))
            return self.add("Gather", twice, self.constant(np.array([0])), axis=1)
        return self.add("Mul", tensor, self.constant(factors))

    def body(self) -> "Graph":
        """A graph within this one, with names of its own."""
        inner = Graph(self.onnx, ())
        inner.taken = self.taken
        return inner

    def proto(self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> Any:
        declare = self.onnx.helper.make_tensor_value_info
        return self.onnx.helper.make_graph(
            self.nodes,
            "tree",
            [declare(*one) for one in inputs],
            [declare(*one) for one in outputs],
            self.constants,
        )

    def file(
        self,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
        notes: dict[str, str],
    ) -> bytes:
        """The bytes of a file that has passed ONNX's own check."""
        helper = self.onnx.helper
        model = helper.make_model(
            self.proto(inputs, outputs),
            producer_name="treewright",
            ir_version=FILE_VERSION,
            opset_imports=[
                helper.make_opsetid("", CORE_VERSION),
                helper.make_opsetid(ML, ML_VERSION),
            ],
        )
        helper.set_model_props(model, notes)
        self.onnx.checker.check_model(model, full_check=True)
        content: bytes = model.SerializeToString(deterministic=True)
        return content


NOWHERE = -1  # instead of a child

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
        part = graph.times(share, program.node_values[node][np.newaxis])
        # A node that predicts itself comes before those below it, and no row has parts of both.
        total = graph.add("Add", total, part)
    return total


def shares_of_children(graph: Graph, step: Step, went: str, share: str) -> list[tuple[int, str]]:
    """Each child with its part of the share of a node."""
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
    """(n_rows, 1): the child that each row goes to as a whole, or NOWHERE."""
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
        above = graph.add("IsNaN", value)  # missing values go elsewhere
        return graph.add("Cast", above, to=graph.onnx.TensorProto.INT64)
    above = graph.add("Greater", value, graph.constant(np.array([cuts], dtype=np.float64)))
    as_number = graph.add("Cast", above, to=graph.onnx.TensorProto.INT64)
    return graph.add("ReduceSum", as_number, graph.constant(np.array([1])), keepdims=1)


def children_of_codes(program: Program, question: Cuts | Levels, unseen: int | None) -> list[int]:
    """The child of each level, and of unseen ones after the last."""
    spec = program.columns[question.column]
    levels = as_levels(question, spec)
    found = [levels.child_of.get(code, levels.otherwise) for code in range(len(spec.levels))]
    return [NOWHERE if child is None else child for child in (*found, unseen)]


def chosen_classes(graph: Graph, program: Exported, shares: str, tie: float = TIE) -> str:
    """(n_rows,): the most probable or cheapest class; the first of those that tie."""
    costs = program.costs
    if costs is None:
        bar = largest = graph.add("ReduceMax", shares, axes=[1], keepdims=1)
        if tie:
            bar = graph.times(largest, np.full((1, program.n_values), 1 - tie))
        best = graph.add("GreaterOrEqual", shares, bar)
    else:
        expected = ""
        for true_class, prices in enumerate(costs):
            share = graph.add("Gather", shares, graph.constant(np.array([true_class])), axis=1)
            price = graph.times(share, prices[np.newaxis])
            expected = graph.add("Add", expected, price) if expected else price
        size = graph.add("ReduceMax", graph.add("Abs", expected), axes=[1], keepdims=1)
        nearly = graph.times(size, np.array([[TIE]]))
        least = graph.add("ReduceMin", expected, axes=[1], keepdims=1)
        best = graph.add("LessOrEqual", expected, graph.add("Add", least, nearly))
    as_number = graph.add("Cast", best, to=graph.onnx.TensorProto.INT64)
    # Runtimes differ in which of equal entries ArgMax takes, so earlier classes count more.
    first_most = graph.constant(np.arange(program.n_values, 0, -1)[np.newaxis])
    return graph.add("ArgMax", graph.add("Mul", as_number, first_most), axis=1, keepdims=0)


MAX_ENSEMBLE_DEPTH = 500  # runtimes read deeper ensembles by recursion and may crash

BRANCH_LEQ = 0
SUM, NO_TRANSFORM = 1, 0


def prediction_numbers(graph: Graph, walk: Walk, matrix: str) -> str:
    """The name of a tensor (n_rows,) with the number of the prediction for each row."""
    if walk.depth and is_tree(walk) and walk.depth <= MAX_ENSEMBLE_DEPTH:
        return by_ensemble(graph, walk, matrix)
    return by_loop(graph, walk, matrix)


def is_tree(walk: Walk) -> bool:
    """Whether each step that asks is entered once; ends may be entered several times."""
    asks = np.flatnonzero(walk.prediction < 0)
    ways = np.sort([walk.at_most[asks], walk.above[asks], walk.missing[asks]], axis=0)
    is_new = np.ones(ways.shape, dtype=np.bool_)
    is_new[1:] = ways[1:] != ways[:-1]
    entered = np.bincount(ways[is_new], minlength=walk.n_steps)
    return bool((entered[asks] <= 1).all())


# ---------------------------------------------------------------------------- one ensemble


@dataclass(frozen=True, slots=True)
class Node:
    """value <= bound leads to `if_true`: a step, or None for the next node."""

    column: int
    bound: float
    if_true: int | None
    if_false: int
    missing_is_true: bool


def ensemble_nodes(walk: Walk) -> tuple[list[Node], list[int]]:
    """Two-way nodes for three-way steps, and the first node of each step."""
    nodes: list[Node] = []
    first_node: list[int] = []
    for step in range(walk.n_steps):
        first_node.append(len(nodes))
        if walk.prediction[step] >= 0:
            continue
        column, bound = int(walk.column[step]), float(walk.bound[step])
        at_most, above = int(walk.at_most[step]), int(walk.above[step])
        missing = int(walk.missing[step])
        if at_most == above:
            nodes.append(Node(column, inf, at_most, missing, missing_is_true=False))
            continue
        if missing not in (at_most, above):
            nodes.append(Node(column, inf, None, missing, missing_is_true=False))
        nodes.append(Node(column, bound, at_most, above, missing_is_true=missing == at_most))
    return nodes, first_node


def by_ensemble(graph: Graph, walk: Walk, matrix: str) -> str:
    """By a tree ensemble in which the weight of a leaf is the number of its prediction."""
    nodes, first_node = ensemble_nodes(walk)
    leaves: list[float] = []

    def place(at: int, step: int | None) -> tuple[int, int]:
        """The id of what a node leads to, and whether that is a leaf."""
        if step is None:
            return at + 1, 0
        if walk.prediction[step] < 0:
            return first_node[step], 0
        leaves.append(float(walk.prediction[step]))
        return len(leaves) - 1, 1

    true_ids, true_leaves, false_ids, false_leaves = [
        list(ids)
        for ids in zip(
            *(
                (*place(at, node.if_true), *place(at, node.if_false))
                for at, node in enumerate(nodes)
            ),
            strict=True,
        )
    ]
    found = graph.add(
        "TreeEnsemble",
        matrix,
        domain=ML,
        n_targets=1,
        aggregate_function=SUM,
        post_transform=NO_TRANSFORM,
        tree_roots=[0],
        nodes_featureids=[node.column for node in nodes],
        nodes_splits=graph.tensor(np.array([node.bound for node in nodes])),
        nodes_modes=graph.tensor(np.full(len(nodes), BRANCH_LEQ, dtype=np.uint8)),
        nodes_truenodeids=true_ids,
        nodes_trueleafs=true_leaves,
        nodes_falsenodeids=false_ids,
        nodes_falseleafs=false_leaves,
        nodes_missing_value_tracks_true=[int(node.missing_is_true) for node in nodes],
        leaf_targetids=[0] * len(leaves),
        leaf_weights=graph.tensor(np.array(leaves)),
    )
    in_a_row = graph.add("Reshape", found, graph.constant(np.array([-1])))
    return graph.add("Cast", in_a_row, to=graph.onnx.TensorProto.INT64)


# ---------------------------------------------------------------------------- a loop


def by_loop(graph: Graph, walk: Walk, matrix: str) -> str:
    """By a loop in which all rows take one step at a time until each has ended."""
    types = graph.onnx.TensorProto
    n_rows = graph.add("Shape", matrix, start=0, end=1)
    start = graph.add("Expand", graph.constant(np.zeros(1, dtype=np.int64)), n_rows)
    body = graph.body()
    turn, goes_on, here = (body.name(word) for word in ("turn", "goes_on", "step"))

    def of_step(entries: np.ndarray) -> str:
        return body.add("Gather", graph.constant(entries), here)

    column = body.add("Unsqueeze", of_step(walk.column), graph.constant(np.array([1])))
    value = body.add("GatherElements", matrix, column, axis=1)
    value = body.add("Squeeze", value, graph.constant(np.array([1])))
    is_small = body.add("LessOrEqual", value, of_step(walk.bound))
    known = body.add("Where", is_small, of_step(walk.at_most), of_step(walk.above))
    after = body.add("Where", body.add("IsNaN", value), of_step(walk.missing), known)
    asks = graph.constant((walk.prediction < 0).astype(np.int64))
    n_asking = body.add("ReduceSum", body.add("Gather", asks, after), keepdims=0)
    more = body.add("Greater", n_asking, graph.constant(np.array(0)))
    inner = body.proto(
        inputs=[(turn, types.INT64, ()), (goes_on, types.BOOL, ()), (here, types.INT64, ("rows",))],
        outputs=[(more, types.BOOL, ()), (after, types.INT64, ("rows",))],
    )
    most_turns = graph.constant(np.array(walk.depth))
    end = graph.add(
        "Loop", most_turns, graph.constant(np.ones((), dtype=np.bool_)), start, body=inner
    )
    return graph.add("Gather", graph.constant(walk.prediction), end)
