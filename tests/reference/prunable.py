"""A grown tree as nested objects that know their training rows, for the pruning reference.

Only questions and their order are taken from the package's tree. Which rows reach a node, and
with what part of their weight, is found again here with exact fractions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from reference.problem import Problem, RefColumn, Rows, weight_of
from treewright.tree.layout import KIND_NAMES, SPREAD, STOP
from treewright.tree.tree import Tree


@dataclass(frozen=True)
class SurrogateQuestion:
    """A surrogate question."""

    column: int
    threshold: float | None
    is_flipped: bool
    level_child: dict[int, int]

    def child(self, values: list[float | int | None]) -> int | None:
        value = values[self.column]
        if value is None:
            return None
        if self.threshold is None:
            return self.level_child.get(value)
        return int((value > self.threshold) != self.is_flipped)


@dataclass(frozen=True)
class Question:
    """What an inner node asks."""

    kind: str
    column: int
    threshold: float
    cuts: tuple[float, ...]
    level_child: dict[int, int]
    n_unlisted: int  # levels that share an empty branch
    missing_child: int
    surrogates: tuple[SurrogateQuestion, ...]
    score: float
    gain: float

    def child(self, values: list[float | int | None]) -> int | None:
        """The number of the child; None where the value is missing."""
        value = values[self.column]
        if value is None:
            return None
        if self.kind == "threshold":
            return int(value > self.threshold)
        if self.kind == "intervals":
            return sum(value > cut for cut in self.cuts)
        if self.kind == "branches":
            return self.level_child.get(value, max(self.level_child.values()) + 1)
        return self.level_child.get(value)

    def surrogate_child(self, values: list[float | int | None]) -> int | None:
        children = (surrogate.child(values) for surrogate in self.surrogates)
        return next((child for child in children if child is not None), None)


@dataclass(frozen=True)
class PNode:
    """One node. A leaf has no question and no children."""

    number: int  # in the package's tree
    rows: Rows
    stopped: Rows = field(default_factory=list)  # of the rows, those that go no further
    question: Question | None = None
    children: tuple["PNode", ...] = ()
    n_drawn: int = 1  # leaves that a textbook draws for this leaf
    empty_as: Rows = field(default_factory=list)  # whose prediction a leaf without rows gives
    raised_to: int | None = None  # the node whose place it took

    @property
    def is_leaf(self) -> bool:
        return self.question is None

    @property
    def place(self) -> int:
        """The number of the node that stood here in the grown tree."""
        return self.number if self.raised_to is None else self.raised_to

    @property
    def predicting_rows(self) -> Rows:
        return self.rows or self.empty_as

    @property
    def ending(self) -> Rows:
        """The rows that this node itself predicts."""
        return self.rows if self.is_leaf else self.stopped

    @property
    def n_leaves(self) -> int:
        """As the textbook counts."""
        return self.n_drawn if self.is_leaf else sum(child.n_leaves for child in self.children)

    @property
    def n_stored_leaves(self) -> int:
        return 1 if self.is_leaf else sum(child.n_stored_leaves for child in self.children)

    def walk(self) -> Iterator["PNode"]:
        yield self
        for child in self.children:
            yield from child.walk()

    def as_leaf(self) -> "PNode":
        return PNode(self.number, self.rows, empty_as=self.empty_as, raised_to=self.raised_to)


# From the package's tree.


def prunable(tree: Tree, problem: Problem) -> PNode:
    """The tree with the rows of the problem, as training sent them down."""
    return _with_training_rows(tree, problem, 0, problem.all_rows, [])


def _with_training_rows(
    tree: Tree, problem: Problem, number: int, rows: Rows, parent_rows: Rows
) -> PNode:
    if KIND_NAMES[tree.kind[number]] == "leaf":
        return PNode(number, rows, empty_as=parent_rows)
    question = question_of(tree, number)
    n_children, first = int(tree.n_children[number]), int(tree.first_child[number])
    parts, stopped = _training_parts(problem, question, n_children, rows)
    children = [
        _with_training_rows(tree, problem, first + at, part, rows or parent_rows)
        for at, part in enumerate(parts)
    ]
    if question.n_unlisted:
        at = max(question.level_child.values()) + 1
        children[at] = replace(children[at], n_drawn=question.n_unlisted)
    return PNode(number, rows, stopped, question, tuple(children))


def question_of(tree: Tree, number: int) -> Question:
    levels = slice(tree.level_start[number], tree.level_start[number + 1])
    level_child = _as_dict(tree.level_code[levels], tree.level_child[levels])
    kind, missing = KIND_NAMES[tree.kind[number]], int(tree.missing_child[number])
    n_unlisted = 0
    if kind == "branches":
        n_own = max(level_child.values()) + 1
        if tree.n_children[number] > n_own + (missing >= n_own):
            n_unlisted = len(tree.schema.columns[tree.feature[number]].levels) - len(level_child)
    return Question(
        kind,
        int(tree.feature[number]),
        float(tree.threshold[number]),
        tuple(tree.cut[tree.cut_start[number] : tree.cut_start[number + 1]].tolist()),
        level_child,
        n_unlisted,
        missing,
        tuple(_surrogates(tree, number)),
        float(tree.score[number]),
        float(tree.gain[number]),
    )


def _surrogates(tree: Tree, number: int) -> Iterator[SurrogateQuestion]:
    for at in range(int(tree.surrogate_start[number]), int(tree.surrogate_start[number + 1])):
        levels = slice(*tree.surrogate_level_start[at : at + 2])
        by_threshold = KIND_NAMES[tree.surrogate_kind[at]] == "threshold"
        yield SurrogateQuestion(
            int(tree.surrogate_feature[at]),
            float(tree.surrogate_threshold[at]) if by_threshold else None,
            bool(tree.surrogate_flip[at]),
            _as_dict(tree.surrogate_level_code[levels], tree.surrogate_level_child[levels]),
        )


def _as_dict(keys, values) -> dict[int, int]:
    return dict(zip(keys.tolist(), values.tolist(), strict=True))


# Where rows go.


def row_values(columns: tuple[RefColumn, ...], row: int) -> list[float | int | None]:
    return [column.values[row] for column in columns]


def _training_parts(
    problem: Problem, question: Question, n_children: int, rows: Rows
) -> tuple[list[Rows], Rows]:
    """The rows of each child and those that stop, as growth divides them."""
    parts: list[Rows] = [[] for _ in range(n_children)]
    missing = _send_known(problem, question, rows, parts)
    known_weights = [weight_of(part) for part in parts]
    otherwise = question.missing_child
    if problem.settings.missing == "surrogate":
        largest = max(known_weights)
        otherwise = STOP if known_weights.count(largest) > 1 else known_weights.index(largest)
    return parts, _send_missing(question, missing, parts, known_weights, otherwise, problem)


def new_parts(
    problem: Problem, node: PNode, rows: Rows, child_weights: list[Fraction] | None
) -> tuple[list[Rows], Rows]:
    """The same for rows that come later.

    Missing values are spread by the weights given, or else by those of the rows that know theirs.
    """
    parts: list[Rows] = [[] for _ in node.children]
    missing = _send_known(problem, node.question, rows, parts)
    if child_weights is None:
        child_weights = [weight_of(part) for part in parts]
    otherwise = node.question.missing_child
    return parts, _send_missing(node.question, missing, parts, child_weights, otherwise, problem)


def _send_known(problem: Problem, question: Question, rows: Rows, parts: list[Rows]) -> Rows:
    """Rows that know the value go to their part; the others are returned."""
    missing = []
    for row, weight in rows:
        child = question.child(row_values(problem.columns, row))
        if child is None:
            missing.append((row, weight))
        else:
            parts[child].append((row, weight))
    return missing


def _send_missing(
    question: Question,
    missing: Rows,
    parts: list[Rows],
    shares: list[Fraction],
    otherwise: int,
    problem: Problem,
) -> Rows:
    stopped: Rows = []
    total = sum(shares)
    for row, weight in missing:
        child = question.surrogate_child(row_values(problem.columns, row))
        child = otherwise if child is None else child
        if child == STOP or (child == SPREAD and total == 0):
            stopped.append((row, weight))
        elif child == SPREAD:
            for part, share in zip(parts, shares, strict=True):
                if share > 0:
                    part.append((row, weight * Fraction(share) / Fraction(total)))
        else:
            parts[child].append((row, weight))
    return stopped
