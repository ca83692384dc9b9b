"""A page for the terminal."""

import textwrap
import unicodedata

from treewright.documents.page import (
    Block,
    Document,
    Figure,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    SheetTable,
)
from treewright.tree.conditions import plain
from treewright.tree.escaping import runs_right_to_left

UNDERLINES = {1: "=", 2: "-"}
WIDEST_CELL = 48
MARK, NO_MARK = "* ", "  "
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"


def to_text(document: Document, width: int = 100) -> str:
    """The page in plain characters, sentences broken at `width`; formulas and tables are not.

    >>> print(to_text(Document("Day", (Paragraph.of("It is sunny."),))))
    Day
    ===
    <BLANKLINE>
    It is sunny.
    """
    blocks = (Heading(1, document.title), *document.blocks)
    return "\n\n".join(_block(block, width) for block in blocks)


def _block(block: Block, width: int) -> str:
    match block:
        case Heading(level, text):
            line = plain(text)
            return f"{line}\n{UNDERLINES[level] * columns_of(line)}" if level < 3 else line
        case Paragraph(runs):
            return textwrap.fill(plain("".join(run.text for run in runs)), width)
        case Formula(_, written):
            return f"    {plain(written)}"
        case SheetTable():
            return _table(block)
        case Listing(text):
            return textwrap.indent(text, "    ")
        case Figure(_, description):
            return f"[{plain(description)}]"
        case Note(text):
            return textwrap.fill(plain(text), width, initial_indent="  ", subsequent_indent="  ")


def _table(table: SheetTable) -> str:
    lines = [tuple(map(_cell, row)) for row in (table.columns, *table.rows)]
    widths = [max(map(columns_of, column)) for column in zip(*lines, strict=True)]
    marks = ["", *(MARK if row in table.marked else NO_MARK for row in range(len(table.rows)))]
    if not table.marked:
        marks = [""] * len(lines)
    elif marks:
        marks[0] = NO_MARK
    text = [
        mark + "  ".join(map(_padded, line, widths, table.align)).rstrip()
        for mark, line in zip(marks, lines, strict=True)
    ]
    text.insert(1, (marks[0] + "  ".join("-" * width for width in widths)).rstrip())
    return "\n".join([f"{plain(table.caption)}:", *text] if table.caption else text)


def _cell(text: str) -> str:
    line = plain(text)
    if columns_of(line) > WIDEST_CELL:
        line = line[: WIDEST_CELL - 3] + "..."
    return f"{ISOLATE}{line}{END_OF_ISOLATE}" if runs_right_to_left(line) else line


def _padded(text: str, width: int, align: str) -> str:
    space = " " * (width - columns_of(text))
    return space + text if align == "r" else text + space


def columns_of(text: str) -> int:
    """Columns of a terminal that a text fills: two for wide letters, none for marks on letters."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(letter) or letter in (ISOLATE, END_OF_ISOLATE)
        else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )
