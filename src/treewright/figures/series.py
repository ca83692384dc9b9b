"""Numbers over time, out of a table of any kind: what regression_fit learns from."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.sources import table_from
from treewright.data.sources.from_files import read_table
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError

Floats = NDArray[np.float64]
LARGEST = 1e150  # the squares of larger numbers are infinite
TRAINING_SHARE = 2 / 3  # of the rows, where the caller names no end


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers over time, in the order of time."""

    column: NumericColumn  # the x values, with their unit
    y: Floats
    is_training: NDArray[np.bool_]
    until: float
    n_left_out: int

    @property
    def x(self) -> Floats:
        return self.column.values.astype(np.float64, copy=False)

    def learnt(self, *, log: bool) -> Floats:
        """What the models learn of y."""
        return np.log(self.y) if log else self.y


def series_of(table: Any, x: str, y: str, until: Any) -> Series:
    """The two columns in the order of x, without rows that lack a value."""
    rows = rows_of(table)
    time, target = number_column(rows, x), number_column(rows, y)
    if target.unit:
        raise DataError(f"`{y}` holds times", hint="a tree of numbers needs plain numbers")
    known = (np.abs(time.values) < LARGEST) & (np.abs(target.values) < LARGEST)  # no NaN either
    order = np.flatnonzero(known)[np.argsort(time.values[known], kind="stable")]
    time = time.take(order)
    end = end_of_training(time, until)
    is_training = time.values < end
    if is_training.sum() < 2:
        raise DataError(
            f"fewer than two training rows of `{x}` and `{y}`", hint="choose a later `until`"
        )
    values = target.values[order].astype(np.float64)
    return Series(time, values, is_training, end, int((~known).sum()))


def rows_of(table: Any) -> Table:
    """A table of any kind, or that in the file of this name."""
    if not isinstance(table, str | os.PathLike):
        return table_from(table)
    try:
        return read_table(table)
    except OSError as error:
        raise DataError(
            f"`{table}` cannot be read: {error.strerror}",
            hint="give a table, or the path of a file that read_table reads",
        ) from None


def number_column(rows: Table, name: str) -> NumericColumn:
    if name not in rows.names:
        raise UnknownColumnError.among(name, rows.names, source="the table")
    column = rows[name]
    if not isinstance(column, NumericColumn):
        raise DataError(f"`{name}` is a nominal column", hint="name a column of numbers or dates")
    return NumericColumn(name, column.values.astype(np.float64), column.unit)


def end_of_training(time: NumericColumn, until: Any) -> float:
    """Where the training rows end, as a count of the column's unit."""
    if until is None:
        return float(time.values[int(len(time) * TRAINING_SHARE)]) if len(time) else 0.0
    try:
        if time.unit:
            return float(np.array(until, dtype=time.unit).astype(np.int64))
        return float(until)
    except (TypeError, ValueError):
        kind = "a date" if time.unit else "a number"
        raise ParameterError(f"until is {until!r}", hint=f"use {kind}, as in the column") from None
