"""A figure: panels in rows and columns below a title, a note and a legend."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol

from treewright.figures.axes import Frame, XAxis, YAxis, grid_lines, x_axis, y_axis
from treewright.figures.marks import SAMPLE_HEIGHT, SAMPLE_WIDTH, Mark
from treewright.figures.scales import Scale
from treewright.pictures.colors import FAINT_INK, LINE
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Drawing, Group, Path, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted, fitted_in_middle, text_width

MARGIN = 16.0
COLUMN_GAP, ROW_GAP = 28.0, 22.0
TITLE_SIZE, TITLE_LINE = 14.0, 24.0
NOTE_SIZE, NOTE_LINE = 11.0, 16.0
LEGEND_LINE, LEGEND_SPACE, LEGEND_BELOW = 18.0, 18.0, 8.0
WIDEST_NAME = 260.0
PANEL_TITLE_SIZE, PANEL_TITLE_ROOM = 13.0, 24.0
TOP_ROOM = 8.0  # for the upper half of the topmost label


@dataclass(frozen=True, slots=True)
class Room:
    """Pixels around a plot area that labels and titles need."""

    left: float
    top: float
    right: float
    bottom: float


class Tile(Protocol):
    """An entry in the grid of a figure."""

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
    """A plot area with its axes; later marks are drawn over earlier ones."""

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
        top = TOP_ROOM + (PANEL_TITLE_ROOM if self.title else 0.0)
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
        return Room(0.0, PANEL_TITLE_ROOM if self.title else 0.0, 0.0, 0.0)

    def shapes(self, left: float, top: float) -> Iterator[Shape]:
        yield from title_above(self.title, left, top, self.width)
        yield Group(self.drawing.shapes, shift=(left, top))


def title_above(title: str, left: float, top: float, width: float) -> Iterator[Shape]:
    if title:
        shown = fitted_in_middle(title, width, PANEL_TITLE_SIZE, bold=True)
        yield Text(left, top - TOP_ROOM - 3, shown, "start", size=PANEL_TITLE_SIZE, bold=True)


@dataclass(frozen=True, slots=True)
class Head:
    """Shapes above the panels, and their height."""

    shapes: tuple[Shape, ...]
    height: float


def figure(
    rows: Sequence[Sequence[Tile]],
    *,
    summary: str,
    title: str = "",
    note: str = "",
    data: Mapping[str, Any],
) -> Picture:
    """Tiles in aligned rows and columns, below title, note and legend."""
    lefts, width = columns_of(rows)
    head = head_of(rows, title, note, width)
    tops, height = rows_of(rows)
    shapes: list[Shape] = [Group(head.shapes, shift=(MARGIN, MARGIN))]
    for row, top in zip(rows, tops, strict=True):
        for tile, left in zip(row, lefts, strict=False):
            at = (MARGIN + left, MARGIN + head.height + top)
            shapes.append(Group(tuple(tile.shapes(*at))))
    paper = (width + 2 * MARGIN, head.height + height + 2 * MARGIN)
    described = ". ".join(part for part in (title, summary, note) if part)
    return Picture(Drawing(*paper, tuple(shapes), described), summary, data)


def columns_of(rows: Sequence[Sequence[Tile]]) -> tuple[list[float], float]:
    """The left edge of the plot areas of each column, and the width of all columns."""
    n_columns = max(map(len, rows))
    tiles = [[row[at] for row in rows if at < len(row)] for at in range(n_columns)]
    lead = [max(tile.room().left for tile in column) for column in tiles]
    rest = [max(tile.width + tile.room().right for tile in column) for column in tiles]
    return placed(lead, rest, COLUMN_GAP)


def rows_of(rows: Sequence[Sequence[Tile]]) -> tuple[list[float], float]:
    """The top edge of the plot areas of each row, and the height of all rows."""
    lead = [max(tile.room().top for tile in row) for row in rows]
    rest = [max(tile.height + tile.room().bottom for tile in row) for row in rows]
    return placed(lead, rest, ROW_GAP)


def placed(lead: list[float], rest: list[float], gap: float) -> tuple[list[float], float]:
    sizes = [one + other + gap for one, other in zip(lead, rest, strict=True)]
    starts = [0.0, *accumulate(sizes)]
    return [start + one for start, one in zip(starts, lead, strict=False)], starts[-1] - gap


def head_of(rows: Sequence[Sequence[Tile]], title: str, note: str, width: float) -> Head:
    """Title, note and legend, one below the other, no wider than the panels."""
    shapes: list[Shape] = []
    line = 0.0
    if title:
        shown = fitted(title, width, TITLE_SIZE, bold=True)
        shapes.append(Text(0.0, TITLE_SIZE - 2, shown, "start", size=TITLE_SIZE, bold=True))
        line += TITLE_LINE
    for words in wrapped(note, width, NOTE_SIZE):
        shapes.append(Text(0.0, line + NOTE_SIZE - 1, words, "start", fill=FAINT_INK))
        line += NOTE_LINE
    marks = {mark.name: mark for row in rows for tile in row for mark in tile.marks if mark.name}
    legend = legend_of(marks.values(), width)
    if legend.shapes:
        line += 2.0 if note else 0.0
        shapes.append(Group(legend.shapes, shift=(0.0, line)))
        line += legend.height
    return Head(tuple(shapes), line)


def legend_of(marks: Iterable[Mark], width: float) -> Head:
    """A sample and the name of each mark, in lines no wider than `width`."""
    shapes: list[Shape] = []
    x = y = 0.0
    for mark in marks:
        name = fitted(mark.name, min(WIDEST_NAME, width - SAMPLE_WIDTH - 5), NOTE_SIZE)
        room = SAMPLE_WIDTH + 5 + text_width(name, NOTE_SIZE)
        if x > 0 and x + room > width:
            x, y = 0.0, y + LEGEND_LINE
        shapes.append(Group(tuple(mark.sample()), shift=(x, y)))
        shapes.append(Text(x + SAMPLE_WIDTH + 5, y + SAMPLE_HEIGHT - 1, name, "start"))
        x += room + LEGEND_SPACE
    return Head(tuple(shapes), y + LEGEND_LINE + LEGEND_BELOW if shapes else 0.0)


def wrapped(text: str, width: float, size: float) -> Iterator[str]:
    """A text in lines no wider than `width`; words that are too wide are truncated.

    >>> list(wrapped("a few words in lines", 60, 11))
    ['a few', 'words in', 'lines']
    """
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > width:
            yield fitted(line, width, size)
            longer = word
        line = longer
    if line:
        yield fitted(line, width, size)
