"""Files: CSV and TSV (also compressed), Parquet and ARFF."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, overload

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Column, NominalColumn
from treewright.data.date_parts import Dates, check_dates, with_date_parts
from treewright.data.schema import Schema
from treewright.data.sources import table_from, with_nominal
from treewright.data.sources.from_arff import table_from_arff
from treewright.data.sources.from_csv import ReadSettings, is_number, table_from_csv
from treewright.data.sources.understood import (
    CellError,
    as_model_knows,
    checked_kinds,
    understood,
    warn_of_lost_cells,
)
from treewright.data.table import Table
from treewright.errors import DataError, MissingExtraError, UnknownColumnError
from treewright.files import open_stream

UNPACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}
# What files begin with, whatever their names say.
PACKED_BY_START = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
PARQUET_START = b"PAR1"
NOT_READ_BY_START = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x28\xb5\x2f\xfd": "data packed by zstd",
    b"\x04\x22\x4d\x18": "data packed by lz4",
    b"7z\xbc\xaf": "a 7z archive",
    b"ARROW1": "an Arrow or Feather file",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"%PDF-": "a PDF document",
}
LONGEST_START = 16  # bytes
DAMAGED = (EOFError, lzma.LZMAError, zlib.error)  # what unpacking raises beside OSError
TABS = (".tsv", ".tab")
PARQUET = (".parquet", ".pq")
NOT_READ = {
    ".xlsx": "pandas.read_excel",
    ".xls": "pandas.read_excel",
    ".json": "pandas.read_json",
    ".jsonl": "polars.read_ndjson",
    ".feather": "polars.read_ipc",
    ".arrow": "polars.read_ipc",
    ".zip": "pandas.read_csv",
    ".sav": "pandas.read_spss",
    ".dta": "pandas.read_stata",
}


@overload
def read_table(
    path: Any,
    target: None = None,
    *,
    na: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    merge_case: bool = False,
    dates: Dates = "numbers",
    header: bool = True,
    delimiter: str | None = None,
    schema: Schema | None = None,
) -> Table: ...
@overload
def read_table(
    path: Any,
    target: str,
    *,
    na: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    merge_case: bool = False,
    dates: Dates = "numbers",
    header: bool = True,
    delimiter: str | None = None,
    schema: Schema | None = None,
) -> tuple[Table, NDArray[Any]]: ...
def read_table(  # noqa: PLR0913 (a file can be written in many ways)
    path: Any,
    target: str | None = None,
    *,
    na: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    merge_case: bool = False,
    dates: Dates = "numbers",
    header: bool = True,
    delimiter: str | None = None,
    schema: Schema | None = None,
) -> Table | tuple[Table, NDArray[Any]]:
    """Read a table; with `target`, return the other columns and the target values.

    Numbers, dates and times are read as people write them: `$101,508`, `22.2%`, `12 kg`,
    `19.10.2017`, `10:30`. One format must fit all cells of a column but two in a hundred.

    Parameters
    ----------
    path
        A CSV or TSV file (also .gz, .bz2, .xz), a Parquet or ARFF file, or "-" for CSV text from
        the standard input. A data frame, or anything else that `table_from` takes, works, too.
    target
        The column to split off.
    na
        Text that means missing, in every column. An empty cell is missing, too, and so are words
        such as `N/A`, `unknown`, `-` and `?` in columns of numbers or dates, unless it is `[]`.
    categorical, numeric
        Columns to read as nominal, or as numbers, whatever their cells look like.
    columns
        What columns hold, by name: "number", "decimal-comma", "decimal-point", "date",
        "day-first", "month-first", "year-first", "time", "yes-no", "text" or "category".
    merge_case
        Whether categories that differ only in case are one.
    dates
        "parts" puts year, month, weekday and hour in the place of each column of dates (but the
        target), so that a model can use what it learned for later dates. Predictions take the
        dates themselves.
    header
        Whether the first line of a text file holds the names.
    delimiter
        What separates the cells of a text file; without it the one that the first line uses.
    schema
        The schema of a model: its columns are read as what they were in training.

    Examples
    --------
    >>> rows = {"price": ["$1,200", "$950", "unknown"], "sold": ["19.10.2017", "2.1.2018", "-"]}
    >>> read_table(rows)
    Table of 3 rows and 2 columns
      price   sold
      $1,200  19.10.2017
      $950    2.1.2018
      ?       ?
    >>> read_table(rows)["price"].values
    array([1200.,  950.,   nan])
    """
    check_dates(dates)
    settings = ReadSettings(
        na=[na] if isinstance(na, str) else na,
        categorical=[categorical] if isinstance(categorical, str) else categorical,
        numeric=[numeric] if isinstance(numeric, str) else numeric,
        header=header,
        delimiter=delimiter,
        schema=schema,
        kinds=checked_kinds(columns),
        merge_case=merge_case,
    )
    if is_file(path):
        source, suffix, content = opened(path)
        table = table_from_content(content, suffix, settings, source=source)
    else:
        source = "the table"
        table = chosen_kinds(table_from(path), settings, source)
    if target is None:
        return with_date_parts(table) if dates == "parts" else table
    if target not in table.names:
        raise UnknownColumnError.among(target, table.names, source=source)
    X, y = table.split_target(target)
    return (with_date_parts(X) if dates == "parts" else X), y


def is_file(path: Any) -> bool:
    """Whether something to read is a file or a stream, not a table in memory."""
    return isinstance(path, str | PathLike) or hasattr(path, "read")


def opened(path: Any) -> tuple[str, str, bytes]:
    """What to call the file in messages, the ending that says its kind, and its bytes."""
    if hasattr(path, "read"):
        read = path.read()
        content = read.encode() if isinstance(read, str) else read
        return "the stream", ".csv", unpacked(content, packed_by(content, ""), "the stream")
    if str(path) == "-":
        content = standard_input().read()
        return "standard input", ".csv", unpacked(content, packed_by(content, ""), "standard input")
    file = Path(path)
    with open_stream(file, DataError) as stream:
        content = stream.read()
    suffix = file.suffix.lower()
    content = unpacked(content, packed_by(content, suffix), file.name)
    if suffix in UNPACK:
        suffix = Path(file.stem).suffix.lower()
    return file.name, suffix, content


def packed_by(start: bytes, suffix: str) -> str:
    """How a file is packed, as an ending such as .gz; "" if it is not.

    Its first bytes decide; a name that promises otherwise counts if they say nothing.
    """
    found = [ending for begin, ending in PACKED_BY_START.items() if start.startswith(begin)]
    return found[0] if found else suffix if suffix in UNPACK else ""


def unpacked(content: bytes, packed: str, source: str) -> bytes:
    """What a packed file holds."""
    if not packed:
        return content
    try:
        return UNPACK[packed](content)
    except (OSError, ValueError, *DAMAGED) as error:  # bz2 says ValueError
        raise damaged(source, packed, error) from None


def damaged(source: str, packed: str, error: Exception) -> DataError:
    return DataError(
        f"{source} is not a complete {packed[1:]} file: {error}",
        hint="if it was cut off, copy it again; if it is not compressed, rename it",
    )


def check_is_read(start: bytes, source: str) -> None:
    """Raise if a file begins as those of other programs do, whatever its name says."""
    for begin, kind in NOT_READ_BY_START.items():
        if start.startswith(begin):
            raise DataError(
                f"{source} holds {kind}, not a table of text",
                hint="save it as CSV or Parquet, or read it in Python and give the data frame",
            )


def standard_input() -> BinaryIO:
    """The bytes that come in by the standard input."""
    if sys.stdin is None:
        raise DataError("the standard input is closed", hint="give the name of a file")
    return sys.stdin.buffer


def table_from_content(
    content: bytes, suffix: str, settings: ReadSettings, *, source: str
) -> Table:
    """The table in the bytes of a file whose name ends in `suffix`."""
    if suffix in PARQUET or content.startswith(PARQUET_START):
        return chosen_kinds(table_from_parquet(content, source), settings, source)
    if suffix == ".arff":
        return chosen_kinds(table_from_arff(content, source=source), settings, source)
    if suffix in NOT_READ:
        raise DataError(
            f"{source} is a {suffix} file, which is not supported",
            hint=f"read it with {NOT_READ[suffix]} and pass the frame",
        )
    check_is_read(content, source)
    if suffix in TABS and settings.delimiter is None:
        settings = replace(settings, delimiter="\t")
    return table_from_csv(content, settings, source=source)


def table_from_parquet(content: bytes, source: str) -> Table:
    """A Parquet file, by polars or pyarrow, whichever is there."""
    try:
        import polars
    except ModuleNotFoundError:
        return table_from(pyarrow_table(content))
    try:
        return table_from(polars.read_parquet(BytesIO(content)))
    except polars.exceptions.PolarsError as error:
        raise DataError(f"{source} is not a Parquet file: {error}") from None


def pyarrow_table(content: bytes) -> Any:
    try:
        from pyarrow import BufferReader, parquet
    except ModuleNotFoundError:
        raise MissingExtraError(
            "reading Parquet files needs the package `polars`", hint="pip install 'treewright[cli]'"
        ) from None
    return parquet.read_table(BufferReader(content))


def chosen_kinds(table: Table, settings: ReadSettings, source: str) -> Table:
    """The table as the settings want it: cells that mean missing, and what text columns mean."""
    settings = settings.settled()
    for name in settings.kinds if settings.strict else ():
        if name not in table.names:
            raise UnknownColumnError.among(name, table.names, source=source)
    if settings.na:
        columns = [with_missing(column, settings.na) for column in table.columns]
        table = Table(columns, table.n_rows, has_names=table.has_names)
    columns = [meant(column, settings, source) for column in table.columns]
    if any(map(lambda new, old: new is not old, columns, table.columns)):
        warn_of_lost_cells(columns, settings.asked)
        table = Table(columns, table.n_rows, has_names=table.has_names)
    nominal = [name for name in table.names if settings.kind_of(name) == "category"]
    return with_nominal(table, nominal)


def meant(column: Column, settings: ReadSettings, source: str) -> Column:
    """A column of text as what its cells mean; categories that were declared stay."""
    said = settings.kind_of(column.name)
    is_text = isinstance(column, NominalColumn) and (column.by_appearance or bool(said))
    spec = settings.spec_of(column.name)
    if not isinstance(column, NominalColumn) or not is_text:
        return column
    if not said and spec is not None and not spec.is_numeric:
        return as_model_knows(column, spec.levels)
    try:
        return understood(column, settings.wanted(column.name))
    except CellError as error:
        raise DataError(f"{source}, {error.args[0]}", hint=error.hint) from None


def with_missing(column: Column, words: Sequence[str]) -> Column:
    """The column with the cells that hold one of the words made missing."""
    if isinstance(column, NominalColumn):
        kept = [at for at, level in enumerate(column.levels) if str(level) not in words]
        is_same = len(kept) == len(column.levels)
        return column if is_same else column.recoded(np.array(kept, dtype=np.intp))
    if column.unit:
        return column
    numbers = [float(word) for word in words if is_number(word)]
    stands_for_missing = np.isin(column.values, numbers)
    if not stands_for_missing.any():
        return column
    return replace(column, values=np.where(stands_for_missing, np.nan, column.values))
