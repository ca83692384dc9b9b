"""Printed: whatever has a page, in all forms that a page has."""

from abc import ABC, abstractmethod

from treewright.documents.as_html import to_html
from treewright.documents.as_latex import to_latex
from treewright.documents.as_markdown import to_markdown
from treewright.documents.as_text import to_text
from treewright.documents.page import Document

WIDTH = 100


class Printed(ABC):
    """Something that can be read as text, Markdown, LaTeX and HTML."""

    @abstractmethod
    def document(self) -> Document:
        """The page before it is rendered."""

    def to_text(self, *, width: int = WIDTH) -> str:
        """The page for a terminal of so many columns."""
        return to_text(self.document(), width)

    def to_markdown(self) -> str:
        """The page in Markdown."""
        return to_markdown(self.document())

    def to_latex(self) -> str:
        """The page as a LaTeX document."""
        return to_latex(self.document())

    def to_html(self) -> str:
        """The page as one HTML file that needs nothing from elsewhere."""
        return to_html(self.document())

    def _repr_html_(self) -> str:
        return to_html(self.document(), standalone=False)

    def __str__(self) -> str:
        return self.to_text()
