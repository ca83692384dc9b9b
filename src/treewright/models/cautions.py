"""Warnings about columns that fit can tell are of no use."""

import warnings

import numpy as np

from treewright.data.column import NominalColumn
from treewright.data.table import Table

MOST_SHOWN = 5
FEW_LEVELS = 10  # so many levels are never too many


def warn_of_useless_columns(table: Table) -> None:
    """One warning for columns without a value, one for columns that name the rows."""
    empty = columns_without_a_value(table)
    if empty:
        warnings.warn(f"{_listed(empty)} without any value cannot be used", stacklevel=3)
    ids = [] if table.matrix is not None else columns_that_name_rows(table)
    if ids:
        warnings.warn(
            f"{_listed(ids)} with a level for every other row or more: names and ids say nothing "
            "about new rows, leave such a column out",
            stacklevel=3,
        )


def columns_without_a_value(table: Table) -> list[str]:
    """Columns that are missing in every row."""
    if table.matrix is not None:
        suspects = np.flatnonzero(np.isnan(table.matrix[0]))  # most often none: a cheap question
        return [table.names[at] for at in suspects if np.isnan(table.matrix[:, at]).all()]
    return [
        column.name
        for column in table.columns
        if column.is_missing[0] and column.n_missing == table.n_rows
    ]


def columns_that_name_rows(table: Table) -> list[str]:
    """Nominal columns with more levels than half the rows."""
    return [
        column.name
        for column in table.columns
        if isinstance(column, NominalColumn)
        and len(column.levels) > max(table.n_rows / 2, FEW_LEVELS)
    ]


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:MOST_SHOWN])
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"
