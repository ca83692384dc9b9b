"""ONNX files with one `TreeEnsembleClassifier` or `TreeEnsembleRegressor`.

Around it there may be `Cast`, `Identity` and `ZipMap`. Engines add leaves in float32 and in an
order of their own; the imported model adds them in doubles, so sums are equal up to rounding.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError
from treewright.imports.foreign import ForeignModel, Ints, Source, TreeNodes, UnsupportedError
from treewright.imports.protobuf import (
    add_floats,
    add_wholes,
    field_at,
    fields_of,
    float_run,
    message_in,
    text_in,
    whole_in,
    whole_run,
)

LIBRARY = "ONNX"
MOST_COLUMNS = 200_000
FLOAT, DOUBLE = 1, 11  # types of tensors
FLOATS_TAG, WHOLES_TAG = 7 << 3 | 5, 8 << 3  # of the lists of an attribute
AROUND = ("Cast", "Identity", "ZipMap")
CLASSIFIER, REGRESSOR = "TreeEnsembleClassifier", "TreeEnsembleRegressor"
# By mode: whether the true branch is the lower one, and whether the bound belongs to the upper one.
MODES = {
    b"BRANCH_LEQ": (True, False),
    b"BRANCH_LT": (True, True),
    b"BRANCH_GT": (False, False),
    b"BRANCH_GTE": (False, True),
}
LIMIT = 2.0**-17  # relative difference of sums in float32


def recognizes(content: bytes) -> bool:
    """Whether a file begins as an ONNX model and names an ensemble of trees."""
    return content[:1] == b"\x08" and b"TreeEnsemble" in content and b"ai.onnx.ml" in content


def from_content(content: bytes, *, verify: bool = True) -> Source:
    """The model in a file, and onnxruntime to compare it with if that is installed."""
    model = read_onnx(content)
    if not verify:
        return Source("ONNX file", model, why_no_original="verify=False")
    try:
        runtime = import_module("onnxruntime")
    except ImportError:
        return Source("ONNX file", model, why_no_original="onnxruntime is not installed")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        message = str(error).splitlines()[0][:200]
        raise ModelFileError(f"onnxruntime cannot load it: {message}") from None
    given = session.get_inputs()[0]
    dtype = np.float64 if given.type == "tensor(double)" else np.float32

    def predictions(X: Any) -> Any:
        found = session.run(None, {given.name: np.asarray(X, dtype=dtype)})[-1]
        if isinstance(found, list):  # of ZipMap
            assert model.classes is not None
            found = np.array([[row[label] for label in model.classes.tolist()] for row in found])
        return found if model.classes is not None else np.ravel(found)

    if model.classes is not None and len(session.get_outputs()) < 2:
        why = "the file gives no probabilities"
        return Source("ONNX file", model, why_no_original=why)
    return Source(
        "ONNX file",
        model,
        predictions,
        is_exact=False,
        gives_predictions=True,
        limit=LIMIT,
        predictions=predictions,
    )


# ---------------------------------------------------------------------------- the graph


@dataclass(slots=True)
class Attribute:
    """What an attribute of a node holds."""

    floats: "array[float]" = field(default_factory=lambda: array("d"))
    wholes: "array[int]" = field(default_factory=lambda: array("q"))
    texts: list[bytes] = field(default_factory=list)
    tensor: memoryview | None = None


@dataclass(slots=True)
class GraphNode:
    """An operation."""

    kind: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    attributes: dict[str, Attribute] = field(default_factory=dict)


def read_onnx(content: bytes) -> ForeignModel:
    """The model in a file."""
    graph, version = None, None
    for one in fields_of(memoryview(content)):
        if one[0] == 7:
            graph = message_in(one)
        elif one[0] == 2:
            version = text_in(one)[:100]
    if graph is None:
        raise ModelFileError("the ONNX file has no graph")
    nodes, inputs = [], []
    for one in fields_of(graph):
        if one[0] == 1:
            nodes.append(node_in(message_in(one)))
        elif one[0] == 11:
            inputs.append(input_in(message_in(one)))
    other = [node.kind for node in nodes if node.kind not in (*AROUND, CLASSIFIER, REGRESSOR)]
    if other:
        raise UnsupportedError(f"the operation `{other[0][:50]}` of the graph is not reproduced")
    trees = [node for node in nodes if node.kind not in AROUND]
    if len(trees) != 1 or len(inputs) != 1:
        raise UnsupportedError(
            f"{len(trees)} ensembles of trees and {len(inputs)} inputs, not one of each"
        )
    check_casts(trees[0], nodes)
    name, element, n_columns = inputs[0]
    return model_of(trees[0], input_type(trees[0], nodes, name, element), n_columns, version)


def check_casts(trees: GraphNode, nodes: Sequence[GraphNode]) -> None:
    """Raise if probabilities or numbers are converted to another type than float or double."""
    scores = set(trees.outputs[-1:])
    for node in nodes:  # in the order of computation
        if scores & {*node.inputs}:
            scores |= {*node.outputs}
            to = node.attributes["to"].wholes.tolist() if "to" in node.attributes else [0]
            if node.kind == "Cast" and not {*to} <= {FLOAT, DOUBLE}:
                raise UnsupportedError("predictions that are cast to another type than float")


def node_in(message: memoryview) -> GraphNode:
    node = GraphNode()
    for one in fields_of(message):
        if one[0] == 1:
            node.inputs.append(text_in(one))
        elif one[0] == 2:
            node.outputs.append(text_in(one))
        elif one[0] == 4:
            node.kind = text_in(one)
        elif one[0] == 5:
            name, attribute = attribute_in(message_in(one))
            if name in node.attributes:
                raise ModelFileError(f"the attribute `{name[:50]}` occurs twice")
            node.attributes[name] = attribute
    return node


def attribute_in(message: memoryview) -> tuple[str, Attribute]:
    name, found, at = "", Attribute(), 0
    while at < len(message):
        before = at
        if message[at] == FLOATS_TAG:
            floats, at = float_run(message, at)
            found.floats.frombytes(floats.astype(np.float64).tobytes())
        elif message[at] == WHOLES_TAG:
            wholes, at = whole_run(message, at)
            found.wholes.frombytes(wholes.tobytes())
        if at > before:
            continue
        one, at = field_at(message, at)
        match one[0]:
            case 1:
                name = text_in(one)
            case 2 | 7:
                add_floats(one, found.floats)
            case 3 | 8:
                add_wholes(one, found.wholes)
            case 4 | 9:
                found.texts.append(bytes(message_in(one)))
            case 5:
                found.tensor = message_in(one)
    return name, found


def input_in(message: memoryview) -> tuple[str, int, int | None]:
    """The name of an input, the type of its numbers, and its number of columns if that is known."""
    name, element, n_columns = "", 0, None
    for one in fields_of(message):
        if one[0] == 1:
            name = text_in(one)
        elif one[0] == 2:
            for kind in fields_of(message_in(one)):
                if kind[0] == 1:
                    element, n_columns = tensor_type(message_in(kind))
    return name, element, n_columns


def tensor_type(message: memoryview) -> tuple[int, int | None]:
    element = 0
    sizes: list[int | None] = []
    for one in fields_of(message):
        if one[0] == 1:
            element = whole_in(one)
        elif one[0] == 2:
            for dimension in fields_of(message_in(one)):
                known = [
                    whole_in(size) for size in fields_of(message_in(dimension)) if size[0] == 1
                ]
                sizes.append(known[0] if known else None)
    return element, sizes[1] if len(sizes) == 2 else None


def input_type(trees: GraphNode, nodes: Sequence[GraphNode], name: str, element: int) -> int:
    """The type of numbers that the trees compare."""
    made_by = {output: node for node in nodes for output in node.outputs}
    asked = trees.inputs[0] if trees.inputs else ""
    casts: list[int] = []
    for _ in range(len(nodes)):
        if asked == name or asked not in made_by:
            break
        node = made_by[asked]
        if node.kind == "Cast" and "to" in node.attributes:
            casts += node.attributes["to"].wholes.tolist()[:1]
        asked = node.inputs[0] if node.inputs else ""
    if asked != name:
        raise UnsupportedError("the trees do not take the input of the graph")
    types = {element, *casts}
    if not types <= {FLOAT, DOUBLE}:
        raise UnsupportedError("only inputs of float or double are reproduced")
    return FLOAT if FLOAT in types else DOUBLE


# ---------------------------------------------------------------------------- the trees


def model_of(
    node: GraphNode, element: int, n_columns: int | None, version: str | None
) -> ForeignModel:
    """The model of an ensemble."""
    own, is_class = node.attributes, node.kind == CLASSIFIER
    nodes, key_of = nodes_of(own, Comparison(float32=element == FLOAT))
    n_needed = int(nodes.feature.max(initial=-1)) + 1
    n_columns = max(n_needed, 1) if n_columns is None else n_columns
    if not n_needed <= n_columns <= MOST_COLUMNS:
        raise ModelFileError(f"{n_columns} columns, of which the trees ask number {n_needed}")
    strict = is_strict(own)
    comparison = Comparison(float32=element == FLOAT, strict=strict)
    specs = tuple(ColumnSpec(f"x{at}", "numeric", comparison=comparison) for at in range(n_columns))
    schema = Schema(specs, has_names=False)
    prefix = "class" if is_class else "target"
    weights = weights_of(own, prefix, key_of)
    base = floats_in(own, "base_values", None) if has(own, "base_values") else np.zeros(0)
    link = own["post_transform"].texts[0] if has(own, "post_transform") else b"NONE"
    build = class_model if is_class else number_model
    return build(own, nodes, weights, (base, link), library=LIBRARY, version=version, schema=schema)


Own = Mapping[str, Attribute]
Weights = tuple[Ints, Ints, Floats]  # node, output, weight


def has(own: Own, name: str) -> bool:
    return any(key in own and not is_empty(own[key]) for key in (name, f"{name}_as_tensor"))


def is_empty(attribute: Attribute) -> bool:
    return not (
        attribute.floats or attribute.wholes or attribute.texts or attribute.tensor is not None
    )


def wholes_in(own: Own, name: str, n: int | None) -> Ints:
    found = np.array(own[name].wholes if name in own else [], dtype=np.int64)
    if n is not None and len(found) != n:
        raise ModelFileError(f"`{name}` has {len(found)} numbers, not {n}")
    return found


def floats_in(own: Own, name: str, n: int | None) -> Floats:
    tensor = own[f"{name}_as_tensor"].tensor if f"{name}_as_tensor" in own else None
    if tensor is not None:
        found = tensor_numbers(tensor, name)
    else:
        found = np.array(own[name].floats if name in own else [], dtype=np.float64)
    if n is not None and len(found) != n:
        raise ModelFileError(f"`{name}` has {len(found)} numbers, not {n}")
    if not np.isfinite(found).all():
        raise ModelFileError(f"`{name}` has a number that is not finite")
    return found


def tensor_numbers(message: memoryview, name: str) -> Floats:
    """The numbers of a tensor of float or double."""
    kind, raw = 0, b""
    doubles, floats = b"", array("d")
    for one in fields_of(message):
        if one[0] == 2:
            kind = whole_in(one)
        elif one[0] == 4:
            add_floats(one, floats)
        elif one[0] == 9:
            raw = bytes(message_in(one))
        elif one[0] == 10 and isinstance(one[2], memoryview):
            doubles += bytes(one[2])
        elif one[0] in (13, 14):
            raise UnsupportedError(f"`{name}` is stored outside of the file")
    dtype = {FLOAT: "<f4", DOUBLE: "<f8"}.get(kind)
    if dtype is None:
        raise ModelFileError(f"`{name}` is a tensor of another type than float or double")
    if floats:
        return np.array(floats, dtype=np.float64)
    given = raw or doubles
    if len(given) % np.dtype(dtype).itemsize:
        raise ModelFileError(f"`{name}` does not end with a number")
    return np.frombuffer(given, dtype=dtype).astype(np.float64)


def is_strict(own: Own) -> bool:
    """Whether all comparisons are `<` or `>=`."""
    asked = {mode for mode in own["nodes_modes"].texts if mode != b"LEAF"}
    return bool(asked) and all(MODES[mode][1] for mode in asked)


def nodes_of(own: Own, comparison: Comparison) -> tuple[TreeNodes, Callable[[Ints, Ints], Ints]]:
    """The nodes without values, and a function that finds nodes by their trees and numbers."""
    modes = own["nodes_modes"].texts if "nodes_modes" in own else []
    n = len(modes)
    unknown = {*modes} - {*MODES, b"LEAF"}
    if not n or unknown:
        words = ", ".join(sorted(str(one[:30])[2:-1] for one in unknown)) or "no nodes"
        raise UnsupportedError(f"nodes of this kind are not reproduced: {words}")
    tree, number = wholes_in(own, "nodes_treeids", n), wholes_in(own, "nodes_nodeids", n)
    if not ((tree >= 0) & (tree < n) & (number >= 0) & (number < 2**31)).all():
        raise ModelFileError("`nodes_treeids` or `nodes_nodeids` has a number out of range")
    # A tree begins at the node that comes first, and its nodes stand together.
    change = np.flatnonzero(np.diff(tree) != 0) + 1
    start = np.concatenate([[0], change, [n]])
    if len(np.unique(tree[start[:-1]])) != len(start) - 1:
        raise UnsupportedError("the nodes of a tree do not stand together")
    key = tree << 32 | number
    order = np.argsort(key, kind="stable")
    if (np.diff(key[order]) == 0).any():
        raise ModelFileError("a node occurs twice")

    def find(trees: Ints, numbers: Ints) -> Ints:
        wanted = trees << 32 | numbers
        at = np.minimum(np.searchsorted(key[order], wanted), n - 1)
        found = order[at]
        if (key[found] != wanted).any() or (numbers < 0).any() or (trees < 0).any():
            raise ModelFileError("no such node")
        return np.asarray(found)

    is_inner = np.array([mode != b"LEAF" for mode in modes])
    true, false = np.full(n, -1), np.full(n, -1)
    for name, child in (("nodes_truenodeids", true), ("nodes_falsenodeids", false)):
        child[is_inner] = find(tree[is_inner], wholes_in(own, name, n)[is_inner])
    sides = np.array([MODES.get(mode, (True, False)) for mode in modes])
    true_is_left, strict = sides[:, 0], sides[:, 1]
    tracks_true = np.zeros(n, dtype=np.bool_)
    if has(own, "nodes_missing_value_tracks_true"):
        tracks_true = wholes_in(own, "nodes_missing_value_tracks_true", n) != 0
    bounds = np.where(is_inner, floats_in(own, "nodes_values", n), 0.0)
    of_column = Comparison(float32=comparison.float32, strict=is_strict(own))
    nodes = TreeNodes(
        start=start,
        left=np.where(true_is_left, true, false),
        right=np.where(true_is_left, false, true),
        feature=np.where(is_inner, wholes_in(own, "nodes_featureids", n), -1),
        threshold=np.where(is_inner, thresholds(bounds, strict, of_column), 0.0),
        missing_left=is_inner & (tracks_true == true_is_left),
        value=np.zeros((n, 1)),
        weight=np.zeros(n),
        n_rows=np.zeros(n, dtype=np.int64),
        gain=np.zeros(n),
    )
    if (nodes.feature[is_inner] < 0).any():
        raise ModelFileError("no such column")
    return nodes, find


def thresholds(bounds: Floats, strict: NDArray[np.bool_], comparison: Comparison) -> Floats:
    """What `<=` of doubles compares with."""
    if not comparison.strict:  # a few `<` among `<=`: the number before the bound
        dtype = np.float32 if comparison.float32 else np.float64
        below = np.nextafter(bounds.astype(dtype), dtype(-np.inf)).astype(np.float64)
        bounds = np.where(strict, below, bounds)
    different, place = np.unique(bounds, return_inverse=True)
    found = np.array([comparison.threshold(one) for one in different.tolist()])
    return np.asarray(found[place])


def weights_of(own: Own, prefix: str, find: Callable[[Ints, Ints], Ints]) -> Weights:
    """What leaves add to outputs."""
    weights = floats_in(own, f"{prefix}_weights", None)
    n = len(weights)
    output = wholes_in(own, f"{prefix}_ids", n)
    at = find(wholes_in(own, f"{prefix}_treeids", n), wholes_in(own, f"{prefix}_nodeids", n))
    if len(np.unique(at << 20 | output)) != n or (output < 0).any() or (output >= 2**20).any():
        raise ModelFileError(f"`{prefix}_ids`: an output occurs twice at a leaf, or is negative")
    return at, output, weights


def number_model(
    own: Own, nodes: TreeNodes, weights: Weights, end: tuple[Floats, bytes], **facts: Any
) -> ForeignModel:
    """A model of one number."""
    base, link = end
    n_targets = wholes_in(own, "n_targets", 1).tolist() if has(own, "n_targets") else [1]
    if n_targets != [1] or (weights[1] != 0).any() or len(base) > 1:
        raise UnsupportedError(f"{n_targets[0]} numbers for each row")
    how = own["aggregate_function"].texts[0] if has(own, "aggregate_function") else b"SUM"
    links = {b"NONE": "same", b"LOGISTIC": "logistic"}
    if how not in (b"SUM", b"AVERAGE") or link not in links:
        raise UnsupportedError(
            f"`{str(how)[2:30]} {str(link)[2:30]}`: such sums are not reproduced"
        )
    value = np.zeros((nodes.n_nodes, 1))
    value[weights[0], 0] = weights[2]
    divisor = float(nodes.n_trees) if how == b"AVERAGE" else 1.0
    start = np.zeros(1) if not len(base) else base * divisor
    is_single = nodes.n_trees == 1 and link == b"NONE" and not start.any()
    return ForeignModel(
        nodes=replace(nodes, value=value),
        start=start,
        divisor=divisor,
        link=links[link],
        is_single=is_single,
        **facts,
    )


def class_model(
    own: Own, nodes: TreeNodes, weights: Weights, end: tuple[Floats, bytes], **facts: Any
) -> ForeignModel:
    """A model of classes: averaged shares, or scores with a link."""
    base, link = end
    classes = classes_in(own)
    at, output, weight = weights
    n_classes, n_trees = len(classes), nodes.n_trees
    if output.max(initial=0) >= n_classes:
        raise ModelFileError("`class_ids`: no such class")
    is_binary = n_classes == 2 and len(np.unique(output)) == 1
    if link == b"NONE" and not base.any():
        value = np.zeros((nodes.n_nodes, n_classes))
        if is_binary:  # the one weight is that of the second class
            value[at, 1] = weight
            value[~nodes.is_inner, 0] = 1.0 / n_trees - value[~nodes.is_inner, 1]
            value[np.abs(value) < 2.0**-20 / n_trees] = 0.0
        else:
            value[at, output] = weight
        total = value[~nodes.is_inner].sum(axis=1)
        if (value < 0).any() or (np.abs(total * n_trees - 1.0) > LIMIT).any():
            raise UnsupportedError("leaves whose weights are not shares of classes, without a link")
        is_single = n_trees == 1
        return ForeignModel(
            nodes=replace(nodes, value=value),
            classes=classes,
            averages_shares=True,
            is_single=is_single,
            **facts,
        )
    if is_binary and link == b"LOGISTIC" and len(base) <= 1:
        if (weight >= 0).all():
            raise UnsupportedError("no leaf is below 0: engines then compare scores with 0.5")
        value = np.zeros((nodes.n_nodes, 1))
        value[at, 0] = weight
        start = base if len(base) else np.zeros(1)
        return ForeignModel(
            nodes=replace(nodes, value=value),
            classes=classes,
            start=start,
            link="logistic",
            **facts,
        )
    links = {b"SOFTMAX": "softmax", b"LOGISTIC": "logistic_each"}
    if is_binary or link not in links or len(base) not in (0, n_classes):
        raise UnsupportedError(f"`{str(link)[2:30]}`: such scores of classes are not reproduced")
    value = np.zeros((nodes.n_nodes, n_classes))
    value[at, output] = weight
    start = base if len(base) else np.zeros(n_classes)
    in_turns = trees_in_turns(nodes, value)
    return ForeignModel(nodes=in_turns, classes=classes, start=start, link=links[link], **facts)


def trees_in_turns(nodes: TreeNodes, value: Floats) -> TreeNodes:
    """Trees that add to one class each, in turns."""
    n_classes = value.shape[1]
    used = np.add.reduceat(value != 0, nodes.start[:-1], axis=0) > 0
    turn = np.arange(nodes.n_trees) % n_classes
    others = used.copy()
    others[np.arange(nodes.n_trees), turn] = False
    if not others.any() and nodes.n_trees % n_classes == 0:
        return replace(nodes, value=value[np.arange(nodes.n_nodes), turn[nodes.tree_of]][:, None])
    # Each tree once for every class.
    sizes = np.diff(nodes.start)
    pieces = np.split(np.arange(nodes.n_nodes), nodes.start[1:-1])
    old = np.concatenate([piece for piece in pieces for _ in range(n_classes)])
    start = np.concatenate([[0], np.cumsum(np.repeat(sizes, n_classes))])
    shift = np.repeat(start[:-1] - np.repeat(nodes.start[:-1], n_classes), np.diff(start))
    label = np.repeat(np.tile(np.arange(n_classes), nodes.n_trees), np.diff(start))
    return TreeNodes(
        start=start,
        left=np.where(nodes.is_inner[old], nodes.left[old] + shift, -1),
        right=np.where(nodes.is_inner[old], nodes.right[old] + shift, -1),
        feature=nodes.feature[old],
        threshold=nodes.threshold[old],
        missing_left=nodes.missing_left[old],
        value=value[old, label][:, None],
        weight=nodes.weight[old],
        n_rows=nodes.n_rows[old],
        gain=nodes.gain[old],
    )


def classes_in(own: Own) -> NDArray[Any]:
    """The labels of the classes."""
    texts = own["classlabels_strings"].texts if has(own, "classlabels_strings") else []
    if texts:
        try:
            found: list[Any] = [one.decode() for one in texts]
        except UnicodeDecodeError:
            raise ModelFileError("`classlabels_strings` is not UTF-8") from None
    else:
        found = wholes_in(own, "classlabels_int64s", None).tolist()
    if len(found) < 2 or len(set(found)) != len(found):
        raise ModelFileError("the labels of classes are missing, or one occurs twice")
    return np.array(found)
