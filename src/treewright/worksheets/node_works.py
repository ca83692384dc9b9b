"""The work of all nodes, done when it is looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import overload

from treewright.worksheets.bootstrap import Bootstrap
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.stability import NodeStability
from treewright.worksheets.stored import StoredCalculation
from treewright.worksheets.work import NodeWork


class NodeWorks(Sequence[NodeWork]):
    """The work of each node by its number, with every column in full."""

    def __init__(
        self, calculation: Calculation | StoredCalculation, bootstrap: Bootstrap | None = None
    ) -> None:
        self._calculation = calculation
        self._bootstrap = bootstrap
        self._done: dict[int, NodeWork] = {}
        self._abridged: dict[tuple[int, int], NodeWork] = {}
        self._drawn_anew: dict[int, NodeStability | None] = {}

    def __len__(self) -> int:
        return self._calculation.tree.n_nodes

    @overload
    def __getitem__(self, index: int) -> NodeWork: ...

    @overload
    def __getitem__(self, index: slice) -> list[NodeWork]: ...

    def __getitem__(self, index: int | slice) -> NodeWork | list[NodeWork]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._done:
            self._done[number] = self._with_stability(self._calculation.node(number))
        return self._done[number]

    def __iter__(self) -> Iterator[NodeWork]:
        return (self[number] for number in range(len(self)))

    def on_page(self, number: int, n_columns: int) -> NodeWork:
        """The work of a node that shows so many columns in full, and scores of the others."""
        if number in self._done or not self._calculation.is_wide:
            return self[number]
        if (number, n_columns) not in self._abridged:
            work = self._calculation.node(number, n_columns)
            self._abridged[number, n_columns] = self._with_stability(work)
        return self._abridged[number, n_columns]

    def _with_stability(self, work: NodeWork) -> NodeWork:
        if self._bootstrap is None:
            return work
        if work.node not in self._drawn_anew:
            self._drawn_anew[work.node] = self._bootstrap.node(work.node)
        return replace(work, stability=self._drawn_anew[work.node])
