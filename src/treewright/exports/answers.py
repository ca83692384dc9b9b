"""What an exported program says when it is run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NominalColumn
from treewright.data.table import Table


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers to the rows of a table, row by row.

    A program that refuses a row (an unseen level under the policy "error") has None as its label,
    and NaN as its values.
    """

    labels: list[Any] | None  # class labels; None for numbers
    values: NDArray[np.float64] | None  # (n_rows, n_values): probabilities or the number;
    # None where the format gives labels alone
    tolerance: float = 0.0  # what values may differ by, where the format has no exact doubles


def in_rows(table: Table) -> Iterator[dict[str, Any]]:
    """Rows as a program gets them: by column name, None for missing, times as their counts."""
    columns = [
        [column.value(row) for row in range(len(table))]
        if isinstance(column, NominalColumn)
        else [None if value != value else value for value in column.values.tolist()]
        for column in table.columns
    ]
    for row in zip(*columns, strict=True):
        yield dict(zip(table.names, row, strict=True))
