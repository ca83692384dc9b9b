"""From typed columns to answers: stages for deep trees, branches, sums for shared rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from treewright.exports.program import Program
from treewright.exports.sql.branches import Branches, Case, Expression, pieces_of
from treewright.exports.sql.columns import Columns
from treewright.exports.sql.dialects.base import Dialect
from treewright.exports.sql.query import Query
from treewright.exports.sql.routes import routes_of
from treewright.exports.sql.shares import Shares
from treewright.tree.answers import TIE

Named = tuple[str, str]  # expression, name


@dataclass(frozen=True, slots=True)
class Choice:
    """Finds the class in two stages: what each class costs, and the bound that the best keeps."""

    program: Program
    dialect: Dialect
    prefix: str
    sums: Sequence[str]  # columns with the probabilities

    def stages(self) -> Iterator[list[Named]]:
        """The columns to compute before the class can be told."""
        bound = f"{self.prefix}bound"
        if self.program.tree.costs is None:
            largest = self.dialect.largest(self.sums)
            yield [(f"{largest} * {self.dialect.number(1 - TIE)}", bound)]
            return
        yield [(self.cost_of(at), name) for at, name in enumerate(self.costs)]
        low, high = self.dialect.smallest(self.costs), self.dialect.largest(self.costs)
        yield [(f"{low} + {self.dialect.number(TIE)} * {high}", bound)]

    @property
    def costs(self) -> list[str]:
        return [f"{self.prefix}cost_{at}" for at in range(len(self.sums))]

    def cost_of(self, predicted: int) -> str:
        """What a class is expected to cost, added up in the order of the true classes."""
        assert self.program.tree.costs is not None
        prices = self.program.tree.costs[:, predicted].tolist()
        terms = [
            f"{share} * {self.dialect.number(price)}"
            for share, price in zip(self.sums, prices, strict=True)
        ]
        return " + ".join(terms)

    def label(self) -> Expression:
        """The first class within the bound."""
        assert self.program.classes is not None
        has_costs = self.program.tree.costs is not None
        columns, sign = (self.costs, "<=") if has_costs else (self.sums, ">=")
        ways = [
            (f"{column} {sign} {self.prefix}bound", self.dialect.answer(label))
            for column, label in zip(columns, self.program.classes, strict=True)
        ]
        return Case("CASE", tuple(ways))


ROOM = 2  # levels of CASE that stand around the branches or inside their conditions


class Answering:
    """The answers of a program to the rows that a query has read."""

    def __init__(self, program: Program, read: Columns, *, probabilities: bool) -> None:
        self.program, self.read, self.dialect = program, read, read.dialect
        self.probabilities = probabilities
        self.routes = routes_of(read, program)
        pieces = pieces_of(program, self.dialect.case_depth - ROOM)
        self.branches = Branches(self.routes, pieces, f"{read.prefix}piece")

    def add_to(self, query: Query) -> list[Expression]:
        """Add the stages needed; the prediction, and the probabilities, as expressions."""
        for number in self.branches.stages():
            query.add_stage([(number, self.branches.number)], once=True)
        accepted = self.accepted()
        whole = [self.branches.expression(answer) for answer in self.answers()]
        if accepted:  # NULL for a row that the model refuses
            whole = [Case("CASE", ((" AND ".join(accepted), answer),)) for answer in whole]
        if not self.program.splits_rows:
            return whole
        names = [f"{self.read.prefix}whole_{at}" for at in range(len(whole))]
        is_shared = " AND ".join([f"{names[0]} IS NULL", *accepted])
        shares = Shares(self.program, self.dialect, self.routes, self.read.prefix, is_shared)
        query.add_stage([*zip(whole, names, strict=True), *shares.numbers()], once=True)
        shared = self.add_sums(query, shares)
        return [
            Case("CASE", ((f"{name} IS NULL", expression),), name)
            for name, expression in zip(names, shared, strict=True)
        ]

    def accepted(self) -> list[str]:
        """Conditions that a row keeps which the model does not refuse for an unseen level."""
        if self.program.unseen != "error":
            return []
        return [f"{self.read.mark(column)} IS NULL" for column in self.read.marked]

    def answers(self) -> Iterator[Callable[[int], str]]:
        """What a node answers: the class and the probabilities asked for, or the number."""
        program = self.program
        if program.classes is not None:
            yield lambda node: self.dialect.answer(program.label(node))
            if not self.probabilities:
                return
        for value in range(program.answers.shape[1]):
            yield partial(self.value_of, value)

    def value_of(self, value: int, node: int) -> str:
        return self.dialect.number(float(self.program.answers[node, value]))

    def add_sums(self, query: Query, shares: Shares) -> list[Expression]:
        """The answers to rows that several leaves share, after stages that add them up."""
        sums = [shares.sum_column(at) for at in range(self.program.answers.shape[1])]
        for new, dropped in shares.stages():
            query.add_stage(new, dropped=dropped, once=True)
        if self.program.classes is None:
            return list(sums)
        choice = Choice(self.program, self.dialect, self.read.prefix, sums)
        for stage in choice.stages():
            query.add_stage(stage, once=True)
        return [choice.label(), *(sums if self.probabilities else [])]
