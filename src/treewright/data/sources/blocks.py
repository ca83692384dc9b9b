"""Text tables larger than memory, a block of whole lines at a time."""

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.readers import guess_delimiter
from treewright.data.column import NumericColumn
from treewright.data.formats import PLAIN, Format
from treewright.data.sources import table_from
from treewright.data.sources.from_csv import ReadSettings, count_lines, table_from_csv
from treewright.data.sources.from_files import (
    DAMAGED,
    LONGEST_START,
    PARQUET,
    PARQUET_START,
    TABS,
    UNPACK,
    check_is_read,
    chosen_kinds,
    damaged,
    packed_by,
    standard_input,
    table_from_content,
)
from treewright.data.sources.understood import kinds_text
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.files import open_regular, open_stream

BLOCK_BYTES = 16_000_000
BLOCK_ROWS = 100_000  # of a Parquet file
MEGABYTE = 1_000_000
Progress = Callable[[int, int], None]  # (done, all)
OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
Positions = NDArray[np.intp]
Letters = NDArray[np.uint8]
QUOTE, NEWLINE, RETURN = ord('"'), ord("\n"), ord("\r")
LINE_ENDS = b"\r\n"
BYTE_ORDER_8 = b"\xef\xbb\xbf"
BYTE_ORDER_16 = (b"\xff\xfe", b"\xfe\xff")


def table_blocks(
    path: str, settings: ReadSettings, progress: Progress | None = None
) -> Iterator[Table]:
    """The rows of a file, block after block; of "-" those of the standard input.

    An ARFF file is one block. `progress` gets the megabytes read so far, and all of them.
    """
    if path == "-":
        yield from stream_blocks(standard_input(), "", settings, "standard input")
        return
    file = Path(path)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    is_packed = bool(suffixes) and suffixes[-1] in UNPACK
    kind = next(iter((suffixes[:-1] if is_packed else suffixes)[-1:]), "")
    if kind in PARQUET and not is_packed:
        yield from parquet_blocks(file, settings, progress)
        return
    if kind in TABS and settings.delimiter is None:
        settings = replace(settings, delimiter="\t")
    size = file.stat().st_size
    with open_stream(file, DataError) as raw:
        for block in stream_blocks(raw, kind, settings, file.name, file.suffix.lower()):
            yield block
            if progress is not None and size:
                progress(raw.tell() // MEGABYTE, size // MEGABYTE)


def stream_blocks(
    raw: BinaryIO, kind: str, settings: ReadSettings, source: str, ending: str = ""
) -> Iterator[Table]:
    """Blocks of a stream, unpacked if it is packed; what is no text is one block."""
    raw = with_peek(raw)
    packed = packed_by(start_of(raw), ending)
    stream = with_peek(OPEN[packed](raw, "rb")) if packed else raw
    try:
        start = start_of(stream)
        if kind in (*PARQUET, ".arff") or start.startswith(PARQUET_START):
            yield table_from_content(stream.read(), kind, settings, source=source)
            return
        check_is_read(start, source)
        yield from csv_blocks(stream, settings, source)
    except DAMAGED as error:
        raise damaged(source, packed, error) from None
    except OSError as error:
        if not packed or error.errno is not None:
            raise
        raise damaged(source, packed, error) from None


def with_peek(stream: Any) -> Any:
    """The stream, so that its first bytes can be looked at and read again."""
    return stream if hasattr(stream, "peek") else BufferedReader(stream)


def start_of(stream: Any) -> bytes:
    start: bytes = stream.peek(LONGEST_START)[:LONGEST_START]
    return start


def parquet_blocks(
    file: Path, settings: ReadSettings, progress: Progress | None
) -> Iterator[Table]:
    """Blocks of the rows of a Parquet file, by polars; without it the file is one block."""
    with open_regular(file, DataError) as opened:  # polars would read a device to its end
        try:
            import polars
        except ModuleNotFoundError:
            yield table_from_content(opened.read(), ".parquet", settings, source=file.name)
            return
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
    formats: dict[str, Format] = {}
    while True:
        read = stream.read(BLOCK_BYTES)
        content = rest + read
        if not n_lines and content.startswith(BYTE_ORDER_16):
            content, read = content + stream.read(), b""  # two bytes a letter: all at once
        elif not n_lines:
            content = content.removeprefix(BYTE_ORDER_8)
        delimiter = settings.delimiter or guess_delimiter(content)
        ends = record_ends(content, delimiter) if read else np.array([len(content)])
        cut = int(ends[-1]) if len(ends) else 0
        if read and settings.header and not header and holds_one_record(content[:cut], ends):
            cut = 0  # a header alone is no table yet
        block, rest = content[:cut], content[cut:]
        if block.strip() or (not n_lines and not read):
            table = read_block(header + block, settings, source, n_lines - count_lines(header))
            check_formats(table, formats, f"{source}, from line {n_lines + 1} on")
            yield table
            settings = replace(settings, delimiter=delimiter)
        if settings.header and not header:
            header = first_record(block, ends)
        n_lines += count_lines(block)
        if not read:
            return


def check_formats(table: Table, formats: dict[str, Format], where: str) -> None:
    """Raise if a block writes a column so that the same text means another value than before."""
    for column in table.columns:
        if not isinstance(column, NumericColumn):
            continue
        before = formats.get(column.name)
        if before is not None and column.format.contradicts(before):
            is_date = bool(column.format.pattern)
            ways = ("day-first", "month-first") if is_date else ("decimal-comma", "decimal-point")
            shown = [form.pattern or form.number_text("1234.5") for form in (column.format, before)]
            raise DataError(
                f"{where}: column `{column.name}` is written as {shown[0]}, before as {shown[1]}",
                hint=f"give {kinds_text(column.name, ways)}",
            )
        if column.format != PLAIN or has_decimals(column):  # 1234 is 1234 in any format
            formats[column.name] = column.format


def has_decimals(column: NumericColumn) -> bool:
    known = column.values[np.isfinite(column.values)]
    return bool(np.any(known != np.floor(known)))


def holds_one_record(content: bytes, ends: Positions) -> bool:
    """Whether there is no more than one record, and empty lines."""
    return first_record(content, ends).strip(LINE_ENDS) == content.strip(LINE_ENDS)


def record_ends(content: bytes, delimiter: str) -> Positions:
    """Where records end: behind each line end that is not in a quoted cell.

    `content` begins with a record. A return at its very end may be half of a line end.
    """
    letters = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(letters == NEWLINE) + 1
    if RETURN in content:
        returns = np.flatnonzero(letters[:-1] == RETURN) + 1
        ends = np.union1d(ends, returns[letters[returns] != NEWLINE])
    if QUOTE not in content:
        return ends
    quotes = np.flatnonzero(letters == QUOTE)
    if not quotes_come_in_pairs(letters, quotes, delimiter):
        quotes = quotes_around_cells(content, delimiter)
    is_outside = np.searchsorted(quotes, ends) % 2 == 0
    outside: Positions = ends[is_outside]
    return outside


def quotes_come_in_pairs(letters: Letters, quotes: Positions, delimiter: str) -> bool:
    """Whether every other quote begins a cell, or is the second of two for one."""
    before = letters[quotes[::2] - 1]
    begin = np.isin(before, [*delimiter.encode(), NEWLINE, RETURN, QUOTE])
    return bool(np.all(begin | (quotes[::2] == 0)))


def quotes_around_cells(content: bytes, delimiter: str) -> Positions:
    """The quotes that open and close cells; others are letters, as in `5" pipe`."""
    separator = re.escape(delimiter.encode())
    blanks = b"[ ]*+" if delimiter == "\t" else b"[ \t]*+"
    cell = rb"""(?:\A|(?<=[\r\n%s]))%s"[^"]*+(?:""[^"]*+)*+("|\Z)""" % (separator, blanks)
    # A cell that is still open closes behind all that is here.
    spans = [
        (found.start(), found.end() - 1 if found[1] else len(content))
        for found in re.finditer(cell, content)
    ]
    return np.array(spans, dtype=np.intp).ravel()


def first_record(content: bytes, ends: Positions) -> bytes:
    """The header with its line end, without empty lines above it."""
    begin = len(content) - len(content.lstrip(LINE_ENDS))
    later = ends[ends > begin]
    return content[begin : int(later[0])] if len(later) else b""


def read_block(content: bytes, settings: ReadSettings, source: str, lines_before: int) -> Table:
    """One block as a table; errors count lines from the beginning of the file."""
    try:
        return table_from_csv(content, settings, source=source)
    except DataError as error:
        in_file = re.sub(
            r"\bline (\d+)", lambda found: f"line {int(found[1]) + lines_before}", error.args[0]
        )
        raise type(error)(in_file, hint=error.hint) from None
