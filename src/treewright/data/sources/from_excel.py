"""Excel workbooks (.xlsx, .xlsm), by fastexcel. One sheet is the table.

fastexcel reserves room for every cell between the first and the last one, and unpacks whatever the
archive holds. A hostile or careless file would take all memory, so it is looked through first.
"""

import logging
import re
import zipfile
import zlib
from collections.abc import Sequence
from datetime import time
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from treewright.data.sources.from_csv import ReadSettings, unique_names
from treewright.data.sources.packed import MEGABYTE, check_is_no_bomb
from treewright.data.sources.typed_cells import refusing, table_from_cells
from treewright.data.table import Table, generated_names
from treewright.errors import DataError, NoRowsError, listed, nearest, warn_user
from treewright.optional import optional_module

EXCEL = (".xlsx", ".xlsm")
ZIP_START = b"PK\x03\x04"
OLD_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of .xls files, and of workbooks with a password
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MIDNIGHT = time(0)
WORKBOOK = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
LARGEST_LIST = 64 * MEGABYTE  # of sheets
# The place of a cell, such as XFD1048576, in the XML of a sheet; rows have numbers alone.
PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,4})([0-9]{1,12})["']""")
MOST_ROWS = 1_048_576  # Excel's own limit
MOST_ROOM = 20_000_000  # cells that may be empty
LEAST_FILLED = 10  # beyond that, one of so many cells must hold something
REMOVE_PASSWORD = "open it in the spreadsheet program, remove the password, and save it"
SAVE_AGAIN = "open it in the spreadsheet program, and save it as .xlsx or CSV"
NO_LOG = logging.NullHandler()
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError)
PART = re.compile(r"(.*)_\d+$")  # how fastexcel renames a name that occurs twice


def is_workbook(content: bytes) -> bool:
    """Whether the bytes are those of a workbook, whatever the name of the file says."""
    if not content.startswith(ZIP_START):
        return False
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return WORKBOOK in archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def table_from_excel(content: bytes, settings: ReadSettings, *, source: str) -> Table:
    """The table in one sheet of a workbook."""
    check_can_be_read(content, source)
    fastexcel = optional_module("fastexcel", extra="files", purpose="reading Excel workbooks")
    logging.getLogger("fastexcel").addHandler(NO_LOG)  # it logs every column without a value
    with refusing(source, "an Excel workbook", fastexcel.FastExcelError, *DAMAGED):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            check_is_no_bomb(
                sum(part.file_size for part in archive.infolist()), len(content), source
            )
            sheets = sheets_of(archive, source)
            name = chosen_sheet(list(sheets), settings.sheet, source)
            for part in archive.namelist():
                if part.startswith("xl/") and "/worksheets/" not in part:
                    read_through(archive, part)
            check_room(archive, sheets[name], f"sheet `{name}` of {source}")
        frame = frame_of_sheet(fastexcel.read_excel(content), name, settings, source)
    return table_from_cells(frame, settings, source)


def check_can_be_read(content: bytes, source: str) -> None:
    """Raise for old workbooks, those with a password, and what is no workbook at all."""
    if content.startswith(OLD_START):
        if ENCRYPTED in content:
            raise DataError(f"{source} is protected by a password", hint=REMOVE_PASSWORD)
        raise DataError(f"{source} is an old Excel workbook (.xls)", hint=SAVE_AGAIN)
    if not content.startswith(ZIP_START):
        raise DataError(f"{source} is not an Excel workbook", hint=SAVE_AGAIN)


def sheets_of(archive: zipfile.ZipFile, source: str) -> dict[str, str]:
    """The visible sheets of a workbook with the part of the archive that holds each."""
    for part in (WORKBOOK, RELATIONS):
        if part not in archive.namelist():
            raise DataError(f"{source} is not an Excel workbook: it has no `{part}`")
        if archive.getinfo(part).file_size > LARGEST_LIST:
            raise DataError(f"{source}: `{part}` is too large to be a list of sheets")
    try:
        book = ElementTree.fromstring(archive.read(WORKBOOK))
        relations = ElementTree.fromstring(archive.read(RELATIONS))
    except ElementTree.ParseError as error:
        raise DataError(f"{source} is not an Excel workbook: {error}", hint=SAVE_AGAIN) from None
    parts = {one.get("Id"): one.get("Target", "") for one in relations}
    found: dict[str, str] = {}
    for sheet in book.iter():
        if sheet.tag.rpartition("}")[2] != "sheet":
            continue
        relation = next((value for key, value in sheet.items() if key.endswith("}id")), None)
        target = parts.get(relation, "")
        path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        if "worksheets/" in path and sheet.get("state", "visible") == "visible":
            found[sheet.get("name", "")] = path
    if not found:
        raise DataError(f"{source} has no visible sheet with cells")
    return found


def chosen_sheet(names: Sequence[str], chosen: str | int | None, source: str) -> str:
    """The name of the sheet to read: by name, by number from 1, or the first."""
    if chosen is None:
        if len(names) > 1:
            warn_user(
                f"{source} has {len(names):,} sheets, and only `{names[0]}` is read; "
                f'{listed(names, "sheets")}; choose one with sheet="NAME"'
            )
        return names[0]
    if chosen in names:
        return str(chosen)
    if str(chosen).isdecimal():
        number = int(chosen)
        if 1 <= number <= len(names):
            return names[number - 1]
        raise DataError(
            f"{source} has no sheet {number}: its {len(names):,} sheets are numbered from 1",
            hint=listed(names, "sheets"),
        )
    raise DataError(
        f"there is no sheet `{chosen}` in {source}", hint=nearest(str(chosen), names, "sheets")
    )


def read_through(archive: zipfile.ZipFile, part: str) -> None:
    """Unpack a part to its end: one that holds more than it says raises."""
    with archive.open(part) as stream:
        while stream.read(MEGABYTE):
            pass


def check_room(archive: zipfile.ZipFile, part: str, where: str) -> None:
    """Raise if the cells of a sheet are so far apart that the room between them is too large."""
    n_cells, letters, numbers, rest = 0, {b""}, {b"0"}, b""
    with archive.open(part) as stream:
        while block := stream.read(4 * MEGABYTE):
            places = PLACE.findall(rest + block)
            rest = block[-64:]
            n_cells += len(places)
            letters |= {column for column, _ in places}
            numbers |= {row for _, row in places}
    n_columns, n_rows = max(map(column_number, letters)), max(map(int, numbers))
    room = n_rows * n_columns
    if n_rows > MOST_ROWS or (room > MOST_ROOM and room > LEAST_FILLED * n_cells):
        raise DataError(
            f"{where} reaches to row {n_rows:,} and column {n_columns:,}, but holds "
            f"{n_cells:,} cells",
            hint="delete the stray cells far from the table",
        )


def column_number(letters: bytes) -> int:
    """The number of a column, as 1 for A and 28 for AB."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def frame_of_sheet(reader: Any, name: str, settings: ReadSettings, source: str) -> Any:
    """The cells of a sheet as a polars frame, under names of ours."""
    polars = optional_module("polars", extra="files", purpose="reading Excel workbooks")
    how = {"skip_whitespace_tail_rows": True, "whitespace_as_null": True}
    sheet = reader.load_sheet(
        name, header_row=0 if settings.header else None, schema_sample_rows=None, **how
    )
    where = f"sheet `{name}` of {source}"
    if not sheet.width or not sheet.height:
        hint = 'choose another one with sheet="NAME"'
        if sheet.width:
            raise NoRowsError(f"{where} has a header but no rows", hint=hint)
        raise DataError(f"{where} is empty", hint=hint)
    frame = polars.DataFrame(sheet)
    names = [column.name for column in sheet.available_columns()]
    if not settings.header:
        frame.columns = list(generated_names(frame.width))
    elif any(is_made_up(column, names) for column in sheet.available_columns()):
        first = reader.load_sheet(name, header_row=None, n_rows=1, dtypes="string", **how)
        names = [cell or "" for cell in polars.DataFrame(first).row(0)]
        is_empty = [frame[:, at].is_null().all() for at in range(frame.width)]
        kept = [at for at, label in enumerate(names) if label or not is_empty[at]]
        frame = frame[:, kept]
        frame.columns = list(unique_names([names[at] for at in kept], where))
    return with_plain_times(polars, frame)


def is_made_up(column: Any, names: Sequence[str]) -> bool:
    """Whether fastexcel may have given the name: to a second one of the same, or to none."""
    part = PART.match(column.name)
    return column.column_name_from == "generated" or bool(part and part[1] in names)


def with_plain_times(polars: Any, frame: Any) -> Any:
    """Moments that are all at midnight as dates, and those on day 0 as times of day."""
    for name, kind in frame.schema.items():
        if kind.base_type() != polars.Datetime:
            continue
        known = frame[name].drop_nulls()
        if (known.dt.year() < 1900).all() and len(known):
            frame = frame.with_columns(polars.col(name).dt.time().cast(polars.Duration("us")))
        elif (known.dt.time() == MIDNIGHT).all():
            frame = frame.with_columns(polars.col(name).dt.date())
    return frame
