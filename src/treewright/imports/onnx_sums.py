"""What an ONNX graph makes of the values of its trees: sums, links, and classes.

The operations are tried with numbers of ours, and compared with the sums and links that an imported
model has.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.errors import ModelFileError
from treewright.imports.fitted import CLASS_LINKS, LINKS
from treewright.imports.foreign import (
    Ints,
    UnsupportedError,
)
from treewright.imports.onnx_columns import whole
from treewright.imports.onnx_graph import (
    DOUBLE,
    FLOAT,
    OPERATIONS,
    Graph,
    Tensor,
    compute,
)
from treewright.tree.predictions import cheapest_classes

LIMIT = 2.0**-17  # relative difference of sums in float32
LIMIT_OF_DOUBLES = 1e-12
SAME_VALUES = ("Identity", "Reshape", "Cast", "Squeeze", "Unsqueeze", "Flatten")
# Operations on sums before they become predictions.
ADDING = (*SAME_VALUES, "Gather", "Concat", "CumSum", "Add", "ReduceSum")
N_PROBES = 16
MOST_SCORES = 2**16
MOST_TERMS = 2**20  # of a row: trees times classes


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """What the leaves of the nodes add, and to which target."""

    at: Ints  # the node of each
    target: Ints
    weight: Floats
    n_targets: int
    divisor: float
    transform: str
    comparison: Comparison  # of numbers


@dataclass(slots=True, eq=False)
class End:
    """What becomes of the leaves: sums for each score, and then predictions."""

    start: Floats
    table: Tensor | None = None  # of numbers, where leaves are places in it
    divisor: float = 1.0
    link: str = "same"
    classes: NDArray[Any] | None = None
    is_single: bool = False


class After:
    """The operations after the trees, tried with numbers of ours."""

    def __init__(self, graph: Graph, n_before: int, n_features: int) -> None:
        self.graph, self.nodes = graph, graph.nodes
        self.trees = graph.nodes[n_before]
        self.n_features = n_features
        self.output = self.trees.outputs[0]

    def run(self, name: str = "", given: Tensor | None = None) -> dict[str, Tensor]:
        """All that follows from one tensor."""
        n_rows = N_PROBES if given is None else len(given)
        values = dict(self.graph.constants)
        values[self.trees.inputs[0]] = np.zeros((n_rows, self.n_features))
        if given is not None:
            values[name] = given
        compute(self.nodes, values)
        return values

    def outputs(self, name: str, given: Tensor) -> tuple[Tensor, Tensor | None]:
        """Predictions and labels that follow from a tensor."""
        values = self.run(name, given)
        for one in self.graph.outputs:
            if one not in values:
                wrong = [node.kind for node in self.nodes if node.outputs[:1] == [one]]
                unknown = [node.kind for node in self.nodes if node.kind not in OPERATIONS]
                kind = (unknown or wrong or ["nothing"])[0]
                raise UnsupportedError(f"the operation `{kind[:50]}` is not reproduced")
        labels = values[self.graph.outputs[0]] if len(self.graph.outputs) == 2 else None
        found = values[self.graph.outputs[-1]]
        if found.ndim == 0 or len(found) != len(given) or found.dtype.kind != "f":
            raise ModelFileError("predictions of another shape or type")
        return found.reshape(len(given), -1), None if labels is None else labels.ravel()


def end_of(after: After, leaves: Leaves) -> End:
    """What the operations after the trees compute."""
    end = End(np.zeros(1), classes=classes_of(after))
    lookup = table_after(after)
    if lookup is not None:
        place, scores, end.table = lookup
        probe = after.run(after.output, np.zeros((2, leaves.n_targets))).get(place)
        if leaves.n_targets == 1 and probe is not None and probe.ndim == 1:
            return single_end(after, end, place)
        divisor = add_up(after, scores, (leaves.n_targets, end.table.shape[1]), end)
    elif leaves.transform == "same":
        divisor = add_up(after, after.output, (leaves.n_targets,), end)
    else:
        end.start, divisor = np.zeros(leaves.n_targets), 1.0
        link = LINKS["logistic"] if leaves.transform == "logistic_each" else CLASS_LINKS["softmax"]
        set_link(after, end, lambda given: after.outputs(after.output, link(given)), 1.0)
    end.divisor = divisor * leaves.divisor
    end.start = end.start * leaves.divisor
    return end


def classes_of(after: After) -> NDArray[Any] | None:
    """The classes, among which the first of two outputs is looked up."""
    if len(after.graph.outputs) == 1:
        return None
    if len(after.graph.outputs) != 2:
        raise UnsupportedError(f"{len(after.graph.outputs)} outputs")
    made_by = {name: node for node in after.nodes for name in node.outputs}
    node = made_by.get(after.graph.outputs[0])
    for _ in range(len(after.nodes)):
        if node is None or node.kind not in SAME_VALUES:
            break
        node = made_by.get(node.inputs[0] if node.inputs else "")
    table = after.graph.constants.get(node.inputs[0]) if node and node.kind == "Gather" else None
    if table is None or table.ndim != 1 or not 2 <= len(table) == len({*table.tolist()}):
        raise UnsupportedError("labels that are not looked up in a list of classes")
    found = np.array(table.tolist())
    if found.dtype.kind not in "Uibf" or (found.dtype.kind == "f" and np.isnan(found).any()):
        raise UnsupportedError("classes that are not texts or numbers")
    return found


def table_after(after: After) -> tuple[str, str, Tensor] | None:
    """The places that are looked up, what is found, and the table: leaves may be places in it."""
    same = {after.output}
    for node in after.nodes:
        if node.kind in SAME_VALUES and node.inputs and node.inputs[0] in same:
            same |= {*node.outputs}
        elif node.kind == "Gather" and len(node.inputs) == 2 and node.inputs[1] in same:
            table = after.graph.constants.get(node.inputs[0])
            is_table = table is not None and table.ndim == 2 and table.dtype.kind == "f"
            if (
                is_table
                and table is not None
                and table.size
                and not whole(node.attributes, "axis", 0)
            ):
                return node.inputs[1], node.outputs[0], table.astype(np.float64)
    return None


def single_end(after: After, end: End, place: str) -> End:
    """One tree whose leaves are places in a table of predictions."""
    assert end.table is not None
    values, labels = after.outputs(place, np.arange(len(end.table)))
    if not np.array_equal(values, end.table):
        raise UnsupportedError("the numbers of the table are changed")
    if end.classes is None and values.shape[1] != 1:
        raise UnsupportedError(f"{values.shape[1]} numbers for each row")
    if end.classes is not None:
        check_classes(end, values, labels, cheapest_classes(values))
    end.start = np.zeros(values.shape[1])
    end.is_single = True
    return end


def check_classes(end: End, values: Tensor, labels: Tensor | None, expected: Ints) -> None:
    """Raise unless the most probable classes are predicted."""
    assert end.classes is not None
    if values.shape[1] != len(end.classes):
        raise ModelFileError("not one probability for each class")
    if labels is None or labels.tolist() != end.classes[expected].tolist():
        raise UnsupportedError("the most probable class is not predicted; the model may have costs")


def last_sum(after: After, name: str, values: Mapping[str, Tensor]) -> str:
    """The last tensor that follows from the values of trees by adding and choosing alone."""
    fixed, sums, found = after.run(), {name}, name
    for node in after.nodes:
        others = [one for one in node.inputs if one not in sums]
        is_sum = node.kind in ADDING and len(others) < len(node.inputs)
        if node.kind == "Cast":
            is_sum &= whole(node.attributes, "to", 0) in (FLOAT, DOUBLE)
        if node.kind == "Gather":
            is_sum &= node.inputs[0] in sums
        if is_sum and all(one in fixed for one in others):
            sums |= {*node.outputs}
            own = values.get(node.outputs[0])
            if own is not None and own.ndim == 2 and node.outputs[0] not in after.graph.outputs:
                found = node.outputs[0]
    return found


def add_up(after: After, name: str, shape: tuple[int, ...], end: End) -> float:
    """Find the sums of the trees, where they start, and their link; what they are divided by."""
    if np.prod(shape) > MOST_TERMS:
        raise UnsupportedError("more trees and classes than are read")
    rng = np.random.default_rng(0)
    terms = rng.integers(-1000, 1000, (N_PROBES, *shape)).astype(np.float64)
    terms[0] = 0.0
    values = after.run(name, terms)
    scores = last_sum(after, name, values)
    total = values[scores]
    if total.ndim != 2 or len(total) != N_PROBES or not 0 < total.shape[1] <= MOST_SCORES:
        raise UnsupportedError("the trees are not added up to scores")
    n_scores = total.shape[1]
    if len(shape) == 1 and shape[0] % n_scores == 0:
        own = np.stack([terms[:, at::n_scores].sum(axis=1) for at in range(n_scores)], axis=1)
    elif len(shape) == 2 and shape[1] == n_scores:
        own = terms.sum(axis=1)
    else:
        raise UnsupportedError("the trees are not as many for each score")
    start = total[0].astype(np.float64)
    if not np.isfinite(start).all():
        raise ModelFileError("a sum does not start at a finite number")
    size = np.abs(start) + np.abs(own).max() + 1.0
    if not (np.abs(total - start - own) <= 1e-9 * size).all():
        raise UnsupportedError("the values of the trees are not simply added up")
    end.start, divisor = start, 1.0
    for node in after.nodes:
        by = after.graph.constants.get(node.inputs[1]) if len(node.inputs) == 2 else None
        if node.kind == "Div" and node.inputs[0] == scores and by is not None and by.size == 1:
            divisor = float(by.ravel()[0])
    if not 0 < divisor < np.inf:
        raise ModelFileError("sums are divided by a number that is not above 0")
    set_link(after, end, lambda given: after.outputs(scores, given), divisor)
    return divisor


def set_link(
    after: After,
    end: End,
    outputs: Callable[[Floats], tuple[Tensor, Tensor | None]],
    divisor: float,
) -> None:
    """Find what scores become, by trying many."""
    rng, n_scores = np.random.default_rng(1), len(end.start)
    sizes = np.repeat([0.1, 1.0, 5.0, 30.0], N_PROBES // 4)[:, None]
    given = np.clip(rng.normal(size=(N_PROBES, n_scores)) * sizes, -80.0, 80.0)
    values, labels = outputs(given * divisor)
    scores = given * divisor / divisor
    n_classes = 0 if end.classes is None else len(end.classes)
    tries: dict[str, Floats] = {}
    if n_classes == 0 and n_scores == 1:
        tries = {name: link(scores) for name, link in LINKS.items()}
    elif n_classes == 2 and n_scores == 1:
        for name in ("logistic", "step"):
            second = LINKS[name](scores)
            tries[name] = np.concatenate([1.0 - second, second], axis=1)
    elif n_classes == n_scores:
        tries = {"same": scores, **{name: link(scores) for name, link in CLASS_LINKS.items()}}
    limit = LIMIT if values.dtype == np.float32 else LIMIT_OF_DOUBLES
    fits = [
        name
        for name, expected in tries.items()
        if expected.shape == values.shape
        and (np.abs(values - expected) <= limit * (np.abs(expected) + 1e-3)).all()
    ]
    if not fits:
        raise UnsupportedError("what the graph makes of the scores is not reproduced")
    end.link = fits[0]
    if end.classes is not None:
        check_classes(end, values, labels, values.argmax(axis=1))
