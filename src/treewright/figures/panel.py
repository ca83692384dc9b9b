"""Panels: a plot area with its axes, or a drawing of another kind, and the room they take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from treewright.figures.axes import Frame, XAxis, YAxis, grid_lines, x_axis, y_axis
from treewright.figures.marks import Mark
from treewright.figures.scales import Scale
from treewright.pictures.colors import LINE
from treewright.pictures.shapes import Drawing, Group, Path, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted_in_middle

TITLE_SIZE, TITLE_ROOM = 13.0, 24.0
TOP_ROOM = 8.0  # for the upper half of the topmost label


@dataclass(frozen=True, slots=True)
class Room:
    """Pixels around a plot area that labels and titles need."""

    left: float
    top: float
    right: float
    bottom: float


class Tile(Protocol):
    """Something that stands in the grid of a figure."""

    @property
    def width(self) -> float: ...  # of the plot area

    @property
    def height(self) -> float: ...

    @property
    def marks(self) -> Sequence[Mark]: ...  # for the legend

    def room(self) -> Room: ...

    def shapes(self, left: float, top: float) -> Iterator[Shape]: ...  # of the plot area


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Marks in a plot area; the first ones lie below the others."""

    marks: Sequence[Mark]
    x: Scale
    y: Scale
    title: str = ""
    x_title: str = ""
    y_title: str = ""
    width: float = 460.0  # of the plot area, in pixels
    height: float = 280.0
    grid: str = "y"  # faint lines at the ticks of these axes: "", "x", "y" or "xy"
    is_boxed: bool = False  # a line around the plot area, not only along the axes

    def room(self) -> Room:
        across, up = self._axes()
        left, right = across.overhang(self.x, self.width)
        top = TOP_ROOM + (TITLE_ROOM if self.title else 0.0)
        return Room(max(left, up.room), top, right, across.room)

    def shapes(self, left: float, top: float) -> Iterator[Shape]:
        frame = Frame(left, top, self.width, self.height, self.x, self.y)
        across, up = self._axes()
        yield from title_above(self.title, frame.left, frame.top, self.width + self.room().right)
        yield from grid_lines(frame, across, up, self.grid)
        for mark in self.marks:
            yield Group(tuple(mark.shapes(frame)))
        if self.is_boxed:
            yield Rectangle(left, top, self.width, self.height, stroke=LINE)
        else:
            corner = (("M", left, top), ("V", frame.bottom), ("H", frame.right))
            yield Path(corner, stroke=LINE)
        yield from across.shapes(frame)
        yield from up.shapes(frame)

    def _axes(self) -> tuple[XAxis, YAxis]:
        across = x_axis(self.x, self.width, self.x_title)
        return across, y_axis(self.y, self.height, self.y_title)


@dataclass(frozen=True, slots=True)
class Inset:
    """A finished drawing, such as that of a tree, beside other panels."""

    drawing: Drawing
    title: str = ""
    marks: Sequence[Mark] = ()

    @property
    def width(self) -> float:
        return self.drawing.width

    @property
    def height(self) -> float:
        return self.drawing.height

    def room(self) -> Room:
        return Room(0.0, TITLE_ROOM if self.title else 0.0, 0.0, 0.0)

    def shapes(self, left: float, top: float) -> Iterator[Shape]:
        yield from title_above(self.title, left, top, self.width)
        yield Group(self.drawing.shapes, shift=(left, top))


def title_above(title: str, left: float, top: float, width: float) -> Iterator[Shape]:
    if title:
        shown = fitted_in_middle(title, width, TITLE_SIZE, bold=True)
        yield Text(left, top - TOP_ROOM - 3, shown, "start", size=TITLE_SIZE, bold=True)
