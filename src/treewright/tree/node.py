"""Node: one node of a tree, for people and exporters to look at."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.schema import ColumnSpec
from treewright.plain_text import plain
from treewright.tree.as_text import prediction_text
from treewright.tree.conditions import (
    condition_text,
    cut_text,
    level_condition,
    levels_of_child,
    question_text,
)
from treewright.tree.layout import KIND_NAMES, LEAF, SPREAD, STOP, STOP_REASONS, THRESHOLD

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A surrogate split: another column that is used when the node's own value is missing."""

    condition: str  # under which a row goes to the first child
    column: ColumnSpec
    agreement: float  # share of rows sent where the node itself sends them


@dataclass(frozen=True, slots=True)
class Competitor:
    """A competing split that was evaluated and not chosen."""

    column: ColumnSpec
    gain: float
    score: float
    threshold: float | None  # None where the column is nominal
    is_tied: bool  # as good as the split that was taken


@dataclass(frozen=True, slots=True)
class Node:
    """A read-only view of one node: its split, its neighbors and its prediction."""

    tree: "Tree"
    index: int

    @property
    def kind(self) -> str:
        """ "leaf", "threshold", "branches", "intervals", "subset" or "oblique"."""
        return KIND_NAMES[self.tree.kind[self.index]]

    @property
    def is_leaf(self) -> bool:
        return bool(self.tree.kind[self.index] == LEAF)

    @property
    def column(self) -> ColumnSpec | None:
        """The column of the split; None at a leaf and for a sum of several columns."""
        feature = self.tree.feature[self.index]
        return None if feature < 0 else self.tree.schema.columns[feature]

    @property
    def threshold(self) -> float:
        return float(self.tree.threshold[self.index])

    @property
    def cuts(self) -> tuple[float, ...]:
        """The cut points of an intervals node."""
        start, end = self.tree.cut_start[self.index : self.index + 2]
        return tuple(self.tree.cut[start:end].tolist())

    @property
    def question(self) -> str:
        """The split, such as `petal width <= 0.8`, `outlook` or `married`; "" at a leaf."""
        return "" if self.is_leaf else question_text(self.tree, self.index)

    @property
    def condition(self) -> str:
        """What led here from the parent, such as `outlook = Sunny`; "" at the root."""
        parent = self.parent
        if parent is None:
            return ""
        first_child = int(self.tree.first_child[parent.index])
        return condition_text(self.tree, parent.index, self.index - first_child)

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels that lead here from the parent, where it asks for levels."""
        parent = self.parent
        if parent is None or parent.kind not in ("branches", "subset"):
            return ()
        first_child = int(self.tree.first_child[parent.index])
        return levels_of_child(self.tree, parent.index, self.index - first_child)

    @property
    def parent(self) -> "Node | None":
        above = int(self.tree.parent[self.index])
        return None if above < 0 else Node(self.tree, above)

    @property
    def children(self) -> "tuple[Node, ...]":
        first = int(self.tree.first_child[self.index])
        count = int(self.tree.n_children[self.index])
        return tuple(Node(self.tree, child) for child in range(first, first + count))

    @property
    def path(self) -> "tuple[Node, ...]":
        """The nodes from the root to this one, both included."""
        return tuple(Node(self.tree, node) for node in self.tree.path_to(self.index))

    @property
    def depth(self) -> int:
        """Splits between the root and this node."""
        return int(self.tree.node_depth[self.index])

    @property
    def missing(self) -> "Node | str | None":
        """Where a missing value goes: a child, "stop" or "spread"; None at a leaf."""
        if self.is_leaf:
            return None
        child = int(self.tree.missing_child[self.index])
        if child in (STOP, SPREAD):
            return "stop" if child == STOP else "spread"
        return Node(self.tree, int(self.tree.first_child[self.index]) + child)

    @property
    def value(self) -> Floats:
        """The training weight of each class, or the mean."""
        row: Floats = self.tree.value[self.index]
        return row

    @property
    def probabilities(self) -> Floats:
        """The class shares that this node predicts."""
        row: Floats = self.tree.probabilities[self.index]
        return row

    @property
    def prediction(self) -> Any:
        """The class, or the mean, that this node predicts."""
        if self.tree.classes is None:
            return float(self.tree.value[self.index, 0])
        return self.tree.classes[self.tree.node_class[self.index]]

    @property
    def weight(self) -> float:
        """Weight of the training rows that reached the node."""
        return float(self.tree.weight[self.index])

    @property
    def n_rows(self) -> int:
        """Number of the training rows that reached the node."""
        return int(self.tree.n_rows[self.index])

    @property
    def impurity(self) -> float:
        """How mixed the training rows are, per unit of weight."""
        return float(self.tree.impurity[self.index])

    @property
    def gain(self) -> float:
        """Impurity decrease of the split, per unit of weight."""
        return float(self.tree.gain[self.index])

    @property
    def score(self) -> float:
        """What the split was chosen by, such as its gain ratio."""
        return float(self.tree.score[self.index])

    @property
    def stop_reason(self) -> str:
        """Why the node is a leaf; "" where it splits."""
        return STOP_REASONS[self.tree.stop_reason[self.index]]

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """Surrogate splits for a missing value, in the order they are tried."""
        start, end = self.tree.surrogate_start[self.index : self.index + 2]
        return tuple(_surrogate(self.tree, entry) for entry in range(start, end))

    @property
    def competitors(self) -> tuple[Competitor, ...]:
        """Splits that were not taken, best first."""
        start, end = self.tree.competitor_start[self.index : self.index + 2]
        return tuple(_competitor(self.tree, entry) for entry in range(start, end))

    def __str__(self) -> str:
        lead = self.condition or "root"
        if self.is_leaf:
            return lead + prediction_text(self.tree, self.index)
        return f"{lead}, asks {self.question}"

    def __repr__(self) -> str:
        return f"<Node {self.index}: {self}>"


def _surrogate(tree: "Tree", entry: int) -> Surrogate:
    spec = tree.schema.columns[tree.surrogate_feature[entry]]
    if tree.surrogate_kind[entry] == THRESHOLD:
        at = float(tree.surrogate_threshold[entry])
        condition = cut_text(spec, *((at, None) if tree.surrogate_flip[entry] else (None, at)))
    else:
        start, end = tree.surrogate_level_start[entry : entry + 2]
        first = tree.surrogate_level_child[start:end] == 0
        codes = tree.surrogate_level_code[start:end][first]
        condition = level_condition(plain(spec.name), tuple(spec.levels[code] for code in codes))
    return Surrogate(condition, spec, float(tree.surrogate_agreement[entry]))


def _competitor(tree: "Tree", entry: int) -> Competitor:
    spec = tree.schema.columns[tree.competitor_feature[entry]]
    threshold = None if spec.kind == "nominal" else float(tree.competitor_threshold[entry])
    return Competitor(
        spec,
        float(tree.competitor_gain[entry]),
        float(tree.competitor_score[entry]),
        threshold,
        bool(np.bool_(tree.competitor_tied[entry])),
    )
