"""Pages with blanks: results taken out of every place where they stand.

A number that is asked for must not be printed anywhere else. So a blank takes the place of all
numbers written alike; where one of them stands in a place that holds no blank (a title, say), the
number is not asked for. The steps just before a result that is asked for are left out too: the
first step with numbers says how to get there.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
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
    """The results of so many decimals that can be taken out."""
    pattern = number_pattern(decimals)
    results: dict[str, None] = {}  # a set that keeps its order
    fixed = set(pattern.findall(document.title))
    for block in document.blocks:
        # What is left out of a formula nobody can work out.
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
    """The page with blanks in the places of these numbers."""
    pattern = number_pattern(decimals)
    blocks = tuple(_blanked(block, blanks, pattern) for block in document.blocks)
    return Document(document.title, blocks)


def number_pattern(decimals: int) -> re.Pattern[str]:
    """A number of exactly so many decimals."""
    return re.compile(rf"(?<![\d.,])-?\d+\.\d{{{decimals}}}(?![\d.,]*\d)")


def blanks_in(document: Document) -> list[int]:
    """The numbers of the blanks, in the order in which they come on the page."""
    numbers: dict[int, None] = {}
    for block in document.blocks:
        if isinstance(block, Paragraph | Formula | SheetTable):
            numbers |= dict.fromkeys(blank.number for blank in _found(block, Blank))
    return [*numbers]


def _fixed_texts(block: Block, pattern: re.Pattern[str]) -> Iterator[str]:
    """The texts of a block that numbers cannot be taken out of."""
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


def _found(math: Any, kind: type[Wanted]) -> Iterator[Wanted]:
    """The parts of an expression, or of a block, that are of a kind, in order."""
    if isinstance(math, kind):
        yield math
    else:
        for part in _parts_of(math):
            yield from _found(part, kind)


def _has_numbers(math: Any) -> bool:
    return any(_found(math, Number)) or any(_found(math, Blank))


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
                first = next((at for at, step in enumerate(before) if _has_numbers(step)), 0)
                blanked = (*before[: first + 1], blanked[-1])
            return Formula(left, blanked)
        case SheetTable(_, rows):
            return replace(
                block, rows=tuple(tuple(_cell(cell, blanks) for cell in row) for row in rows)
            )
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
