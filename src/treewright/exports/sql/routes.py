"""Where a row goes from a node, as conditions that are true for known values only.

A condition on NULL is not true. So rows for which no condition holds have a missing value.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from treewright.errors import ExportError
from treewright.exports.program import (
    Levels,
    Program,
    Question,
    Step,
    WeightedSum,
    as_levels,
    columns_of,
)
from treewright.exports.sql.columns import Columns, is_date

ITSELF = -1  # the node itself predicts
SHARED = -2  # several children predict, each for a share of the row


@dataclass(frozen=True, slots=True)
class Route:
    """The ways out of a node: the first whose condition holds, else `otherwise`."""

    ways: tuple[tuple[str, int], ...]  # condition, node
    otherwise: int  # a node, ITSELF or SHARED

    @property
    def is_plain(self) -> bool:
        """Whether each child has one way, so that a CASE can contain the branches themselves."""
        targets = [target for _, target in self.ways] + [self.otherwise]
        return len(set(targets)) == len(targets)

    def number(self) -> str:
        """An expression for the node that a row goes to."""
        return case([(condition, str(node)) for condition, node in self.ways], str(self.otherwise))

    def goes_to(self, node: int) -> str:
        """A condition that holds for rows that go to `node`."""
        if self.is_plain and node != self.otherwise:
            return next(condition for condition, target in self.ways if target == node)
        return f"{self.number()} = {node}"

    def choose(self, outcome: dict[int, str], rest: str) -> str:
        """An expression with a value for each way out; `rest` for those not listed."""
        chosen = [(condition, outcome.get(node, rest)) for condition, node in self.ways]
        otherwise = outcome.get(self.otherwise, rest)
        merged = [
            (either(condition for condition, _ in run), value)
            for value, run in groupby(chosen, key=lambda way: way[1])
        ]
        while merged and merged[-1][1] == otherwise:
            merged.pop()
        return case(merged, otherwise)


def case(ways: Iterable[tuple[str, str]], otherwise: str) -> str:
    whens = "".join(f" WHEN {condition} THEN {value}" for condition, value in ways)
    return f"CASE{whens} ELSE {otherwise} END" if whens else otherwise


def either(conditions: Iterable[str]) -> str:
    """True if one of the conditions is; in brackets, for use next to AND."""
    texts = list(conditions)
    return texts[0] if len(texts) == 1 else f"({' OR '.join(texts)})"


def route_of(columns: Columns, step: Step) -> Route:
    """All ways out of a node; ways of the same question to the same node are merged."""
    heirs = step.missing
    otherwise = SHARED if step.splits_rows else heirs[0][0] if heirs else ITSELF
    own = list(ways_of(columns, step.question))
    if step.unseen is not None:
        assert not isinstance(step.question, WeightedSum)
        own.append((columns.is_unseen(step.question.column), step.unseen))
    if not step.surrogates:
        return Route(tuple(without(merged(own), otherwise)), otherwise)
    ways = merged(own)
    for surrogate in step.surrogates[:-1]:
        ways += ways_of(columns, surrogate)
    ways += without(list(ways_of(columns, step.surrogates[-1])), otherwise)
    return Route(tuple(ways), otherwise)


def merged(ways: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """One way for each node; the conditions are exclusive, so order does not matter."""
    conditions: dict[int, list[str]] = {}
    for condition, node in ways:
        conditions.setdefault(node, []).append(condition)
    return [(either(texts), node) for node, texts in conditions.items()]


def without(ways: list[tuple[str, int]], target: int) -> list[tuple[str, int]]:
    """The ways that lead elsewhere; ways to the default need no condition."""
    return [way for way in ways if way[1] != target]


def ways_of(columns: Columns, question: Question) -> Iterator[tuple[str, int]]:
    """(condition, node) of known values; the conditions are exclusive."""
    if isinstance(question, WeightedSum):
        yield from ways_of_sum(columns, question)
        return
    spec = columns.spec(question.column)
    name = columns.quoted[question.column]
    if isinstance(question, Levels) or not spec.is_numeric:
        yield from ways_of_levels(columns, as_levels(question, spec))
        return
    bounds = [None, *(columns.bound(question.column, cut) for cut in question.cuts), None]
    for node, (low, high) in zip(question.children, pairwise(bounds), strict=True):
        sides = [f"{name} > {low}" if low else "", f"{name} <= {high}" if high else ""]
        yield " AND ".join(filter(None, sides)) or f"{name} IS NOT NULL", node


def ways_of_levels(columns: Columns, question: Levels) -> Iterator[tuple[str, int]]:
    name = columns.quoted[question.column]
    known = columns.spec(question.column).levels
    by_node: dict[int, list[int]] = {}
    for code, node in question.child_of.items():
        by_node.setdefault(node, []).append(code)
    for node, codes in by_node.items():
        levels = tuple(known[code] for code in codes)
        if len(levels) == 1:
            yield f"{name} = {columns.level(levels[0])}", node
        else:
            yield f"{name} IN {columns.level_list(levels)}", node
    if question.otherwise is not None:
        listed = tuple(known[code] for code in question.child_of)
        if condition := columns.is_none_of(question.column, listed):
            yield condition, question.otherwise


def ways_of_sum(columns: Columns, question: WeightedSum) -> Iterator[tuple[str, int]]:
    for column in columns_of(question):
        if is_date(columns.spec(column)):
            raise ExportError(
                f"`{columns.name(column)}` is a date, and dates cannot be added up in SQL",
                hint="count days from a fixed date before training",
            )
    names = [columns.quoted[column] for column in columns_of(question)]
    number = columns.dialect.number
    weights = [number(weight) for _, weight in question.terms]
    total = " + ".join(f"{weight} * {name}" for weight, name in zip(weights, names, strict=True))
    is_known = " AND ".join(f"{name} IS NOT NULL" for name in names)
    at_most = f"{total} <= {number(question.threshold)}"
    yield at_most, question.children[0]
    # Infinities may cancel to NaN, which is not at most anything, or to NULL in SQLite.
    yield f"{is_known} AND CASE WHEN {at_most} THEN 0 ELSE 1 END = 1", question.children[1]


def routes_of(columns: Columns, program: Program) -> dict[int, Route]:
    """The route of every inner node."""
    return {step.node: route_of(columns, step) for step in program.steps()}
