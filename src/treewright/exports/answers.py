"""What an exported program says when it is run."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NominalColumn
from treewright.data.table import Table
from treewright.errors import ExportError


class ProgramError(ExportError):
    """An exported program does not run, does not end, or says what is no answer."""


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
    errors: dict[int, str] = field(default_factory=dict)  # row -> how its answer failed

    @property
    def n_rows(self) -> int | None:
        """How many rows were answered; None where nothing says so."""
        counts = {len(part) for part in (self.labels, self.values) if part is not None}
        return counts.pop() if len(counts) == 1 else None


def words_of(error: BaseException) -> str:
    """An exception in one line, as Python shows it at the end of a traceback."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def in_rows(table: Table) -> Iterator[dict[str, Any]]:
    """Rows as a program gets them: by column name, None for missing, times as their counts."""
    columns = [
        [column.value(row) for row in range(len(table))]
        if isinstance(column, NominalColumn)
        else [None if value != value else value for value in column.values.tolist()]
        for column in table.columns
    ]
    if not columns:
        yield from ({} for _ in range(len(table)))
    for row in zip(*columns, strict=True):
        yield dict(zip(table.names, row, strict=True))
