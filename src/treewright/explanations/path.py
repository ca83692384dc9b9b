"""The way of a row through the tree: what was asked, what was found, what the nodes knew."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import UNSEEN
from treewright.explanations.boxes import Box, Row, exactly, parted, ways
from treewright.explanations.words import percent, value_text
from treewright.exports.program import Heirs, Program, Question, Step, WeightedSum, columns_of
from treewright.rulesets.counts import NORMAL_95, wilson_interval
from treewright.tree.conditions import condition_text, plain
from treewright.tree.node import Node

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What training showed at one node."""

    node: int
    condition: str  # that led here from the node above; "" at the root
    share: float  # of the row that comes here
    n_rows: int
    weight: float
    counts: dict[Any, float]  # training weight of each class; empty for numbers
    answer: Any  # what the node would answer
    support: float | None  # share of the final answer among the training rows; None for numbers
    interval: tuple[float, float] | None  # 95 %: of that share, or of the mean where it is known


@dataclass(frozen=True, slots=True)
class Gap:
    """A value that a node asked for and did not find, and what became of the row."""

    node: int
    column: str
    why: str  # "missing", "unseen" or "not known here"
    effect: str  # such as `went where height <= 3 leads, which stands in for it`
    if_known: tuple[Any, ...] = ()  # answers that known values would lead to, the others as given


@dataclass(frozen=True, slots=True)
class Way:
    """All nodes that a row passes."""

    nodes: tuple[tuple[int, float], ...]  # node and share of the row, in the order of the tree
    ends: tuple[tuple[int, float], ...]  # those that answer
    asked: tuple[int, ...]  # columns looked at, in the order they were first asked
    gaps: tuple[tuple[Step, tuple[Question, ...], Heirs], ...]  # questions without a value


def way_of(program: Program, row: Row) -> Way:
    """The way of one row."""
    box: Box = {
        column: exactly(program.columns[column], row[column]) for column in program.used_columns
    }
    stack = [(0, 1.0)]
    nodes, ends, gaps = [], [], []
    asked: dict[int, None] = {}
    while stack:
        node, share = stack.pop()
        nodes.append((node, share))
        step = program.step(node)
        if step is None:
            ends.append((node, share))
            continue
        ((_, heirs),) = ways(program, step, box)
        unanswered = _unanswered(program, step, box)
        looked_at = step.questions[: len(unanswered) + 1]
        asked |= {column: None for question in looked_at for column in columns_of(question)}
        if unanswered:
            gaps.append((step, unanswered, heirs))
        if not heirs:
            ends.append((node, share))
        stack += [(heir, share * part) for heir, part in reversed(heirs)]
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
    program: Program, node: int, share: float, answer: int | None, counts: Float64Array
) -> Evidence:
    """What a node knows; `counts` (n_nodes, n_classes) are the class weights before smoothing."""
    tree = program.tree
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
        node, seen.condition, share, seen.n_rows, weight, about, seen.answer, support, interval
    )


def mean_interval(evidence: Evidence, variance: float) -> tuple[float, float] | None:
    """The 95 % interval of a node's mean; None where there are too few rows to tell."""
    if evidence.n_rows < 2 or not variance >= 0:
        return None
    half = NORMAL_95 * sqrt(variance / (evidence.n_rows - 1))
    return evidence.answer - half, evidence.answer + half


def gap_at(program: Program, row: Row, given: Mapping[str, Any], step: Step, *found: Any) -> Gap:
    """What one value that was not there did; `given` is the row before levels were matched."""
    (column,) = columns_of(step.question)
    spec = program.columns[column]
    if given[spec.name] is None:
        why = "missing" if isnan(row[column]) or spec.is_numeric else "unseen"
    else:
        is_level = isnan(row[column]) or row[column] == UNSEEN
        why = "unseen" if is_level else "not known here"
    return Gap(step.node, spec.name, why, _effect(program, row, step, *found))


def _effect(
    program: Program, row: Row, step: Step, unanswered: tuple[Question, ...], heirs: Heirs
) -> str:
    if not heirs:
        return "the row ended there, and the node itself answered"
    ways_on = [_condition_of(program, step, heir) for heir, _ in heirs]
    if len(heirs) > 1:
        parts = [
            f"{percent(share)} to `{way}`" for way, (_, share) in zip(ways_on, heirs, strict=True)
        ]
        return f"the row was divided as training rows were: {', '.join(parts)}"
    (column,) = columns_of(step.question)
    if step.unseen is not None and row[column] == UNSEEN:
        return f"the row went to `{ways_on[0]}`, with most training rows"
    at = len(unanswered)
    if at < len(step.questions):
        (stand_in,) = columns_of(step.questions[at])
        spec = program.columns[stand_in]
        agreement = Node(program.tree, step.node).surrogates[at - 1].agreement
        held = f"{plain(spec.name)} = {value_text(spec, row[stand_in])}"
        return (
            f"the row went to `{ways_on[0]}` by its {held}, "
            f"which stands in for it and agrees on {percent(agreement)} of the training rows"
        )
    return f"the row went to `{ways_on[0]}`, where missing values go"


def _condition_of(program: Program, step: Step, child: int) -> str:
    tree = program.tree
    return condition_text(tree, step.node, child - int(tree.first_child[step.node]))
