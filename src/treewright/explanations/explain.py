"""Explains one row by the tree that predicts it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.explanations.boxes import Row
from treewright.explanations.change import (
    Change,
    Limits,
    prediction_of,
    smallest_change,
    spreads_of_tree,
)
from treewright.explanations.conditions import value_of
from treewright.explanations.explanation import Explanation, RunnerUp
from treewright.explanations.gaps import gaps_on
from treewright.explanations.goals import other_prediction
from treewright.explanations.neighbors import Neighbor, nearest_rows, spreads_of_rows
from treewright.explanations.path import (
    Evidence,
    Place,
    Request,
    Way,
    evidence_at,
    goal_of_change,
    interval_of_mean,
    tolerance_for,
    value_on_the_way,
    way_of,
)
from treewright.explanations.reason import sufficient_reason
from treewright.explanations.search import Finder, SearchEnded, prediction_to, row_of
from treewright.explanations.sums import SumWay, smallest_of_one_column
from treewright.exports.program import Program
from treewright.tree.layout import OBLIQUE
from treewright.tree.predict import predicted_classes
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.tree.tree import Tree


@dataclass(frozen=True)
class Background:
    """What is known beside the tree."""

    counts: Floats | None = None  # class weights of the nodes before smoothing
    has_variance: bool = False  # whether impurity is the variance of the target
    given: Mapping[str, Any] | None = None  # the row in the user's words, unseen levels included
    rows: Table | None = None  # training rows, encoded by the tree's schema
    target: NDArray[Any] | None = None


NO_REQUEST = Request()
NO_BACKGROUND = Background()


def explain_row(
    tree: Tree, table: Table, request: Request = NO_REQUEST, known: Background = NO_BACKGROUND
) -> Explanation:
    """Why the first row of a table that the tree's schema encoded gets its prediction."""
    program, row = Program(tree), row_of(table)
    values = prediction_to(program, row)
    given = known.given or {
        spec.name: value_of(spec, value) for spec, value in zip(program.columns, row, strict=True)
    }
    known = replace(known, given=given)
    limits = Limits.of(program, request.immutable, request.directions)
    tolerance = tolerance_for(tree, request)
    way: Way | SumWay
    if (tree.kind == OBLIQUE).any():
        way = SumWay(tree, table, row, given)
        value_at, gaps, reason = way.value_at, way.gaps(), way.reason()
        change = smallest_of_one_column(way, request, values, known.rows)
        is_known = change is not None
    else:
        way = way_of(program, row)
        value_at = partial(value_on_the_way, program, row, given)
        finder = Finder(program, row, other_prediction(tree, values, tolerance or 0.0))
        goal = goal_of_change(tree, values, request)
        gaps, reason = (
            gaps_on(program, row, given, way),
            sufficient_reason(finder, way.asked, given),
        )
        change, is_known = change_for(replace(finder, goal=goal), limits, known)
    return Explanation(
        tree=tree,
        row=dict(given),
        prediction=prediction_of(program, row),
        probabilities=dict(zip(tree.classes, values.tolist(), strict=True)) if tree.classes else {},
        runner_up=runner_up(tree, values),
        path=tuple(evidence_on(program, way.nodes, value_at, values, known)),
        ends=way.ends,
        gaps=tuple(gaps),
        reason=reason,
        change=change,
        change_is_known=is_known,
        immutable=limits.kept(program),
        directions=dict(request.directions),
        wanted=request.wanted,
        tolerance=tolerance,
        neighbors=neighbors_of(program, row, request, known),
    )


def change_for(finder: Finder, limits: Limits, known: Background) -> tuple[Change | None, bool]:
    """The smallest change, and whether it is known that there is no smaller one."""
    program = finder.program
    if known.rows is None:
        spreads = spreads_of_tree(program, finder.row)
    else:
        spreads = spreads_of_rows(program, known.rows)
    try:
        return smallest_change(finder, limits, spreads, known.given or {}), True
    except SearchEnded:
        return None, False


def neighbors_of(
    program: Program, row: Row, request: Request, known: Background
) -> tuple[Neighbor, ...]:
    """The nearest training rows, if there are any."""
    if known.rows is None or known.target is None:
        return ()
    return nearest_rows(program, row, known.rows, known.target, int(request.n_neighbors))


def runner_up(tree: Tree, values: Floats) -> RunnerUp | None:
    """The class that would be predicted if the first were ruled out."""
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
    program: Program,
    places: Sequence[Place],
    value_at: Callable[[int], str],
    values: Floats,
    known: Background,
) -> Iterator[Evidence]:
    """What the nodes on the way know of the prediction."""
    tree = with_thresholds_shown(program.tree)
    counts = tree.value if known.counts is None else known.counts
    is_classifier = tree.classes is not None
    prediction = int(predicted_classes(tree, values[np.newaxis])[0]) if is_classifier else None
    for place in places:
        found = evidence_at(tree, place, value_at(place.node), prediction, counts)
        if known.has_variance and not is_classifier:
            interval = interval_of_mean(found, float(tree.impurity[place.node]))
            found = replace(found, interval=interval)
        yield found
