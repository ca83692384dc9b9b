"""Tables for tests of linear models."""

import numpy as np

from treewright import Table, table_from
from treewright.data.column import NominalColumn, NumericColumn


def a_mixed_table(seed: int = 0, n_rows: int = 80, holes: float = 0.0):
    """Two numbers of other units, two nominal columns, and a target that all of them move."""
    generator = np.random.default_rng(seed)
    area = generator.normal(100.0, 20.0, n_rows)
    age = generator.normal(0.5, 0.1, n_rows)
    color, wall = generator.integers(0, 3, n_rows), generator.integers(0, 2, n_rows)
    y = 3 * area - 50 * age + np.array([5.0, -10.0, 20.0])[color] + 8.0 * wall
    y += generator.normal(0.0, 5.0, n_rows)
    if holes:
        area[generator.random(n_rows) < holes] = np.nan
        color[generator.random(n_rows) < holes] = -1
    columns = (
        NumericColumn("area", area),
        NominalColumn("color", color.astype(np.int32), ("red", "blue", "green")),
        NumericColumn("age", age),
        NominalColumn("wall", wall.astype(np.int32), ("brick", "wood")),
    )
    return Table(columns, n_rows), y, generator.integers(1, 4, n_rows).astype(float)


def written_out(table: Table):
    """(numbers, codes) of a table without holes."""
    columns = table_from(table).columns
    numbers = np.column_stack([c.values for c in columns if isinstance(c, NumericColumn)])
    codes = np.column_stack([c.codes for c in columns if isinstance(c, NominalColumn)])
    return numbers, codes
