"""Worksheet: the calculation behind a tree, to read, to print and to check."""

from collections.abc import Iterator, Sequence

from treewright.documents.as_html import to_html
from treewright.documents.as_latex import to_latex
from treewright.documents.as_markdown import to_markdown
from treewright.documents.as_text import to_text
from treewright.documents.page import Document
from treewright.worksheets.as_document import Page, worksheet_document
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.work import NodeWork

Steps = str | Sequence[int]


class NodeWorks(Sequence[NodeWork]):
    """The work of each node by its number, done when it is looked at."""

    def __init__(self, calculation: Calculation) -> None:
        self._calculation = calculation
        self._done: dict[int, NodeWork] = {}

    def __len__(self) -> int:
        return self._calculation.tree.n_nodes

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._done:
            self._done[number] = self._calculation.node(number)
        return self._done[number]

    def __iter__(self) -> Iterator[NodeWork]:
        return (self[number] for number in range(len(self)))


class Worksheet:
    """The calculation behind every node; `nodes` has the numbers, unrounded.

    Nothing is worked out before it is looked at. On paper a large tree is abridged: the nodes that
    most rows pass are shown.
    """

    def __init__(
        self,
        calculation: Calculation,
        model: str,
        notes: tuple[str, ...] = (),
        measures: tuple[str, ...] = (),
    ) -> None:
        self.nodes = NodeWorks(calculation)
        self._calculation = calculation
        self._model = model
        self._notes = notes
        self._measures = measures

    def document(
        self, *, steps: Steps = "full", decimals: int = 4, max_nodes: int = 30
    ) -> Document:
        """The page before it is rendered.

        `steps` is "full", "summary" (one table for each node) or the numbers of some nodes.
        """
        page = Page(self._calculation, self.nodes, decimals, self._measures)
        return worksheet_document(page, self._model, self._notes, steps=steps, max_nodes=max_nodes)

    def to_text(self, *, steps: Steps = "full", decimals: int = 4, max_nodes: int = 30) -> str:
        """The worksheet for a terminal."""
        return to_text(self.document(steps=steps, decimals=decimals, max_nodes=max_nodes))

    def to_markdown(self, *, steps: Steps = "full", decimals: int = 4, max_nodes: int = 30) -> str:
        """The worksheet in Markdown."""
        return to_markdown(self.document(steps=steps, decimals=decimals, max_nodes=max_nodes))

    def to_latex(self, *, steps: Steps = "full", decimals: int = 4, max_nodes: int = 30) -> str:
        """The worksheet as a LaTeX document."""
        return to_latex(self.document(steps=steps, decimals=decimals, max_nodes=max_nodes))

    def to_html(self, *, steps: Steps = "full", decimals: int = 4, max_nodes: int = 30) -> str:
        """The worksheet as one HTML file."""
        return to_html(self.document(steps=steps, decimals=decimals, max_nodes=max_nodes))

    def _repr_html_(self) -> str:
        return to_html(self.document(), standalone=False)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Worksheet: {self._model}, {len(self.nodes)} nodes>"
