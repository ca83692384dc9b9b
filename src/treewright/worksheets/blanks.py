"""Pages with blanks.

A number that is asked for must not be printed anywhere else, so a blank replaces every equal
number. If one of them is in a place that cannot have a blank (a title, say), the number is not
asked for. The steps just before the result are left out too: the first step with numbers shows the
way.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from types import UnionType
from typing import Any, TypeVar

from treewright.documents.math import Blank, Dots, Letter, Number
from treewright.documents.page import (
    Block,
    Cell,
    Document,
    Figure,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)

TRIVIAL = (0.0, 1.0)

Piece = Run | Blank | Letter  # of a sentence


def numbers_to_ask(document: Document, decimals: int) -> list[str]:
    """The results with this many decimals that can become blanks."""
    pattern = number_pattern(decimals)
    results: dict[str, None] = {}  # a set that keeps its order
    fixed = set(pattern.findall(document.title))
    for block in document.blocks:
        # A formula with terms left out cannot be computed by hand.
        if isinstance(block, Formula) and not any(_found(block, Dots)):
            last = block.steps[-1]
            results |= {last.text: None} if isinstance(last, Number) else {}
        for text in _fixed_texts(block, pattern):
            fixed |= set(pattern.findall(text))
    return [
        text
        for text in results
        if pattern.fullmatch(text) and text not in fixed and abs(float(text)) not in TRIVIAL
    ]


def with_blanks(document: Document, blanks: Mapping[str, int], decimals: int) -> Document:
    """The page with blanks instead of these numbers."""
    pattern = number_pattern(decimals)
    blocks = tuple(_blanked(block, blanks, pattern) for block in document.blocks)
    return Document(document.title, blocks)


def number_pattern(decimals: int) -> re.Pattern[str]:
    """A number with exactly this many decimals."""
    return re.compile(rf"(?<![\d.,])-?\d+\.\d{{{decimals}}}(?![\d.,]*\d)")


def blanks_in(document: Document) -> list[int]:
    """The numbers of the blanks, from top to bottom."""
    numbers: dict[int, None] = {}
    for block in document.blocks:
        if isinstance(block, Paragraph | Formula | SheetTable):
            numbers |= dict.fromkeys(blank.number for blank in _found(block, Blank))
    return [*numbers]


def _fixed_texts(block: Block, pattern: re.Pattern[str]) -> Iterator[str]:
    """The texts of a block that cannot have blanks."""
    match block:
        case Formula(left, _):
            yield from _found(left, str)
        case SheetTable(columns, rows, _, caption):
            yield from (*columns, caption)
            cells = (cell for row in rows for cell in row if isinstance(cell, str))
            yield from (cell for cell in cells if not pattern.fullmatch(cell))
        case Heading(_, text) | Listing(text) | Note(text) | Figure(_, text):
            yield text


Wanted = TypeVar("Wanted")


def _found(math: Any, kind: type[Wanted] | UnionType) -> Iterator[Wanted]:
    """The parts of an expression or block that have a given type, in order."""
    if isinstance(math, kind):
        yield math
    else:
        for part in _parts_of(math):
            yield from _found(part, kind)


def _parts_of(math: Any) -> tuple[Any, ...]:
    if isinstance(math, tuple):
        return math
    if is_dataclass(math):
        return tuple(getattr(math, field.name) for field in fields(math))
    return ()


def _blanked(block: Block, blanks: Mapping[str, int], pattern: re.Pattern[str]) -> Block:
    match block:
        case Paragraph(runs):
            pieces = [piece for run in runs for piece in _pieces(run, blanks, pattern)]
            return Paragraph(tuple(pieces))
        case Formula(left, steps):
            blanked = tuple(_math(step, blanks) for step in steps)
            if isinstance(blanked[-1], Blank):
                before = blanked[:-1]
                has_numbers = [any(_found(step, Number | Blank)) for step in before]
                first = has_numbers.index(True) if any(has_numbers) else 0
                blanked = (*before[: first + 1], blanked[-1])
            return Formula(left, blanked)
        case SheetTable(_, rows):
            blanked_rows = [[_cell(cell, blanks) for cell in row] for row in rows]
            return replace(block, rows=tuple(map(tuple, blanked_rows)))
        case _:
            return block


def _pieces(run: Piece, blanks: Mapping[str, int], pattern: re.Pattern[str]) -> Iterator[Piece]:
    if not isinstance(run, Run):
        yield run
        return
    end = 0
    for found in pattern.finditer(run.text):
        if found[0] in blanks:
            yield replace(run, text=run.text[end : found.start()])
            yield Blank(blanks[found[0]])
            end = found.end()
    yield replace(run, text=run.text[end:])


def _cell(cell: Cell, blanks: Mapping[str, int]) -> Cell:
    return Blank(blanks[cell]) if isinstance(cell, str) and cell in blanks else cell


def _math(math: Any, blanks: Mapping[str, int]) -> Any:
    """An expression with blanks for some of its numbers."""
    if isinstance(math, Number):
        return Blank(blanks[math.text]) if math.text in blanks else math
    parts = tuple(_math(part, blanks) for part in _parts_of(math))
    if isinstance(math, tuple):
        return parts
    make: Any = type(math)
    return make(*parts) if is_dataclass(math) else math
