"""A tree as a program: what each node asks, where each value leads, what each leaf predicts.

All exporters read this view instead of the tree's arrays. A node is a `Step`: a question, the
surrogates that are asked if the value is missing, and what happens to a row if these are missing
too. Nodes are numbered as in the tree, so children come after their parent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import distinct
from treewright.cached import cached_property
from treewright.data.column import NominalColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.tree.layout import INTERVALS, LEAF, OBLIQUE, SPREAD, STOP, THRESHOLD
from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Cuts:
    """A number compared with ascending cuts: the first cut that is not below it gives the child.

    For an ordered column the number is the position of the level in `ColumnSpec.levels`.
    """

    column: int
    cuts: tuple[float, ...]
    children: tuple[int, ...]  # one more than there are cuts; none is for missing values


@dataclass(frozen=True, slots=True)
class Levels:
    """A level that is looked up."""

    column: int
    child_of: dict[int, int]  # position in `ColumnSpec.levels` -> node, positions ascending
    otherwise: int | None  # the node of known levels not listed; None: they count as missing


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """A sum of weight * value, added from the left; <= threshold leads to the first child.

    The sum is missing if a value is. Infinities that cancel lead to the second child.
    """

    terms: tuple[tuple[int, float], ...]  # column, weight
    threshold: float
    children: tuple[int, int]


Question = Cuts | Levels | WeightedSum
Heirs = tuple[tuple[int, float], ...]  # nodes that a row goes to, with shares that sum to 1


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to a row at one inner node, in this order:

    1. `question`: a known value leads to a child;
    2. an unseen level leads to `unseen`, if that is a node;
    3. `surrogates`: the first one with a known value leads to a child;
    4. `missing`: the row goes to one heir as a whole, or to several in shares. If there is none,
       the node itself predicts.

    For a surrogate, a level that is unseen or not listed is missing.
    """

    node: int
    question: Question
    surrogates: tuple[Question, ...]
    unseen: int | None
    missing: Heirs

    @property
    def children(self) -> tuple[int, ...]:
        """All nodes that some row goes to from here, ascending."""
        found = {heir for heir, _ in self.missing}
        for question in self.questions:
            found.update(children_of(question))
        if self.unseen is not None:
            found.add(self.unseen)
        return tuple(sorted(found))

    @property
    def questions(self) -> tuple[Question, ...]:
        return (self.question, *self.surrogates)

    @property
    def splits_rows(self) -> bool:
        """Whether a missing value sends parts of the row to several children."""
        return len(self.missing) > 1


class Exported(Protocol):
    """What one tree and many have in common for comments, rows and results."""

    @property
    def title(self) -> str: ...
    @property
    def size_text(self) -> str: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def columns(self) -> tuple[ColumnSpec, ...]: ...
    @property
    def used_columns(self) -> tuple[int, ...]: ...
    @property
    def classes(self) -> tuple[Any, ...] | None: ...
    @property
    def costs(self) -> NDArray[np.float64] | None: ...
    @property
    def unseen(self) -> str: ...
    @property
    def n_values(self) -> int: ...


@dataclass(frozen=True)
class Program:
    """The steps of one tree and the predictions of its nodes."""

    tree: Tree
    title: str = "decision tree"  # for the comment at the top

    @property
    def size_text(self) -> str:
        return f"{self.tree.n_leaves} leaves, depth {self.tree.depth}"

    @property
    def schema(self) -> Schema:
        return self.tree.schema

    @property
    def columns(self) -> tuple[ColumnSpec, ...]:
        return self.tree.schema.columns

    @property
    def n_values(self) -> int:
        """Numbers of a prediction: probabilities, or one number."""
        return self.tree.n_values

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """Labels in the order of the probabilities; None if the prediction is a number."""
        return self.tree.classes

    @property
    def costs(self) -> NDArray[np.float64] | None:
        """costs[i, j]: the price of true class i predicted as j."""
        return self.tree.costs

    @property
    def unseen(self) -> str:
        """How a level not seen in training is treated: "missing", "majority" or "error".

        With "error", an unseen level in any of `used_columns` must be refused before the first
        question.
        """
        return self.tree.unseen

    @cached_property
    def node_values(self) -> NDArray[np.float64]:
        """(n_nodes, n_values): class probabilities, or the number, of every node."""
        return self.tree.value if self.tree.classes is None else self.tree.probabilities

    @cached_property
    def used_columns(self) -> tuple[int, ...]:
        """Columns that a node or surrogate asks for, in the order of the table."""
        tree = self.tree
        asked = [tree.feature[tree.feature >= 0], tree.term_feature, tree.surrogate_feature]
        return tuple(distinct(np.concatenate(asked)).tolist())

    @cached_property
    def splits_rows(self) -> bool:
        """Whether some row with a missing value goes to several leaves."""
        return any(step.splits_rows for step in self.steps())

    def label(self, node: int) -> Any:
        """The class that a node predicts."""
        assert self.tree.classes is not None
        return self.tree.classes[self.tree.node_class[node]]

    def steps(self) -> Iterator[Step]:
        """The steps of all inner nodes, parents before children."""
        for node in np.flatnonzero(self.tree.kind != LEAF).tolist():
            yield self._step(node)

    def step(self, node: int) -> Step | None:
        """What a node does; None for a leaf."""
        return None if self.tree.kind[node] == LEAF else self._step(node)

    def _step(self, node: int) -> Step:
        tree = self.tree
        question = self._question(node)
        can_be_unseen = not isinstance(question, WeightedSum) and (
            not self.columns[question.column].is_numeric
        )
        to_majority = can_be_unseen and tree.unseen == "majority"
        surrogates = range(tree.surrogate_start[node], tree.surrogate_start[node + 1])
        return Step(
            node=node,
            question=question,
            surrogates=tuple(self._surrogate(node, entry) for entry in surrogates),
            unseen=int(tree.heaviest_child[node]) if to_majority else None,
            missing=self._heirs(node),
        )

    def _question(self, node: int) -> Question:
        tree = self.tree
        kind, column = tree.kind[node], int(tree.feature[node])
        first = int(tree.first_child[node])
        at = float(tree.threshold[node])
        if kind == THRESHOLD:
            return Cuts(column, (at,), (first, first + 1))
        if kind == INTERVALS:
            cuts = tuple(tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist())
            return Cuts(column, cuts, tuple(range(first, first + len(cuts) + 1)))
        if kind == OBLIQUE:
            terms = slice(tree.term_start[node], tree.term_start[node + 1])
            columns, weights = tree.term_feature[terms].tolist(), tree.term_weight[terms].tolist()
            return WeightedSum(tuple(zip(columns, weights, strict=True)), at, (first, first + 1))
        entries = slice(tree.level_start[node], tree.level_start[node + 1])
        children = first + tree.level_child[entries]
        child_of = dict(zip(tree.level_code[entries].tolist(), children.tolist(), strict=True))
        other = int(tree.other_child[node])
        return Levels(column, child_of, other if other >= 0 else None)

    def _surrogate(self, node: int, entry: int) -> Question:
        tree = self.tree
        column, first = int(tree.surrogate_feature[entry]), int(tree.first_child[node])
        if tree.surrogate_kind[entry] == THRESHOLD:
            sides = (first + 1, first) if tree.surrogate_flip[entry] else (first, first + 1)
            return Cuts(column, (float(tree.surrogate_threshold[entry]),), sides)
        entries = slice(tree.surrogate_level_start[entry], tree.surrogate_level_start[entry + 1])
        codes, children = tree.surrogate_level_code, first + tree.surrogate_level_child[entries]
        return Levels(
            column, dict(zip(codes[entries].tolist(), children.tolist(), strict=True)), None
        )

    def _heirs(self, node: int) -> Heirs:
        tree = self.tree
        first, missing = int(tree.first_child[node]), int(tree.missing_child[node])
        if missing == STOP:
            return ()
        if missing != SPREAD:
            return ((first + missing, 1.0),)
        weights = tree.weight[first : first + int(tree.n_children[node])].tolist()
        total = 0.0
        for weight in weights:  # not sum(): from Python 3.12 on, it corrects rounding
            total += weight
        return tuple(
            (first + child, weight / total) for child, weight in enumerate(weights) if weight > 0
        )


def children_of(question: Question) -> tuple[int, ...]:
    """The nodes that known values lead to."""
    if isinstance(question, Levels):
        own = tuple(sorted({*question.child_of.values()}))
        return own if question.otherwise is None else (*own, question.otherwise)
    return question.children


def columns_of(question: Question) -> tuple[int, ...]:
    """The columns that a question asks."""
    if isinstance(question, WeightedSum):
        return tuple(column for column, _ in question.terms)
    return (question.column,)


def as_levels(question: Cuts | Levels, spec: ColumnSpec) -> Levels:
    """A question about levels; cuts of an ordered column as the levels that they separate."""
    if isinstance(question, Levels):
        return question
    positions = np.searchsorted(question.cuts, np.arange(len(spec.levels)), side="left")
    child_of = {code: question.children[at] for code, at in enumerate(positions.tolist())}
    return Levels(question.column, child_of, None)


def levels_by_child(question: Cuts | Levels, spec: ColumnSpec) -> dict[int, tuple[Any, ...]]:
    """Node -> the known levels that lead there, including those of `otherwise`."""
    question = as_levels(question, spec)
    groups: dict[int, list[Any]] = {}
    for code, level in enumerate(spec.levels):
        child = question.child_of.get(code, question.otherwise)
        if child is not None:
            groups.setdefault(child, []).append(level)
    return {child: tuple(groups[child]) for child in sorted(groups)}


class ProgramError(ExportError):
    """An exported program does not run, does not end, or prints no prediction."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a program predicts for the rows of a table.

    A row that the program refuses (an unseen level under the policy "error") has None as its label
    and NaN as its values.
    """

    labels: list[Any] | None  # class labels; None for numbers
    values: NDArray[np.float64] | None  # (n_rows, n_values): probabilities or the number;
    # None where the format gives labels alone
    tolerance: float = 0.0  # allowed difference, if the format has no exact doubles
    errors: dict[int, str] = field(default_factory=dict)  # row -> error message

    @property
    def n_rows(self) -> int | None:
        """How many rows were predicted; None if labels and values disagree."""
        counts = {len(part) for part in (self.labels, self.values) if part is not None}
        return counts.pop() if len(counts) == 1 else None


def error_line(error: BaseException) -> str:
    """An exception in one line, as at the end of a traceback."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def row_dicts(table: Table) -> Iterator[dict[str, Any]]:
    """Rows as a program gets them: by column name, None for missing, times as numbers."""
    columns = [
        [column.value(row) for row in range(len(table))]
        if isinstance(column, NominalColumn)
        else [None if value != value else value for value in column.values.tolist()]
        for column in table.columns
    ]
    if not columns:
        yield from ({} for _ in range(len(table)))
    for row in zip(*columns, strict=True):
        yield dict(zip(table.names, row, strict=True))
