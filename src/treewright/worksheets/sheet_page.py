"""What all parts of a worksheet page need: the tree, the calculations, number formats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import overload

from treewright.cached import cached_property
from treewright.induction.settings import GrowthSettings
from treewright.plain_text import plain, shortened
from treewright.tree.tree import Tree
from treewright.worksheets.bootstrap import Bootstrap
from treewright.worksheets.digits import Digits
from treewright.worksheets.formulas import Formulas
from treewright.worksheets.rule_work import RuleWork
from treewright.worksheets.stability import NodeStability
from treewright.worksheets.stored import TreeCalculation
from treewright.worksheets.work import Group, NodeWork


class NodeWorks(Sequence[NodeWork]):
    """The calculation of each node by its number, with every column in full."""

    def __init__(self, calculation: TreeCalculation, bootstrap: Bootstrap | None = None) -> None:
        self._calculation = calculation
        self._bootstrap = bootstrap
        self._done: dict[int, NodeWork] = {}
        self._abridged: dict[tuple[int, int], NodeWork] = {}
        self._stability: dict[int, NodeStability | None] = {}

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

    def on_page(self, number: int, n_columns: int) -> NodeWork:
        """The calculation of a node with `n_columns` columns in full and scores of the others."""
        if number in self._done or not self._calculation.is_wide:
            return self[number]
        if (number, n_columns) not in self._abridged:
            work = self._calculation.node(number, n_columns)
            self._abridged[number, n_columns] = self._with_stability(work)
        return self._abridged[number, n_columns]

    def _with_stability(self, work: NodeWork) -> NodeWork:
        if self._bootstrap is None:
            return work
        if work.node not in self._stability:
            self._stability[work.node] = self._bootstrap.node(work.node)
        return replace(work, stability=self._stability[work.node])


MOST_CLASSES = 8  # with a column of their own
LONGEST_WORDS, LONGEST_CHOSEN = 90, 1200  # characters of a condition, and of one of the tree
LONGEST_NAME = 40  # characters of a column, category or class
SCORE_NAMES = {"gain_ratio": "gain ratio", "chi2": "chi-square"}


@dataclass(frozen=True, eq=False)
class SheetPage:
    """One worksheet before it is printed."""

    tree: Tree
    settings: GrowthSettings
    nodes: NodeWorks
    digits: Digits
    measures: tuple[str, ...]
    rule_work: RuleWork | None = None  # of a model that predicts by rules

    @cached_property
    def formulas(self) -> Formulas:
        return Formulas(self.settings, self.digits)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        return tuple(plain(str(name)) for name in self.tree.classes or ())

    @property
    def score_name(self) -> str:
        """What columns are compared by."""
        criterion = self.settings.criterion
        return SCORE_NAMES.get(criterion, "gain") if isinstance(criterion, str) else "gain"

    def middle(self, group: Group) -> float:
        """The mean or median of a group."""
        return group.mean if group.median != group.median else group.median

    def classes_of(self, group: Group) -> list[int]:
        """The classes that are shown of a group: all, or the largest of many."""
        if len(self.classes) <= MOST_CLASSES:
            return list(range(len(self.classes)))
        heaviest = sorted(range(len(self.classes)), key=lambda at: -group.counts[at])
        return sorted(heaviest[: MOST_CLASSES - 1])


def condition_of(column: str, condition: str, longest: int = LONGEST_WORDS) -> str:
    """A condition on a column, both truncated."""
    name = plain(column)
    if condition.startswith(name):
        condition = shortened(name, LONGEST_NAME) + condition[len(name) :]
    return shortened(condition, longest)
