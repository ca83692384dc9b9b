"""A page for the terminal."""

from collections.abc import Iterator

from treewright.documents import page
from treewright.documents.math import Blank, Letter, formula_rows, math_text
from treewright.documents.text_table import (
    Line,
    Piece,
    broken,
    columns_of,
    filled,
    isolated,
    line_text,
    table_lines,
)

UNDERLINES = {1: "=", 2: "-"}
INDENT = "    "


def to_text(document: page.Document, width: int = 100) -> str:
    """The page in plain text: sentences, formulas and tables are broken at `width`.

    >>> print(to_text(page.Document("Day", (page.Paragraph.of("It is sunny."),))))
    Day
    ===
    <BLANKLINE>
    It is sunny.
    """
    return "\n".join(line_text(line).rstrip() for line in text_lines(document, width))


def text_lines(document: page.Document, width: int) -> Iterator[Line]:
    """The lines of the page with their styles; an empty one between blocks."""
    yield from _block(page.Heading(1, document.title), width)
    for block in document.blocks:
        yield ()
        yield from _block(block, width)


def _block(block: page.Block, width: int) -> Iterator[Line]:
    match block:
        case page.Heading():
            yield from _heading(block, width)
        case page.Paragraph(runs):
            yield from filled(list(map(_piece, runs)), width)
        case page.Formula():
            yield from _formula(block, width)
        case page.SheetTable():
            yield from table_lines(block, width)
        case page.Listing(text):
            for line in text.split("\n"):
                yield from _listed(line, width)
        case page.Figure(_, description, text):
            yield from filled([Piece(f"[{isolated(description)}]", "note")], width)
            for line in text.split("\n") if text else ():
                yield from _listed(line, width)
        case page.Note(text):
            yield from filled([Piece(isolated(text), "note")], width, indent="  ")
        case page.Contents(headings):
            yield from ((Piece(INDENT + isolated(heading.text)),) for heading in headings)
        case page.KeyFacts():
            yield from table_lines(block.as_table(), width)


def _listed(line: str, width: int) -> Iterator[Line]:
    """A line that keeps its spaces; if it is too long, the rest is indented."""
    words = line.lstrip(" ")
    margin = INDENT + " " * (len(line) - len(words))
    if columns_of(margin + words) <= width:
        yield (Piece(margin + isolated(words)),)
        return
    room = max(width - len(margin) - len(INDENT), 16)
    for number, part in enumerate(broken(words, room)):
        yield (Piece(margin + (INDENT if number else "") + isolated(part)),)


def _heading(heading: page.Heading, width: int) -> Iterator[Line]:
    lines = filled([Piece(isolated(heading.text), "title")], width)
    yield from lines
    if heading.level in UNDERLINES:
        longest = max(columns_of(line_text(line)) for line in lines)
        yield (Piece(UNDERLINES[heading.level] * longest, "title"),)


def _piece(run: page.Run | Blank | Letter) -> Piece:
    if isinstance(run, Blank | Letter):
        return Piece(math_text(run))
    return Piece(isolated(run.text), run.style)


def _formula(formula: page.Formula, width: int) -> Iterator[Line]:
    """On one line, or one line for each step below the first equals sign."""
    left = INDENT + math_text(formula.left)
    whole = " = ".join([left, *map(math_text, formula.steps)])
    if columns_of(whole) <= width:
        yield (Piece(whole),)
        return
    margin = columns_of(left) + 1
    if margin > width / 2:
        yield (Piece(left),)
        left, margin = "", 2 * len(INDENT)
    room = max(width - margin - 2, 24)
    rows = formula_rows(formula.steps, room, lambda math: columns_of(math_text(math)))
    for number, row in enumerate(rows):
        start = left.ljust(margin) if number == 0 and left else " " * margin
        line = f"{start}{'=' if row.is_step else ' '} {math_text(row.of)}"
        yield (Piece(line if row.result is None else f"{line} = {math_text(row.result)}"),)
