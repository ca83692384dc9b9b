"""The nodes of a PMML tree, as lines of XML."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ExportError
from treewright.exports.files.pmml_predicates import TRUE, Predicates, all_of, level_text
from treewright.exports.files.walk import Walk, walk_of_spread
from treewright.exports.files.xml_text import element, opening
from treewright.exports.program import Program

MOST_SPREAD_NODES = 100_000
DEEPEST = 200  # XML readers stop at 256 elements within each other, or overflow their stack
DEEPEST_INDENT = 30


@dataclass(frozen=True, slots=True)
class InTree:
    """A node of the tree."""

    node: int


@dataclass(frozen=True, slots=True)
class InWalk:
    """A step of the walk of rows that were spread over several branches."""

    walk: Walk
    step: int


Spot = InTree | InWalk
Below = list[tuple[Spot, str]]  # with the predicate of each


def node_lines(program: Program, predicates: Predicates) -> Iterator[str]:
    """All nodes, each around those below it; without recursion, for deep trees."""
    writer = _Writer(program, predicates)
    todo: list[tuple[int, tuple[Spot, str] | None]] = [(0, (InTree(0), TRUE))]
    while todo:
        depth, task = todo.pop()
        if depth > DEEPEST:
            raise ExportError(
                f"PMML nests nodes, and readers of XML fail if they nest over {DEEPEST} deep",
                hint="`to_depth` cuts a tree",
            )
        indent = " " * min(depth, DEEPEST_INDENT)
        if task is None:
            yield f"{indent}</Node>"
            continue
        spot, predicate = task
        for line in writer.start_of(spot, predicate):
            yield indent + line
        todo.append((depth, None))
        todo += [(depth + 1, child) for child in reversed(writer.below(spot))]


class _Writer:
    """Writes one node at a time."""

    def __init__(self, program: Program, predicates: Predicates) -> None:
        self.program = program
        self.predicates = predicates
        self.n_spread = 0

    def below(self, spot: Spot) -> Below:
        """What a row may go to from here."""
        if isinstance(spot, InWalk):
            if spot.walk.answer[spot.step] >= 0:
                return []
            ways = self.predicates.of_step(spot.walk, spot.step)
            return [(InWalk(spot.walk, after), predicate) for after, predicate in ways.items()]
        step = self.program.step(spot.node)
        if step is None:
            return []
        children = self.predicates.of_children(step)
        found: Below = [(InTree(child), predicate) for child, predicate in children.items()]
        if step.splits_rows:
            walk = walk_of_spread(self.program, step.node)
            found.append((InWalk(walk, 0), all_of(self.predicates.unknown(step))))
        return found

    def start_of(self, spot: Spot, predicate: str) -> Iterator[str]:
        """The opening tag of a node, its predicate and its answer."""
        tree = self.program.tree
        if isinstance(spot, InTree):
            values = self.program.answers[spot.node]
            label = 0 if tree.classes is None else int(tree.node_class[spot.node])
            yield self.tag(str(spot.node), values, label, float(tree.weight[spot.node]))
            yield predicate
            yield from self.distribution(values, tree.value[spot.node])
            return
        self.n_spread += 1
        if self.n_spread > MOST_SPREAD_NODES:
            raise ExportError(
                "rows with missing values are spread over several branches, and written out as "
                f"one path for each case they need more than {MOST_SPREAD_NODES:,} nodes of PMML",
                hint="prune the tree, or grow it with another way for missing values",
            )
        name = f"spread {self.n_spread}"
        answer = int(spot.walk.answer[spot.step])
        if answer < 0:
            yield opening("Node", {"id": name})
            yield predicate
            return
        values = spot.walk.values[answer]
        label = 0 if tree.classes is None else int(spot.walk.label[answer])
        yield self.tag(name, values, label, 0.0)
        yield predicate
        yield from self.distribution(values, values)

    def tag(self, name: str, values: NDArray[np.float64], label: int, weight: float) -> str:
        classes = self.program.classes
        score: Any = float(values[0]) if classes is None else classes[label]
        attributes = {"id": name, "score": level_text(score), "recordCount": number(weight)}
        return opening("Node", attributes)

    def distribution(
        self, values: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> Iterator[str]:
        """The probability of each class, with the training weight beside it."""
        for at, label in enumerate(self.program.classes or ()):
            yield element(
                "ScoreDistribution",
                {
                    "value": level_text(label),
                    "recordCount": number(float(weights[at])),
                    "probability": number(float(values[at])),
                },
            )


def number(value: float) -> str:
    """A double that comes back as it was; whole ones without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
