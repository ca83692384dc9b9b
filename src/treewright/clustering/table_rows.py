"""From tables to the rows that rounds of clustering work on."""

import numpy as np

from treewright.clustering.measure import Measure
from treewright.clustering.space import Float64Array, MixedRows, PlainRows, Space, numbers_of
from treewright.data.table import Table
from treewright.errors import DataError


def rows_that_count(table: Table, weights: Float64Array) -> tuple[Table, Float64Array]:
    """The rows of some weight, and only the levels that these have."""
    if weights.all():
        return table, weights
    kept = np.flatnonzero(weights)
    return table[kept].compact_levels(), weights[kept]


def space_of(
    table: Table,
    measure: Measure,
    weights: Float64Array | None,
    n_threads: int,
    *,
    is_whole: bool,
) -> Space:
    """The quick kind of rows for numbers without holes, the other kind for the rest."""
    if not is_whole:
        return MixedRows(table, measure, weights, n_threads)
    matrix = table.matrix
    if matrix is None:
        matrix = np.column_stack([numbers_of(column) for column in table.columns])
    return PlainRows(matrix, measure, weights, n_threads)


def points_of(table: Table) -> Float64Array:
    """Rows as points; a hole is an error."""
    for column in table.columns:
        holes = column.is_missing
        if holes.any():
            raise DataError(
                f"init has a hole in column `{column.name}`, row {int(np.argmax(holes))}",
                hint="give every start point a value in every column",
            )
    return np.column_stack([numbers_of(column) for column in table.columns]).astype(np.float64)
