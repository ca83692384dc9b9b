"""Rows on their way out as CSV."""

import csv
from collections.abc import Iterable, Sequence
from typing import Any, TextIO


def write_rows(file: TextIO, rows: Iterable[Sequence[Any]], *, raw: bool) -> None:
    """Write rows as CSV; `raw` leaves cells that spreadsheets take for formulas as they are."""
    from treewright.data.harmless import harmless

    def shown(row: Sequence[Any]) -> Sequence[Any]:
        return [harmless(cell) if isinstance(cell, str) else cell for cell in row]

    csv.writer(file, lineterminator="\n").writerows(rows if raw else map(shown, rows))
