"""Printed: the base of everything that can be shown as a page."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

from treewright.documents.as_html import to_html
from treewright.documents.as_latex import to_latex
from treewright.documents.as_markdown import to_markdown
from treewright.documents.as_text import text_lines, to_text
from treewright.documents.page import Document
from treewright.errors import ParameterError
from treewright.files import write_by_suffix

WIDTH = 100


def number_shown(max_steps: Any, usual: int) -> int:
    """The number of steps that a page shows: `max_steps`, or the usual number if it is None."""
    if max_steps is None:
        return usual
    if isinstance(max_steps, bool) or not isinstance(max_steps, Integral) or int(max_steps) < 1:
        raise ParameterError(
            f"max_steps={max_steps!r} is not possible", hint="give a whole number above 0, or None"
        )
    return int(max_steps)


class Printed(ABC):
    """Something that can be printed as text, Markdown, LaTeX and HTML.

    The options of a page are the keywords of its `document`; all other methods take them too.
    """

    @abstractmethod
    def document(self, *args: Any, **choices: Any) -> Document:
        """The page before it is rendered."""

    def to_text(self, *, width: int = WIDTH, **choices: Any) -> str:
        """The page for a terminal of `width` columns."""
        return to_text(self.document(**choices), width)

    def to_markdown(self, **choices: Any) -> str:
        """The page in Markdown."""
        return to_markdown(self.document(**choices))

    def to_latex(self, **choices: Any) -> str:
        """The page as a LaTeX document."""
        return to_latex(self.document(**choices))

    def to_html(self, *, standalone: bool = True, **choices: Any) -> str:
        """The page as one self-contained HTML file, or as a part of a page."""
        return to_html(self.document(**choices), standalone=standalone)

    def save(self, path: str | os.PathLike[str], **choices: Any) -> None:
        """Save the page as .html, .md, .tex or .txt."""
        ways: dict[str, Callable[..., str]] = {
            ".html": self.to_html,
            ".md": self.to_markdown,
            ".tex": self.to_latex,
            ".txt": self.to_text,
        }
        write_by_suffix(path, ways, "form of a page", **choices)

    def _repr_html_(self) -> str:
        return self.to_html(standalone=False)

    def __str__(self) -> str:
        return self.to_text()


STYLES = {"plain": "", "strong": "bold", "code": "cyan", "title": "bold blue", "note": "dim"}


def rich_lines(document: Document, console: Any, options: Any) -> Iterator[Any]:
    """The lines of the page as rich texts, broken at the width of the console.

    For `__rich_console__`, which rich calls with the console and its options.
    """
    for line in text_lines(document, options.max_width):
        text = console.render_str("", markup=False, emoji=False, highlight=False)
        text.no_wrap, text.overflow = True, "ignore"
        for piece in line:
            text.append(piece.text, style=STYLES[piece.style])
        yield text
