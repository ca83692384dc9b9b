"""Text for people: unprintable characters, numbers, percentages, truncation, columns."""

import json
import math
import re
from collections.abc import Iterable, Sequence

# Joiners and non-joiners make one emoji of several, and words of Persian or Hindi; beside Latin
# letters they would only hide.
JOINERS = re.compile(r"(?<=[^\x00-\xff\u200b-\u200f])[\u200c\u200d](?=[^\x00-\xff\u200b-\u200f])")
# What controls a terminal or reorders a line: control characters, direction marks and overrides,
# line separators, and halves of surrogate pairs (bytes of a file name that are not UTF-8). The
# isolates U+2066 to U+2069 are not among them: pages put them around right-to-left names.
CONTROLS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\ud800-\udfff\ufff9-\ufffb]"
)


def plain(name: str) -> str:
    """A name on one line: what cannot be printed is escaped.

    >>> plain("two\\nlines")
    'two\\\\nlines'
    """
    if name.isprintable():
        return name
    kept = {joiner.start() for joiner in JOINERS.finditer(name)}
    return "".join(
        letter if letter.isprintable() or at in kept else escape_of(letter)
        for at, letter in enumerate(name)
    )


def plain_lines(text: str) -> str:
    """A text of several lines, each of them plain."""
    return text if text.isprintable() else "\n".join(map(plain, text.split("\n")))


def escape_controls(text: str) -> str:
    """A finished text in which nothing moves the cursor or turns the direction of a line.

    Unlike `plain_lines` it keeps all that a renderer of ours writes on purpose.

    >>> print(escape_controls("a\\x1b[2J\\nb"))
    a\\x1b[2J
    b
    """
    return CONTROLS.sub(lambda found: escape_of(found[0]), text)


def printable_json(text: str) -> str:
    """JSON text whose strings have escapes for what cannot be printed; it means the same.

    >>> printable_json('{"a": "\\x9b"}')
    '{"a": "\\\\u009b"}'
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter == "\n" else json_escape_of(letter)
        for letter in text
    )


def json_text(value: object) -> str:
    """Plain values as indented JSON that can be printed anywhere."""
    return printable_json(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))


def json_escape_of(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def escape_of(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


RISKY_STARTS = tuple("=+-@\t\r\n＝＋－＠")  # what spreadsheets read as a formula


def escape_formula(text: str) -> str:
    """The text, with an apostrophe in front if it begins like a formula.

    Examples
    --------
    >>> escape_formula("=1+1"), escape_formula("plain")
    ("'=1+1", 'plain')
    """
    return "'" + text if text.startswith(RISKY_STARTS) else text


# ---------------------------------------------------------------------------- numbers

LEAST_DIGITS = 6  # of a number that is shown as short as it can be
SCORE_DIGITS = 5  # of a score from 10 on; smaller ones have four decimals
ROUNDING = 1e-12  # a share this close to all or nothing is meant to be it


def number_text(number: float, decimals: int | None = None) -> str:
    """A number as short as it can be read: 0.8, 1250000, 1.25e-07.

    Six significant digits, or two decimals where six digits would cut them off; `decimals` asks
    for a fixed precision instead.
    """
    size = abs(number)
    if size >= 1e15 or 0 < size < 1e-4:
        return f"{number:.{LEAST_DIGITS}g}"
    if decimals is None:
        digits_before = len(str(int(size))) if size >= 1 else 0
        decimals = max(2, LEAST_DIGITS - digits_before)
        if size < 1 and size != 0:
            decimals += -math.floor(math.log10(size)) - 1
    text = f"{number:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def weight_text(weight: float) -> str:
    """Training weight with at most two decimals: 3, 2.5, 0.33."""
    if weight >= 1e15 or 0 < weight < 0.005:
        return f"{weight:.3g}"
    return f"{weight:.2f}".rstrip("0").rstrip(".")


SAYS_LITTLE = {"yes", "no", "true", "false", "ja", "nein", "none", "other", "unknown"}


def named_class(label: str, classes: Iterable[object], target: str) -> str:
    """A class with the name of its target, unless the classes speak for themselves.

    >>> named_class("1", [0, 1], "survived"), named_class("setosa", ["setosa"], "species")
    ('survived = 1', 'setosa')
    """
    if not target.strip(' "') or all(map(speaks_for_itself, classes)):
        return label
    return f"{target} = {label}"


def speaks_for_itself(label: object) -> bool:
    """Whether a class is a word that can stand alone: not a number, a sign or a yes or no."""
    text = str(label).strip().casefold()
    return len(text) > 1 and text[0].isalpha() and text not in SAYS_LITTLE


def score_text(number: float) -> str:
    """A score with four decimals, or with five digits.

    >>> score_text(0.98765432), score_text(12.345678), score_text(4979.0445)
    ('0.9877', '12.346', '4979.0')
    """
    if math.isnan(number):
        return "not defined"
    n_before = len(str(int(abs(number)))) if math.isfinite(number) else 1
    return f"{number:.{min(max(SCORE_DIGITS - n_before, 0), 4)}f}"


def with_spread(mean: float, spread: float) -> str:
    """A score and its standard deviation, if there is one.

    >>> with_spread(0.5, 0.125), with_spread(0.5, float("nan"))
    ('0.5000 ± 0.1250', '0.5000')
    """
    return score_text(mean) if math.isnan(spread) else f"{score_text(mean)} ± {score_text(spread)}"


def interval_text(low: float, high: float) -> str:
    """An interval of scores; nothing where there is none.

    >>> interval_text(0.5, 1.0), interval_text(float("nan"), float("nan"))
    ('0.5000 to 1.0000', '')
    """
    return "" if math.isnan(low) else f"{score_text(low)} to {score_text(high)}"


def percent(share: float) -> str:
    """A share with one decimal, never rounded to all or nothing.

    >>> percent(2 / 3), percent(1.0), percent(0.9999), percent(0.0001)
    ('66.7 %', '100 %', 'over 99.9 %', 'under 0.1 %')
    """
    if 0.9995 <= share < 1 - ROUNDING:
        return "over 99.9 %"
    if ROUNDING < share < 0.0005:
        return "under 0.1 %"
    return f"{number_text(100 * share, 1)} %"


def whole_percent(share: float) -> str:
    """A share as a whole percentage; only all and nothing are 100 % and 0 %.

    >>> whole_percent(0.832), whole_percent(0.998), whole_percent(0.001), whole_percent(1.0)
    ('83 %', '99 %', '1 %', '100 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    return f"{min(max(round(100 * share), 1), 99)} %"


def tiny_percent(share: float) -> str:
    """A share in few letters, for a picture.

    >>> tiny_percent(0.004), tiny_percent(0.537), tiny_percent(0.999)
    ('<1 %', '54 %', '>99 %')
    """
    if 0 < share < 0.01:
        return "<1 %"
    return ">99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2000, "row"), counted(2, "leaf", "leaves")
    ('1 row', '2,000 rows', '2 leaves')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


# ---------------------------------------------------------------------------- truncation, columns


def truncated(text: str, width: int, mark: str = "…") -> str:
    """Text of at most `width` letters: of a longer one the beginning, and a mark.

    >>> truncated("phytophthora-rot", 10), truncated("short", 10)
    ('phytophth…', 'short')
    """
    return text if len(text) <= width else text[: width - len(mark)] + mark


def beginning(text: str, n_letters: int, mark: str = "...") -> str:
    """The first letters of a text, and a mark if there are more.

    >>> beginning("a long name", 6)
    'a long...'
    """
    return text if len(text) <= n_letters else text[:n_letters] + mark


def shortened(words: str, width: int = 90) -> str:
    """Words of at most `width` letters: of longer ones the beginning, cut between words.

    >>> shortened("color in {red, green, blue, yellow, black, white}", 30)
    'color in {red, green, blue ...'
    """
    if len(words) <= width:
        return words
    end = width - 4
    between = words.rfind(" ", end // 2, end + 1)
    if words[end].isalnum() and between > 0:  # not within a word
        end = between
    return f"{words[:end].rstrip()} ..."


def aligned(lines: Sequence[Sequence[str]], align: str = "") -> list[str]:
    """Lines of cells in columns; `align` has l or r for each, else the first is left of others.

    >>> aligned([["class", "rows"], ["a", "12"]])
    ['class  rows', 'a        12']
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = align or "l".ljust(len(widths), "r")
    return [
        "  ".join(
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(line, widths, sides, strict=True)
        ).rstrip()
        for line in lines
    ]
