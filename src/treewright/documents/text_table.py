"""Tables for the terminal: cells are broken, and columns go to a second panel, until they fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treewright.documents.math import Blank
from treewright.documents.math_text import blank_text
from treewright.documents.page import Cell, SheetTable
from treewright.documents.text_cells import broken, columns_of, isolated, padded
from treewright.documents.text_line import Line, Piece
from treewright.plain_text import plain

GAP = "  "
DEEPER = "  "
MARK, NO_MARK = "* ", "  "
NARROWEST_WORDS = 12  # a column of words is not broken to less
NARROWEST_HEAD = 6


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table as text, the head being the first row."""

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
        """Of each column, if nothing is broken."""
        return [max(map(columns_of, column)) for column in zip(*self.rows, strict=True)]

    def least_widths(self) -> list[int]:
        """To which columns can be broken: numbers stay whole, words and heads do not."""
        return [
            min(NARROWEST_WORDS, natural)
            if letter == "l"
            else max(*map(columns_of, column[1:]), min(NARROWEST_HEAD, columns_of(column[0])))
            for column, letter, natural in zip(
                zip(*self.rows, strict=True), self.align, self.widths(), strict=True
            )
        ]


def table_lines(table: SheetTable, width: int) -> Iterator[Line]:
    """The lines of a table, none wider than `width` if that can be."""
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
    """Which columns stand side by side; the first is repeated in each panel."""
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
    """Widths of the columns, the widest made narrower until the row fits."""
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
    """A cell broken to fit, each line as far in as the first."""
    words = cell.lstrip(" ")
    margin = " " * min(len(cell) - len(words), width // 2)
    return [margin + isolated(line) for line in broken(words, width - len(margin))]
