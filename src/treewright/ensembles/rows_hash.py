"""A short hash of the rows that a model learns from: by it they are known again."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import StandardArithmetic
from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.estimators.training import Target, TrainingRows

HASH_DIGITS = 32
CELLS_OF_A_COLUMN = 10_000  # that are hashed, evenly spread: a fit may not wait for more


def hash_of(rows: TrainingRows, table: Table | None = None) -> str:
    """Hexadecimal digits of the target, the weights and some cells of each column.

    Levels count by their codes, so `table` has the rows as the fitted model's columns take them.
    """
    cells = rows.table if table is None else table
    found = hashlib.sha256(f"{rows.n_rows} {cells.n_columns}".encode())
    found.update(target_bytes(rows.target))
    if rows.weights is not None and (rows.weights != 1.0).any():
        found.update(float_bytes(rows.weights))
    taken = np.arange(0, rows.n_rows, max(1, rows.n_rows // CELLS_OF_A_COLUMN))
    for column in cells.columns:
        if isinstance(column, NumericColumn):
            found.update(float_bytes(column.values[taken]))
        else:
            found.update(np.asarray(column.codes[taken], dtype="<i4").tobytes())
    return found.hexdigest()[:HASH_DIGITS]


def target_bytes(target: Target) -> bytes:
    """Classes and their codes, or numbers."""
    if not isinstance(target, ClassTarget):
        return float_bytes(target.values)
    names = "\0".join(map(str, target.classes.tolist()))
    return names.encode(errors="surrogatepass") + np.asarray(target.codes, dtype="<i4").tobytes()


def float_bytes(numbers: NDArray[Any]) -> bytes:
    """The same for equal numbers: of 0 and -0, of all NaN, of float32 and float64."""
    with StandardArithmetic():
        values = np.asarray(numbers, dtype="<f8") + 0.0
    values[np.isnan(values)] = np.nan
    return values.tobytes()
