"""Random tables with words, numbers, holes and weights, for properties of evaluation."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table

LEVELS = ("u", "v", "w")


@dataclass(frozen=True)
class RandomRows:
    table: Table
    y: np.ndarray
    weights: np.ndarray | None
    folds: np.ndarray


def rows_from(seed: int, *, n_rows: int = 60, n_classes: int = 3, weighted: bool = False):
    """A table whose classes depend on its columns, with a tenth of the values missing."""
    generator = np.random.default_rng(seed)
    numbers = generator.integers(0, 12, (2, n_rows)).astype(float)
    codes = generator.integers(0, len(LEVELS), n_rows).astype(np.int32)
    score = numbers[0] / 4 + (codes == 1) + generator.normal(0, 0.6, n_rows)
    y = np.clip(score.astype(int), 0, n_classes - 1)
    numbers[generator.random(numbers.shape) < 0.1] = np.nan
    codes[generator.random(n_rows) < 0.1] = -1
    columns = (
        NumericColumn("a", numbers[0]),
        NumericColumn("b", numbers[1]),
        NominalColumn("c", codes, LEVELS, declared=True),
    )
    weights = generator.integers(0, 4, n_rows) / 2 + 0.25 if weighted else None
    return RandomRows(Table(columns, n_rows), y, weights, generator.permutation(n_rows) % 4)


def with_other_values(table: Table, rows: np.ndarray, seed: int) -> Table:
    """The table with other values in some rows."""
    generator = np.random.default_rng(seed)
    columns = []
    for column in table.columns:
        if isinstance(column, NumericColumn):
            values = np.array(column.values, dtype=float)
            values[rows] = generator.choice([-1e9, 1e9, np.nan, 0.0], len(rows))
            columns.append(NumericColumn(column.name, values))
        else:
            codes = np.array(column.codes)
            codes[rows] = generator.integers(-1, len(column.levels), len(rows))
            columns.append(NominalColumn(column.name, codes, column.levels, declared=True))
    return Table(tuple(columns), table.n_rows)


random_rows = st.builds(rows_from, st.integers(0, 10_000), weighted=st.booleans())
