"""A page as data: headings, sentences, formulas and tables.

All texts are plain; renderers escape them. Only `Figure.svg` is markup.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.documents.math import Blank, Letter, Math, math_text


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a sentence; `link` is the anchor of the heading that it links to."""

    text: str
    style: Literal["plain", "strong", "code"] = "plain"
    link: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; level 1 is the title of the page. Links refer to its anchor."""

    level: int
    text: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences that belong together; the lead of a page is what a reader sees first."""

    runs: tuple[Run | Blank | Letter, ...]
    is_lead: bool = False

    @classmethod
    def of(cls, *parts: str | Run | Blank | Letter) -> "Paragraph":
        """A paragraph of words, styled pieces, blanks and letters of formulas.

        >>> Paragraph.of(Run("outlook", "strong")).runs
        (Run(text='outlook', style='strong', link=''),)
        """
        return cls(tuple(Run(part) if isinstance(part, str) else part for part in parts))


@dataclass(frozen=True, slots=True)
class Formula:
    """A calculation: the left side, then each step; the last step is the result."""

    left: Math
    steps: tuple[Math, ...]


Cell = str | Blank


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table of texts and formatted numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    align: str  # one letter a column: l or r
    caption: str = ""
    marked: frozenset[int] = field(default_factory=frozenset)  # highlighted rows
    depths: tuple[int, ...] = ()  # indentation of the first cell of each row; () for none
    # One for each cell, () for none: 0 to 1 in one hue, 0 to -1 in another.
    shades: tuple[tuple[float, ...], ...] = ()

    def depth(self, row: int) -> int:
        """The indentation of the first cell of a row."""
        return self.depths[row] if self.depths else 0


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines that keep their spaces."""

    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, with a description and a version in text where no picture can be shown."""

    svg: str
    description: str
    text: str = ""
    remark: str = ""  # left out where the picture is not shown


@dataclass(frozen=True, slots=True)
class Note:
    """A side remark."""

    text: str


@dataclass(frozen=True, slots=True)
class Contents:
    """The table of contents: headings with anchors."""

    headings: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class KeyFact:
    """One key figure: `accuracy` `0.92` `0.89 to 0.95`."""

    name: str
    value: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """Key figures side by side."""

    facts: tuple[KeyFact, ...]

    def as_table(self) -> SheetTable:
        """The facts as a table, for renderers that cannot put them side by side."""
        rows = tuple((fact.name, fact.value, fact.remark) for fact in self.facts)
        return SheetTable(("fact", "value", "remark"), rows, "lll")


Block = Heading | Paragraph | Formula | SheetTable | Listing | Figure | Note | Contents | KeyFacts


@dataclass(frozen=True, slots=True)
class Document:
    """A page: its title and its blocks from top to bottom."""

    title: str
    blocks: tuple[Block, ...]


def to_values(document: Document) -> dict[str, Any]:
    """The title and the blocks of a page, each with its kind.

    >>> to_values(Document("Day", (Paragraph.of("It is sunny."),)))
    {'title': 'Day', 'blocks': [{'kind': 'text', 'text': 'It is sunny.'}]}
    """
    return {"title": document.title, "blocks": [_block(block) for block in document.blocks]}


def table_rows(document: Document) -> list[dict[str, str]]:
    """The rows of all tables of a page, each with its section and its table."""
    rows, section = [], ""
    for block in document.blocks:
        if isinstance(block, Heading):
            section = block.text
        if isinstance(block, SheetTable):
            place = {"section": section, "table": block.caption}
            names = [_name(block.columns, at) for at in range(len(block.columns))]
            rows += [
                place | dict(zip(names, map(cell_text, row), strict=True)) for row in block.rows
            ]
    return rows


def _name(columns: tuple[str, ...], at: int) -> str:
    """The head of a column, with a number if it is not the first of that name."""
    n_before = columns[:at].count(columns[at])
    return f"{columns[at]} {n_before + 1}" if n_before else columns[at]


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
        "rows": [[cell_text(cell) for cell in row] for row in table.rows],
        "marked": sorted(table.marked),
    }


def _run(run: Run | Blank | Letter) -> str:
    return run.text if isinstance(run, Run) else math_text(run)


def cell_text(cell: "Cell") -> str:
    """A cell of a table as plain text."""
    return cell if isinstance(cell, str) else math_text(cell)
