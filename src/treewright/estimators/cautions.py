"""Warnings of the estimators: what fit can tell is of no use or meant otherwise."""

import numpy as np

from treewright.data.column import NominalColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.data.user_warning import warn_user as warn_user

MOST_SHOWN = 5
MANY_CLASSES = 100
FEW_LEVELS = 10  # so many levels are never too many


def warn_of_useless_columns(table: Table) -> None:
    """One warning for columns without a value, one for columns that name the rows."""
    empty = columns_without_a_value(table)
    if empty:
        warn_user(f"{listed_columns(empty)} without any value cannot be used")
    ids = [] if table.matrix is not None else columns_that_name_rows(table)
    if ids:
        warn_user(
            f"{listed_columns(ids)} with a level for every other row or more: names and ids say "
            "nothing about new rows, leave such a column out"
        )


def warn_of_many_classes(target: ClassTarget) -> None:
    """A number taken for a class has many values, few rows each."""
    n_classes = target.n_classes
    if n_classes > max(MANY_CLASSES, target.n_rows / 10) and target.classes.dtype.kind in "iuf":
        warn_user(
            f"the target has {n_classes} classes in {target.n_rows} rows; if it is a "
            "number to be predicted, use CARTRegressor or TreeRegressor"
        )


def columns_without_a_value(table: Table) -> list[str]:
    """Columns that are missing in every row."""
    if table.matrix is not None:
        suspects = np.flatnonzero(np.isnan(table.matrix[0]))  # most often none: a cheap question
        return [table.names[at] for at in suspects if np.isnan(table.matrix[:, at]).all()]
    return [
        column.name
        for column in table.columns
        if column.value(0) is None and column.n_missing == table.n_rows
    ]


def columns_that_name_rows(table: Table) -> list[str]:
    """Nominal columns with more levels than half the rows."""
    return [
        column.name
        for column in table.columns
        if isinstance(column, NominalColumn)
        and len(column.levels) > max(table.n_rows / 2, FEW_LEVELS)
    ]


def listed_columns(names: list[str]) -> str:
    """Columns by name, the first of many."""
    shown = ", ".join(f"`{name}`" for name in names[:MOST_SHOWN])
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"
