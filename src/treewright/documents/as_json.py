"""A page as plain values, for programs that want its tables and numbers."""

from typing import Any

from treewright.documents.math import Blank, Letter
from treewright.documents.math_text import math_text
from treewright.documents.page import (
    Block,
    Contents,
    Document,
    Figure,
    Formula,
    Heading,
    KeyFacts,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)


def to_values(document: Document) -> dict[str, Any]:
    """The title and the blocks of a page, each with its kind.

    >>> to_values(Document("Day", (Paragraph.of("It is sunny."),)))
    {'title': 'Day', 'blocks': [{'kind': 'text', 'text': 'It is sunny.'}]}
    """
    return {"title": document.title, "blocks": [_block(block) for block in document.blocks]}


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Heading(level, text):
            return {"kind": "heading", "level": level, "text": text}
        case Paragraph(runs):
            return {"kind": "text", "text": "".join(map(_run, runs))}
        case Formula(left, steps):
            return {"kind": "formula", "text": " = ".join(map(math_text, (left, *steps)))}
        case SheetTable():
            return _table(block)
        case Listing(text):
            return {"kind": "listing", "text": text}
        case Figure():
            return {"kind": "figure", "text": block.description}
        case Note(text):
            return {"kind": "note", "text": text}
        case Contents(headings):
            return {"kind": "contents", "headings": [heading.text for heading in headings]}
        case KeyFacts():
            return _table(block.as_table())


def _table(table: SheetTable) -> dict[str, Any]:
    return {
        "kind": "table",
        "caption": table.caption,
        "columns": list(table.columns),
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "marked": sorted(table.marked),
    }


def _cell(cell: str | Blank) -> str:
    return math_text(cell) if isinstance(cell, Blank) else cell


def _run(run: Run | Blank | Letter) -> str:
    return run.text if isinstance(run, Run) else math_text(run)
