"""Rows as the tree libraries take them: a matrix of numbers, levels as their positions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.exports.sums.program import SumProgram
from treewright.tree.predict import predict_leaves


def coded_rows(program: SumProgram, rows: Table) -> Floats:
    """(n_rows, n_columns): numbers, and positions of levels; NaN where missing or not seen."""
    encoded = encoded_rows(program, rows)
    columns = []
    for column in encoded.columns:
        if isinstance(column, NumericColumn):
            columns.append(np.asarray(column.values, dtype=np.float64))
        else:
            codes = column.codes.astype(np.float64)
            is_known = (codes >= 0) & (codes < len(program.columns[len(columns)].levels))
            columns.append(np.where(is_known, codes, np.nan))
    return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0))


def encoded_rows(program: SumProgram, rows: Table) -> Table:
    """The rows with the levels of the model, those not seen in training as missing."""
    return program.schema.encode(rows, "missing")


def refuses_categories(program: SumProgram) -> bool:
    """Whether some category is an error, which a matrix of numbers cannot say."""
    asked = (program.columns[column] for column in program.used_columns)
    return program.unseen == "error" and not all(spec.is_numeric for spec in asked)


def both_classes(second: Floats) -> Floats:
    """(n_rows, 2) from the probability of the second class (n_rows, 1)."""
    return np.concatenate([1.0 - second, second], axis=1)


def rows_that_stray(program: SumProgram, rows: Table, ends: NDArray[Any]) -> dict[int, str]:
    """Rows that end at another leaf than in the model; `ends` is (n_rows, n_trees)."""
    encoded = encoded_rows(program, rows)
    found: dict[int, str] = {}
    for at, tree in enumerate(program.trees):
        expected = predict_leaves(tree, encoded)
        for row in np.flatnonzero(expected != ends[:, at]).tolist():
            text = f"tree {at} ends at node {ends[row, at]:.0f}, not {expected[row]}"
            found.setdefault(row, text)
    return found
