"""Files of every kind: text, JSON, workbooks, Parquet, Arrow and ARFF, also compressed."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BufferedReader, BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Protocol, overload

from numpy.typing import NDArray

from treewright.data.date_parts import Dates, check_dates, with_date_parts
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.sources.encodings import as_utf8
from treewright.data.sources.from_arff import table_from_arff
from treewright.data.sources.from_columnar import (
    ARROW,
    ARROW_START,
    FEATHER_1_START,
    PARQUET,
    PARQUET_START,
    table_from_arrow_file,
    table_from_parquet,
)
from treewright.data.sources.from_csv import ReadSettings, table_from_csv
from treewright.data.sources.from_excel import (
    EXCEL,
    OLD_START,
    ZIP_START,
    is_workbook,
    table_from_excel,
)
from treewright.data.sources.from_json import JSON, JSON_START, table_from_json
from treewright.data.sources.many_files import files_at, frame_of_parquet_files, table_of_many
from treewright.data.sources.packed import PACKED, packed_by, unpacked, unzipped
from treewright.data.sources.type_inference import checked_kinds
from treewright.data.sources.typed_cells import chosen_kinds
from treewright.data.table import Table
from treewright.errors import DataError, UnknownColumnError
from treewright.files import open_stream

NOT_READ_BY_START = {
    ZIP_START: "a ZIP archive or an Excel workbook",
    OLD_START[:4]: "an old Excel workbook",
    b"\x04\x22\x4d\x18": "data packed by lz4",
    b"7z\xbc\xaf": "a 7z archive",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"%PDF-": "a PDF document",
}
LONGEST_START = 16  # bytes
TABS = (".tsv", ".tab")
READ_BY = {
    ".xls": "open it in a spreadsheet program and save it as .xlsx",
    ".ods": "open it in a spreadsheet program and save it as .xlsx",
    ".xlsb": "open it in a spreadsheet program and save it as .xlsx",
    ".sav": "read it with pandas.read_spss and pass the frame",
    ".dta": "read it with pandas.read_stata and pass the frame",
    ".sas7bdat": "read it with pandas.read_sas and pass the frame",
}
BY_SUFFIX = {
    **dict.fromkeys(PARQUET, "parquet"),
    **dict.fromkeys(ARROW, "arrow"),
    **dict.fromkeys(EXCEL, "excel"),
    **dict.fromkeys(JSON, "json"),
    ".arff": "arff",
}
BY_START = {PARQUET_START: "parquet", ARROW_START: "arrow", FEATHER_1_START: "arrow"}


class Reader(Protocol):
    """Reads the bytes of a file."""

    def __call__(self, content: bytes, settings: ReadSettings, *, source: str) -> Table: ...


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
    encoding: str | None = None,
    sheet: str | int | None = None,
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
    encoding: str | None = None,
    sheet: str | int | None = None,
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
    encoding: str | None = None,
    sheet: str | int | None = None,
    schema: Schema | None = None,
) -> Table | tuple[Table, NDArray[Any]]:
    """Read a table; with `target`, return the other columns and the target values.

    Numbers, dates and times are read as people write them: `$101,508`, `22.2%`, `12 kg`,
    `19.10.2017`, `10:30`. One format must fit at least 98 % of the cells of a column.

    Parameters
    ----------
    path
        A CSV, TSV, JSON Lines or ARFF file (also .gz, .bz2, .xz, .zst), an Excel workbook, a
        Parquet, Arrow or Feather file, a folder of Parquet files, a pattern such as
        `2024-*.csv` for files of the same columns, or "-" for text from standard input. Data
        frames and all other tables in memory work as well.
    target
        The column to split off.
    na
        Text that means missing, in every column. Empty cells are always missing. In columns of
        numbers or dates, so are words such as `N/A`, `unknown`, `-` and `?`, unless `na=[]`.
    categorical, numeric
        Columns to read as nominal, or as numbers, whatever their cells look like.
    columns
        The kind of columns, by name: "number", "decimal-comma", "decimal-point", "date",
        "day-first", "month-first", "year-first", "time", "yes-no", "text" or "category".
    merge_case
        Whether to merge categories that differ only in case.
    dates
        "parts" replaces each date column (except the target) by its year, month, weekday and
        hour, so that a model can apply what it learned to later dates. To predict, pass the
        dates themselves.
    header
        Whether the first line of a text file, or the first row of a sheet, holds the names.
    delimiter
        The separator of a text file; by default it is detected from the first lines.
    encoding
        The encoding of a text file, such as "cp1252" or "utf-16". By default, UTF-8 and UTF-16
        are recognized, and any other file is read as cp1252, with a warning.
    sheet
        The sheet of a workbook: its name, or its number from 1; by default the first.
    schema
        The schema of a model: columns are read with the types they had in training.

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
        encoding=encoding,
        sheet=sheet,
        schema=schema,
        kinds=checked_kinds(columns),
        merge_case=merge_case,
    )
    if is_file(path):
        source = source_name(path)
        table = table_at(path, settings)
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


def table_at(path: Any, settings: ReadSettings) -> Table:
    """The table of a file, of a folder, or of all files that match a pattern."""
    many = files_at(path)
    if many is None:
        source, suffix, content = opened(path)
        return table_from_content(content, suffix, settings, source=source)
    source = source_name(path)
    frame = frame_of_parquet_files(path, many, source)
    if frame is not None:
        return chosen_kinds(frame, settings, source)
    return table_of_many(many, settings, table_at, source)


def source_name(path: Any) -> str:
    """What to call the input in messages."""
    if hasattr(path, "read"):
        return "the stream"
    return "standard input" if str(path) == "-" else Path(path).name


def opened(path: Any) -> tuple[str, str, bytes]:
    """What to call the file in messages, the ending that says its kind, and its bytes."""
    source = source_name(path)
    if hasattr(path, "read"):
        read = path.read()
        content = read.encode() if isinstance(read, str) else read
        return source, "", content_of(BytesIO(content), "", source)
    if str(path) == "-":
        return source, "", content_of(standard_input(), "", source)
    file = Path(path)
    suffix = file.suffix.lower()
    with open_stream(file, DataError) as stream:
        content = content_of(stream, suffix, source)
    return source, *unzipped(kind_suffix(file), content, source)


def kind_suffix(file: Path) -> str:
    """The ending of a name that says the kind of the file: .csv of t.csv.gz."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix in PACKED else suffix


def content_of(stream: BinaryIO, suffix: str, source: str) -> bytes:
    """All bytes of a stream, unpacked if they are packed."""
    stream = with_peek(stream)
    packed = packed_by(start_of(stream), suffix)
    return (unpacked(stream, packed, source) if packed else stream).read()


def with_peek(stream: Any) -> Any:
    """The stream, so that its first bytes can be looked at and read again."""
    return stream if hasattr(stream, "peek") else BufferedReader(stream)


def start_of(stream: Any) -> bytes:
    start: bytes = stream.peek(LONGEST_START)[:LONGEST_START]
    return start


def standard_input() -> BinaryIO:
    """The bytes that come in by the standard input."""
    if sys.stdin is None:
        raise DataError("the standard input is closed", hint="give the name of a file")
    return sys.stdin.buffer


def table_from_content(
    content: bytes, suffix: str, settings: ReadSettings, *, source: str
) -> Table:
    """The table in the bytes of a file whose name ends in `suffix`."""
    kind = kind_of(content, suffix, source)
    if kind == "csv" and suffix in TABS and settings.delimiter is None:
        settings = replace(settings, delimiter="\t")
    return READERS[kind](content, settings, source=source)


def kind_of(content: bytes, suffix: str, source: str) -> str:
    """The kind of a file: its first bytes decide, then the ending of its name."""
    by_start = [kind for start, kind in BY_START.items() if content.startswith(start)]
    if by_start or suffix in BY_SUFFIX:
        return by_start[0] if by_start else BY_SUFFIX[suffix]
    if is_workbook(content):
        return "excel"
    if suffix in READ_BY:
        raise DataError(
            f"{source} is a {suffix} file, which is not supported", hint=READ_BY[suffix]
        )
    for start, words in NOT_READ_BY_START.items():
        if content.startswith(start):
            raise DataError(
                f"{source} holds {words}, not a text table",
                hint="save it as CSV or Parquet, or read it in Python and pass the data frame",
            )
    return "json" if not suffix and JSON_START.match(content) else "csv"


def arff_table(content: bytes, settings: ReadSettings, *, source: str) -> Table:
    content = as_utf8(content, source, settings.encoding)
    return chosen_kinds(table_from_arff(content, source=source), settings, source)


READERS: dict[str, Reader] = {
    "csv": table_from_csv,
    "arff": arff_table,
    "json": table_from_json,
    "parquet": table_from_parquet,
    "arrow": table_from_arrow_file,
    "excel": table_from_excel,
}
