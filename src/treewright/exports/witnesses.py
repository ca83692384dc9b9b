"""Witnesses: a few rows that together show everything a tree does.

A program that predicts all of them as the tree does is the same program. There is a row for every
leaf that can be reached; rows one floating-point step below, at and above each cut; each level; a
missing value and an unseen level for every question; and rows for each surrogate, with the values
before it missing and later surrogates in disagreement.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.data.column import MISSING, Column, Level, NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.exports.distinguishing import Probe, Reach, Row, RowMaker, sum_of, value_between
from treewright.exports.program import (
    Cuts,
    Exported,
    Levels,
    Program,
    Question,
    Step,
    WeightedSum,
    as_levels,
    columns_of,
)
from treewright.tree.tree import Tree

MAX_ROWS = 20_000
MAX_STEPS = 2_000_000  # rows times depth
MAX_LEVELS = 40  # tried for one question, evenly chosen if a column has more
NAN = float("nan")


def witnesses(tree: Tree, *, max_rows: int | None = None) -> Table:
    """The rows to try, as a table of values that a user could give.

    At most `max_rows` (by default 20,000, fewer for a very deep tree), thinned out evenly, at least
    half of them rows of leaves. The same tree always gives the same rows.
    """
    program = Program(tree)
    if max_rows is None:
        max_rows = min(MAX_ROWS, MAX_STEPS // max(tree.depth, 1))
    return table_of(program, witness_rows(program, max_rows))


def witness_rows(program: Program, max_rows: int) -> list[Row]:
    """The rows to try, by column; columns that are not listed make no difference."""
    tree = program.tree
    tried = {*thinned(list(range(tree.n_nodes)), max_rows)}
    maker = RowMaker(program)
    at_nodes: list[Row | Probe] = [dict.fromkeys(program.used_columns, NAN)]
    for node, reach in reached_nodes(program):
        step = maker.steps[node]
        if step is None:
            maker.row_to[node] = reach.values
        if node in tried:
            at_nodes += rows_at(program, step, reach)
    to_leaves: list[Row] = [{}, *maker.row_to.values()]
    rows = thinned(to_leaves, max(max_rows // 2, max_rows - len(at_nodes)))
    rows += [
        maker.row(row) if isinstance(row, Probe) else row
        for row in thinned(at_nodes, max_rows - len(rows))
    ]
    return distinct(rows)


def reached_nodes(program: Program) -> Iterator[tuple[int, Reach]]:
    """Each node that some row reaches as a whole, with such a row."""
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
    elif isinstance(question, Cuts) and program.columns[question.column].is_numeric:
        yield from _by_cuts(program, question, reach)
    else:
        levels = as_levels(question, program.columns[question.column])
        yield from _by_levels(program, levels, reach)
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


def _by_levels(program: Program, question: Levels, reach: Reach) -> Iterator[tuple[int, Reach]]:
    column = question.column
    own: dict[int, list[int]] = {}
    for code in reach.levels.get(column, range(len(program.columns[column].levels))):
        child = question.child_of.get(code, question.otherwise)
        if child is not None:
            own.setdefault(child, []).append(code)
    for child, codes in own.items():
        values = reach.with_value(column, float(codes[0]))
        yield child, Reach(values, reach.bounds, {**reach.levels, column: tuple(codes)})


def _by_sum(question: WeightedSum, reach: Reach) -> Iterator[tuple[int, Reach]]:
    """Move one column until the sum is on the right side, if its bounds allow."""
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


# ---------------------------------------------------------------------------- rows at a node


def rows_at(program: Program, step: Step | None, reach: Reach) -> Iterator[Row | Probe]:
    """Rows that try every question of a node."""
    if step is None:
        yield from (reach.with_value(column, NAN) for column in reach.values)
        return
    values = reach.values
    for place, question in enumerate(step.questions):
        for change in changes_for(program, question, values):
            yield Probe(step, reach, place, change)
        values = blanked(question, values)
        yield values


def blanked(question: Question, values: Row) -> Row:
    """The row with the question's column missing; for a sum, its first column."""
    return {**values, columns_of(question)[0]: NAN}


def changes_for(program: Program, question: Question, values: Row) -> Iterator[Row]:
    """Values to try for a question: below, at and above cuts; listed and other levels."""
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
    """Just below, at and just above each cut; for times, the next whole numbers."""
    if not is_whole:
        yield from (-math.inf, math.inf)
    for cut in thinned(list(cuts), MAX_LEVELS):
        if is_whole:
            whole = float(math.floor(cut))
            yield from (whole, max(whole + 1.0, math.nextafter(whole, math.inf)))
        else:
            yield from (math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf))


def some_levels(question: Cuts | Levels, spec: ColumnSpec) -> list[int]:
    """Codes to try: some listed, some not listed, and one for an unseen level."""
    if isinstance(question, Levels):
        codes = thinned(list(question.child_of), MAX_LEVELS)
        others = [code for code in range(len(spec.levels)) if code not in question.child_of]
        codes += thinned(others, MAX_LEVELS)
    else:
        near = {code for cut in question.cuts for code in (math.floor(cut), math.floor(cut) + 1)}
        codes = [code for code in sorted(near) if 0 <= code < len(spec.levels)]
    return codes if unseen_level(spec) is None else [*codes, len(spec.levels)]


def rows_of_sum(question: WeightedSum, values: Row, side: float) -> Iterator[Row]:
    """The values of the terms, with one of them moved so that the sum lies on that side."""
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


def thinned(items: list[Any], limit: int) -> list[Any]:
    """At most `limit` of the items, evenly chosen, including the first and the last."""
    if len(items) <= limit:
        return items
    places = np.linspace(0, len(items) - 1, max(limit, 0)).round().astype(np.intp)
    return [items[place] for place in np.unique(places)]


def distinct(rows: list[Row]) -> list[Row]:
    """The rows without repetition, in order of first appearance."""
    seen = {
        tuple(sorted((column, repr(value)) for column, value in row.items())): row
        for row in reversed(rows)
    }
    return list(reversed(seen.values()))


def table_of(program: Exported, rows: list[Row]) -> Table:
    columns = [column_of(spec, at, rows) for at, spec in enumerate(program.columns)]
    return Table(columns, len(rows), has_names=program.schema.has_names)


def column_of(spec: ColumnSpec, at: int, rows: list[Row]) -> Column:
    values = np.array([row.get(at, 0.0) for row in rows], dtype=np.float64)
    if spec.is_numeric:
        return NumericColumn(spec.name, values, spec.unit)
    codes = np.where(np.isnan(values), MISSING, values).astype(np.int32)
    unseen = unseen_level(spec)
    levels = spec.levels if unseen is None else (*spec.levels, unseen)
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


def has_unseen(program: Exported, rows: Table) -> Any:
    """(n_rows,): which rows have a level that was not seen in training."""
    found = np.zeros(len(rows), dtype=np.bool_)
    for column, spec in zip(rows.columns, program.columns, strict=True):
        if isinstance(column, NominalColumn):
            known = set(spec.levels)
            strange = [code for code, level in enumerate(column.levels) if level not in known]
            found |= np.isin(column.codes, strange)
    return found
