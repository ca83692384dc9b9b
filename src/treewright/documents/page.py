"""A page as data: headings, sentences, formulas and tables, before any markup.

All words are plain; a renderer escapes them. Only `Formula.latex` and `Figure.svg` are markup.
"""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a sentence."""

    text: str
    style: Literal["plain", "strong", "code"] = "plain"


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; level 1 is that of the whole page."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences that belong together."""

    runs: tuple[Run, ...]

    @classmethod
    def of(cls, *parts: str | Run) -> "Paragraph":
        """A paragraph of words and styled pieces.

        >>> Paragraph.of("chosen: ", Run("outlook", "strong"))
        Paragraph(runs=(Run(text='chosen: ', style='plain'), Run(text='outlook', style='strong')))
        """
        return cls(tuple(Run(part) if isinstance(part, str) else part for part in parts))


@dataclass(frozen=True, slots=True)
class Formula:
    """One line of calculation, as LaTeX writes it and as plain text does."""

    latex: str
    plain: str


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table of words and numbers already written out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str  # one letter a column: l or r
    caption: str = ""
    marked: frozenset[int] = field(default_factory=frozenset)  # rows that stand out


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines that keep their spaces."""

    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture; where none can be shown, its description."""

    svg: str
    description: str


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that one may skip."""

    text: str


Block = Heading | Paragraph | Formula | SheetTable | Listing | Figure | Note


@dataclass(frozen=True, slots=True)
class Document:
    """A page: its title and its blocks from top to bottom."""

    title: str
    blocks: tuple[Block, ...]
