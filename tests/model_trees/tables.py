"""Random tables with numbers, words and holes, whose target is linear in places."""

import numpy as np
from hypothesis import strategies as st

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table

LEVELS = ("red", "green", "blue", "white")


def numbers(generator, n_rows, n_columns, decimals=(1, 4)):
    """(X, y): a plane with a step in it, and noise."""
    X = generator.normal(size=(n_rows, n_columns)).round(int(generator.integers(*decimals)))
    slopes = generator.normal(size=n_columns) * (generator.random(n_columns) < 0.6)
    step = np.where(X[:, 0] > 0.3, 3.0, 0.0) * (1 + X[:, -1])
    return X, X @ slopes + step + generator.normal(size=n_rows) * 0.5


def mixed(generator, n_rows, n_columns=4):
    """(table, y): every other column holds words, one cell of ten is missing."""
    X, y = numbers(generator, n_rows, n_columns, decimals=(8, 9))  # no mean is a value, too
    columns = []
    for at in range(n_columns):
        missing = generator.random(n_rows) < 0.1
        if at % 2:
            codes = np.digitize(X[:, at], [-0.7, 0.0, 0.7]).astype(np.int32)
            codes[missing] = -1
            columns.append(NominalColumn(f"word {at}", codes, LEVELS))
        else:
            columns.append(NumericColumn(f"number {at}", np.where(missing, np.nan, X[:, at])))
    return Table(tuple(columns), n_rows), y


seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
