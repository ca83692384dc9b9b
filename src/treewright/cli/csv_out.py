"""CSV on its way out: cells that a spreadsheet would run as formulas are made harmless."""

import csv
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

RISKY_STARTS = tuple("=+-@\t\r\n＝＋－＠")


def write_rows(file: TextIO, rows: Iterable[Sequence[Any]], *, raw: bool) -> None:
    """Write rows; `raw` leaves every cell as it is."""
    csv.writer(file, lineterminator="\n").writerows(
        [harmless(cell, raw=raw) for cell in row] for row in rows
    )


def harmless(cell: Any, *, raw: bool) -> Any:
    """Text that begins like a formula gets an apostrophe in front; numbers stay numbers."""
    if raw or not isinstance(cell, str) or not cell.startswith(RISKY_STARTS):
        return cell
    return "'" + cell


@contextmanager
def text_output(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears when all is written."""
    if path is None or str(path) == "-":
        yield sys.stdout
        return
    if path.exists() and not path.is_file():  # a device or a pipe
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        unfinished.unlink(missing_ok=True)
