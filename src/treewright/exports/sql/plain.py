"""A program as one CASE over the table's own columns, for people to read.

    CASE
      WHEN outlook = 'Overcast' THEN 'Yes'
      ...

A row with a missing value goes where the model sends it. If these are several branches, a share of
the row to each, the CASE asks on for all of them together, and its ends predict what the model
predicts for such a mixture: the sum is computed here, not by the query.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.cached import cached_property
from treewright.errors import ExportError
from treewright.exports.program import Cuts, Program, Step
from treewright.exports.sql.branches import UNKNOWN, Case, Expression
from treewright.exports.sql.columns import Columns, is_date
from treewright.exports.sql.routes import ITSELF, SHARED, route_of
from treewright.tree.predict import predicted_classes

MOST_ENDS = 2_000  # of one CASE: a longer one is no longer plain
SHORT_DIGITS = 15  # decimals of so few digits are the same number in every engine
MOST_ASKED = 150  # of one row
PRUNE = 'prune the tree, or use style="exact": a query in stages, without such limits'


@dataclass(frozen=True)
class PlainColumns(Columns):
    """Columns as the table has them, without a first stage that makes them comparable."""

    @cached_property
    def quoted(self) -> dict[int, str]:
        names = super().quoted
        dates = {
            at: self.dialect.moment_column(names[at]) for at in names if is_date(self.spec(at))
        }
        return names | dates

    def is_unseen(self, column: int) -> str:
        return f"{self.quoted[column]} NOT IN {self.level_list(self.spec(column).levels)}"

    def is_none_of(self, column: int, listed: tuple[Any, ...]) -> str:
        rest = tuple(level for level in self.spec(column).levels if level not in listed)
        return f"{self.quoted[column]} IN {self.level_list(rest)}" if rest else ""

    def level(self, level: Any) -> str:
        return self.dialect.label(level)

    def bound(self, column: int, bound: float) -> str:
        return super().bound(column, bound) if is_date(self.spec(column)) else self.decimal(bound)

    def decimal(self, number: float) -> str:
        """The shortest decimal that is read back as the same double."""
        text = repr(number)
        if "e" in text or not np.isfinite(number):
            return text if "e" in text else self.dialect.number(number)
        digits = text.replace("-", "").replace(".", "").lstrip("0")
        if len(digits) > SHORT_DIGITS:
            return f"{text}e0"  # a longer one would be a decimal number in some engines
        return text.removesuffix(".0")


Numbers = dict[int | None, bool]  # numeric columns that are known (or are missing) on the way


@dataclass(frozen=True, slots=True)
class Part:
    """A share of a row, and the node where it is; `has_ended` if that node predicts it."""

    node: int
    share: float
    has_ended: bool = False


@dataclass
class PlainCase:
    """One result of each row, as nested CASEs."""

    program: Program
    columns: PlainColumns
    value: int | None  # the position of the number to predict; None for the class
    n_ends: int = 0

    def expression(self) -> Expression:
        """The whole CASE."""
        found = self.below((Part(0, 1.0),), {})
        if self.program.unseen == "error":  # NULL for a row that the model refuses
            refused = [(self.columns.is_unseen(at), UNKNOWN) for at in self.columns.marked]
            found = joined(refused, found)
        dialect, depth = self.columns.dialect, depth_of(found)
        if depth > dialect.max_case_depth:
            raise ExportError(
                f"a plain CASE of this tree nests {depth} levels deep, and some versions of "
                f"{dialect.title} accept at most {dialect.max_case_depth}",
                hint=PRUNE,
            )
        return found

    def below(self, parts: tuple[Part, ...], numbers: Numbers, n_asked: int = 0) -> Expression:
        """The prediction for a row whose parts are at these nodes, after so many questions."""
        if n_asked > MOST_ASKED:
            raise ExportError(
                f"a plain CASE of this tree tests a row more than {MOST_ASKED} times",
                hint=PRUNE,
            )
        at = next((at for at, part in enumerate(parts) if not part.has_ended), None)
        if at is None:
            return self.end(parts)
        before, part, after = parts[:at], parts[at], parts[at + 1 :]
        step = self.program.step(part.node)
        if step is None:
            return self.below((*before, replace(part, has_ended=True), *after), numbers, n_asked)
        route = route_of(self.columns, step)
        asked = asked_number(step, self.columns)
        is_known = numbers.get(asked)
        ways = []
        if is_known is not False:
            for condition, node in route.ways:
                moved = (*before, Part(node, part.share), *after)
                then = self.below(moved, numbers | known(asked, value=True), n_asked + 1)
                ways.append((condition, then))
        heirs = [Part(route.otherwise, part.share)]
        if route.otherwise in (ITSELF, SHARED):  # only a missing value leads there
            if is_known:
                return joined(ways[:-1], ways[-1][1])
            numbers = numbers | known(asked, value=False)
            heirs = [Part(node, part.share * share) for node, share in step.missing]
            heirs = heirs or [replace(part, has_ended=True)]
        return joined(ways, self.below((*before, *heirs, *after), numbers, n_asked + 1))

    def end(self, parts: tuple[Part, ...]) -> str:
        """The prediction of all parts together, added up from left to right as the model does."""
        self.n_ends += 1
        if self.n_ends > MOST_ENDS:
            raise ExportError(
                f"a plain CASE of this tree has more than {MOST_ENDS:,} outcomes",
                hint=PRUNE,
            )
        program = self.program
        if len(parts) == 1 and self.value is None:
            return self.columns.dialect.label(program.label(parts[0].node))
        values = program.node_values
        total = values[parts[0].node] if len(parts) == 1 else np.zeros(values.shape[1])
        if len(parts) > 1:
            for part in parts:
                total += part.share * values[part.node]
        if self.value is not None:
            return self.columns.decimal(float(total[self.value]))
        assert program.classes is not None
        best = int(predicted_classes(program.tree, total[np.newaxis])[0])
        return self.columns.dialect.label(program.classes[best])


def known(column: int | None, *, value: bool) -> Numbers:
    """What is learned of a numeric column; nothing without one."""
    return {} if column is None else {column: value}


def asked_number(step: Step, columns: Columns) -> int | None:
    """The numeric column that a node asks for, if that alone says where a row goes."""
    question = step.question
    if not isinstance(question, Cuts) or step.surrogates:
        return None
    return question.column if columns.spec(question.column).is_numeric else None


def joined(ways: Sequence[tuple[str, Expression]], otherwise: Expression) -> Expression:
    """A CASE of these ways; a CASE in its ELSE continues it, and ways to the ELSE are left out."""
    kept = [*ways]
    while kept and kept[-1][1] == otherwise:
        kept.pop()
    if not kept:
        return otherwise
    if isinstance(otherwise, Case):
        return Case("CASE", (*kept, *otherwise.ways), otherwise.otherwise)
    return Case("CASE", tuple(kept), otherwise)


def depth_of(expression: Expression) -> int:
    """Levels of CASE inside CASE."""
    if isinstance(expression, str):
        return 0
    inner = [then for _, then in expression.ways]
    inner += [] if expression.otherwise is None else [expression.otherwise]
    return 1 + max(map(depth_of, inner))


def plain_results(
    program: Program, columns: PlainColumns, *, probabilities: bool
) -> Iterator[Expression]:
    """The prediction, and on request the probability of each class."""
    if program.classes is not None:
        yield PlainCase(program, columns, None).expression()
        if not probabilities:
            return
    for value in range(program.node_values.shape[1]):
        yield PlainCase(program, columns, value).expression()
