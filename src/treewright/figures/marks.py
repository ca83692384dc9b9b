"""What is drawn in a plot area: lines, steps, bands, bars, points, rules and remarks.

A mark with a name has an entry in the legend, with a small sample of itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol

from treewright.figures.axes import Frame, within
from treewright.pictures.colors import FAINT_INK, INK, PAPER, mixed
from treewright.pictures.shapes import Circle, Path, Rectangle, Shape, Step, Text, polyline
from treewright.pictures.text_width import text_width

SAMPLE_WIDTH, SAMPLE_HEIGHT = 18.0, 10.0  # of a mark in the legend
DASHED = (6.0, 4.0)
DOTTED = (1.5, 3.0)
LABEL_SIZE = 11.0
Numbers = Sequence[float]


class Mark(Protocol):
    """Something in a plot area."""

    @property
    def name(self) -> str: ...  # in the legend; "" for none

    def shapes(self, frame: Frame) -> Iterable[Shape]: ...

    def sample(self) -> Iterable[Shape]: ...


@dataclass(frozen=True, slots=True)
class Line:
    """A line from point to point, with a gap where a number is missing."""

    xs: Numbers
    ys: Numbers
    color: str
    name: str = ""
    width: float = 2.0
    dashes: tuple[float, ...] = ()

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for run in finite_runs(self.xs, self.ys):
            yield self._path(polyline((frame.x(x), frame.y(y)) for x, y in run))

    def sample(self) -> Iterator[Shape]:
        middle = SAMPLE_HEIGHT / 2
        yield self._path((("M", 0.0, middle), ("H", SAMPLE_WIDTH)))

    def _path(self, steps: tuple[Step, ...]) -> Path:
        return Path(steps, stroke=self.color, stroke_width=self.width, dashes=self.dashes)


@dataclass(frozen=True, slots=True)
class Steps:
    """A line that keeps one height between two edges and then jumps to the next."""

    edges: Numbers  # one more than there are heights
    heights: Numbers
    color: str
    name: str = ""
    width: float = 2.0
    dashes: tuple[float, ...] = ()

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        steps: list[Step] = [("M", frame.x(self.edges[0]), frame.y(self.heights[0]))]
        for height, end in zip(self.heights, self.edges[1:], strict=True):
            steps += [("V", frame.y(height)), ("H", frame.x(end))]
        yield Path(tuple(steps), stroke=self.color, stroke_width=self.width, dashes=self.dashes)

    def sample(self) -> Iterator[Shape]:
        yield from Line((), (), self.color, width=self.width, dashes=self.dashes).sample()


@dataclass(frozen=True, slots=True)
class Band:
    """The area between a lower and an upper line."""

    xs: Numbers
    lows: Numbers
    highs: Numbers
    color: str
    name: str = ""
    strength: float = 0.2  # of the color on the paper

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        there = [(frame.x(x), frame.y(high)) for x, high in zip(self.xs, self.highs, strict=True)]
        back = [(frame.x(x), frame.y(low)) for x, low in zip(self.xs, self.lows, strict=True)]
        if there:
            yield Path((*polyline([*there, *reversed(back)]), ("Z",)), fill=self._fill())

    def sample(self) -> Iterator[Shape]:
        yield Rectangle(0.0, 0.0, SAMPLE_WIDTH, SAMPLE_HEIGHT, corner=2.0, fill=self._fill())

    def _fill(self) -> str:
        return mixed(self.color, self.strength)


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars from zero to each value; on a scale of bands, or around numbers.

    Bars of several groups stand side by side: group `group` of `n_groups`.
    """

    values: Numbers
    color: str
    name: str = ""
    labels: Sequence[str] = ()  # at the ends of the bars
    is_lying: bool = False  # from left to right, the bands along the y axis
    group: int = 0
    n_groups: int = 1
    thickness: float = 0.7  # of a band

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for at, value in enumerate(self.values):
            start = at - self.thickness / 2 + self.thickness * self.group / self.n_groups
            end = start + self.thickness / self.n_groups
            if self.is_lying:
                ends = (frame.x(0.0), frame.x(value), frame.y(end), frame.y(start))
            else:
                ends = (frame.x(start), frame.x(end), frame.y(value), frame.y(0.0))
            left, right, top, bottom = *sorted(ends[:2]), *sorted(ends[2:])
            yield Rectangle(left, top, right - left, bottom - top, fill=self.color)
            if self.labels:
                yield self._label(self.labels[at], (left, right, top, bottom))

    def _label(self, text: str, ends: tuple[float, float, float, float]) -> Text:
        left, right, top, bottom = ends
        if self.is_lying:
            return Text(right + 5, (top + bottom) / 2 + LABEL_SIZE / 3, text, "start")
        return Text((left + right) / 2, top - 4, text)

    def sample(self) -> Iterator[Shape]:
        yield Rectangle(0.0, 0.0, SAMPLE_WIDTH, SAMPLE_HEIGHT, corner=2.0, fill=self.color)


@dataclass(frozen=True, slots=True)
class Points:
    """One dot for each pair of numbers."""

    xs: Numbers
    ys: Numbers
    color: str
    name: str = ""
    radius: float | Numbers = 3.5  # one for all, or one for each
    rim: str = PAPER

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        radii = [self.radius] * len(self.xs) if isinstance(self.radius, float) else self.radius
        for x, y, radius in zip(self.xs, self.ys, radii, strict=True):
            if isfinite(x) and isfinite(y):
                yield self._dot(frame.x(x), frame.y(y), radius)

    def sample(self) -> Iterator[Shape]:
        yield self._dot(SAMPLE_WIDTH / 2, SAMPLE_HEIGHT / 2, 4.0)

    def _dot(self, x: float, y: float, radius: float) -> Circle:
        return Circle(x, y, radius, fill=self.color, stroke=self.rim, stroke_width=0.8)


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line across the whole plot area, at one x or at one y."""

    color: str = FAINT_INK
    name: str = ""
    x: float | None = None
    y: float | None = None
    width: float = 1.2
    dashes: tuple[float, ...] = DASHED

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        if self.x is not None and is_on(frame.x_scale.at(self.x)):
            yield self._path((("M", frame.x(self.x), frame.top), ("V", frame.bottom)))
        if self.y is not None and is_on(frame.y_scale.at(self.y)):
            yield self._path((("M", frame.left, frame.y(self.y)), ("H", frame.right)))

    def sample(self) -> Iterator[Shape]:
        yield self._path((("M", 0.0, SAMPLE_HEIGHT / 2), ("H", SAMPLE_WIDTH)))

    def _path(self, steps: tuple[Step, ...]) -> Path:
        return Path(steps, stroke=self.color, stroke_width=self.width, dashes=self.dashes)


@dataclass(frozen=True, slots=True)
class Remark:
    """Words beside a point, moved into the plot area where they would leave it."""

    x: float
    y: float
    text: str
    color: str = INK
    shift: tuple[float, float] = (0.0, -8.0)  # pixels from the point to the middle of the words
    name: str = ""

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        half = text_width(self.text, LABEL_SIZE) / 2
        x, y = frame.x(self.x) + self.shift[0], frame.y(self.y) + self.shift[1]
        x = min(max(x, frame.left + half), frame.right - half)
        y = min(max(y, frame.top + LABEL_SIZE), frame.bottom - 4)
        yield Text(x, y, self.text, size=LABEL_SIZE, fill=self.color, halo=PAPER)

    def sample(self) -> Iterator[Shape]:
        yield from ()


def is_on(share: float) -> bool:
    return within(share) == share


def finite_runs(xs: Numbers, ys: Numbers) -> Iterator[list[tuple[float, float]]]:
    """The stretches of points between those that are not numbers.

    >>> list(finite_runs([1, 2, 3], [5, float("nan"), 6]))
    [[(1, 5)], [(3, 6)]]
    """
    run: list[tuple[float, float]] = []
    for x, y in zip(xs, ys, strict=True):
        if isfinite(x) and isfinite(y):
            run.append((x, y))
        elif run:
            yield run
            run = []
    if run:
        yield run


CAP = 3.0  # half the length of the line at each end


@dataclass(frozen=True, slots=True)
class Whiskers:
    """A line from a low to a high value at each position, with a cap at both ends."""

    positions: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    name: str = ""
    is_lying: bool = False  # the values go from left to right
    color: str = INK
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
        return Path(steps, stroke=self.color, stroke_width=self.width)


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
