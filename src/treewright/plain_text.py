"""Make untrusted text safe to print: unprintable characters are escaped."""

import re

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
