"""Thin lines that tell how far a number may be off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treewright.figures.frame import Frame
from treewright.figures.marks import SAMPLE_HEIGHT, SAMPLE_WIDTH
from treewright.pictures.colours import INK
from treewright.pictures.shapes import Path, Shape, Step

CAP = 3.0  # half the length of the line at each end


@dataclass(frozen=True, slots=True)
class Whiskers:
    """A line from a low to a high value at each position, with a cap at both ends."""

    positions: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    name: str = ""
    is_lying: bool = False  # the values go from left to right
    colour: str = INK
    width: float = 1.2

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for at, low, high in zip(self.positions, self.lows, self.highs, strict=True):
            if self.is_lying:
                yield self._path(lying(frame.x(low), frame.x(high), frame.y(at)))
            else:
                yield self._path(upright(frame.x(at), frame.y(low), frame.y(high)))

    def sample(self) -> Iterator[Shape]:
        yield self._path(lying(1.0, SAMPLE_WIDTH - 1.0, SAMPLE_HEIGHT / 2))

    def _path(self, steps: tuple[Step, ...]) -> Path:
        return Path(steps, stroke=self.colour, stroke_width=self.width)


def lying(start: float, end: float, y: float) -> tuple[Step, ...]:
    caps: list[Step] = []
    for x in (start, end):
        caps += [("M", x, y - CAP), ("V", y + CAP)]
    return (("M", start, y), ("H", end), *caps)


def upright(x: float, start: float, end: float) -> tuple[Step, ...]:
    caps: list[Step] = []
    for y in (start, end):
        caps += [("M", x - CAP, y), ("H", x + CAP)]
    return (("M", x, start), ("V", end), *caps)
