"""From typed columns to answers: stages for deep trees, branches, sums for shared rows."""

from collections.abc import Callable, Iterator
from functools import partial

from treewright.exports.program import Program
from treewright.exports.sql.branches import Branches, Case, Expression
from treewright.exports.sql.classes import Choice
from treewright.exports.sql.columns import Columns
from treewright.exports.sql.pieces import pieces_of
from treewright.exports.sql.query import Query
from treewright.exports.sql.routes import routes_of
from treewright.exports.sql.shares import Shares

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
