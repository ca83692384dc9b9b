"""The width of a text, estimated without a font.

Widths are those of DejaVu Sans, the widest of the usual sans-serif fonts, so that a text also fits
its box in Helvetica, Arial or Liberation Sans.
"""

import unicodedata
from functools import lru_cache

WIDTHS_IN_EM = {
    0.32: " ',.ijlIJ",
    0.37: "/:;\\|-",
    0.42: "()[]ft!·r",
    0.52: '"*_`–',
    0.55: "?csz",
    0.6: "FLkvxy",
    0.64: "$0123456789EPSTYabdeghnopqu{}",
    0.7: "ABCKRVXZ",
    0.8: "&DGHNOQU",
    0.85: "#+<=>^w~≤≥×−",
    1.0: "%@MWm…",
}
WIDTH_OF = {letter: width for width, letters in WIDTHS_IN_EM.items() for letter in letters}
BOLD = 1.13  # times the width of regular letters
WIDE = 1.0  # Chinese, Japanese, Korean
EMOJI = 1.3
UPPER_CASE = 0.85
OTHER = 0.8  # of letters not in the table; Cyrillic and Arabic have wide ones
FIRST_PICTOGRAPH = "\U0001f000"


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width in pixels of a text whose letters are `size` pixels high.

    >>> round(text_width("outlook", 10))
    39
    """
    return sum(map(letter_width, text)) * size * (BOLD if bold else 1.0)


def fitted(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis.

    >>> fitted("a column with a long name", 100, 12)
    'a column with…'
    """
    factor = size * (BOLD if bold else 1.0)
    room = width / factor
    kept, used = 0, 0.0  # letters that leave room for the ellipsis, and the width of all so far
    for letter in text:
        used += letter_width(letter)
        if used > room:
            return text[:kept].rstrip() + "…"
        kept += used + WIDTH_OF["…"] <= room
    return text


def fitted_in_middle(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """The text, or its beginning and its end: long column names often begin alike.

    >>> fitted_in_middle("Horizontal_Distance_To_Roadways", 120, 12)
    'Horizont…adways'
    """
    if text_width(text, size, bold=bold) <= width:
        return text
    room = width / (size * (BOLD if bold else 1.0)) - WIDTH_OF["…"]
    front = letters_within(text, room / 2)
    back = letters_within(text[::-1], room / 2)
    return f"{text[:front].rstrip()}…{text[len(text) - back :].lstrip()}"


def letters_within(text: str, room: float) -> int:
    """How many letters from the beginning on fit into `room` times their height."""
    used = 0.0
    for count, letter in enumerate(text):
        used += letter_width(letter)
        if used > room:
            return count
    return len(text)


@lru_cache(maxsize=4096)
def letter_width(letter: str) -> float:
    """Width of one letter, in units of its height."""
    known = WIDTH_OF.get(letter)
    if known is not None:
        return known
    category = unicodedata.category(letter)
    if category in ("Mn", "Me", "Cf"):  # drawn on the letter before, or not at all
        return 0.0
    if letter >= FIRST_PICTOGRAPH:
        return EMOJI
    if unicodedata.east_asian_width(letter) in "WF":
        return EMOJI if category == "So" else WIDE
    if category == "Lu":
        return UPPER_CASE
    return OTHER if category in ("Ll", "Lo", "Lt", "Lm", "Nd") else WIDE
