"""A walk of three-way steps in ONNX: by one `TreeEnsemble`, or by a `Loop` over a table."""

from dataclasses import dataclass
from math import inf

import numpy as np

from treewright.exports.files.onnx_graph import ML, Graph
from treewright.exports.files.walk import Walk

DEEPEST_ENSEMBLE = 500  # runtimes read deeper ones by recursion, and may crash

BRANCH_LEQ = 0
SUM, NO_TRANSFORM = 1, 0


def answers_to_rows(graph: Graph, walk: Walk, matrix: str) -> str:
    """The name of a tensor (n_rows,) with the number of the answer to each row of the matrix."""
    if walk.depth and is_tree(walk) and walk.depth <= DEEPEST_ENSEMBLE:
        return by_ensemble(graph, walk, matrix)
    return by_loop(graph, walk, matrix)


def is_tree(walk: Walk) -> bool:
    """Whether one way leads to each step that asks; ends may be met again."""
    asks = np.flatnonzero(walk.answer < 0)
    ways = np.sort([walk.at_most[asks], walk.above[asks], walk.missing[asks]], axis=0)
    is_new = np.ones(ways.shape, dtype=np.bool_)
    is_new[1:] = ways[1:] != ways[:-1]
    entered = np.bincount(ways[is_new], minlength=walk.n_steps)
    return bool((entered[asks] <= 1).all())


# ---------------------------------------------------------------------------- one ensemble


@dataclass(frozen=True, slots=True)
class Node:
    """value <= bound leads to `if_true`: a step, or None for the node that comes next."""

    column: int
    bound: float
    if_true: int | None
    if_false: int
    missing_is_true: bool


def ensemble_nodes(walk: Walk) -> tuple[list[Node], list[int]]:
    """Nodes of two ways for steps of three, and the first node of each step."""
    nodes: list[Node] = []
    first_node: list[int] = []
    for step in range(walk.n_steps):
        first_node.append(len(nodes))
        if walk.answer[step] >= 0:
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
    """Each leaf of the ensemble weighs the number of its answer."""
    nodes, first_node = ensemble_nodes(walk)
    leaves: list[float] = []

    def place(at: int, step: int | None) -> tuple[int, int]:
        """The id of what a node leads to, and whether that is a leaf."""
        if step is None:
            return at + 1, 0
        if walk.answer[step] < 0:
            return first_node[step], 0
        leaves.append(float(walk.answer[step]))
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
    """All rows take one step in turn, until each has come to an end."""
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
    asks = graph.constant((walk.answer < 0).astype(np.int64))
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
    return graph.add("Gather", graph.constant(walk.answer), end)
