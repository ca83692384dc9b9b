"""Graph: the nodes of an ONNX file, written one after the other."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.exports.files.field_names import free_name

CORE_VERSION = 17
ML_VERSION = 5
FILE_VERSION = 10  # of the format itself, the first that has ML_VERSION
ML = "ai.onnx.ml"

TensorType = tuple[str, int, tuple[str | int, ...]]  # name, element type, shape


class Graph:
    """Nodes and constants of a graph; a new value gets a name that no other has."""

    def __init__(self, onnx: Any, taken: Iterable[str]) -> None:
        self.onnx = onnx
        self.taken = set(taken)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def name(self, wanted: str) -> str:
        """`wanted`, or the first like it that is free."""
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
        """A new node whose output has the name that is wanted, or one like it."""
        output = self.name(wanted)
        make = self.onnx.helper.make_node
        self.nodes.append(make(operator, list(inputs), [output], domain=domain, **attributes))
        return output

    def times(self, tensor: str, factors: NDArray[np.float64]) -> str:
        """(n_rows, n): a column times each of the factors (1, n).

        onnxruntime leaves out a product with one factor that is 1 in 32 bits, though it may be a
        little less; of two factors it leaves out none.
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
        """The whole as the bytes of a file that has passed ONNX's own check."""
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
