"""The axes of a panel: ticks, labels, titles and grid lines, and the room they need."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from treewright.figures.scales import Bands, Scale, Tick
from treewright.pictures.colors import EDGE, FAINT_INK, LINE
from treewright.pictures.shapes import Path, Shape, Text
from treewright.pictures.text_width import fitted_in_middle, text_width


@dataclass(frozen=True, slots=True)
class Frame:
    """A plot area and its scales; y values grow upwards. Values off a scale go to its end."""

    left: float
    top: float
    width: float
    height: float
    x_scale: Scale
    y_scale: Scale

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def x(self, value: float) -> float:
        return self.left + self.width * within(self.x_scale.at(value))

    def y(self, value: float) -> float:
        return self.bottom - self.height * within(self.y_scale.at(value))


def within(share: float) -> float:
    return min(max(share, 0.0), 1.0)


LABEL_SIZE, AXIS_TITLE_SIZE = 11.0, 12.0
TICK_LENGTH, LABEL_GAP, AXIS_TITLE_ROOM = 4.0, 3.0, 20.0
GAP_BETWEEN_LABELS, GAP_BETWEEN_LINES = 10.0, 5.0
PIXELS_PER_TICK = 45.0
WIDEST_LABEL, LONGEST_ROTATED = 150.0, 110.0
NARROWEST_BAND = 60.0  # in which a name that is a little too long is truncated, not rotated
MOST_TRUNCATED = 1.6  # times the room: the longest name that is truncated


@dataclass(frozen=True, slots=True)
class XAxis:
    """The labels below a plot area of one width."""

    ticks: tuple[Tick, ...]
    is_rotated: bool  # the labels read upwards
    title: str

    @property
    def room(self) -> float:
        """Pixels below the plot area."""
        longest = max((width_of(tick) for tick in self.ticks), default=0.0)
        labels = longest if self.is_rotated else LABEL_SIZE
        return TICK_LENGTH + LABEL_GAP + labels + 3 + (AXIS_TITLE_ROOM if self.title else 0.0)

    def overhang(self, scale: Scale, width: float) -> tuple[float, float]:
        """Pixels by which the labels extend beyond the plot area, left and right."""
        if self.is_rotated:
            return LABEL_SIZE / 2, LABEL_SIZE / 2
        starts, ends = zip((0.0, 0.0), *spans(scale, self.ticks, width), strict=True)
        return max(-min(starts), 0.0), max(max(ends) - width, 0.0)

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        line = frame.bottom + TICK_LENGTH + LABEL_GAP
        for tick in self.ticks:
            x = frame.x(tick.value)
            yield Path((("M", x, frame.bottom), ("V", frame.bottom + TICK_LENGTH)), stroke=LINE)
            if self.is_rotated:
                at = x + LABEL_SIZE / 3
                yield Text(at, line, tick.label, "end", fill=FAINT_INK, rotation=-90.0)
            else:
                yield Text(x, line + LABEL_SIZE - 2, tick.label, fill=FAINT_INK)
        if self.title:
            title = fitted_in_middle(self.title, frame.width, AXIS_TITLE_SIZE)
            y = frame.bottom + self.room - 6
            yield Text(frame.left + frame.width / 2, y, title, size=AXIS_TITLE_SIZE)


@dataclass(frozen=True, slots=True)
class YAxis:
    """The labels on the left of a plot area of one height."""

    ticks: tuple[Tick, ...]
    title: str

    @property
    def room(self) -> float:
        """Pixels on the left of the plot area."""
        widest = max((width_of(tick) for tick in self.ticks), default=0.0)
        return TICK_LENGTH + LABEL_GAP + widest + (AXIS_TITLE_ROOM if self.title else 0.0)

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        x = frame.left - TICK_LENGTH
        for tick in self.ticks:
            y = frame.y(tick.value)
            yield Path((("M", x, y), ("H", frame.left)), stroke=LINE)
            at = y + LABEL_SIZE / 3
            yield Text(x - LABEL_GAP, at, tick.label, "end", fill=FAINT_INK)
        if self.title:
            title = fitted_in_middle(self.title, frame.height, AXIS_TITLE_SIZE)
            at = frame.left - self.room + AXIS_TITLE_SIZE - 2
            middle = frame.top + frame.height / 2
            yield Text(at, middle, title, size=AXIS_TITLE_SIZE, rotation=-90.0)


def x_axis(scale: Scale, width: float, title: str = "") -> XAxis:
    """As many ticks as fit side by side."""
    if isinstance(scale, Bands):
        return axis_of_names(scale, width, title)
    for most in range(max(int(width / PIXELS_PER_TICK), 2), 0, -1):
        ticks = scale.ticks(most)
        if are_apart(scale, ticks, width):
            break
    return XAxis(ticks, is_rotated=False, title=title)


def are_apart(scale: Scale, ticks: tuple[Tick, ...], width: float) -> bool:
    """Whether no label touches the next."""
    pairs = pairwise(spans(scale, ticks, width))
    return all(start - end >= GAP_BETWEEN_LABELS for (_, end), (start, _) in pairs)


def spans(scale: Scale, ticks: tuple[Tick, ...], width: float) -> Iterator[tuple[float, float]]:
    """Start and end of each label, from the left of the plot area."""
    for tick in ticks:
        middle, half = scale.at(tick.value) * width, width_of(tick) / 2
        yield middle - half, middle + half


def axis_of_names(scale: Bands, width: float, title: str) -> XAxis:
    """Names side by side if they fit, perhaps truncated a little; otherwise rotated."""
    band = width / len(scale.names)
    room = band - GAP_BETWEEN_LABELS
    longest = max(text_width(name, LABEL_SIZE) for name in scale.names)
    if longest <= room or (band >= NARROWEST_BAND and longest <= MOST_TRUNCATED * room):
        return XAxis(truncated(scale.ticks(len(scale.names)), room), is_rotated=False, title=title)
    most = max(int(width / (LABEL_SIZE + GAP_BETWEEN_LINES)), 1)
    return XAxis(truncated(scale.ticks(most), LONGEST_ROTATED), is_rotated=True, title=title)


def y_axis(scale: Scale, height: float, title: str = "") -> YAxis:
    """As many ticks as fit above each other."""
    if isinstance(scale, Bands):
        most = int(height / (LABEL_SIZE + GAP_BETWEEN_LINES))
    else:
        most = max(int(height / PIXELS_PER_TICK), 2)
    return YAxis(truncated(scale.ticks(max(most, 1)), WIDEST_LABEL), title)


def truncated(ticks: tuple[Tick, ...], room: float) -> tuple[Tick, ...]:
    return tuple(Tick(tick.value, fitted_in_middle(tick.label, room, LABEL_SIZE)) for tick in ticks)


def width_of(tick: Tick) -> float:
    return text_width(tick.label, LABEL_SIZE)


def grid_lines(frame: Frame, x: XAxis, y: YAxis, grid: str) -> Iterator[Shape]:
    """Faint lines behind the marks, at the ticks of the axes in `grid`."""
    if "x" in grid:
        for tick in x.ticks:
            at = frame.x(tick.value)
            yield Path((("M", at, frame.top), ("V", frame.bottom)), stroke=EDGE, stroke_width=0.6)
    if "y" in grid:
        for tick in y.ticks:
            at = frame.y(tick.value)
            yield Path((("M", frame.left, at), ("H", frame.right)), stroke=EDGE, stroke_width=0.6)
