"""How many columns of a terminal a text fills, and how it is broken and padded to fit."""

import unicodedata

from treewright.plain_text import plain
from treewright.tree.escaping import runs_right_to_left

ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
JOINERS = ("\u200c", "\u200d", ISOLATE, END_OF_ISOLATE)


def columns_of(text: str) -> int:
    """Columns of a terminal that a text fills: two for wide letters, none for marks on letters.

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
    """A name on one line, its direction kept to itself."""
    line = plain(name)
    return f"{ISOLATE}{line}{END_OF_ISOLATE}" if runs_right_to_left(line) else line


def broken(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at spaces, or inside words that are too long.

    >>> broken("petal width in centimetres", 12)
    ['petal width', 'in', 'centimetres']
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
