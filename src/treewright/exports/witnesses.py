"""Witnesses: few rows that between them show everything a tree does.

Whoever answers all of them as the tree does has the same program: a row for every leaf that can be
reached; one step of floating point below, at and above each cut, on a row that reaches the node;
each level; a missing value and an unseen level wherever one is asked for; surrogates with the
values before them missing and those after them at odds with them.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.data.column import MISSING, Column, Level, NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.exports.program import (
    Cuts,
    Levels,
    Program,
    Question,
    Step,
    WeightedSum,
    columns_of,
)
from treewright.exports.telling import Reach, Row, Teller, Trial, sum_of, value_between
from treewright.tree.tree import Tree

MOST_ROWS = 20_000
MOST_STEPS = 2_000_000  # rows times depth: a chain of 10,000 splits is a long way for every row
MOST_LEVELS = 40  # looked at for one question, evenly chosen where a column has more
NAN = float("nan")


def witnesses(tree: Tree, *, most_rows: int | None = None) -> Table:
    """The rows to try, as a table of values that a user could give.

    At most `most_rows` (without it 20,000, fewer for a very deep tree): of more, half at least are
    the rows of leaves, and all are thinned out evenly. The same tree
    always gives the same rows.
    """
    program = Program(tree)
    if most_rows is None:
        most_rows = min(MOST_ROWS, MOST_STEPS // max(tree.depth, 1))
    tried = {*thinned(list(range(tree.n_nodes)), most_rows)}
    teller = Teller(program)
    at_nodes: list[Row | Trial] = [dict.fromkeys(program.used_columns, NAN)]
    for node, reach in reached_nodes(program):
        step = teller.steps[node]
        if step is None:
            teller.row_to[node] = reach.values
        if node in tried:
            at_nodes += rows_at(program, step, reach)
    to_leaves: list[Row] = [{}, *teller.row_to.values()]
    rows = thinned(to_leaves, max(most_rows // 2, most_rows - len(at_nodes)))
    rows += [
        teller.row(row) if isinstance(row, Trial) else row
        for row in thinned(at_nodes, most_rows - len(rows))
    ]
    return table_of(program, distinct(rows))


def reached_nodes(program: Program) -> Iterator[tuple[int, Reach]]:
    """Each node that some row reaches alone, with such a row."""
    stack = [(0, Reach())]
    while stack:
        node, reach = stack.pop()
        yield node, reach
        step = program.step(node)
        if step is None:
            continue
        found: dict[int, Reach] = {}
        for child, below in ways_down(program, step, reach):
            found.setdefault(child, below)
        stack += [(child, found[child]) for child in sorted(found, reverse=True)]


def ways_down(program: Program, step: Step, reach: Reach) -> Iterator[tuple[int, Reach]]:
    """(child, how it is reached) by known values first, then by missing ones."""
    question = step.question
    if any(math.isnan(reach.values.get(column, 0.0)) for column in columns_of(question)):
        yield from ((heir, reach) for heir, _ in step.missing)  # missing since further up
        return
    if isinstance(question, WeightedSum):
        yield from _by_sum(question, reach)
    elif isinstance(question, Levels):
        yield from _by_levels(program, question, reach)
    elif program.columns[question.column].is_numeric:
        yield from _by_cuts(program, question, reach)
    else:
        yield from _by_positions(program, question, reach)
    values = reach.values
    for asked in step.questions:
        values = blanked(asked, values)
    unknown = Reach(values, reach.bounds, reach.levels)
    yield from ((heir, unknown) for heir, share in step.missing if share == 1.0)


def _by_cuts(program: Program, question: Cuts, reach: Reach) -> Iterator[tuple[int, Reach]]:
    low, high = reach.bounds.get(question.column, (-math.inf, math.inf))
    edges = (-math.inf, *question.cuts, math.inf)
    spec = program.columns[question.column]
    for child, below, above in zip(question.children, edges[:-1], edges[1:], strict=True):
        bounds = (max(low, below), min(high, above))
        value = value_between(*bounds, is_whole=bool(spec.unit))
        if value is not None:
            yield (
                child,
                Reach(
                    reach.with_value(question.column, value),
                    {**reach.bounds, question.column: bounds},
                    reach.levels,
                ),
            )


def _by_positions(program: Program, question: Cuts, reach: Reach) -> Iterator[tuple[int, Reach]]:
    codes = np.array(_open_codes(program, question.column, reach))
    sides = np.searchsorted(question.cuts, codes, side="left")
    for at, child in enumerate(question.children):
        own = tuple(codes[sides == at].tolist())
        if own:
            yield child, _with_levels(reach, question.column, own)


def _by_levels(program: Program, question: Levels, reach: Reach) -> Iterator[tuple[int, Reach]]:
    own: dict[int, list[int]] = {}
    for code in _open_codes(program, question.column, reach):
        child = question.child_of.get(code, question.otherwise)
        if child is not None:
            own.setdefault(child, []).append(code)
    for child, codes in own.items():
        yield child, _with_levels(reach, question.column, tuple(codes))


def _by_sum(question: WeightedSum, reach: Reach) -> Iterator[tuple[int, Reach]]:
    """Move one column until the sum is on the side wanted; only if its room allows."""
    for child, side in zip(question.children, (-1.0, 1.0), strict=True):
        for row in rows_of_sum(question, reach.values, side):
            values = {**reach.values, **row}
            inside = all(
                low < values[column] <= high
                for column, (low, high) in reach.bounds.items()
                if column in row
            )
            if inside and (sum_of(question, values) <= question.threshold) == (side < 0):
                fixed = {column: (NAN, NAN) for column, _ in question.terms}
                yield child, Reach(values, {**reach.bounds, **fixed}, reach.levels)
                break


def _open_codes(program: Program, column: int, reach: Reach) -> tuple[int, ...]:
    if column in reach.levels:
        return reach.levels[column]
    return tuple(range(len(program.columns[column].levels)))


def _with_levels(reach: Reach, column: int, codes: tuple[int, ...]) -> Reach:
    values = reach.with_value(column, float(codes[0]))
    return Reach(values, reach.bounds, {**reach.levels, column: codes})


# ---------------------------------------------------------------------------- rows at a node


def rows_at(program: Program, step: Step | None, reach: Reach) -> Iterator[Row | Trial]:
    """Rows that try all a node can be asked."""
    if step is None:
        yield from (reach.with_value(column, NAN) for column in reach.values)
        return
    values = reach.values
    for place, question in enumerate(step.questions):
        for change in changes_for(program, question, values):
            yield Trial(step, reach, place, change)
        values = blanked(question, values)
        yield values


def blanked(question: Question, values: Row) -> Row:
    """The row with what the question asks missing; of a sum, its first term."""
    return {**values, columns_of(question)[0]: NAN}


def changes_for(program: Program, question: Question, values: Row) -> Iterator[Row]:
    """Values for the columns of a question: below, at and above cuts, and levels of all sorts."""
    if isinstance(question, WeightedSum):
        for side in (-1.0, 0.0, 1.0):
            yield from rows_of_sum(question, values, side)
        return
    spec = program.columns[question.column]
    if isinstance(question, Cuts) and spec.is_numeric:
        around = values_around(question.cuts, is_whole=bool(spec.unit))
        yield from ({question.column: value} for value in around)
        return
    yield from ({question.column: float(code)} for code in some_levels(question, spec))


def values_around(cuts: tuple[float, ...], *, is_whole: bool) -> Iterator[float]:
    """Just below, at and just above each cut; of times, which are counts, the next whole ones."""
    if not is_whole:
        yield from (-math.inf, math.inf)
    for cut in thinned(list(cuts), MOST_LEVELS):
        if is_whole:
            whole = float(math.floor(cut))
            yield from (whole, max(whole + 1.0, math.nextafter(whole, math.inf)))
        else:
            yield from (math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf))


def some_levels(question: Cuts | Levels, spec: ColumnSpec) -> list[int]:
    """Codes to try: those listed, those not listed, and one that stands for an unseen level."""
    if isinstance(question, Levels):
        codes = thinned(list(question.child_of), MOST_LEVELS)
        others = [code for code in range(len(spec.levels)) if code not in question.child_of]
        codes += thinned(others, MOST_LEVELS)
    else:
        near = {code for cut in question.cuts for code in (math.floor(cut), math.floor(cut) + 1)}
        codes = [code for code in sorted(near) if 0 <= code < len(spec.levels)]
    return codes if unseen_level(spec) is None else [*codes, len(spec.levels)]


def rows_of_sum(question: WeightedSum, values: Row, side: float) -> Iterator[Row]:
    """The terms' values with one of them moved so that the sum lies at the side wanted."""
    start = {column: values.get(column, 0.0) for column, _ in question.terms}
    if any(map(math.isnan, start.values())):
        return
    for column, weight in question.terms:
        rest = sum_of(question, {**start, column: 0.0})
        value = (question.threshold - rest) / weight if weight else 0.0
        step = max(abs(value), 1.0) * 2.0**-40
        for far in (1.0, 2.0**40) if side else (1.0,):
            yield {**start, column: value + math.copysign(side * step * far, side * weight)}


# ---------------------------------------------------------------------------- as a table


def thinned(items: list[Any], most: int) -> list[Any]:
    """At most so many of the items, evenly chosen, the first and the last among them."""
    if len(items) <= most:
        return items
    places = np.linspace(0, len(items) - 1, max(most, 0)).round().astype(np.intp)
    return [items[place] for place in np.unique(places)]


def distinct(rows: list[Row]) -> list[Row]:
    """The rows without repetition, each where it came first."""
    seen = {
        tuple(sorted((column, repr(value)) for column, value in row.items())): row
        for row in reversed(rows)
    }
    return list(reversed(seen.values()))


def table_of(program: Program, rows: list[Row]) -> Table:
    columns = [column_of(spec, at, rows) for at, spec in enumerate(program.columns)]
    return Table(columns, len(rows), has_names=program.tree.schema.has_names)


def column_of(spec: ColumnSpec, at: int, rows: list[Row]) -> Column:
    values = np.array([row.get(at, 0.0) for row in rows], dtype=np.float64)
    if spec.is_numeric:
        return NumericColumn(spec.name, values, spec.unit)
    codes = np.where(np.isnan(values), MISSING, values).astype(np.int32)
    stranger = unseen_level(spec)
    levels = spec.levels if stranger is None else (*spec.levels, stranger)
    if not spec.levels:
        codes = np.full(len(rows), MISSING, dtype=np.int32)
    return NominalColumn(spec.name, codes, levels, spec.kind == "ordered")


def unseen_level(spec: ColumnSpec) -> Level | None:
    """A level of the column's type that training has not seen; None if there is none."""
    if spec.is_numeric or not spec.levels:
        return None
    known = set(spec.levels)
    if spec.level_type == "boolean":
        return next((level for level in (False, True) if level not in known), None)
    if spec.level_type == "integer":
        return 1 + max(int(level) for level in spec.levels)
    name = "never seen"
    while name in known:
        name += "!"
    return name


def has_unseen(program: Program, rows: Table) -> Any:
    """(n_rows,): which witnesses hold a level that training has not seen."""
    found = np.zeros(len(rows), dtype=np.bool_)
    for column, spec in zip(rows.columns, program.columns, strict=True):
        if isinstance(column, NominalColumn):
            known = set(spec.levels)
            strange = [code for code, level in enumerate(column.levels) if level not in known]
            found |= np.isin(column.codes, strange)
    return found
