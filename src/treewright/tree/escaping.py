"""Names and words made safe for Markdown, LaTeX and HTML: nothing in them is taken for markup."""

import html as standard_html
import re
import unicodedata

# The last three keep addresses from becoming links: `http://`, `www.` and `@`.
MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$&!@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
LINE_START = re.compile(r"\s*(\d{1,9}(?=[.)])|(?=[-+=]))")
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
    r"""Text in which nothing is taken for Markdown or HTML, nor becomes a link or an image.

    >>> print(markdown("![y](http://host/m)"))
    \!\[y\](http\://host/m)
    """
    return MARKDOWN_SIGNS.sub(r"\\\1", text)


def markdown_paragraph(text: str) -> str:
    r"""A paragraph of Markdown whose first letters make no list, rule or code of it.

    >>> print(markdown_paragraph("1. May"), markdown_paragraph("- x"))
    1\. May \- x
    """
    return LINE_START.sub(r"\1\\", text, count=1) if LINE_START.match(text) else text.lstrip()


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
