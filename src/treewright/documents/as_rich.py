"""A page on a console of the package rich, which calls this; nothing of rich is imported here."""

from collections.abc import Iterator
from typing import Any

from treewright.documents.as_text import text_lines
from treewright.documents.page import Document

STYLES = {"plain": "", "strong": "bold", "code": "cyan", "title": "bold blue", "note": "dim"}


def rich_lines(document: Document, console: Any, options: Any) -> Iterator[Any]:
    """The lines of the page as rich's texts, broken at the width of the console.

    For `__rich_console__`, which rich calls with the console and its options. The console itself
    makes an empty text, with nothing in it taken for markup.
    """
    for line in text_lines(document, options.max_width):
        text = console.render_str("", markup=False, emoji=False, highlight=False)
        text.no_wrap, text.overflow = True, "ignore"
        for piece in line:
            text.append(piece.text, style=STYLES[piece.style])
        yield text
