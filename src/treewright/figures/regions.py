"""The parts of a plane that a tree treats alike: two columns are free, the others have one value.

The regions are exact: they come from the questions of the tree, not from a grid of points.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ParameterError
from treewright.explanations.boxes import Box, Row, any_known, exactly, step_of, ways
from treewright.exports.program import Program
from treewright.tree.kinds import OBLIQUE
from treewright.tree.predict import predicted_classes
from treewright.tree.reach import Reach
from treewright.tree.tree import Tree

MOST_PARTS = 400_000  # of rows divided among nodes; a plane that needs more takes too long
Parts = tuple[tuple[int, float], ...]  # nodes that answer, and the share of the row each has


@dataclass(frozen=True, slots=True)
class Region:
    """Values of the two columns that get one answer, by one node or by several with shares."""

    x: Reach
    y: Reach
    nodes: Parts


@dataclass(frozen=True, slots=True)
class Partition:
    """All regions of a plane and what the tree answers there."""

    regions: tuple[Region, ...]
    values: NDArray[np.float64]  # (n_regions, n_values): class shares, or the number
    answers: NDArray[np.intp]  # (n_regions,): index of the class; of numbers all 0


def partition_of(tree: Tree, x: int, y: int, row: Row) -> Partition:
    """The regions over columns number x and y, the other columns as in `row`."""
    if (tree.kind == OBLIQUE).any():
        raise ParameterError(
            "the tree asks for weighted sums: its regions are no rectangles",
            hint="use a tree in which every question asks one column",
        )
    program = Program(tree)
    box: Box = {at: exactly(tree.schema.columns[at], row[at]) for at in program.used_columns}
    box |= {at: any_known(tree.schema.columns[at]) for at in (x, y)}
    found = list(divided(program, box))
    regions = tuple(Region(region[x], region[y], parts) for region, parts in found)
    values = np.array(
        [sum(share * program.answers[node] for node, share in region.nodes) for region in regions]
    )
    if tree.classes is None:
        return Partition(regions, values, np.zeros(len(regions), dtype=np.intp))
    return Partition(regions, values, predicted_classes(tree, values))


def divided(program: Program, start: Box) -> Iterator[tuple[Box, Parts]]:
    """The boxes that a tree makes of one, each with the nodes that answer its rows."""
    steps = {0: step_of(program, 0)}
    open_boxes: list[tuple[Box, Parts, Parts]] = [(start, ((0, 1.0),), ())]
    budget = MOST_PARTS
    while open_boxes:
        box, undecided, ended = open_boxes.pop()
        budget -= len(undecided) + len(ended)
        if budget < 0:
            raise ParameterError(
                "missing values divide the rows of this plane among too many nodes",
                hint="give X, or a value for each other column by `fixed`",
            )
        if not undecided:
            yield box, ended
            continue
        (node, share), *others = undecided
        if node not in steps:
            steps[node] = step_of(program, node)
        step = steps[node]
        if step is None:
            open_boxes.append((box, tuple(others), (*ended, (node, share))))
            continue
        for below, heirs in reversed(list(ways(program, step, box))):
            if heirs:
                parts = [(heir, share * part) for heir, part in heirs]
                open_boxes.append((below, (*parts, *others), ended))
            else:
                open_boxes.append((below, tuple(others), (*ended, (node, share))))
