"""A figure: panels in rows, with a title, a legend and a note, on one sheet of paper."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from treewright.figures.marks import SAMPLE_HEIGHT, SAMPLE_WIDTH, Mark
from treewright.figures.panel import Tile
from treewright.pictures.colors import FAINT_INK
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Drawing, Group, Shape, Text
from treewright.pictures.text_width import fitted, text_width

MARGIN = 16.0
COLUMN_GAP, ROW_GAP = 28.0, 22.0
TITLE_SIZE, TITLE_LINE = 14.0, 24.0
NOTE_SIZE, NOTE_LINE = 11.0, 16.0
LEGEND_LINE, LEGEND_SPACE, LEGEND_BELOW = 18.0, 18.0, 8.0
WIDEST_NAME = 260.0


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above the panels, and how high it is."""

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
    """Put tiles in rows and columns, in line with each other, below title, note and legend."""
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
    """Where the plot areas of each column begin, and the width of all columns."""
    n_columns = max(map(len, rows))
    tiles = [[row[at] for row in rows if at < len(row)] for at in range(n_columns)]
    lead = [max(tile.room().left for tile in column) for column in tiles]
    rest = [max(tile.width + tile.room().right for tile in column) for column in tiles]
    return placed(lead, rest, COLUMN_GAP)


def rows_of(rows: Sequence[Sequence[Tile]]) -> tuple[list[float], float]:
    """Where the plot areas of each row begin, and the height of all rows."""
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
    """The words of a text in lines no wider than `width`; a word too wide is cut.

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
