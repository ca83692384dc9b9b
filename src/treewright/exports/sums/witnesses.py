"""Rows that show what many trees do: those of each tree, and values from all of them mixed."""

import math
from dataclasses import replace

import numpy as np

from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.exports.distinguishing import NAN, Row
from treewright.exports.sums.program import SumProgram
from treewright.exports.witnesses import (
    MAX_ROWS,
    MAX_STEPS,
    table_of,
    thinned,
    unseen_level,
    values_around,
    witness_rows,
)
from treewright.tree.layout import LEAF

MIN_ROWS = 500
MAX_VALUES = 4_000  # tried for one column
SEED = 20_260_101


def sum_witnesses(program: SumProgram) -> Table:
    """Rows for the leaves and thresholds of every tree, as values that a user could give.

    A row made for one tree has in its other columns values that other trees ask for: on a
    threshold, just below or just above it, a category, one that was not seen, or nothing. The same
    trees always give the same rows.
    """
    depth = max((tree.depth for tree in program.trees), default=0)
    most = MAX_STEPS // max(depth * len(program.trees), 1)
    most = max(MIN_ROWS, min(MAX_ROWS, most))
    random = np.random.default_rng(SEED)
    values = {column: values_of(program, column) for column in program.used_columns}
    n_mixed = min(most // 2, max(map(len, values.values()), default=1))
    each = max(2, (most - n_mixed) // max(len(program.trees), 1))
    rows: list[Row] = [{}, dict.fromkeys(program.used_columns, NAN)]
    rows += ({} for _ in range(n_mixed))
    for one in program.programs():
        rows += thinned(witness_rows(one, each), each)
    rows = thinned(rows, most)
    for column, known in values.items():
        # Every value in turn before one comes again.
        order = np.concatenate(
            [random.permutation(len(known)) for _ in range(0, len(rows), len(known))]
        )
        for row, at in zip(rows[2:], order.tolist(), strict=False):
            row.setdefault(column, known[at])
    table = table_of(program, rows)
    return without_infinities(table) if program.needs_finite else table


def without_infinities(rows: Table) -> Table:
    """The rows with finite numbers that lie beyond all others in place of infinities."""
    columns = []
    for one in rows.columns:
        if isinstance(one, NumericColumn):
            size = np.abs(one.values)
            far = 10.0 * max(1.0, float(size[np.isfinite(size)].max(initial=0.0)))
            infinite = np.isinf(one.values)
            one = replace(one, values=np.where(infinite, np.sign(one.values) * far, one.values))
        columns.append(one)
    return Table(columns, len(rows), has_names=rows.has_names)


def values_of(program: SumProgram, column: int) -> list[float]:
    """Values around all thresholds of a column, or the codes of its levels and an unseen one."""
    spec = program.columns[column]
    if not spec.is_numeric:
        codes = thinned([float(code) for code in range(len(spec.levels))], MAX_VALUES)
        return [*codes, NAN] if unseen_level(spec) is None else [*codes, len(spec.levels), NAN]
    cuts: set[float] = set()
    for tree in program.trees:
        is_asked = (tree.feature == column) & (tree.kind != LEAF)
        cuts.update(tree.threshold[is_asked].tolist())
    chosen = thinned(sorted(cuts), MAX_VALUES // 3)
    around = {
        value
        for cut in chosen
        for value in values_around((cut,), is_whole=bool(spec.unit))
        if math.isfinite(value)
    }
    far = () if spec.unit else (-math.inf, math.inf)
    for term in program.terms:
        if term.column == column:
            size = abs(term.fill) + 1.0
            near = [term.fill + size * step for step in (0, -97.3, -9.7, -0.3, 0.1, 2.3, 31.9)]
            around |= {float(round(one)) for one in near} if spec.unit else {*near}
    return [*sorted(around), *far, NAN]
