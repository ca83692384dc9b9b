"""Trees that add up, as every exporter needs them: one frozen value, and its tables of nodes.

A row gets a score for each of `start`: the start, plus what the trees say, added in their order,
all divided by `divisor` and multiplied by `scale`. Floating-point sums depend on the order, so
every exporter keeps it. With `in_float32`, each sum is rounded to float32, and so is each step of
the link. `link` turns scores into predictions:

    same           the score is the prediction, or the scores are probabilities
    exponential    exp(score)
    signed_square  the square of the score, with its sign
    logistic       the score is the log-odds of the second class
    step           the second class if the score is above 0
    softmax        one score for each class
    logistic_each  the log-odds of each class against all others
    isolation      a mean number of splits, as the score of an isolation forest
    linear         the first score, plus each other one times one of `terms`, in their order
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from math import isinf
from typing import Any, TypeVar

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats, distinct
from treewright.cached import cached_property
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ExportError
from treewright.exports.files.walk import Walk, walk_of
from treewright.exports.program import Cuts, Levels, Program, Step, as_levels
from treewright.tree.layout import INTERVALS, LEAF, OBLIQUE, SPREAD, STOP
from treewright.tree.predictions import cheapest_classes
from treewright.tree.tree import Tree

LARGEST_SCORE = 500.0  # exp of it is finite; the loss functions of boosting have the same limit
MAX_SIDES = 20_000_000  # letters of all sets of levels
LARGEST_FLOAT32_SCORE = 88.7  # the same for float32
PAIRWISE, BLOCK = 8, 128  # how NumPy adds up a row: eight sums, over at most so many numbers


Term = TypeVar("Term")


@dataclass(frozen=True, slots=True)
class LinearTerm:
    """A number of the row that a score is multiplied by: a value, or 1 for some of the levels."""

    column: int
    fill: float  # in place of a missing number
    sides: str = ""  # of levels: 0 or 1 for one that is missing or was not seen, then for each


@dataclass(frozen=True)
class SumProgram:
    """Trees over the same columns, how their values add up, and what the sum stands for."""

    schema: Schema
    trees: Sequence[Tree]
    start: Floats  # (n_scores,)
    link: str
    # (n_nodes, n_scores) of a tree; (n_nodes, 1) if tree i adds to score i modulo n_scores alone.
    leaf_values: Callable[[Tree], Floats]
    divisor: float = 1.0
    classes: tuple[Any, ...] | None = None  # None: the prediction is a number
    costs: Floats | None = None  # (n_classes, n_classes): price of true class i predicted as j
    unseen: str = "missing"
    title: str = "model of many trees"
    usual_depth: float = 1.0  # of isolation: what a mean number of splits is compared with
    offset: float = 0.0  # of isolation: scores below are outliers
    scale: float = 1.0  # scores are multiplied by it before the link
    in_float32: bool = False  # sums and links are rounded to float32, as another library does
    terms: tuple[LinearTerm, ...] = ()  # of linear
    needs_finite: bool = False  # the model refuses infinite numbers
    # How the model makes predictions of scores, if not as below.
    own_link: Callable[[Floats], Floats] | None = None

    @property
    def columns(self) -> tuple[ColumnSpec, ...]:
        return self.schema.columns

    @property
    def size_text(self) -> str:
        n_leaves = sum(int((tree.kind == LEAF).sum()) for tree in self.trees)
        return f"{len(self.trees):,} trees, {n_leaves:,} leaves"

    @property
    def n_scores(self) -> int:
        return len(self.start)

    @property
    def n_values(self) -> int:
        """Numbers of a prediction: probabilities, or one number."""
        by_class = self.classes is not None and self.link != "isolation"
        return len(self.classes) if by_class and self.classes is not None else 1

    @cached_property
    def tables(self) -> "NodeTables":
        return node_tables(self)

    @cached_property
    def used_columns(self) -> tuple[int, ...]:
        """Columns that a tree asks for, in the order of the table."""
        asked = [np.zeros(0, dtype=np.int32)]
        for tree in self.trees:
            asked += [tree.feature[tree.feature >= 0], tree.term_feature, tree.surrogate_feature]
        asked.append(np.array([term.column for term in self.terms], dtype=np.int32))
        return tuple(distinct(np.concatenate(asked)).tolist())

    @property
    def placed_terms(self) -> list[tuple[int, LinearTerm]]:
        """The terms, each with the place of its column among the used ones."""
        place = {column: at for at, column in enumerate(self.used_columns)}
        return [(place[term.column], term) for term in self.terms]

    def programs(self) -> Iterator[Program]:
        """The trees one by one, as for the export of a single one."""
        return (Program(tree, self.title) for tree in self.trees)

    def steps(self) -> Iterator[Step]:
        """The steps of all trees."""
        return (step for one in self.programs() for step in one.steps())

    def predictions(self, scores: Floats) -> Floats:
        """(n_rows, n_values) from (n_rows, n_scores), which are divided already."""
        if self.own_link is not None:
            return self.own_link(scores)
        if self.link == "exponential":
            return portable.exp(np.minimum(scores, LARGEST_SCORE))
        if self.link == "logistic":
            odds = portable.exp(np.minimum(-scores[:, 0], LARGEST_SCORE))
            second = 1.0 / (1.0 + odds)
            return np.stack([1.0 - second, second], axis=1)
        if self.link == "softmax":
            return portable.softmax(np.ascontiguousarray(scores), axis=1)
        if self.link == "isolation":
            return -portable.exp2(-(scores / self.usual_depth))
        return scores

    def labels(self, values: Floats) -> list[Any] | None:
        """The class of each row of predictions."""
        if self.classes is None:
            return None
        if self.link == "isolation":
            codes = (values[:, 0] - self.offset >= 0).astype(np.intp)
        elif self.costs is None:
            codes = values.argmax(axis=1)
        else:
            codes = cheapest_classes(values, self.costs)
        return [self.classes[code] for code in codes.tolist()]


def refuse_float32(program: SumProgram, words: str) -> None:
    """Raise for a format that cannot round sums to float32."""
    if program.in_float32:
        raise ExportError(
            f"the model adds up float32 numbers, and {words}",
            hint="export to Python, C, Java, JavaScript, Rust, JSON or ONNX",
        )


def refuse_equations(program: SumProgram, format_name: str) -> None:
    """Raise for a format that has numbers in leaves and nothing else."""
    if program.terms:
        raise ExportError(
            f"{format_name} has no equations in leaves",
            hint="export to Python, C, Java, JavaScript, Rust, SQL, JSON, ONNX or PMML",
        )


def sum_of_one(program: Program) -> SumProgram:
    """One tree as a sum, for formats that know only sums."""
    tree = program.tree
    return SumProgram(
        tree.schema,
        (tree,),
        np.zeros(tree.n_values),
        "same",
        lambda _: program.node_values,
        classes=tree.classes,
        costs=tree.costs,
        unseen=tree.unseen,
        title=program.title,
    )


# ---------------------------------------------------------------------------- tables of nodes

# What stands above the tables in the exported code.
TABLES_NOTE = (
    "The trees as tables. QUESTION of a node is 4 * column + 2 if the column has levels + 1 if a",
    "missing value goes right; -1 at a leaf. Numbers up to NUMBER go left; of levels, NUMBER says",
    "which of SIDES, with 0 or 1 for a level that was not seen in training and for each other one.",
    "CHILD is the left child, and the right one follows.",
)
LEAF_NOTE = "A leaf adds its NUMBER to one score."
LEAVES_NOTE = "A leaf adds the numbers of LEAVES, from CHILD on, one to each score."


@dataclass(slots=True)
class NodeTables:
    """All nodes of all trees, numbered through; two children at each, the right one after the left.

    A program walks from each root to a leaf and adds up what the leaves say.
    """

    root: list[int] = field(default_factory=list)  # of each tree
    question: list[int] = field(default_factory=list)
    number: list[float] = field(default_factory=list)
    child: list[int] = field(default_factory=list)
    sides: list[str] = field(default_factory=list)  # sets of levels that differ
    leaves: list[float] = field(default_factory=list)  # n_scores in turn, if a leaf has several
    n_leaves: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        return (*TABLES_NOTE, LEAVES_NOTE if self.leaves else LEAF_NOTE)

    def spans(self) -> list[tuple[int, int]]:
        """The first node of each tree, and the one after its last."""
        return list(pairwise([*self.root, len(self.question)]))

    def lists(self, infinity: str) -> Iterator[tuple[str, bool, list[str]]]:
        """The name of each list of numbers, whether it holds doubles, and its entries as literals.

        `infinity` is how the language writes the cut of a node that only asks for missing values.
        """
        yield "root", False, list(map(repr, self.root))
        yield "question", False, list(map(repr, self.question))
        yield "number", True, [infinity if isinf(one) else repr(one) for one in self.number]
        yield "child", False, list(map(repr, self.child))
        if self.leaves:
            yield "leaves", True, list(map(repr, self.leaves))


def node_tables(program: SumProgram) -> NodeTables:
    """The tables of all trees. Other than plain trees become walks, whose paths may join again."""
    builder = TableBuilder(program)
    for at, tree in enumerate(program.trees):
        if why_not_plain(tree):
            builder.add_walk(walk_for(program, tree, at))
        else:
            builder.add_plain(tree)
    tables = builder.tables
    tables.sides = list(builder.set_of)
    if sum(map(len, tables.sides)) > MAX_SIDES:
        raise ExportError(
            "the sets of categories of all trees are too many to be written",
            hint="train with fewer trees, or with fewer categories",
        )
    return tables


class TableBuilder:
    """Adds trees to the tables one by one; sets of levels, and leaves of several numbers, that are
    equal are stored once."""

    def __init__(self, program: SumProgram) -> None:
        self.program = program
        self.tables = NodeTables()
        self.place = {column: at for at, column in enumerate(program.used_columns)}
        self.set_of: dict[str, int] = {}
        self.rows: dict[bytes, int] = {}

    def leaf_row(self, values: Floats) -> int:
        """Where the numbers of a leaf stand."""
        key = values.tobytes()
        if key not in self.rows:
            self.rows[key] = len(self.tables.leaves)
            self.tables.leaves += values.tolist()
        return self.rows[key]

    def add_plain(self, tree: Tree) -> None:
        """Add a tree of two-way splits as it is."""
        program, tables = self.program, self.tables
        first = len(tables.question)
        tables.root.append(first)
        values = np.asarray(program.leaf_values(tree), dtype=np.float64)
        is_leaf = tree.kind == LEAF
        question = np.full(tree.n_nodes, -1, dtype=np.int64)
        number = np.where(is_leaf, values[:, 0] if values.shape[1] == 1 else 0.0, tree.threshold)
        child = np.where(is_leaf, 0, tree.first_child + first)
        places = np.array([self.place.get(c, 0) for c in range(len(program.columns))] or [0])
        inner = np.flatnonzero(~is_leaf)
        question[inner] = 4 * places[tree.feature[inner]] + (tree.missing_child[inner] == 1)
        one = Program(tree)
        for node in inner.tolist():
            spec = program.columns[int(tree.feature[node])]
            if not spec.is_numeric:
                number[node] = self.set_of.setdefault(sides_of(one, node), len(self.set_of))
                question[node] += 2
            elif tree.kind[node] == INTERVALS:
                start, end = tree.cut_start[node], tree.cut_start[node + 1]
                number[node] = tree.cut[start] if end > start else np.inf  # every value goes left
        if values.shape[1] > 1:
            for node in np.flatnonzero(is_leaf).tolist():
                child[node] = self.leaf_row(values[node])
        tables.question += question.tolist()
        tables.number += number.tolist()
        tables.child += child.tolist()
        tables.n_leaves += int(is_leaf.sum())

    def add_walk(self, walk: Walk) -> None:
        """Add three-way steps, as one question or as two: is it missing, then which side."""
        tables = self.tables
        pairs: dict[tuple[tuple[int, bool], tuple[int, bool]], int] = {}
        tables.root.append(self.new_nodes(1))
        waiting = [(tables.root[-1], (0, True))]
        while waiting:
            slot, (step, asks_missing) = waiting.pop()
            if walk.prediction[step] >= 0:
                self.write_end(slot, walk.values[walk.prediction[step]])
                continue
            low, high, missing = (
                (int(way[step]), True) for way in (walk.at_most, walk.above, walk.missing)
            )
            bound, bit = float(walk.bound[step]), int(missing == high)
            ways = (low, high)
            if asks_missing and (low == high or missing not in ways):
                bound, bit = np.inf, 1
                ways = (low if low == high else (step, False), missing)
            if ways not in pairs:
                pairs[ways] = self.new_nodes(2)
                waiting += [(pairs[ways], ways[0]), (pairs[ways] + 1, ways[1])]
            self.write_question(slot, int(walk.column[step]), bound, bit)
            tables.child[slot] = pairs[ways]

    def new_nodes(self, count: int) -> int:
        tables = self.tables
        first = len(tables.question)
        tables.question += [-1] * count
        tables.number += [0.0] * count
        tables.child += [0] * count
        return first

    def write_end(self, slot: int, values: Floats) -> None:
        self.tables.n_leaves += 1
        if len(values) == 1:
            self.tables.number[slot] = float(values[0])
        else:
            self.tables.child[slot] = self.leaf_row(values)

    def write_question(self, slot: int, column: int, bound: float, missing_right: int) -> None:
        """Positions of levels up to the bound go left, as numbers do."""
        spec, tables = self.program.columns[column], self.tables
        tables.question[slot] = 4 * self.place[column] + missing_right
        tables.number[slot] = bound
        if not spec.is_numeric:
            n_levels = len(spec.levels)
            sides = "".join("0" if code <= bound else "1" for code in range(n_levels))
            unseen = missing_right
            if self.program.unseen == "majority":  # one position beyond the last
                unseen = int(n_levels > bound)
            tables.question[slot] += 2
            found = self.set_of.setdefault(f"{unseen}{sides}", len(self.set_of))
            tables.number[slot] = float(found)


def walk_for(program: SumProgram, tree: Tree, at: int) -> Walk:
    """The walk of a tree that is not plain, whose ends have what the tree adds."""
    if (tree.kind == OBLIQUE).any():
        check_plain(tree, at)
    values = np.asarray(program.leaf_values(tree), dtype=np.float64)
    walk = walk_of(Program(tree))
    if np.array_equal(values, Program(tree).node_values):
        return walk
    # The trees vote, each for one class.
    return replace(walk, values=np.eye(tree.n_values)[walk.label])


def refuse_divided_votes(program: SumProgram) -> None:
    """Raise for a format that adds up the parts of a row, where each tree votes as a whole."""
    for at, tree in enumerate(program.trees):
        if not (tree.missing_child == SPREAD).any():
            continue
        if not np.array_equal(program.leaf_values(tree), Program(tree).node_values):
            raise ExportError(
                f"tree {at} divides rows with missing values, and its vote is not a sum of parts",
                hint='train with voting="soft", or export to Python, C, Java, JavaScript or Rust',
            )


def check_plain_trees(program: SumProgram) -> None:
    """Raise for a format that has only plain trees."""
    for at, tree in enumerate(program.trees):
        check_plain(tree, at)


def check_plain(tree: Tree, at: int) -> None:
    """Raise unless every node has two children, and every row one way to go."""
    if reason := why_not_plain(tree):
        raise ExportError(
            f"tree {at} {reason}, and this format has plain two-way splits",
            hint="export its trees one by one, or to JSON; or leave out `inductors`",
        )


def why_not_plain(tree: Tree) -> str:
    """What a tree has beside two-way splits; "" if nothing."""
    inner = tree.kind != LEAF
    if (tree.kind == OBLIQUE).any():
        return "compares sums of columns"
    if tree.surrogate_start[-1] > 0:
        return "has surrogates for missing values"
    if (tree.missing_child[inner] == SPREAD).any():
        return "divides rows with missing values among several leaves"
    if (tree.missing_child[inner] == STOP).any():
        return "stops at a node where a value is missing"
    if (tree.n_children[inner] != 2).any():
        return "has nodes of more than two branches"
    return ""


def sides_of(program: Program, node: int) -> str:
    """0 if a level goes left, 1 if right: first for one not seen in training, then for each."""
    step = program.step(node)
    assert step is not None
    assert isinstance(step.question, Cuts | Levels)
    spec = program.columns[step.question.column]
    question = as_levels(step.question, spec)
    first, missing = int(program.tree.first_child[node]), step.missing[0][0]
    ends = [step.unseen]
    ends += (question.child_of.get(code, question.otherwise) for code in range(len(spec.levels)))
    return "".join(str((missing if end is None else end) - first) for end in ends)


# ---------------------------------------------------------------------------- sums and powers


def pairwise_sum(terms: Sequence[Term], add: Callable[[Term, Term], Term]) -> Term:
    """The terms added in the order in which NumPy adds up a row of numbers."""
    if len(terms) > BLOCK:
        half = len(terms) // 2
        half -= half % PAIRWISE
        return add(pairwise_sum(terms[:half], add), pairwise_sum(terms[half:], add))
    if len(terms) < PAIRWISE:
        return reduce(add, terms)
    end = len(terms) - len(terms) % PAIRWISE
    lanes = [reduce(add, terms[lane:end:PAIRWISE]) for lane in range(PAIRWISE)]
    while len(lanes) > 1:
        lanes = [add(one, two) for one, two in zip(lanes[::2], lanes[1::2], strict=True)]
    return reduce(add, [*lanes, *terms[end:]])


def sum_text(terms: Sequence[str]) -> str:
    """A sum in that order, as most languages write it.

    >>> sum_text(["a", "b", "c"])
    '((a + b) + c)'
    """
    return pairwise_sum(terms, lambda one, two: f"({one} + {two})")


def public_functions(program: SumProgram, row: str) -> dict[str, str]:
    """The functions of an exported module by name, and what they return for `row`, in words."""
    if program.classes is None:
        return {"predict": f"The number for {row}."}
    if program.link == "isolation":
        return {
            "predict": f"-1 for an outlier, otherwise 1, of {row}.",
            "score": "From -1 for the most unusual rows to 0 for the most common ones.",
        }
    return {
        "predict": f"The class of {row}.",
        "predict_proba": "The probability of each of CLASSES, in their order.",
    }
