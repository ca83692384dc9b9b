"""Names and words made safe for Markdown, LaTeX and HTML: nothing in them is taken for markup."""

import html as standard_html
import re
import unicodedata

MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
LATEX_WORDS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
LATEX_SIGNS = re.compile("|".join(map(re.escape, LATEX_WORDS)))
RIGHT_TO_LEFT = {"R", "AL", "AN", "RLE", "RLO", "RLI"}


def markdown(text: str) -> str:
    """Text in which nothing is taken for Markdown or HTML."""
    return MARKDOWN_SIGNS.sub(r"\\\1", text)


def latex(text: str) -> str:
    """Text in which nothing is taken for a command."""
    return LATEX_SIGNS.sub(lambda sign: LATEX_WORDS[sign[0]], text)


def html(text: str) -> str:
    """Text in which nothing is taken for markup, and whose direction stays its own.

    >>> html('<script>"')
    '&lt;script&gt;&quot;'
    """
    escaped = standard_html.escape(text)
    return f"<bdi>{escaped}</bdi>" if runs_right_to_left(text) else escaped


def runs_right_to_left(text: str) -> bool:
    """Whether a part of the text would turn the order of what stands beside it."""
    return not text.isascii() and any(
        unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in text
    )
