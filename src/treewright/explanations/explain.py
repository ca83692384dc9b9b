"""Explain one row by the tree that answers it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.explanations.boxes import Row, any_known, exactly
from treewright.explanations.change import (
    Change,
    Limits,
    answer_of,
    smallest_change,
    spreads_of_tree,
)
from treewright.explanations.explanation import Explanation, RunnerUp
from treewright.explanations.goals import Goal, OtherClass, OtherNumber, usual_tolerance
from treewright.explanations.neighbours import Neighbour, nearest_rows, spreads_of_rows
from treewright.explanations.path import (
    Evidence,
    Gap,
    Way,
    evidence_at,
    gap_at,
    mean_interval,
    way_of,
)
from treewright.explanations.reason import sufficient_reason
from treewright.explanations.search import Budget, Finder, SearchEnded, answer_to, row_of
from treewright.explanations.words import value_of
from treewright.exports.program import Program
from treewright.tree.kinds import OBLIQUE
from treewright.tree.predict import predicted_classes
from treewright.tree.tree import Tree

MOST_BOXES_FOR_A_GAP = 5_000
Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class Request:
    """What is asked about a row beside the way it takes."""

    immutable: Collection[str] | str = ()  # columns that a change leaves alone
    directions: Mapping[str, str] = field(default_factory=dict)  # column -> "up" or "down"
    wanted: Any = None  # the class that a change is to lead to; None: any other
    tolerance: float | None = None  # numbers no further apart count as the same answer
    n_neighbours: int = 3


@dataclass(frozen=True)
class Background:
    """What is known beside the tree."""

    counts: Float64Array | None = None  # class weights of the nodes before smoothing
    has_variance: bool = False  # whether impurity is the variance of the target
    given: Mapping[str, Any] | None = None  # the row in the user's words, unseen levels included
    rows: Table | None = None  # training rows, encoded by the tree's schema
    target: NDArray[Any] | None = None


NO_REQUEST = Request()
NO_BACKGROUND = Background()


def explain_row(
    tree: Tree, table: Table, request: Request = NO_REQUEST, known: Background = NO_BACKGROUND
) -> Explanation:
    """Why the first row of a table that the tree's schema encoded gets its answer."""
    if (tree.kind == OBLIQUE).any():
        raise ParameterError("a tree that asks for sums of columns cannot be explained yet")
    program = Program(tree)
    row = row_of(table)
    way = way_of(program, row)
    values = answer_to(program, row)
    goal, tolerance = goal_for(tree, values, request)
    change, is_known = change_for(Finder(program, row, goal), request, known)
    settled = goal_for(tree, values, replace(request, wanted=None))[0]
    neighbours: tuple[Neighbour, ...] = ()
    if known.rows is not None and known.target is not None:
        neighbours = nearest_rows(program, row, known.rows, known.target, request.n_neighbours)
    given = known.given or {
        spec.name: value_of(spec, value) for spec, value in zip(program.columns, row, strict=True)
    }
    gaps = (gap_at(program, row, given, *gap) for gap in way.gaps)
    return Explanation(
        row=dict(given),
        answer=answer_of(program, row),
        probabilities=dict(zip(tree.classes, values.tolist(), strict=True)) if tree.classes else {},
        runner_up=runner_up(tree, values),
        path=tuple(evidence_on(program, way, values, known)),
        ends=way.ends,
        gaps=tuple(replace(gap, if_known=answers_if_known(program, row, gap)) for gap in gaps),
        reason=sufficient_reason(Finder(program, row, settled), way.asked),
        change=change,
        change_is_known=is_known,
        tolerance=tolerance,
        neighbours=neighbours,
    )


def goal_for(tree: Tree, values: Float64Array, request: Request) -> tuple[Goal, float | None]:
    """What counts as another answer, and for numbers how far away it must be."""
    if tree.classes is None:
        if request.wanted is not None:
            raise ParameterError("wanted is a class, and this tree answers with numbers")
        tolerance = usual_tolerance(tree) if request.tolerance is None else request.tolerance
        if not tolerance >= 0:
            raise ParameterError(f"tolerance={tolerance!r} is below 0")
        return OtherNumber.than(tree, float(values[0]), float(tolerance)), float(tolerance)
    answer = int(predicted_classes(tree, values[np.newaxis])[0])
    if request.wanted is None:
        return OtherClass.than(tree, answer), None
    if request.wanted not in tree.classes:
        raise ParameterError(
            f"wanted={request.wanted!r} is not a class of the model",
            hint=f"classes are: {', '.join(map(str, tree.classes[:20]))}",
        )
    wanted = tree.classes.index(request.wanted)
    if wanted == answer:
        raise ParameterError(f"wanted={request.wanted!r} is the row's answer already")
    return OtherClass.than(tree, answer, wanted), None


def change_for(finder: Finder, request: Request, known: Background) -> tuple[Change | None, bool]:
    """The smallest change, and whether it is known that there is no smaller one."""
    program = finder.program
    limits = Limits.of(program, request.immutable, request.directions)
    if known.rows is None:
        spreads = spreads_of_tree(program, finder.row)
    else:
        spreads = spreads_of_rows(program, known.rows)
    try:
        return smallest_change(finder, limits, spreads), True
    except SearchEnded:
        return None, False


def runner_up(tree: Tree, values: Float64Array) -> RunnerUp | None:
    """The class that would have been answered if there were not the first."""
    if tree.classes is None:
        return None
    price = -values if tree.costs is None else values @ tree.costs
    price[int(predicted_classes(tree, values[np.newaxis])[0])] = np.inf
    second = int(price.argmin())
    if tree.costs is None and not values[second] > 0:
        return None
    if len(tree.classes) < 2:
        return None
    return RunnerUp(tree.classes[second], float(values[second]))


def evidence_on(
    program: Program, way: Way, values: Float64Array, known: Background
) -> Iterator[Evidence]:
    """What the nodes on the way know of the answer."""
    tree = program.tree
    counts = tree.value if known.counts is None else known.counts
    is_classifier = tree.classes is not None
    answer = int(predicted_classes(tree, values[np.newaxis])[0]) if is_classifier else None
    for node, share in way.nodes:
        found = evidence_at(program, node, share, answer, counts)
        if known.has_variance and not is_classifier:
            found = replace(found, interval=mean_interval(found, float(tree.impurity[node])))
        yield found


@dataclass(frozen=True)
class EveryAnswer:
    """A goal that no row meets, and that takes down which classes came up."""

    tree: Tree
    classes: set[int]

    @property
    def at(self) -> Float64Array:
        return np.zeros((self.tree.n_nodes, 0))  # there is nothing to come nearer to

    best = at

    def is_met(self, values: Float64Array) -> bool:
        self.classes.add(int(predicted_classes(self.tree, values[np.newaxis])[0]))
        return False

    def hope(self, bound: Float64Array) -> float:
        return 1.0


def answers_if_known(program: Program, row: Row, gap: Gap) -> tuple[Any, ...]:
    """The classes that a known value would lead to, the rest of the row being as it is."""
    if program.classes is None:
        return ()
    asked = program.tree.schema.names.index(gap.column)
    box = {column: exactly(program.columns[column], row[column]) for column in program.used_columns}
    goal = EveryAnswer(program.tree, set())
    try:
        start = {**box, asked: any_known(program.columns[asked])}
        Finder(program, row, goal).other_row(start, Budget(MOST_BOXES_FOR_A_GAP))
    except SearchEnded:
        return ()
    return tuple(program.classes[code] for code in sorted(goal.classes))
