"""Regions of a plane with slanted edges, which trees with weighted sums make.

Every region is a convex polygon: the paper, cut along one straight line after the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.explanations.boxes import Box, any_known, exactly, ways
from treewright.exports.program import Heirs, Program, Step, WeightedSum
from treewright.figures.axes import Frame
from treewright.figures.marks import Mark
from treewright.figures.plane import Plane
from treewright.figures.scales import Bands
from treewright.figures.territory import Parts, Segment, Shades, divided, lines
from treewright.pictures.colors import PAPER
from treewright.pictures.shapes import Path, Shape, polyline
from treewright.tree.predict import predicted_classes
from treewright.tree.tree import Tree

Point = tuple[float, float]
Polygon = tuple[Point, ...]  # convex, in values of the axes

MOST_BORDERED = 200  # polygons between which lines are drawn where the class changes
SAME_LINE = 1e-9  # of the paper: how far a point may be from a line that it lies on


@dataclass(frozen=True, slots=True)
class SlantedRegion:
    """A polygon with one prediction."""

    corners: Polygon
    nodes: Parts
    values: tuple[float, ...]  # class shares, or the number
    predicted: int  # index of the class; 0 for numbers


def slanted_regions(tree: Tree, plane: Plane) -> list[SlantedRegion]:
    """The polygons over two numeric columns, the others as in the plane's row."""
    if not (plane.x.spec.is_numeric and plane.y.spec.is_numeric) or plane.rows is None:
        raise ParameterError(
            "the tree splits by weighted sums: its regions can only be drawn over two numeric "
            "columns of given rows",
            hint="give X, and columns=[...] with the names of two numeric columns",
        )
    program = Program(tree)
    regions = []
    columns = program.columns
    box: Box = {at: exactly(columns[at], plane.row[at]) for at in program.used_columns}
    box |= {at: any_known(columns[at]) for at in (plane.x.column, plane.y.column)}
    for polygon, parts in divided(
        program, paper(plane), lambda step, polygon: parted(program, step, polygon, box, plane)
    ):
        shares = sum(share * program.node_values[node] for node, share in parts)
        values = np.atleast_1d(np.asarray(shares, dtype=np.float64))
        label = 0 if tree.classes is None else int(predicted_classes(tree, values[np.newaxis])[0])
        regions.append(SlantedRegion(polygon, parts, tuple(values.tolist()), label))
    return regions


def parted(
    program: Program, step: Step, polygon: Polygon, box: Box, plane: Plane
) -> Iterator[tuple[Polygon, Heirs]]:
    """What each child takes of a polygon."""
    if isinstance(step.question, WeightedSum):
        yield from parted_by_sum(step, step.question, polygon, plane)
        return
    for part, heirs in ways(program, step, box):
        cut = polygon
        for axis, column in enumerate((plane.x.column, plane.y.column)):
            if column in box:
                toward = (1.0, 0.0) if axis == 0 else (0.0, 1.0)
                cut = clipped(cut, toward, part[column].high)
                cut = clipped(cut, (-toward[0], -toward[1]), -part[column].low)
        if cut:
            yield cut, heirs


def parted_by_sum(
    step: Step, question: WeightedSum, polygon: Polygon, plane: Plane
) -> Iterator[tuple[Polygon, Heirs]]:
    slope = [0.0, 0.0]
    rest = 0.0
    for column, weight in question.terms:
        if column == plane.x.column:
            slope[0] += weight
        elif column == plane.y.column:
            slope[1] += weight
        elif isnan(plane.row[column]):
            yield polygon, step.missing
            return
        else:
            rest += weight * plane.row[column]
    x, y = slope
    bound = question.threshold - rest
    first, second = question.children
    if x == y == 0.0:
        yield polygon, ((first if bound >= 0 else second, 1.0),)
        return
    sides = clipped(polygon, (x, y), bound), clipped(polygon, (-x, -y), -bound)
    for child, part in zip((first, second), sides, strict=True):
        if part:
            yield part, ((child, 1.0),)


def paper(plane: Plane) -> Polygon:
    """All that the axes show."""
    x, y = plane.x.scale, plane.y.scale
    assert not isinstance(x, Bands)
    assert not isinstance(y, Bands)
    return ((x.low, y.low), (x.high, y.low), (x.high, y.high), (x.low, y.high))


def clipped(polygon: Polygon, slope: Point, bound: float) -> Polygon:
    """The part of a polygon where slope . point <= bound; empty if it has no area there.

    >>> clipped(((0, 0), (2, 0), (2, 2), (0, 2)), (1.0, 1.0), 2.0)
    ((0, 0), (2, 0), (0, 2))
    """
    kept: list[Point] = []
    over = [slope[0] * x + slope[1] * y - bound for x, y in polygon]
    for at, (corner, height) in enumerate(zip(polygon, over, strict=True)):
        before, last = polygon[at - 1], over[at - 1]
        if (height > 0) != (last > 0) and height != 0 and last != 0:
            share = last / (last - height)
            (x, y), (to_x, to_y) = before, corner
            kept.append((x + share * (to_x - x), y + share * (to_y - y)))
        if height <= 0:
            kept.append(corner)
    return tuple(kept) if len(kept) > 2 else ()


@dataclass(frozen=True, slots=True)
class SlantedTerritory(Mark):
    """All polygons of a plane, with strong lines where the class changes."""

    regions: Sequence[SlantedRegion]
    shades: Shades

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for region in self.regions:
            points = [(frame.x(x), frame.y(y)) for x, y in region.corners]
            fill = self.shades.fill(region.values, region.predicted)
            yield Path((*polyline(points), ("Z",)), fill=fill, stroke=PAPER, stroke_width=0.7)
        if len(self.regions) <= MOST_BORDERED:
            yield from lines(borders(self.regions), frame)


def borders(regions: Sequence[SlantedRegion]) -> Iterator[Segment]:
    """The parts of edges that polygons of different classes share."""
    corners = np.array([corner for region in regions for corner in region.corners])
    low, size = corners.min(axis=0), np.ptp(corners, axis=0)
    edges: list[tuple[Any, Any, int]] = []
    for region in regions:
        scaled = (np.array(region.corners) - low) / size
        edges += [(scaled[at - 1], scaled[at], region.predicted) for at in range(len(scaled))]
    for at, (start, end, predicted) in enumerate(edges):
        for other_start, other_end, other in edges[:at]:
            if other == predicted:
                continue
            found = in_common(start, end, other_start, other_end)
            if found is not None:
                (x, y), (to_x, to_y) = (low + size * point for point in found)
                yield float(x), float(y), float(to_x), float(to_y)


def in_common(start: Any, end: Any, other_start: Any, other_end: Any) -> tuple[Any, Any] | None:
    """The part that two edges share; None if there is none."""
    along = end - start
    length = float(np.hypot(*along))
    if length < SAME_LINE:
        return None
    along = along / length
    places = []
    for point in (other_start, other_end):
        offset = point - start
        if abs(along[0] * offset[1] - along[1] * offset[0]) > SAME_LINE:
            return None
        places.append(float(along @ offset))
    first, last = max(min(places), 0.0), min(max(places), length)
    return (start + first * along, start + last * along) if last - first > SAME_LINE else None
