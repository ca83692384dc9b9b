"""Text from outside, made fit to be shown: what cannot be printed is escaped."""

import re

# Joiners and non-joiners make one emoji of several, and words of Persian or Hindi; beside Latin
# letters they would only hide.
JOINERS = re.compile(r"(?<=[^\x00-\xff\u200b-\u200f])[\u200c\u200d](?=[^\x00-\xff\u200b-\u200f])")


def plain(name: str) -> str:
    """A name on one line: what cannot be printed is escaped.

    >>> plain("two\\nlines")
    'two\\\\nlines'
    """
    if name.isprintable():
        return name
    kept = {joiner.start() for joiner in JOINERS.finditer(name)}
    return "".join(
        letter
        if letter.isprintable() or at in kept
        else letter.encode("unicode_escape").decode("ascii")
        for at, letter in enumerate(name)
    )


def plain_lines(text: str) -> str:
    """A text of several lines, each of them plain."""
    return text if text.isprintable() else "\n".join(map(plain, text.split("\n")))
