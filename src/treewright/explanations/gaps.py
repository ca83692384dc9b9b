"""Missing and unknown values of a row, their effect, and whether they matter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import UNSEEN
from treewright.explanations.boxes import Row, any_known, exactly
from treewright.explanations.conditions import MOST_LEVELS, value_text, way_text
from treewright.explanations.path import Way
from treewright.explanations.search import Budget, Finder, SearchEnded
from treewright.exports.program import Heirs, Program, Question, Step, columns_of
from treewright.plain_text import percent, plain
from treewright.tree.conditions import column_thresholds
from treewright.tree.node import Node
from treewright.tree.predict import predicted_classes
from treewright.tree.tree import Tree

MOST_BOXES = 5_000


@dataclass(frozen=True, slots=True)
class Gap:
    """A missing or unknown value at a node, and its effect on the row."""

    node: int
    column: str
    why: str  # "missing", "unseen" in training, or "not listed" by the node
    effect: str  # such as `the row stopped there, and the node itself predicted`
    if_known: tuple[Any, ...]  # classes that known values would lead to, the others as given


def gaps_on(program: Program, row: Row, given: Mapping[str, Any], way: Way) -> Iterator[Gap]:
    """All gaps on the way of a row; `given` is the row before its levels were matched."""
    predictions: dict[int, tuple[Any, ...]] = {}
    for step, undecided, heirs in way.gaps:
        (column,) = columns_of(step.question)
        if column not in predictions:
            predictions[column] = predictions_if_known(program, row, column)
        effect = _effect(program, row, step, undecided, heirs)
        why = _why(program, row, given, column)
        yield Gap(step.node, program.columns[column].name, why, effect, predictions[column])


def _why(program: Program, row: Row, given: Mapping[str, Any], column: int) -> str:
    spec, value = program.columns[column], row[column]
    if given[spec.name] is None and (isnan(value) or spec.is_numeric):
        return "missing"
    return "unseen" if isnan(value) or value == UNSEEN else "not listed"


def _effect(
    program: Program, row: Row, step: Step, undecided: tuple[Question, ...], heirs: Heirs
) -> str:
    if not heirs:
        return "the row stopped there, and the node itself predicted"
    ways_on = [way_text(program.tree, heir) for heir, _ in heirs]
    if len(heirs) > 1:
        parts = [
            f"{percent(share)} to {way}" for way, (_, share) in zip(ways_on, heirs, strict=True)
        ]
        more = len(parts) - MOST_LEVELS
        rest = f", and to {more} more branches" if more > 0 else ""
        shown = ", ".join(parts[:MOST_LEVELS])
        return f"the row was divided as the training rows were: {shown}{rest}"
    (column,) = columns_of(step.question)
    if step.unseen is not None and row[column] == UNSEEN:
        return f"the row went to {ways_on[0]}, the branch with the most training rows"
    at = len(undecided)
    if at < len(step.questions):
        (stand_in,) = columns_of(step.questions[at])
        spec = program.columns[stand_in]
        agreement = Node(program.tree, step.node).surrogates[at - 1].agreement
        thresholds = column_thresholds(program.tree, stand_in)
        held = f"{plain(spec.name)} = {value_text(spec, row[stand_in], thresholds)}"
        return (
            f"the row went to {ways_on[0]} by its {held}, "
            f"a surrogate that agrees on {percent(agreement)} of the training rows"
        )
    return f"the row went to {ways_on[0]}, where missing values go"


@dataclass(frozen=True)
class EveryPrediction:
    """A goal that no row meets, and that takes down which classes came up."""

    tree: Tree
    classes: set[int]

    @property
    def at(self) -> Floats:
        return np.zeros((self.tree.n_nodes, 0))  # there is nothing to come nearer to

    best = at

    def is_met(self, values: Floats) -> bool:
        self.classes.add(int(predicted_classes(self.tree, values[np.newaxis])[0]))
        return False

    def hope(self, bound: Floats) -> float:
        return 1.0


def predictions_if_known(program: Program, row: Row, column: int) -> tuple[Any, ...]:
    """The classes that known values of a column would lead to, the rest of the row as it is."""
    if program.classes is None:
        return ()
    box = {one: exactly(program.columns[one], row[one]) for one in program.used_columns}
    goal = EveryPrediction(program.tree, set())
    try:
        start = {**box, column: any_known(program.columns[column])}
        Finder(program, row, goal).other_row(start, Budget(MOST_BOXES))
    except SearchEnded:
        return ()
    return tuple(program.classes[code] for code in sorted(goal.classes))
