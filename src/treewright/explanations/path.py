"""The way of a row through the tree: what was asked, what was found, what the nodes knew."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from math import inf, isnan, sqrt
from numbers import Real
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.explanations.boxes import Box, Row, exactly, parted, step_of, ways
from treewright.explanations.conditions import given_text, label, way_text
from treewright.explanations.goals import (
    Goal,
    NumberWithin,
    OtherClass,
    OtherNumber,
    usual_tolerance,
)
from treewright.exports.program import Heirs, Program, Question, Step, WeightedSum, columns_of
from treewright.intervals import mean_interval, share_interval
from treewright.param import Param
from treewright.tree.conditions import column_thresholds
from treewright.tree.node import Node
from treewright.tree.predict import predicted_classes
from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Evidence:
    """What training showed at one node."""

    node: int
    depth: int
    condition: str  # that led here from the node above, with its threshold; "" at the root
    value: str  # of the row in the column of that condition; "" at the root
    share: float  # of the row that comes here
    n_rows: int
    weight: float
    counts: dict[Any, float]  # training weight of each class; empty for numbers
    prediction: Any  # what the node would predict
    support: float | None  # share of the final prediction among the training rows; None for numbers
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
    ends: tuple[Place, ...]  # those that prediction
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
        undecided = _undecided(program, step, box)
        looked_at = step.questions[: len(undecided) + 1]
        asked |= {column: None for question in looked_at for column in columns_of(question)}
        if undecided:
            gaps.append((step, undecided, heirs))
        if not heirs:
            ends.append(place)
        stack += [Place(heir, place.share * part) for heir, part in reversed(heirs)]
    return Way(tuple(nodes), tuple(ends), tuple(asked), tuple(gaps))


def _undecided(program: Program, step: Step, box: Box) -> tuple[Question, ...]:
    """The tests of a step that the row cannot decide, up to the first that it can."""
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
    tree: Tree, place: Place, value: str, prediction: int | None, counts: Floats
) -> Evidence:
    """What a node knows; `counts` (n_nodes, n_classes) are the class weights before smoothing."""
    node = place.node
    weight = float(tree.weight[node])
    about: dict[Any, float] = {}
    support = interval = None
    if tree.classes is not None:
        assert prediction is not None
        own = counts[node] if weight > 0 else np.zeros(len(tree.classes))
        about = dict(zip(tree.classes, own.tolist(), strict=True))
        total = float(own.sum())
        support = float(own[prediction]) / total if total > 0 else 0.0
        low, high = share_interval(support, total)
        interval = (float(low), float(high))
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
        prediction=seen.prediction,
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
    spec = replace(program.columns[column], yes_no=False)  # the number itself
    return given_text(spec, row[column], given, thresholds)


def interval_of_mean(evidence: Evidence, variance: float) -> tuple[float, float] | None:
    """Student's 95 % interval of a node's mean; None where there are too few rows to tell.

    A weight counts as so many rows; the variance is that of the rows, divided by their weight.
    """
    if evidence.weight <= 1 or not variance >= 0:
        return None
    freedom = evidence.weight - 1
    return mean_interval(evidence.prediction, sqrt(variance / freedom), freedom)


PARAMS = (
    Param(
        "immutable",
        object,
        None,
        "columns that must not change",
        accepts=lambda value: isinstance(value, Iterable),
        accepts_text="the name of a column, or a list of names",
    ),
    Param(
        "directions",
        object,
        None,
        "the only direction in which a column may change",
        accepts=lambda value: isinstance(value, Mapping),
        accepts_text='a mapping such as {"age": "up"}',
    ),
    Param(
        "wanted",
        object,
        None,
        "the prediction that a change should lead to",
        accepts=lambda value: not isinstance(value, np.ndarray),
        accepts_text='a class, "up", "down", or a pair such as (100, 200)',
    ),
    Param(
        "tolerance",
        float,
        None,
        "difference up to which numbers count as the same prediction",
        low=0,
        optional=True,
    ),
    Param("n_neighbors", int, 3, "number of nearest training rows to show", low=0),
)


@dataclass(frozen=True)
class Request:
    """What is asked about a row beside the way it takes."""

    immutable: Collection[str] | str = ()  # columns that a change leaves alone
    directions: Mapping[str, str] = field(default_factory=dict)  # column -> "up" or "down"
    wanted: Any = None  # the prediction that a change is to lead to; None: any other
    tolerance: float | None = None  # numbers no further apart count as the same prediction
    n_neighbors: int = 3

    def __post_init__(self) -> None:
        for param in PARAMS:
            param.check(getattr(self, param.name))


def tolerance_for(tree: Tree, request: Request) -> float | None:
    """How far numbers may be apart and count as one prediction; None for classes."""
    if tree.classes is not None:
        if request.tolerance is not None:
            raise ParameterError(
                f"tolerance={request.tolerance!r} is for numeric predictions, and this tree "
                "predicts classes",
                hint="leave it out for classes",
            )
        return None
    return usual_tolerance(tree) if request.tolerance is None else float(request.tolerance)


def goal_of_change(tree: Tree, values: Floats, request: Request) -> Goal:
    """What a change is to lead to, from the row's own class shares or number."""
    if tree.classes is None:
        return _wanted_number(tree, float(values[0]), request)
    prediction = int(predicted_classes(tree, values[np.newaxis])[0])
    if request.wanted is None:
        return OtherClass.than(tree, prediction)
    if request.wanted not in tree.classes:
        known = {str(name).lower(): name for name in tree.classes}
        near = get_close_matches(str(request.wanted).lower(), known, n=1)
        names = ", ".join(map(str, tree.classes[:20]))
        raise ParameterError(
            f"wanted={request.wanted!r} is not a class of the model",
            hint=f"did you mean {known[near[0]]!r}?" if near else f"classes are: {names}",
        )
    wanted = tree.classes.index(request.wanted)
    if wanted == prediction:
        raise ParameterError(
            f"wanted={request.wanted!r} is already the prediction", hint="choose another class"
        )
    return OtherClass.than(tree, prediction, wanted)


def _wanted_number(tree: Tree, prediction: float, request: Request) -> Goal:
    tolerance = tolerance_for(tree, request)
    assert tolerance is not None
    if request.wanted is None:
        return OtherNumber.than(tree, prediction, tolerance)
    if request.wanted in ("up", "down"):
        low, high = (prediction, inf) if request.wanted == "up" else (-inf, prediction)
        return NumberWithin(low, high, OtherNumber.than(tree, prediction, tolerance))
    low, high = _bounds(request.wanted)
    if low <= prediction <= high:
        raise ParameterError(
            f"the prediction, {label(prediction)}, is already within wanted={request.wanted!r}",
            hint="choose other numbers",
        )
    return NumberWithin(low, high, OtherNumber.than(tree, prediction, 0.0))


def _bounds(wanted: Any) -> tuple[float, float]:
    """From and to, both included; None leaves a side open."""
    if isinstance(wanted, tuple | list) and len(wanted) == 2:
        low = -inf if wanted[0] is None else wanted[0]
        high = inf if wanted[1] is None else wanted[1]
        if isinstance(low, Real) and isinstance(high, Real) and not isnan(low) and low <= high:
            return float(low), float(high)
    raise ParameterError(
        f"wanted={wanted!r} does not describe numbers, and this tree predicts numbers",
        hint='write "up", "down", or a pair such as (100, 200) or (100, None)',
    )
