"""The graph of an ONNX file, and what parts of it compute.

Trees are read from attributes. What stands before and after them is arithmetic on small tensors:
`compute` runs it, so that a reader can try all categories of a column, or see what scores become.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.protobuf import (
    Field,
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

FLOAT, STRING, DOUBLE = 1, 8, 11  # types of tensors
DTYPES = {1: "<f4", 2: "<u1", 3: "<i1", 6: "<i4", 7: "<i8", 9: "?", 11: "<f8"}
FLOATS_TAG, WHOLES_TAG = 7 << 3 | 5, 8 << 3  # of the lists of an attribute
MOST_NODES = 100_000  # of a graph that is computed
MOST_CELLS = 2**24  # of a tensor that is computed
MOST_WORK = 2**28  # cells of all of them

Tensor = NDArray[Any]


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


@dataclass(slots=True)
class GraphInput:
    """What a row gives: a tensor of one or several columns."""

    name: str = ""
    element: int = 0  # the type of its numbers
    n_columns: int | None = None  # if that is known


@dataclass(slots=True)
class Graph:
    """All that a file says, in the order of computation."""

    version: str | None = None
    nodes: list[GraphNode] = field(default_factory=list)
    inputs: list[GraphInput] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    constants: dict[str, Tensor] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)


def read_graph(content: bytes) -> Graph:
    """The graph in a file."""
    found, graph = Graph(), None
    for one in fields_of(memoryview(content)):
        if one[0] == 7:
            graph = message_in(one)
        elif one[0] == 2:
            found.version = text_in(one)[:100]
        elif one[0] == 14:
            texts = {part[0]: text_in(part) for part in fields_of(message_in(one))}
            found.properties[texts.get(1, "")] = texts.get(2, "")
    if graph is None:
        raise ModelFileError("the ONNX file has no graph")
    for one in fields_of(graph):
        match one[0]:
            case 1:
                node = node_in(message_in(one))
                tensor = node.attributes["value"].tensor if "value" in node.attributes else None
                if node.kind == "Constant" and tensor is not None and node.outputs:
                    found.constants[node.outputs[0]] = tensor_in(tensor)[1]
                else:
                    found.nodes.append(node)
            case 5:
                name, constant = tensor_in(message_in(one))
                found.constants[name] = constant
            case 11:
                found.inputs.append(input_in(message_in(one)))
            case 12:
                found.outputs.append(input_in(message_in(one)).name)
    found.inputs = [one for one in found.inputs if one.name not in found.constants]
    return found


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
    if not node.outputs or not (node.inputs or node.kind == "Constant"):
        what = "outputs" if node.inputs else "inputs"
        raise ModelFileError(f"the operation `{node.kind[:50]}` of the graph has no {what}")
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


def input_in(message: memoryview) -> GraphInput:
    found = GraphInput()
    for one in fields_of(message):
        if one[0] == 1:
            found.name = text_in(one)
        elif one[0] == 2:
            for kind in fields_of(message_in(one)):
                if kind[0] == 1:
                    found.element, found.n_columns = tensor_type(message_in(kind))
    return found


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


def tensor_in(message: memoryview) -> tuple[str, Tensor]:
    """The name and the content of a tensor."""
    parts: dict[int, list[Field]] = {}
    for one in fields_of(message):
        parts.setdefault(one[0], []).append(one)
    name = text_in(parts[8][-1]) if 8 in parts else ""
    kind = whole_in(parts[2][-1]) if 2 in parts else 0
    where = f"the tensor `{name[:50]}`"
    if parts.keys() & {13, 14}:
        raise UnsupportedError(f"{where} is stored outside of the file")
    if kind != STRING and kind not in DTYPES:
        raise UnsupportedError(f"{where} is of a type that is not read")
    sizes = array("q")
    for one in parts.get(1, ()):
        add_wholes(one, sizes)
    found = texts_in(parts, where) if kind == STRING else numbers_in(parts, DTYPES[kind], where)
    if len(sizes) > 8 or any(size < 0 for size in sizes) or prod(sizes) != found.size:
        raise ModelFileError(f"{where} has another size than it says")
    return name, found.reshape(sizes.tolist())


def texts_in(parts: Mapping[int, Sequence[Field]], where: str) -> Tensor:
    try:
        texts = [bytes(message_in(one)).decode() for one in parts.get(6, ())]
    except UnicodeDecodeError:
        raise ModelFileError(f"{where} is not UTF-8") from None
    return np.array(texts, dtype=object)


def numbers_in(parts: Mapping[int, Sequence[Field]], dtype: str, where: str) -> Tensor:
    """The numbers of a tensor: as bytes, or in a list of their own type."""
    wholes, floats = array("q"), array("d")
    for one in parts.get(4, ()):
        add_floats(one, floats)
    for one in (*parts.get(5, ()), *parts.get(7, ())):
        add_wholes(one, wholes)
    if wholes or floats:
        return np.array(wholes if wholes else floats).astype(dtype)
    raw = b"".join(bytes(message_in(one)) for one in parts.get(9, ()))
    raw += b"".join(bytes(one[2]) for one in parts.get(10, ()) if isinstance(one[2], memoryview))
    if len(raw) % np.dtype(dtype).itemsize:
        raise ModelFileError(f"{where} does not end with a number")
    return np.frombuffer(raw, dtype="u1" if dtype == "?" else dtype).astype(dtype)


# ---------------------------------------------------------------------------- computing


def compute(nodes: Sequence[GraphNode], values: dict[str, Tensor]) -> None:
    """Add to the values all that follows from them; nodes stand in the order of computation."""
    work = 0
    if len(nodes) > MOST_NODES:
        raise UnsupportedError(f"the graph has more than {MOST_NODES:,} operations")
    for node in nodes:
        known = [values[name] for name in node.inputs if name in values]
        is_done = all(name in values for name in node.outputs)
        if is_done or len(known) < max(len(node.inputs), 1) or node.kind not in OPERATIONS:
            continue
        try:
            size = size_of(node, known)
            work += size
            if size > MOST_CELLS or work > MOST_WORK:
                raise UnsupportedError(f"`{node.kind}` computes more numbers than are read")
            with np.errstate(all="ignore"):
                found = OPERATIONS[node.kind](known, node.attributes)
            values[node.outputs[0]] = np.asarray(found)
        except (ValueError, IndexError, TypeError, KeyError, OverflowError, AttributeError):
            raise GraphError(f"the operation `{node.kind[:50]}` cannot be computed") from None


class GraphError(ModelFileError):
    """A graph that cannot be computed for some rows."""


Attributes = Mapping[str, Attribute]


def whole(own: Attributes, name: str, default: int) -> int:
    """A whole number among the attributes."""
    return int(own[name].wholes[0]) if name in own else default


def size_of(node: GraphNode, inputs: Sequence[Tensor]) -> int:
    """How many cells an operation makes at most."""
    match node.kind:
        case "Concat":
            return sum(one.size for one in inputs)
        case "Gather":
            n = inputs[0].shape[whole(node.attributes, "axis", 0)]
            return int(inputs[0].size * inputs[1].size // max(n, 1))
        case "Expand":
            shape = np.broadcast_shapes(inputs[0].shape, tuple(map(int, inputs[1])))
            return int(prod(shape))
        case one if one in ELEMENTWISE:
            return int(prod(np.broadcast_shapes(*(one.shape for one in inputs))))
    return int(inputs[0].size)


def axes_of(inputs: Sequence[Tensor], own: Attributes) -> tuple[int, ...]:
    """The axes of an operation, which are an attribute or an input."""
    given = own["axes"].wholes if "axes" in own else inputs[1].ravel()
    return tuple(int(one) for one in given)


def reduced(by: Callable[..., Any]) -> Callable[[Sequence[Tensor], Attributes], Any]:
    def reduce(inputs: Sequence[Tensor], own: Attributes) -> Any:
        return by(inputs[0], axis=axes_of(inputs, own), keepdims=bool(whole(own, "keepdims", 1)))

    return reduce


def each(by: Callable[..., Any]) -> Callable[[Sequence[Tensor], Attributes], Any]:
    return lambda inputs, _: by(*inputs)


def unsqueezed(inputs: Sequence[Tensor], own: Attributes) -> Tensor:
    return np.expand_dims(inputs[0], axes_of(inputs, own))


def shape_of(inputs: Sequence[Tensor], own: Attributes) -> Tensor:
    end = own["end"].wholes[0] if "end" in own else None
    return np.array(inputs[0].shape[whole(own, "start", 0) : end], dtype=np.int64)


def gathered(inputs: Sequence[Tensor], own: Attributes) -> Tensor:
    # Negative places count from the end; those beyond it are an error, as in runtimes.
    return np.take(inputs[0], inputs[1], axis=whole(own, "axis", 0))


def cast(inputs: Sequence[Tensor], own: Attributes) -> Tensor:
    return inputs[0].astype(DTYPES[whole(own, "to", 0)])


def encoded(inputs: Sequence[Tensor], own: Attributes) -> Tensor:
    """LabelEncoder: each key becomes its value, other ones the default."""
    keys = keys_of(own).tolist()
    values = tensor_in(own["values_tensor"].tensor)[1].ravel()  # type: ignore[arg-type]
    default = tensor_in(own["default_tensor"].tensor)[1].ravel()[0]  # type: ignore[arg-type]
    found = dict(zip(keys, values.tolist(), strict=True))
    given = [found.get(one, default) for one in inputs[0].ravel().tolist()]
    return np.array(given, dtype=values.dtype).reshape(inputs[0].shape)


def keys_of(own: Attributes) -> Tensor:
    """What a LabelEncoder knows."""
    tensor = own["keys_tensor"].tensor if "keys_tensor" in own else None
    if tensor is None:
        raise UnsupportedError("a `LabelEncoder` without `keys_tensor`")
    return tensor_in(tensor)[1].ravel()


def softmax(inputs: Sequence[Tensor], own: Attributes) -> Tensor:
    axis = whole(own, "axis", -1)
    if axis not in (-1, inputs[0].ndim - 1):
        raise UnsupportedError("a `Softmax` over another axis than the last one")
    return portable.softmax(np.ascontiguousarray(inputs[0], dtype=np.float64), axis=1)


def best_places(inputs: Sequence[Tensor], own: Attributes) -> Tensor:
    places = inputs[0].argmax(axis=whole(own, "axis", 0))
    return (
        places if not whole(own, "keepdims", 1) else np.expand_dims(places, whole(own, "axis", 0))
    )


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "Identity": lambda one: one,
    "IsNaN": np.isnan,
    "Neg": np.negative,
    "Abs": np.abs,
    "Exp": np.exp,
    "Sigmoid": lambda one: 1.0 / (1.0 + np.exp(-one)),
    "Where": np.where,
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Min": np.minimum,
    "Max": np.maximum,
    "Or": np.logical_or,
    "Equal": np.equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
}
OPERATIONS: dict[str, Callable[[Sequence[Tensor], Attributes], Any]] = {
    **{name: each(by) for name, by in ELEMENTWISE.items()},
    "Cast": cast,
    "Gather": gathered,
    "Concat": lambda inputs, own: np.concatenate(inputs, axis=whole(own, "axis", 0)),
    "Shape": shape_of,
    "Expand": lambda inputs, _: np.broadcast_to(
        inputs[0], np.broadcast_shapes(inputs[0].shape, tuple(map(int, inputs[1])))
    ),
    "Squeeze": lambda inputs, own: np.squeeze(inputs[0], axes_of(inputs, own)),
    "Unsqueeze": unsqueezed,
    "Reshape": lambda inputs, _: inputs[0].reshape([int(one) for one in inputs[1]]),
    "CumSum": lambda inputs, _: np.cumsum(inputs[0], axis=int(inputs[1])),
    "ReduceMax": reduced(np.max),
    "ReduceMin": reduced(np.min),
    "ReduceSum": reduced(np.sum),
    "ArgMax": best_places,
    "Softmax": softmax,
    "LabelEncoder": encoded,
}
