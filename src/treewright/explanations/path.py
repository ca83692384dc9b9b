"""The way of a row through the tree: what was asked, what was found, what the nodes knew."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from treewright.explanations.boxes import Box, Row, exactly, parted, step_of, ways
from treewright.explanations.conditions import way_text
from treewright.explanations.words import given_text
from treewright.exports.program import Heirs, Program, Question, Step, WeightedSum, columns_of
from treewright.rulesets.counts import wilson_interval
from treewright.tree.conditions import column_thresholds
from treewright.tree.node import Node

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What training showed at one node."""

    node: int
    depth: int
    condition: str  # that led here from the node above; "" at the root
    value: str  # of the row in the column of that condition; "" at the root
    share: float  # of the row that comes here
    n_rows: int
    weight: float
    counts: dict[Any, float]  # training weight of each class; empty for numbers
    answer: Any  # what the node would answer
    support: float | None  # share of the final answer among the training rows; None for numbers
    interval: tuple[float, float] | None  # 95 %: of that share, or of the mean where it is known


@dataclass(frozen=True, slots=True)
class Place:
    """A node that a row comes to, and how much of it."""

    node: int
    share: float  # of the row


@dataclass(frozen=True, slots=True)
class Way:
    """All nodes that a row passes."""

    nodes: tuple[Place, ...]  # in the order of the tree
    ends: tuple[Place, ...]  # those that answer
    asked: tuple[int, ...]  # columns looked at, in the order they were first asked
    gaps: tuple[tuple[Step, tuple[Question, ...], Heirs], ...]  # questions without a value


def way_of(program: Program, row: Row) -> Way:
    """The way of one row."""
    box: Box = {
        column: exactly(program.columns[column], row[column]) for column in program.used_columns
    }
    stack = [Place(0, 1.0)]
    nodes, ends, gaps = [], [], []
    asked: dict[int, None] = {}
    while stack:
        place = stack.pop()
        nodes.append(place)
        step = step_of(program, place.node)
        if step is None:
            ends.append(place)
            continue
        ((_, heirs),) = ways(program, step, box)
        unanswered = _unanswered(program, step, box)
        looked_at = step.questions[: len(unanswered) + 1]
        asked |= {column: None for question in looked_at for column in columns_of(question)}
        if unanswered:
            gaps.append((step, unanswered, heirs))
        if not heirs:
            ends.append(place)
        stack += [Place(heir, place.share * part) for heir, part in reversed(heirs)]
    return Way(tuple(nodes), tuple(ends), tuple(asked), tuple(gaps))


def _unanswered(program: Program, step: Step, box: Box) -> tuple[Question, ...]:
    """The questions of a step to which the row has no answer, as far as they are asked."""
    found = []
    for question in step.questions:
        assert not isinstance(question, WeightedSum)
        reach = box[question.column]
        parts, _ = parted(program.columns[question.column], question, reach)
        if parts:
            break
        found.append(question)
        if reach.unseen and question is step.question and step.unseen is not None:
            break
    return tuple(found)


def evidence_at(
    program: Program, place: Place, value: str, answer: int | None, counts: Float64Array
) -> Evidence:
    """What a node knows; `counts` (n_nodes, n_classes) are the class weights before smoothing."""
    tree, node = program.tree, place.node
    weight = float(tree.weight[node])
    about: dict[Any, float] = {}
    support = interval = None
    if tree.classes is not None:
        assert answer is not None
        own = counts[node] if weight > 0 else np.zeros(len(tree.classes))
        about = dict(zip(tree.classes, own.tolist(), strict=True))
        total = float(own.sum())
        support = float(own[answer]) / total if total > 0 else 0.0
        low, high = wilson_interval(np.array([support]), np.array([total]))[0].tolist()
        interval = (low, high)
    seen = Node(tree, node)
    return Evidence(
        node=node,
        depth=seen.depth,
        condition=way_text(tree, node),
        value=value,
        share=place.share,
        n_rows=seen.n_rows,
        weight=weight,
        counts=about,
        answer=seen.answer,
        support=support,
        interval=interval,
    )


def value_on_the_way(program: Program, row: Row, given: Mapping[str, Any], node: int) -> str:
    """What the row holds where the node above asks; "" at the root."""
    parent = int(program.tree.parent[node])
    if parent < 0:
        return ""
    column = int(program.tree.feature[parent])
    thresholds = column_thresholds(program.tree, column)
    return given_text(program.columns[column], row[column], given, thresholds)


def mean_interval(evidence: Evidence, variance: float) -> tuple[float, float] | None:
    """Student's 95 % interval of a node's mean; None where there are too few rows to tell.

    A weight counts as so many rows; the variance is that of the rows, divided by their weight.
    """
    if evidence.weight <= 1 or not variance >= 0:
        return None
    freedom = evidence.weight - 1
    half = float(stdtrit(freedom, 0.975)) * sqrt(variance / freedom)
    return evidence.answer - half, evidence.answer + half
