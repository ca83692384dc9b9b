"""Tables for the terminal: cells are broken and columns moved to a second panel until they fit."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from treewright.documents.math import Blank, blank_text
from treewright.documents.page import Cell, SheetTable
from treewright.plain_text import plain
from treewright.tree.escaping import runs_right_to_left

ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
JOINERS = ("\u200c", "\u200d", ISOLATE, END_OF_ISOLATE)


def columns_of(text: str) -> int:
    """The width of a text in terminal columns: two for wide letters, none for combining marks.

    >>> columns_of("outlook"), columns_of("漢字"), columns_of("e\u0301")
    (7, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns_of_letter, text))


def _columns_of_letter(letter: str) -> int:
    if letter in JOINERS or unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 1 + (unicodedata.east_asian_width(letter) in "WF")


def padded(text: str, width: int, align: str) -> str:
    """A text with spaces before it (align "r") or after it ("l")."""
    space = " " * (width - columns_of(text))
    return space + text if align == "r" else text + space


def isolated(name: str) -> str:
    """A name on one line; right-to-left text does not affect its surroundings."""
    line = plain(name)
    return f"{ISOLATE}{line}{END_OF_ISOLATE}" if runs_right_to_left(line) else line


def broken(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at spaces, or inside words that are too long.

    >>> broken("petal width in centimeters", 12)
    ['petal width', 'in', 'centimeters']
    """
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if columns_of(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _parts(word, width)
        lines += full
    return [*lines, line]


def _parts(word: str, width: int) -> list[str]:
    """A word in parts of at most `width` columns."""
    parts, part, filled = [], "", 0
    for letter in word:
        columns = _columns_of_letter(letter)
        if filled + columns > width and part:
            parts.append(part)
            part, filled = "", 0
        part += letter
        filled += columns
    return [*parts, part]


Style = Literal["plain", "strong", "code", "title", "note"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line."""

    text: str
    style: Style = "plain"


Line = tuple[Piece, ...]


def line_text(line: Line) -> str:
    """The line without its styles."""
    return "".join(piece.text for piece in line)


def filled(pieces: list[Piece], width: int, indent: str = "") -> list[Line]:
    """Sentences broken at spaces into lines of at most `width`.

    >>> [line_text(line) for line in filled([Piece("It is "), Piece("very sunny", "strong")], 10)]
    ['It is very', 'sunny']
    """
    lines: list[list[Piece]] = [[]]
    used = 0
    for word in _words(pieces):
        size = sum(columns_of(piece.text) for piece in word)
        if used and used + 1 + size > width - len(indent):
            lines.append([])
            used = 0
        if used:
            lines[-1].append(Piece(" "))
            used += 1
        *full, last = _cut(word, max(width - len(indent), 1))
        for part in full:
            lines[-1] += part
            lines.append([])
            used = 0
        lines[-1] += last
        used += sum(columns_of(piece.text) for piece in last)
    return [(Piece(indent), *line) if indent else tuple(line) for line in lines]


def _words(pieces: list[Piece]) -> list[list[Piece]]:
    """The words between spaces; a word may have several styles."""
    words: list[list[Piece]] = [[]]
    for piece in pieces:
        first, *others = piece.text.split(" ")
        if first:
            words[-1].append(Piece(first, piece.style))
        words += [[Piece(text, piece.style)] if text else [] for text in others]
    return [word for word in words if word]


def _cut(word: list[Piece], width: int) -> list[list[Piece]]:
    """A word, in parts if it is longer than a line."""
    if sum(columns_of(piece.text) for piece in word) <= width:
        return [word]
    return [[Piece(part, piece.style)] for piece in word for part in broken(piece.text, width)]


GAP = "  "
DEEPER = "  "
MARK, NO_MARK = "* ", "  "
MIN_TEXT_WIDTH = 12  # text columns are not broken to less
MIN_HEAD_WIDTH = 6


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table as text; the first row is the head."""

    rows: list[tuple[str, ...]]
    align: str
    marked: frozenset[int]

    def of(self, columns: Sequence[int]) -> "Grid":
        """Some of its columns."""
        return Grid(
            [tuple(row[at] for at in columns) for row in self.rows],
            "".join(self.align[at] for at in columns),
            self.marked,
        )

    @property
    def room_for_marks(self) -> int:
        return len(MARK) if self.marked else 0

    def widths(self) -> list[int]:
        """The width of each column if nothing is broken."""
        return [max(map(columns_of, column)) for column in zip(*self.rows, strict=True)]

    def least_widths(self) -> list[int]:
        """The least width of each column: numbers are not broken, texts and heads are."""
        return [
            min(MIN_TEXT_WIDTH, natural)
            if letter == "l"
            else max(*map(columns_of, column[1:]), min(MIN_HEAD_WIDTH, columns_of(column[0])))
            for column, letter, natural in zip(
                zip(*self.rows, strict=True), self.align, self.widths(), strict=True
            )
        ]


def table_lines(table: SheetTable, width: int) -> Iterator[Line]:
    """The lines of a table, not wider than `width` if possible."""
    if table.caption:
        yield (Piece(f"{isolated(table.caption)}:"),)
    if not table.rows:
        return
    rows = [tuple(map(_cell, row)) for row in (table.columns, *table.rows)]
    for at in range(len(table.rows)):
        first, *others = rows[1 + at]
        rows[1 + at] = (DEEPER * table.depth(at) + first, *others)
    grid = Grid(rows, table.align, table.marked)
    for number, columns in enumerate(_panels(grid, width)):
        if number:
            yield ()
        yield from _panel(grid.of(columns), width)


def _cell(cell: Cell) -> str:
    return blank_text(cell.number) if isinstance(cell, Blank) else plain(cell)


def _panels(grid: Grid, width: int) -> list[list[int]]:
    """The columns of each panel; the first column is repeated in all of them."""
    least = grid.least_widths()
    room = width - grid.room_for_marks - least[0]
    panels: list[list[int]] = []
    left = 0
    for at in range(1, len(least)):
        needed = len(GAP) + least[at]
        if not panels or needed > left:
            panels.append([0])
            left = room
        panels[-1].append(at)
        left -= needed
    return panels or [[0]]


def _panel(grid: Grid, width: int) -> Iterator[Line]:
    widths = _fitted(grid, width - grid.room_for_marks)
    for number, row in enumerate(grid.rows):
        is_marked = number - 1 in grid.marked
        lines = _row_lines(row, widths, grid.align)
        for at, line in enumerate(lines):
            mark = ""
            if grid.marked:
                mark = MARK if is_marked and at == 0 else NO_MARK
            yield (Piece((mark + line).rstrip(), "strong" if is_marked else "plain"),)
        if number == 0:
            mark = NO_MARK if grid.marked else ""
            yield (Piece((mark + GAP.join("-" * one for one in widths)).rstrip()),)


def _fitted(grid: Grid, width: int) -> list[int]:
    """Widths of the columns; the widest are narrowed until the row fits."""
    widths, least = grid.widths(), grid.least_widths()
    too_much = sum(widths) + len(GAP) * (len(widths) - 1) - width
    while too_much > 0:
        widest = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
        too_much -= 1
    return widths


def _row_lines(row: tuple[str, ...], widths: list[int], align: str) -> Iterator[str]:
    cells = [_cell_lines(cell, width) for cell, width in zip(row, widths, strict=True)]
    for at in range(max(map(len, cells))):
        yield GAP.join(
            padded(cell[at] if at < len(cell) else "", width, letter)
            for cell, width, letter in zip(cells, widths, align, strict=True)
        )


def _cell_lines(cell: str, width: int) -> list[str]:
    """A cell broken into lines with the indentation of the first."""
    words = cell.lstrip(" ")
    margin = " " * min(len(cell) - len(words), width // 2)
    return [margin + isolated(line) for line in broken(words, width - len(margin))]
