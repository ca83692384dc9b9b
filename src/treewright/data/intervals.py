"""Numeric columns cut into intervals: ordered nominal columns that say where they were cut."""

from collections.abc import Iterable
from itertools import pairwise
from math import floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.cut_points import Floats, interval_codes
from treewright.data.printed_thresholds import NONE_PRINTED, PrintedThresholds
from treewright.data.table import Table


def interval_column(
    column: NumericColumn, cuts: ArrayLike, printed: PrintedThresholds | None = None
) -> NominalColumn:
    """The column as ordered levels, one for each interval between the cuts.

    `printed` says how the cuts are printed; None: exactly.

    >>> age = NumericColumn("age", np.array([20.0, 40.0, np.nan]))
    >>> interval_column(age, [30.0]).levels
    ('(-inf, 30]', '(30, inf)')
    """
    edges = np.asarray(cuts, dtype=np.float64)
    return NominalColumn(
        column.name,
        interval_codes(column.values, edges),
        interval_labels(column, edges, printed),
        ordered=True,
        declared=True,
        origin=f"numbers cut at {len(edges)} points",
    )


def interval_labels(
    column: NumericColumn, cuts: Floats, printed: PrintedThresholds | None = None
) -> tuple[str, ...]:
    """`(-inf, 2.5]`, `(2.5, 4]`, `(4, inf)`: the upper end belongs to the interval."""
    edges = ["-inf", *_edge_texts(column, cuts, printed or NONE_PRINTED), "inf"]
    closing = ["]"] * len(cuts) + [")"]
    return tuple(
        f"({low}, {high}{end}" for (low, high), end in zip(pairwise(edges), closing, strict=True)
    )


def _edge_texts(column: NumericColumn, cuts: Floats, printed: PrintedThresholds) -> list[str]:
    if column.unit:
        # The last date that is not after the cut: where a cut lies between two days,
        # the earlier one is the end of the interval.
        return _distinct_texts(cuts, [str(column.with_unit(floor(cut))) for cut in cuts])
    return [printed.text(cut) for cut in cuts.tolist()]


def _distinct_texts(cuts: Floats, short: list[str]) -> list[str]:
    """Short texts, unless two cuts would then look the same."""
    return short if len(set(short)) == len(short) else [repr(float(cut)) for cut in cuts]


class IntervalTable(Table):
    """A table with columns cut into intervals; as an array it holds the intervals' numbers.

    So what follows in a pipeline may be a tree that reads the labels, or any estimator that
    wants numbers.
    """

    __slots__ = ()

    @classmethod
    def of_columns(cls, columns: Iterable[Any], like: Table) -> "IntervalTable":
        """Columns of a table whose names are as real as those of `like`."""
        return cls(tuple(columns), like.n_rows, has_names=like.has_names)

    def __array__(
        self,
        dtype: Any = None,
        copy: bool | None = None,  # noqa: FBT001 -- NumPy's protocol
    ) -> NDArray[Any]:
        if any(column.kind == "nominal" for column in self.columns):
            return super().__array__(dtype, copy)
        columns = [
            np.where(column.is_missing, np.nan, column.codes)
            if isinstance(column, NominalColumn)
            else column.values
            for column in self.columns
        ]
        return np.column_stack(columns).astype(dtype or np.float64, copy=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return IntervalTable._unpickled, (self.columns, self.n_rows, self.has_names)

    @classmethod
    def _unpickled(cls, columns: Any, n_rows: int, has_names: bool) -> "IntervalTable":  # noqa: FBT001
        return cls(columns, n_rows, has_names=has_names)

    def _like(self, columns: Any, n_rows: int) -> "IntervalTable":
        return IntervalTable(columns, n_rows, has_names=self.has_names)
