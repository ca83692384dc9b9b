"""Text tables larger than memory, a block of whole lines at a time."""

import bz2
import gzip
import lzma
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from treewright.data.sources.chosen_kinds import chosen_kinds
from treewright.data.sources.from_csv import ReadSettings, table_from_csv
from treewright.data.sources.from_files import PARQUET, TABS, table_from_content
from treewright.data.table import Table
from treewright.errors import DataError

BLOCK_BYTES = 16_000_000
BLOCK_ROWS = 100_000  # of a Parquet file
MEGABYTE = 1_000_000
Progress = Callable[[int, int], None]  # (done, all)
OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
QUOTE, NEWLINE = ord('"'), ord("\n")
BYTE_ORDER_16 = (b"\xff\xfe", b"\xfe\xff")


def table_blocks(
    path: str, settings: ReadSettings, progress: Progress | None = None
) -> Iterator[Table]:
    """The rows of a file, block after block; of "-" those of the standard input.

    An ARFF file is one block. `progress` is told how many megabytes of how many have been read.
    """
    if path == "-":
        yield from csv_blocks(sys.stdin.buffer, settings, "standard input")
        return
    file = Path(path)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    packed = suffixes[-1] if suffixes and suffixes[-1] in OPEN else None
    kind = next(iter((suffixes[:-1] if packed else suffixes)[-1:]), "")
    if kind in PARQUET and not packed:
        yield from parquet_blocks(file, settings, progress)
        return
    if kind in TABS and settings.delimiter is None:
        settings = replace(settings, delimiter="\t")
    size = file.stat().st_size
    with file.open("rb") as raw, unpacked(raw, packed) as stream:
        if kind in (*PARQUET, ".arff"):
            yield table_from_content(stream.read(), kind, settings, source=file.name)
            return
        for block in csv_blocks(stream, settings, file.name):
            yield block
            if progress is not None and size:
                progress(raw.tell() // MEGABYTE, size // MEGABYTE)


def unpacked(raw: BinaryIO, packed: str | None) -> Any:
    """The stream itself, or what it holds if it is packed."""
    return OPEN[packed](raw, "rb") if packed else raw


def parquet_blocks(
    file: Path, settings: ReadSettings, progress: Progress | None
) -> Iterator[Table]:
    """Blocks of the rows of a Parquet file, by polars; without it the file is one block."""
    try:
        import polars
    except ModuleNotFoundError:
        yield table_from_content(file.read_bytes(), ".parquet", settings, source=file.name)
        return
    from treewright.data.sources import table_from

    try:
        scan = polars.scan_parquet(file)
        n_rows = scan.select(polars.len()).collect().item()
        for begin in range(0, max(n_rows, 1), BLOCK_ROWS):
            block = table_from(scan.slice(begin, BLOCK_ROWS).collect())
            yield chosen_kinds(block, settings, file.name)
            if progress is not None:
                done = min(begin + BLOCK_ROWS, n_rows) / max(n_rows, 1)
                size = file.stat().st_size // MEGABYTE
                progress(int(done * size), size)
    except polars.exceptions.PolarsError as error:
        raise DataError(f"{file.name} is not a Parquet file: {error}") from None


def csv_blocks(stream: BinaryIO, settings: ReadSettings, source: str) -> Iterator[Table]:
    """Blocks of whole records; each is read under the header of the file."""
    header, n_lines, rest = b"", 0, b""
    while True:
        read = stream.read(BLOCK_BYTES)
        content = rest + read
        if content.startswith(BYTE_ORDER_16) and not n_lines:
            content, read = content + stream.read(), b""  # two bytes a letter: all at once
        cut = end_of_records(content) if read else len(content)
        if read and not header and settings.header and first_record(content[:cut]) == content[:cut]:
            cut = 0  # a header alone is no table yet
        block, rest = content[:cut], content[cut:]
        if block.strip() or (not n_lines and not read):
            yield read_block(header + block, settings, source, n_lines - header.count(b"\n"))
        if settings.header and not header and block:
            header = first_record(block)
        n_lines += block.count(b"\n")
        if not read:
            return


def end_of_records(content: bytes) -> int:
    """Where the last whole record ends: behind a newline outside of quotes; 0 if there is none."""
    letters = np.frombuffer(content, dtype=np.uint8)
    newlines = np.flatnonzero(letters == NEWLINE)
    if QUOTE in content:
        n_quotes = np.searchsorted(np.flatnonzero(letters == QUOTE), newlines)
        newlines = newlines[n_quotes % 2 == 0]
    return int(newlines[-1]) + 1 if len(newlines) else 0


def first_record(content: bytes) -> bytes:
    """The header line with its newline; a name may hold newlines in quotes."""
    at = -1
    while True:
        at = content.find(b"\n", at + 1)
        if at < 0:
            return content
        if content.count(b'"', 0, at) % 2 == 0:
            return content[: at + 1]


def read_block(content: bytes, settings: ReadSettings, source: str, lines_before: int) -> Table:
    """One block as a table; errors count lines from the beginning of the file."""
    try:
        return table_from_csv(content, settings, source=source)
    except DataError as error:
        in_file = re.sub(
            r"\bline (\d+)", lambda found: f"line {int(found[1]) + lines_before}", error.args[0]
        )
        raise type(error)(in_file, hint=error.hint) from None
