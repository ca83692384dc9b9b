"""Delimited text: CSV, TSV and their relatives.

An empty cell is missing. NA, N/A, n/a, NaN, nan, null and ? are missing in a column that otherwise
holds numbers. In a text column they are categories, because `NA` may be Namibia, and a warning
counts them. Spaces around a cell are ignored. A column of ISO dates is a date column; what other
text may mean is found by `understood`.
"""

import csv
import io
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treewright._kernels.readers import (
    CsvColumn,
    CsvWish,
    guess_delimiter,
    read_csv,
    read_csv_header,
)
from treewright.data.column import Column, NominalColumn, NumericColumn, numeric_as_nominal
from treewright.data.formats import PLAIN, Format
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources.objects import empty_column, numeric_from_dates
from treewright.data.sources.rounding import warn_of_rounded_text
from treewright.data.sources.understood import (
    FROM_TEXT,
    CellError,
    Wanted,
    as_model_knows,
    understood,
    warn_of_lost_cells,
)
from treewright.data.table import Table, generated_names, raise_duplicates
from treewright.errors import DataError, ModelTableError, UnknownColumnError

MISSING_WORDS = ("NA", "N/A", "n/a", "NaN", "nan", "null", "?")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z?")


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How the cells of a text file are to be understood."""

    na: Sequence[str] | None = None  # text that means missing in every column; None: see above
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    text: Sequence[str] = ()  # columns whose cells are kept letter by letter
    header: bool = True
    delimiter: str | None = None
    strict: bool = True  # a column that is named and not there is an error
    schema: Schema | None = None  # read each column as the model of this schema needs it
    kinds: Mapping[str, str] = field(default_factory=dict)  # what the user says columns hold
    merge_case: bool = False  # categories that differ only in case are one

    def settled(self) -> "ReadSettings":
        """The same with all that is said of columns in one dict."""
        kinds = {
            **self.kinds,
            **dict.fromkeys(self.numeric, "number"),
            **dict.fromkeys(self.categorical, "category"),
            **dict.fromkeys(self.text, "text"),
        }
        return replace(self, kinds=kinds, numeric=(), categorical=(), text=())

    def kind_of(self, name: str) -> str:
        """What the user says a column holds; "" if nothing. Of settled settings."""
        return self.kinds.get(name, "")

    def wanted(self, name: str, *, comma_is_decimal: bool = False) -> Wanted:
        """What is known of a column before its cells are looked at."""
        spec = self.spec_of(name)
        kind = self.kind_of(name)
        if not kind and spec is not None:
            kind = kind_of_spec(spec)
        return Wanted(
            kind,
            self.known_format(name),
            spec.levels if spec is not None else (),
            self.na,
            comma_is_decimal,
            self.merge_case,
            all_must_fit=bool(self.kind_of(name)),
        )

    def spec_of(self, name: str) -> ColumnSpec | None:
        """The column in the model that the table is read for."""
        if self.schema is None or name not in self.schema.names:
            return None
        return self.schema.columns[self.schema.position(name)]

    @property
    def asked(self) -> frozenset[str] | None:
        """The columns that the model uses; None without a model: all of them."""
        if self.schema is None:
            return None
        return frozenset(self.schema.names) | {spec.format.of for spec in self.schema.columns}

    def known_format(self, name: str) -> Format:
        """How the training table wrote the column."""
        if (spec := self.spec_of(name)) is not None:
            return spec.format
        parts = self.schema.columns if self.schema is not None else ()
        pattern = next((spec.format.pattern for spec in parts if spec.format.of == name), "")
        return Format("date", pattern=pattern) if pattern else PLAIN


def table_from_csv(content: bytes, settings: ReadSettings, *, source: str) -> Table:
    """The table in the bytes of a text file."""
    settings = settings.settled()
    content = as_utf8(content, source)
    if not content.strip():
        raise DataError(f"{source} is empty")
    delimiter = settings.delimiter or guess_delimiter(content)
    try:
        names = column_names(content, delimiter, settings, source)
        read = read_csv(
            content,
            delimiter,
            has_header=settings.header,
            columns=list(zip(names, wishes_for(names, settings, source), strict=True)),
            missing=MISSING_WORDS if settings.na is None else tuple(settings.na),
            missing_in_text=settings.na is not None,
        )
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise error_of_cells(f"{source}, {error}", settings) from None
    if len(read[0].data) == 0:
        raise DataError(f"{source} has a header but no rows")
    try:
        columns = [
            finished(name, column, settings, comma_is_decimal=delimiter == ";")
            for name, column in zip(names, read, strict=True)
        ]
    except CellError as error:
        line = line_of_row(content, delimiter, error.row, has_header=settings.header)
        raise error_of_cells(f"{source}, line {line}: {error.problem}", settings, error) from None
    if settings.na is None:
        warn_of_words(columns, read, settings)
    warn_of_lost_cells(columns, settings.asked)
    return Table(columns, has_names=settings.header)


def line_of_row(content: bytes, delimiter: str, row: int, *, has_header: bool) -> int:
    """The line at which a row ends."""
    lines = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter)
    n_records = row + has_header
    for cells in lines:
        n_records -= bool(cells)
        if n_records < 0:
            break
    return lines.line_num


def error_of_cells(
    message: str, settings: ReadSettings, error: CellError | None = None
) -> DataError:
    """The error for cells that are too many, too few, or of the wrong kind."""
    if "fields, expected" in message:
        return DataError(message, hint="see the delimiter= setting")
    if settings.schema is not None and error is not None:
        what = "numbers" if "is not a number" in message else "dates or times"
        hint = f"the model was trained on {what} there; na= lists the text that means missing"
        return ModelTableError(message, hint=hint)
    return DataError(message, hint=error.hint if error is not None else "")


def as_utf8(content: bytes, source: str) -> bytes:
    """The bytes without a byte order mark, as UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            content = content.decode("utf-16").encode()
        except UnicodeDecodeError as error:
            raise DataError(
                f"{source}: byte {error.start} is not UTF-16, although the file starts as UTF-16",
                hint="was the file cut? save it as UTF-8",
            ) from None
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError as error:
            line = line_of(content, error.start)
            raise DataError(
                f"{source}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8",
                hint="save it as UTF-8: in the spreadsheet, or by `iconv -f WINDOWS-1252 -t UTF-8`",
            ) from None
    if (at := content.find(b"\0")) >= 0:
        raise DataError(
            f"{source} is not a text file: line {line_of(content, at)} holds a NUL byte",
            hint="was the file damaged, or written in another encoding? save it as UTF-8",
        )
    return content


def line_of(content: bytes, at: int) -> int:
    """The number of the line that a byte is in, whichever way lines end."""
    return count_lines(content[:at]) + 1


def count_lines(content: bytes) -> int:
    """How many lines end in the content, by whichever of the three line ends."""
    return content.count(b"\n") + content.count(b"\r") - content.count(b"\r\n")


def column_names(
    content: bytes, delimiter: str, settings: ReadSettings, source: str
) -> tuple[str, ...]:
    """The names in the header, or made-up ones."""
    names = read_csv_header(content, delimiter)
    if not settings.header:
        return generated_names(len(names))
    if len(set(names)) != len(names):
        raise_duplicates(names)
    if any(is_number(name) for name in names):
        warnings.warn(
            f"{source}: the first line holds numbers ({', '.join(names[:4])} ...) and is read as "
            "column names; if it is a row, put a line of names above it (in Python: header=False)",
            UserWarning,
            stacklevel=5,
        )
    return tuple(names)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def wishes_for(names: Sequence[str], settings: ReadSettings, source: str) -> list[CsvWish]:
    """What each column is to be read as."""
    wishes = dict.fromkeys(names, CsvWish.AUTOMATIC)
    if settings.schema is not None:
        wishes |= {
            spec.name: WISHES.get(kind_of_spec(spec), CsvWish.AUTOMATIC)
            for spec in settings.schema.columns
            if spec.name in wishes
        }
    for name, kind in settings.kinds.items():
        if name in wishes:
            wishes[name] = WISHES.get(kind, CsvWish.AUTOMATIC)
        elif settings.strict:
            raise UnknownColumnError.among(name, tuple(names), source=source)
    return list(wishes.values())


WISHES = {"category": CsvWish.CATEGORICAL, **dict.fromkeys(FROM_TEXT, CsvWish.TEXT)}


def kind_of_spec(spec: ColumnSpec) -> str:
    """What a model's column is read as: what it was in training; "" as its cells look."""
    if spec.is_numeric:
        return "" if spec.unit else "number"
    return "category" if spec.level_type == "integer" else "text"


def finished(
    name: str, read: CsvColumn, settings: ReadSettings, *, comma_is_decimal: bool
) -> Column:
    """The column as the rest of the package knows it."""
    if read.levels is None:
        return finished_numbers(name, read, settings)
    column = NominalColumn(name, read.data, tuple(read.levels), origin="text", by_appearance=True)
    wanted = settings.wanted(name, comma_is_decimal=comma_is_decimal)
    spec = settings.spec_of(name)
    if spec is not None and not spec.is_numeric:
        if spec.level_type == "boolean":
            return as_booleans(column)
        return column if settings.kind_of(name) else as_model_knows(column, spec.levels)
    if wanted.kind in ("", "date") and isinstance(found := dated(column), NumericColumn):
        return found
    return understood(column, wanted)


def finished_numbers(name: str, read: CsvColumn, settings: ReadSettings) -> Column:
    if not read.any_number and settings.kind_of(name) != "number":
        return empty_column(name, len(read.data))
    words = f", {read.n_missing_words} cells that mean missing" if read.n_missing_words else ""
    zeros = f"leading zeros lost, such as `{read.leading_zero}`" if read.leading_zero else ""
    origin = f"every cell is a number{words}"
    warn_of_rounded_text(read.data, name)
    column = NumericColumn(name, read.data, origin=origin, caution=zeros)
    return numeric_as_nominal(column) if settings.kind_of(name) == "category" else column


def dated(column: NominalColumn) -> Column:
    """The column as dates if every level is one in ISO form."""
    for pattern, unit in ((DATE, "D"), (MOMENT, "us")):
        if column.levels and all(pattern.fullmatch(str(level)) for level in column.levels):
            try:
                moments = np.array(
                    [str(level).removesuffix("Z") for level in column.levels] + ["NaT"],
                    dtype=f"datetime64[{unit}]",
                )
            except ValueError:  # such as the 31st of February
                return column
            return numeric_from_dates(column.name, moments[column.codes], origin="ISO dates")
    return column


def as_booleans(column: NominalColumn) -> NominalColumn:
    """Text levels such as `True` or `false` as the booleans that the model knows."""
    words = {"true": True, "false": False}
    if not all(str(level).lower() in words for level in column.levels):
        return column
    truth = np.array([words[str(level).lower()] for level in column.levels] + [False])
    codes = np.where(column.codes < 0, column.codes, truth[column.codes]).astype(np.int32)
    return NominalColumn(column.name, codes, (False, True), origin="text")


def warn_of_words(
    columns: Sequence[Column], read: Sequence[CsvColumn], settings: ReadSettings
) -> None:
    """Warn where text that often means missing was kept as a category, and nobody asked for it."""
    kept = [
        f"`{column.name}` ({cells.n_missing_words} cells: "
        f"{', '.join(word for word in MISSING_WORDS if word in cells.levels)})"
        for column, cells in zip(columns, read, strict=True)
        if isinstance(column, NominalColumn)
        and cells.levels is not None
        and cells.n_missing_words
        and settings.kind_of(column.name) != "text"
    ]
    if kept:
        warnings.warn(
            f"text that may mean missing is kept as categories in {'; '.join(kept)}. "
            'Give na=["?", ...] to make it missing, na=[] to keep it as categories',
            UserWarning,
            stacklevel=4,
        )
