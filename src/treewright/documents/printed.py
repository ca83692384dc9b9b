"""Printed: a result with a page, in all forms that a page has."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from typing import Any

from treewright.documents.as_html import to_html
from treewright.documents.as_latex import to_latex
from treewright.documents.as_markdown import to_markdown
from treewright.documents.as_text import text_lines, to_text
from treewright.documents.page import Document, table_rows, to_values
from treewright.errors import ParameterError
from treewright.result import Record, Result

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


class Printed(Result):
    """A result that can also be read as a page of Markdown, LaTeX or HTML.

    What a page lets its reader choose are the keywords of its `document`; all ways to print it take
    them as well. Unless a subclass has other facts, they are the blocks of the page, and the frame
    has the rows of all its tables.
    """

    __slots__ = ()

    @abstractmethod
    def document(self, *args: Any, **choices: Any) -> Document:
        """The page before it is rendered."""

    def _facts(self) -> Record:
        return to_values(self.document())

    def _records(self) -> Iterable[Record]:
        has_own_facts = type(self)._facts is not Printed._facts
        return super()._records() if has_own_facts else table_rows(self.document())

    def to_text(self, *, width: int = WIDTH, **choices: Any) -> str:
        """The page for a terminal of `width` columns."""
        return to_text(self.document(**choices), width)

    def to_markdown(self, **choices: Any) -> str:
        """The page in Markdown."""
        return to_markdown(self.document(**choices))

    def to_latex(self, *, standalone: bool = True, **choices: Any) -> str:
        """The page as a LaTeX document, or the part to put into another one.

        The part needs the packages amsmath, array, booktabs and graphicx, and the font encoding T1.
        """
        return to_latex(self.document(**choices), standalone=standalone)

    def to_html(self, *, standalone: bool = True, **choices: Any) -> str:
        """The page as one HTML file that needs nothing from elsewhere, or the part for another."""
        return to_html(self.document(**choices), standalone=standalone)

    def _forms(self) -> dict[str, Callable[..., str]]:
        return {
            ".html": self.to_html,
            ".md": self.to_markdown,
            ".tex": self.to_latex,
            ".txt": self.to_text,
            ".json": self.to_json,
            ".csv": self.to_csv,
        }


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
