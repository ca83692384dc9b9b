"""The training rows nearest to a row, by Gower's distance.

Numbers count by their part of the column's range, levels as 0 or 1, ordered levels by their part
of the order; the mean over the columns where both rows have a value.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.explanations.boxes import Row
from treewright.exports.program import Program


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A training row that is much like the row explained."""

    row: int  # its position in the table given
    distance: float  # 0: alike in all that both have, 1: as far apart as can be
    target: Any
    values: dict[str, Any]


def nearest_rows(
    program: Program, row: Row, table: Table, target: NDArray[Any], n_rows: int
) -> tuple[Neighbor, ...]:
    """The nearest rows of an encoded table, of equals the first."""
    far = distances(program, row, table)
    order = np.argsort(far, kind="stable")[:n_rows]
    return tuple(
        Neighbor(
            row=int(at),
            distance=float(far[at]),
            target=target[at].item() if isinstance(target[at], np.generic) else target[at],
            values={column.name: column.value(int(at)) for column in table.columns},
        )
        for at in order.tolist()
    )


def distances(program: Program, row: Row, table: Table) -> Floats:
    """(n_rows,): how far each row of the table is; 1 where no column can be compared."""
    total, known = np.zeros(len(table)), np.zeros(len(table))
    for spec, value, column in zip(program.columns, row, table.columns, strict=True):
        if value != value:
            continue
        if isinstance(column, NumericColumn):
            apart = _between_numbers(column.values, value)
            there = ~column.is_missing
        else:
            there = column.codes != -1
            apart = (column.codes != value).astype(np.float64)
            if spec.kind == "ordered" and value >= 0:
                ranks = np.abs(column.codes - value) / max(len(spec.levels) - 1, 1)
                apart = np.where(column.codes >= 0, ranks, 1.0)
        total += np.where(there, apart, 0.0)
        known += there
    mean: Floats = np.where(known > 0, total / np.maximum(known, 1), 1.0)
    return mean


def _between_numbers(values: NDArray[Any], value: float) -> Floats:
    spread = spread_of(values)
    with np.errstate(invalid="ignore"):
        apart = np.where(values == value, 0.0, np.abs(values - value) / spread)
    return np.minimum(apart, 1.0)


def spread_of(values: NDArray[Any]) -> float:
    """The range of the finite numbers; 1 where there is none."""
    finite = values[np.isfinite(values)].astype(np.float64)
    spread = float(finite.max() - finite.min()) if len(finite) else 0.0
    return spread if 0 < spread < np.inf else 1.0


def spreads_of_rows(program: Program, table: Table) -> dict[int, float]:
    """The spread of each column that the tree asks."""
    found = {}
    for at in program.used_columns:
        column = table.columns[at]
        found[at] = spread_of(column.values) if isinstance(column, NumericColumn) else 1.0
    return found
