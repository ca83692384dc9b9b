"""Worksheet: the calculation behind a tree, to read, print and check."""

import shutil
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any

from treewright.documents.as_html import to_html
from treewright.documents.page import Document
from treewright.documents.printed import WIDTH, Printed, rich_lines
from treewright.errors import ParameterError
from treewright.worksheets.as_document import worksheet_document
from treewright.worksheets.bootstrap import Bootstrap
from treewright.worksheets.digits import Digits
from treewright.worksheets.page_start import PageStart, with_start
from treewright.worksheets.rule_work import RuleWork
from treewright.worksheets.sheet_page import NodeWorks, SheetPage
from treewright.worksheets.stored import TreeCalculation

Steps = str | int | Sequence[int]
NARROWEST = 40


class Worksheet(Printed):
    """The calculation behind every node; `nodes` has the numbers, unrounded.

    A node is computed when it is first used. A page of a large tree shows only the nodes that most
    rows pass.

    `to_text`, `to_markdown`, `to_latex`, `to_html` and `save` all take `steps`, `decimals` and
    `max_nodes`. `steps` is "full", "summary" (one table per node) or the numbers of some nodes.
    `decimals` is 0 to 15, 4 by default. `max_nodes` is 30 by default, 40 for a summary, and less if
    the table is so large that this would take more than about a second.
    """

    _start: PageStart | None = None  # what the page of a model begins with

    def __init__(  # noqa: PLR0913 -- what a page may have beside the tree
        self,
        calculation: TreeCalculation,
        model: str,
        notes: tuple[str, ...] = (),
        measures: tuple[str, ...] = (),
        bootstrap: Bootstrap | None = None,
        rule_work: RuleWork | None = None,
        start: PageStart | None = None,
    ) -> None:
        self.nodes = NodeWorks(calculation, bootstrap)
        self._calculation = calculation
        self._model = model
        self._notes = notes
        self._measures = measures
        self.rule_work = rule_work  # of a model that predicts by rules
        self._start = start

    def document(
        self,
        *,
        steps: Steps = "full",
        decimals: int = 4,
        max_nodes: int | None = None,
        framed: bool = True,
    ) -> Document:
        """The page before it is rendered; unless framed, only the nodes, for another page."""
        calculation, tree = self._calculation, self._calculation.tree
        if max_nodes is None:
            max_nodes = calculation.n_nodes_at_once(in_full=steps != "summary")
        digits = Digits(decimals)
        if not tree.classes:
            digits = digits.for_numbers_like(float(tree.impurity[0]))
        page = SheetPage(
            tree, calculation.settings, self.nodes, digits, self._measures, self.rule_work
        )
        return worksheet_document(
            page, self._model, self._notes, steps=steps, max_nodes=max_nodes, framed=framed
        )

    def to_text(self, *, width: int = WIDTH, **choices: Any) -> str:
        """The worksheet for a terminal of `width` columns, at least 40."""
        if not isinstance(width, Integral) or width < NARROWEST:
            raise ParameterError(
                f"width={width!r} is not possible", hint=f"give {NARROWEST} columns or more"
            )
        return super().to_text(width=int(width), **choices)

    def to_html(self, *, standalone: bool = True, **choices: Any) -> str:
        """The worksheet as one HTML file, or as a part of one.

        The whole of it begins with contents, the picture of the tree and the training rows.
        """
        document = self.document(**choices)
        if standalone and isinstance(choices.get("steps", "full"), str):
            document = with_start(document, self._start)
        return to_html(document, standalone=standalone)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """For `rich.print(sheet)`."""
        return rich_lines(self.document(), console, options)

    def _repr_html_(self) -> str:
        """The summary: the whole may be megabytes, which notebooks would keep."""
        return self.to_html(steps="summary", standalone=False)

    def __str__(self) -> str:
        """The text, as wide as the terminal."""
        return self.to_text(width=max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns))

    def __repr__(self) -> str:
        return f"<Worksheet: {self._model}, {len(self.nodes)} nodes>"
