"""Blocks of a table: the rows of a file of any size, some at a time.

`table_blocks(path, settings)` is the interface. It yields a `Table` for each block of rows, in the
order of the file, and holds about one block in memory. What callers may rely on:

- All blocks have the same columns, in the same order, and at least one row.
- With `settings.schema`, a column is in every block what it was in training. Without it a block is
  read by itself, so a column may be numbers in one block and text in the next: give a schema, or
  name the columns in `settings.text`, `categorical` or `numeric`.
- Errors and warnings name the line of the file, not of the block.
- Text and JSON Lines (also packed), Parquet and Arrow files come in blocks; a folder or a pattern
  comes file by file. A workbook, an ARFF file and a JSON array are one block.

A new kind of file is one more function in `BLOCKS`; without one, the whole file is one block.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.formats import PLAIN, Format
from treewright.data.sources import table_from
from treewright.data.sources.arrow_messages import check_file, frames
from treewright.data.sources.encodings import Utf8Reader, count_lines
from treewright.data.sources.from_columnar import (
    ARROW,
    ARROW_START,
    BLOCK_ROWS,
    PARQUET,
    check_feather,
    naming_damage,
)
from treewright.data.sources.from_csv import ReadSettings, likely_delimiter, table_from_csv
from treewright.data.sources.from_excel import ZIP_START
from treewright.data.sources.from_files import (
    TABS,
    kind_of,
    kind_suffix,
    source_name,
    standard_input,
    start_of,
    table_from_content,
    with_peek,
)
from treewright.data.sources.from_json import LateKeysError, table_from_json
from treewright.data.sources.many_files import (
    EQUAL_FILES,
    check_same_columns,
    files_at,
    polars_errors,
    scan_of_parquet_files,
)
from treewright.data.sources.objects import empty_column
from treewright.data.sources.packed import PACKED, packed_by, unpacked, unzipped
from treewright.data.sources.type_inference import MixedFormatError, kinds_text
from treewright.data.sources.typed_cells import check_are_there, chosen_kinds
from treewright.data.table import Table
from treewright.errors import DataError, NoRowsError, TreewrightError
from treewright.files import open_regular, open_stream

BLOCK_BYTES = 16_000_000
MEGABYTE = 1_000_000
Progress = Callable[[int, int], None]  # (done, all)
Positions = NDArray[np.intp]
Letters = NDArray[np.uint8]
QUOTE, NEWLINE, RETURN = ord('"'), ord("\n"), ord("\r")
LINE_ENDS = b"\r\n"


def table_blocks(
    path: str, settings: ReadSettings, progress: Progress | None = None
) -> Iterator[Table]:
    """The rows of a file, folder or pattern, block after block; of "-" those of standard input.

    `progress` gets the megabytes read so far, and all of them.
    """
    if path == "-":
        yield from stream_blocks(standard_input(), "", settings, "standard input")
        return
    many = files_at(path)
    if many is None:
        yield from file_blocks(Path(path), settings, progress)
        return
    scan = scan_of_parquet_files(path, many)
    if scan is not None:
        with polars_errors(source_name(path), EQUAL_FILES), naming_damage(many):
            yield from scanned_blocks(scan, settings, source_name(path), progress)
        return
    first = ""
    names: tuple[str, ...] = ()
    for at, file in enumerate(many):
        with suppress(NoRowsError):
            for block in file_blocks(file, settings, None):
                first, names = first or file.name, names or block.names
                check_same_columns(names, block.names, first, file.name)
                yield block.select(list(names))
        if progress is not None:
            progress(at + 1, len(many))
    if not first:
        raise NoRowsError(f"{source_name(path)}: none of the files has rows")


def file_blocks(
    file: Path,
    settings: ReadSettings,
    progress: Progress | None,
    rows: tuple[int, int] | None = None,
) -> Iterator[Table]:
    """The blocks of one file; of a columnar file also those of `rows` alone, (first, number)."""
    suffix = kind_suffix(file)
    if file.suffix.lower() in (*PARQUET, *ARROW):
        with open_regular(file, DataError) as opened:  # polars would read a device to its end
            scan = columnar_scan(file, opened)
        if scan is not None:
            scan = scan if rows is None else scan.slice(*rows)
            kind = "a Parquet" if file.suffix.lower() in PARQUET else "an Arrow or Feather"
            with polars_errors(file.name, f"{kind} file"), naming_damage([file]):
                yield from scanned_blocks(scan, settings, file.name, progress)
            return
    if suffix in TABS and settings.delimiter is None:
        settings = replace(settings, delimiter="\t")
    size = file.stat().st_size
    with open_stream(file, DataError) as raw:
        for block in stream_blocks(raw, suffix, settings, file.name, file.suffix.lower()):
            yield block
            if progress is not None and size:
                progress(raw.tell() // MEGABYTE, size // MEGABYTE)


def columnar_scan(file: Path, opened: BinaryIO) -> Any:
    """A columnar file as a lazy polars frame; None without polars, and for Arrow streams."""
    if not has_polars():
        return None
    import polars

    if opened.read(len(ARROW_START)) == ARROW_START:
        check_file(opened, file.name)
        return polars.scan_ipc(file)
    if file.suffix.lower() not in PARQUET:
        return None
    return polars.scan_parquet(file, hive_partitioning=False, low_memory=True)


def scanned_blocks(
    scan: Any, settings: ReadSettings, source: str, progress: Progress | None
) -> Iterator[Table]:
    """Blocks of the rows of a lazy polars frame."""
    import polars

    n_rows, n_read = scan.select(polars.len()).collect().item(), 0
    if n_rows == 0:
        raise NoRowsError(f"{source} has no rows")
    for frame in lazy_blocks(scan, BLOCK_ROWS):
        yield chosen_kinds(table_from(frame), settings, source)
        n_read += frame.height
        if progress is not None:
            progress(n_read, n_rows)


def lazy_blocks(frame: Any, size: int) -> Iterator[Any]:
    """The rows of a lazy polars frame, as frames of at most `size` rows."""
    if not hasattr(frame, "collect_batches"):  # in older versions of polars
        begin = 0
        while (block := frame.slice(begin, size).collect()).height:
            yield block
            begin += size
        return
    # Each slice of a file reads the whole row group that it is in; batches read it once.
    for batch in frame.collect_batches(chunk_size=size, maintain_order=True):
        for begin in range(0, batch.height, size):
            yield batch.slice(begin, size)


def stream_blocks(
    raw: BinaryIO, suffix: str, settings: ReadSettings, source: str, ending: str = ""
) -> Iterator[Table]:
    """Blocks of a stream, unpacked if it is packed; what cannot be cut is one block."""
    stream: Any = unpacked_stream(raw, ending, source)
    kind = kind_of_stream(stream, suffix, source)
    if kind not in BLOCKS:
        suffix, content = unzipped(suffix, stream.read(), source)
        yield table_from_content(content, suffix, settings, source=source)
        return
    if kind in TEXT_KINDS:
        stream = Utf8Reader(stream, source, settings.encoding)
        settings = replace(settings, encoding="utf-8")
    yield from BLOCKS[kind](stream, settings, source)


def unpacked_stream(raw: BinaryIO, ending: str, source: str) -> Any:
    """The bytes of a file, unpacked if they are packed. The stream can `peek`."""
    raw = with_peek(raw)
    packed = packed_by(start_of(raw), ending)
    return with_peek(unpacked(raw, packed, source)) if packed else raw


def kind_of_stream(stream: Any, suffix: str, source: str) -> str:
    """The kind of a file that is unpacked, or "archive"."""
    start = start_of(stream)
    is_archive = start.startswith(ZIP_START) or suffix == ".zip"
    return "archive" if is_archive else kind_of(start, suffix, source)


def next_bytes(stream: Any) -> tuple[bytes, bool]:
    """The next `BLOCK_BYTES` of a stream, or fewer at its end, and whether this is the end."""
    found: list[bytes] = []
    n_bytes = 0
    while n_bytes < BLOCK_BYTES:
        read = stream.read(BLOCK_BYTES - n_bytes)
        if not read:
            return b"".join(found), True
        found.append(read)
        n_bytes += len(read)
    return b"".join(found), False


def arrow_blocks(stream: BinaryIO, settings: ReadSettings, source: str) -> Iterator[Table]:
    """The batches of an Arrow stream; a file, and any without polars, is one block."""
    check_feather(start_of(stream), source)
    if not has_polars() or start_of(stream).startswith(ARROW_START):
        yield table_from_content(stream.read(), ".arrow", settings, source=source)
        return
    import polars

    n_rows = 0
    with polars_errors(source, "an Arrow or Feather file"):
        for frame in frames(stream, source, polars):
            for begin in range(0, frame.height, BLOCK_ROWS):
                block = table_from(frame.slice(begin, BLOCK_ROWS))
                n_rows += block.n_rows
                yield chosen_kinds(block, settings, source)
    if not n_rows:
        raise NoRowsError(f"{source} has no rows")


def has_polars() -> bool:
    try:
        import polars  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def json_blocks(stream: BinaryIO, settings: ReadSettings, source: str) -> Iterator[Table]:
    """Blocks of complete lines of JSON; keys that a row lacks are missing values.

    Without a schema, keys that first appear after the first block raise a `LateKeysError`.
    """
    lenient = replace(settings, strict=False)
    names = (*settings.keys,)
    all_keys = dict.fromkeys(names)
    n_lines, rest = 0, b""
    while True:
        read, is_last = next_bytes(stream)
        content = rest + read
        if not n_lines and content.lstrip().startswith(b"["):
            content, is_last = content + stream.read(), True  # an array: all at once
        cut = len(content) if is_last else content.rfind(b"\n") + 1
        block, rest = content[:cut], content[cut:]
        if block.strip() or (not names and is_last):
            try:
                with lines_of_file(n_lines):
                    table = table_from_json(block, lenient, source=source)
            except NoRowsError:  # rows without a key
                if not names:
                    raise
                n_rows = sum(map(bool, map(bytes.strip, block.splitlines())))
                table = Table([empty_column(names[0], n_rows)])
            names = names or table.names
            all_keys.update(dict.fromkeys(table.names))
            if settings.schema is not None or len(all_keys) == len(names):
                yield with_columns(table, names)
        n_lines += count_lines(block)
        if is_last:
            break
    check_are_there(tuple(settings.settled().kinds), [*all_keys], settings, source)
    if settings.schema is None and len(all_keys) > len(names):
        raise LateKeysError.of([*all_keys], len(names), source)


def with_columns(table: Table, names: tuple[str, ...]) -> Table:
    """The table with just these columns; those that it lacks are missing."""
    columns = [
        table[name] if name in table.names else empty_column(name, table.n_rows) for name in names
    ]
    return Table(columns, table.n_rows, has_names=table.has_names)


def csv_blocks(stream: BinaryIO, settings: ReadSettings, source: str) -> Iterator[Table]:
    """Blocks of whole records; each is read under the header of the file."""
    header, n_lines, rest = b"", 0, b""
    formats: dict[str, Format] = {}
    while True:
        read, is_last = next_bytes(stream)
        content = rest + read
        delimiter = settings.delimiter or likely_delimiter(content)
        ends = np.array([len(content)]) if is_last else record_ends(content, delimiter)
        cut = int(ends[-1]) if len(ends) else 0
        if settings.header and not header and not is_last and holds_one_record(content[:cut], ends):
            cut = 0  # a header alone is no table yet
        block, rest = content[:cut], content[cut:]
        if block.strip() or (not n_lines and is_last):
            table = read_block(header + block, settings, source, n_lines - count_lines(header))
            check_formats(table, formats, f"{source}, from line {n_lines + 1} on")
            yield table
            settings = replace(settings, delimiter=delimiter)
        if settings.header and not header:
            header = first_record(block, ends)
        n_lines += count_lines(block)
        if is_last:
            return


def delimiter_of(file: Path, settings: ReadSettings) -> str:
    """The separator of a text file."""
    if settings.delimiter is not None:
        return settings.delimiter
    if kind_suffix(file) in TABS:
        return "\t"
    with open_stream(file, DataError) as raw:
        stream = unpacked_stream(raw, file.suffix.lower(), file.name)
        text = Utf8Reader(stream, file.name, settings.encoding)
        return likely_delimiter(next_bytes(text)[0])


def text_kind(file: Path) -> str:
    """ "csv" or "json", where types are inferred from text; "" for other files."""
    try:
        with open_stream(file, DataError) as raw:
            stream = unpacked_stream(raw, file.suffix.lower(), file.name)
            kind = kind_of_stream(stream, kind_suffix(file), file.name)
    except (TreewrightError, OSError):
        return ""
    return kind if kind in ("csv", "json") else ""


def may_have_blocks(file: Path) -> bool:
    """Whether a text file may be read in several blocks: a letter may take three bytes of UTF-8."""
    return 3 * file.stat().st_size >= BLOCK_BYTES or file.suffix.lower() in PACKED


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
            error = DataError(
                f"{where}: column `{column.name}` is written as {shown[0]}, but as "
                f"{shown[1]} before",
                hint=f"give {kinds_text(column.name, ways)}",
            )
            raise MixedFormatError.from_error(error, [column.name])
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
    """One block as a table."""
    with lines_of_file(lines_before):
        return table_from_csv(content, settings, source=source)


@contextmanager
def lines_of_file(lines_before: int) -> Iterator[None]:
    """Errors count lines from the beginning of the file, not of the block."""
    try:
        yield
    except DataError as error:
        in_file = re.sub(
            r"\bline (\d+)", lambda found: f"line {int(found[1]) + lines_before}", error.args[0]
        )
        raise type(error)(in_file, hint=error.hint) from None


BLOCKS: dict[str, Callable[[Any, ReadSettings, str], Iterator[Table]]] = {
    "csv": csv_blocks,
    "json": json_blocks,
    "arrow": arrow_blocks,
}
TEXT_KINDS = ("csv", "json")
