"""Lines of a terminal, piece by piece with its style, so that plain and coloured text are one."""

from dataclasses import dataclass
from typing import Literal

from treewright.documents.text_cells import broken, columns_of

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
    """What stands between spaces, which may be of several styles."""
    words: list[list[Piece]] = [[]]
    for piece in pieces:
        first, *others = piece.text.split(" ")
        if first:
            words[-1].append(Piece(first, piece.style))
        words += [[Piece(text, piece.style)] if text else [] for text in others]
    return [word for word in words if word]


def _cut(word: list[Piece], width: int) -> list[list[Piece]]:
    """A word in parts, if it is longer than a line."""
    if sum(columns_of(piece.text) for piece in word) <= width:
        return [word]
    return [[Piece(part, piece.style)] for piece in word for part in broken(piece.text, width)]
