"""Marks, the content of a plot area: lines, steps, bands, bars, points, rules, labels, whiskers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from treewright.figures.axes import Frame, within
from treewright.pictures.colors import FAINT_INK, INK, PAPER, mixed
from treewright.pictures.shapes import Circle, Path, Rectangle, Shape, Step, Text, polyline
from treewright.pictures.text_width import text_width

SAMPLE_WIDTH, SAMPLE_HEIGHT = 18.0, 10.0  # of a mark in the legend
DASHED = (6.0, 4.0)
DOTTED = (1.5, 3.0)
LABEL_SIZE = 11.0
CAP = 3.0  # half the length of the line at each end of an error bar
Numbers = Sequence[float]


class Mark:
    """Something in a plot area; one with a name has an entry in the legend."""

    __slots__ = ()
    name: str = ""

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        """What is drawn in the plot area."""
        yield from ()

    def sample(self) -> Iterator[Shape]:
        """What the legend shows beside the name."""
        yield from ()


class Stroke(Mark):
    """A mark that is drawn as a line."""

    __slots__ = ()
    color: str
    width: float
    dashes: tuple[float, ...] = ()

    def sample(self) -> Iterator[Shape]:
        yield self.path((("M", 0.0, SAMPLE_HEIGHT / 2), ("H", SAMPLE_WIDTH)))

    def path(self, steps: tuple[Step, ...]) -> Path:
        return Path(steps, stroke=self.color, stroke_width=self.width, dashes=self.dashes)


@dataclass(frozen=True, slots=True)
class Line(Stroke):
    """A line from point to point, with a gap where a number is missing."""

    xs: Numbers
    ys: Numbers
    color: str
    name: str = ""
    width: float = 2.0
    dashes: tuple[float, ...] = ()

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for run in finite_runs(self.xs, self.ys):
            yield self.path(polyline((frame.x(x), frame.y(y)) for x, y in run))


@dataclass(frozen=True, slots=True)
class Steps(Stroke):
    """A step function: one height between two edges, then a jump to the next."""

    edges: Numbers  # one more than there are heights
    heights: Numbers
    color: str
    name: str = ""
    width: float = 2.0

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        steps: list[Step] = [("M", frame.x(self.edges[0]), frame.y(self.heights[0]))]
        for height, end in zip(self.heights, self.edges[1:], strict=True):
            steps += [("V", frame.y(height)), ("H", frame.x(end))]
        yield self.path(tuple(steps))


@dataclass(frozen=True, slots=True)
class Band(Mark):
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
class Bars(Mark):
    """Bars from zero to each value; on a scale of bands, or around numbers.

    Bars of several groups stand side by side: group `group` of `n_groups`.
    """

    values: Numbers
    color: str
    name: str = ""
    labels: Sequence[str] = ()  # at the ends of the bars
    is_horizontal: bool = False  # from left to right, the bands along the y axis
    group: int = 0
    n_groups: int = 1
    thickness: float = 0.7  # of a band

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for at, value in enumerate(self.values):
            start = at - self.thickness / 2 + self.thickness * self.group / self.n_groups
            end = start + self.thickness / self.n_groups
            if self.is_horizontal:
                ends = (frame.x(0.0), frame.x(value), frame.y(end), frame.y(start))
            else:
                ends = (frame.x(start), frame.x(end), frame.y(value), frame.y(0.0))
            left, right, top, bottom = *sorted(ends[:2]), *sorted(ends[2:])
            yield Rectangle(left, top, right - left, bottom - top, fill=self.color)
            if self.labels:
                yield self._label(self.labels[at], (left, right, top, bottom))

    def _label(self, text: str, ends: tuple[float, float, float, float]) -> Text:
        left, right, top, bottom = ends
        if self.is_horizontal:
            return Text(right + 5, (top + bottom) / 2 + LABEL_SIZE / 3, text, "start")
        return Text((left + right) / 2, top - 4, text)

    def sample(self) -> Iterator[Shape]:
        yield Rectangle(0.0, 0.0, SAMPLE_WIDTH, SAMPLE_HEIGHT, corner=2.0, fill=self.color)


@dataclass(frozen=True, slots=True)
class Points(Mark):
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
class Rule(Stroke):
    """A straight line across the whole plot area, at one x or at one y."""

    color: str = FAINT_INK
    name: str = ""
    x: float | None = None
    y: float | None = None
    width: float = 1.2
    dashes: tuple[float, ...] = DASHED

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        if self.x is not None and is_on(frame.x_scale.at(self.x)):
            yield self.path((("M", frame.x(self.x), frame.top), ("V", frame.bottom)))
        if self.y is not None and is_on(frame.y_scale.at(self.y)):
            yield self.path((("M", frame.left, frame.y(self.y)), ("H", frame.right)))


@dataclass(frozen=True, slots=True)
class Label(Mark):
    """A text beside a point, moved as needed to stay in the plot area."""

    x: float
    y: float
    text: str
    color: str = INK
    shift: tuple[float, float] = (0.0, -8.0)  # pixels from the point to the middle of the text

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        half = text_width(self.text, LABEL_SIZE) / 2
        x, y = frame.x(self.x) + self.shift[0], frame.y(self.y) + self.shift[1]
        x = min(max(x, frame.left + half), frame.right - half)
        y = min(max(y, frame.top + LABEL_SIZE), frame.bottom - 4)
        yield Text(x, y, self.text, size=LABEL_SIZE, fill=self.color, halo=PAPER)


def is_on(share: float) -> bool:
    return within(share) == share


def finite_runs(xs: Numbers, ys: Numbers) -> Iterator[list[tuple[float, float]]]:
    """Runs of points, separated by those with a missing or infinite number.

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


@dataclass(frozen=True, slots=True)
class Whiskers(Stroke):
    """Horizontal error bars: a line from low to high at each position, with caps."""

    positions: Numbers
    lows: Numbers
    highs: Numbers
    color: str = INK
    width: float = 1.2

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for at, low, high in zip(self.positions, self.lows, self.highs, strict=True):
            start, end, y = frame.x(low), frame.x(high), frame.y(at)
            caps = [(("M", x, y - CAP), ("V", y + CAP)) for x in (start, end)]
            yield self.path((("M", start, y), ("H", end), *caps[0], *caps[1]))
