"""Text on its way out, row by row."""

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from treewright.atomic_file import open_file


def write_rows(file: TextIO, rows: Iterable[Sequence[Any]], *, raw: bool) -> None:
    """Write rows as CSV; `raw` leaves cells that spreadsheets take for formulas as they are."""
    from treewright.data.harmless import harmless

    shown = (
        rows
        if raw
        else ([harmless(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    )
    csv.writer(file, lineterminator="\n").writerows(shown)


@contextmanager
def text_output(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears when all is written."""
    if path is None or str(path) == "-":
        yield sys.stdout
        return
    with open_file(path) as binary:
        file = io.TextIOWrapper(binary, encoding="utf-8", newline="")
        yield file
        file.detach()  # writes what it holds, and leaves the closing to `open_file`
