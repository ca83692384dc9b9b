"""Many rows on a plane: one pie for each cell, divided by classes, its area by their number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, cos, pi, sin, sqrt, tan

from treewright.figures.frame import Frame
from treewright.pictures.colours import PAPER
from treewright.pictures.shapes import Circle, Path, Shape, Step

SMALLEST, LARGEST = 1.6, 16.0  # radius in pixels
FILLED = 0.9  # of the cell, by the largest pie


@dataclass(frozen=True, slots=True)
class Pie:
    """The rows of one cell."""

    cell: tuple[int, int]  # how many cells from the left, and from below
    x: float  # mean of the rows, in values of the axes
    y: float
    parts: Sequence[tuple[str, float]]  # colour and number of rows


@dataclass(frozen=True, slots=True)
class Pies:
    """Pies in cells that divide the plot area evenly."""

    pies: Sequence[Pie]
    n_across: int
    n_up: int
    rim: str = PAPER
    name: str = ""

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        sizes = [sum(count for _, count in pie.parts) for pie in self.pies]
        across, up = frame.width / self.n_across, frame.height / self.n_up
        largest = min(FILLED * min(across, up) / 2, LARGEST)
        for pie, size in zip(self.pies, sizes, strict=True):
            radius = max(largest * sqrt(size / max(sizes)), SMALLEST)
            x = inside(frame.x(pie.x), frame.left + pie.cell[0] * across, across, radius)
            y = inside(frame.y(pie.y), frame.bottom - (pie.cell[1] + 1) * up, up, radius)
            if len(pie.parts) == 1:
                yield Circle(x, y, radius, fill=pie.parts[0][0], stroke=self.rim, stroke_width=0.8)
                continue
            ends = [2 * pi * end / size for end in accumulate((n for _, n in pie.parts), initial=0)]
            for (colour, _), (start, end) in zip(pie.parts, pairwise(ends), strict=True):
                yield Path(wedge((x, y), radius, start, end), fill=colour)
            yield Circle(x, y, radius, stroke=self.rim, stroke_width=0.8)

    def sample(self) -> Iterator[Shape]:
        yield from ()


def inside(middle: float, start: float, length: float, radius: float) -> float:
    """The place nearest to `middle` where a pie does not leave its cell."""
    if 2 * radius >= length:
        return start + length / 2
    return min(max(middle, start + radius), start + length - radius)


def wedge(middle: tuple[float, float], radius: float, start: float, end: float) -> tuple[Step, ...]:
    """A piece of a circle, from angle to angle with the clock, 0 on top."""
    x, y = middle
    n_arcs = max(ceil((end - start) / (pi / 2) - 1e-9), 1)
    turn = (end - start) / n_arcs
    pull = radius * 4 / 3 * tan(turn / 4)  # of the handles of a curve that is nearly an arc
    steps: list[Step] = [
        ("M", x, y),
        ("L", x + radius * sin(start), y - radius * cos(start)),
    ]
    for at in range(n_arcs):
        one, other = start + at * turn, start + (at + 1) * turn
        from_x, from_y = x + radius * sin(one), y - radius * cos(one)
        to_x, to_y = x + radius * sin(other), y - radius * cos(other)
        steps.append(
            (
                "C",
                from_x + pull * cos(one),
                from_y + pull * sin(one),
                to_x - pull * cos(other),
                to_y - pull * sin(other),
                to_x,
                to_y,
            )
        )
    return (*steps, ("Z",))
