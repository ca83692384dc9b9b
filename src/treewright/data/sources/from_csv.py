"""Delimited text: CSV, TSV and their relatives.

An empty cell is missing. NA, N/A, n/a, NaN, nan, null and ? are missing in a column that otherwise
holds numbers. In a text column they are categories, because `NA` may be Namibia, and a warning
counts them. Spaces around a cell are ignored. A column of ISO dates is a date column; what other
text may mean is found by `type_inference`.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treewright._kernels.readers import (
    CsvColumn,
    CsvType,
    guess_delimiter,
    read_csv,
    read_csv_header,
)
from treewright.data.column import Column, NominalColumn, NumericColumn, numeric_as_nominal
from treewright.data.formats import PLAIN, Format
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources.encodings import as_utf8
from treewright.data.sources.objects import empty_column, numeric_from_dates
from treewright.data.sources.rounding import warn_of_rounded_text
from treewright.data.sources.type_inference import (
    FROM_TEXT,
    INFINITE,
    MISSING_WORDS_ALONE,
    PLAIN_NUMBERS,
    CellError,
    Wanted,
    infer_column,
    warn_of_lost_cells,
    with_model_spelling,
)
from treewright.data.table import Table, generated_names
from treewright.errors import (
    DataError,
    ModelTableError,
    NoRowsError,
    UnknownColumnError,
    warn_user,
)

HEAD = 2**14  # bytes by which spaces between cells are recognized
MOST_LINES = 100
MOST_RENAMED = 10  # names that a warning lists
MISSING_WORDS = ("NA", "N/A", "n/a", "NaN", "nan", "null", "?")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z?")


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How to read the cells of a text file."""

    na: Sequence[str] | None = None  # text that means missing in every column; None: see above
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    text: Sequence[str] = ()  # columns whose cells are kept letter by letter
    keys: Sequence[str] = ()  # of JSON Lines in blocks, if the first block does not have all
    header: bool = True
    delimiter: str | None = None
    encoding: str | None = None  # None: UTF-8, UTF-16 or cp1252, whichever it is
    sheet: str | int | None = None  # of a workbook: its name, or its number from 1
    strict: bool = True  # a column that is named and not there is an error
    schema: Schema | None = None  # read each column as the model of this schema needs it
    kinds: Mapping[str, str] = field(default_factory=dict)  # what the user says columns hold
    merge_case: bool = False  # categories that differ only in case are one

    def settled(self) -> "ReadSettings":
        """The same settings with all column kinds in one dict."""
        kinds = {
            **self.kinds,
            **dict.fromkeys(self.numeric, "number"),
            **dict.fromkeys(self.categorical, "category"),
            **dict.fromkeys(self.text, "text"),
        }
        return replace(self, kinds=kinds, numeric=(), categorical=(), text=())

    def kind_of(self, name: str) -> str:
        """The kind that the user gave a column; "" if none. Call it on settled settings."""
        return self.kinds.get(name, "")

    def wanted(self, name: str, *, comma_is_decimal: bool = False) -> Wanted:
        """What is known about a column before its cells are read."""
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
    content = as_utf8(content, source, settings.encoding)
    if not content.strip():
        raise NoRowsError(f"{source} is empty")
    delimiter = settings.delimiter or likely_delimiter(content)
    if delimiter == " ":
        content = with_single_spaces(content)
    try:
        names = column_names(content, delimiter, settings, source)
        read = read_csv(
            content,
            delimiter,
            has_header=settings.header,
            columns=list(zip(names, types_for(names, settings, source), strict=True)),
            missing=MISSING_WORDS if settings.na is None else tuple(settings.na),
            missing_in_text=settings.na is not None,
        )
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise error_of_cells(f"{source}, {error}", settings) from None
    if len(read[0].data) == 0:
        raise NoRowsError(f"{source} has a header but no rows")
    try:
        columns = [
            finished(name, column, settings, comma_is_decimal=delimiter == ";")
            for name, column in zip(names, read, strict=True)
        ]
    except CellError as error:
        line = line_of_row(content, delimiter, error.row, has_header=settings.header)
        raise error_of_cells(f"{source}, line {line}: {error.problem}", settings, error) from None
    if settings.na is None:
        warn_of_missing_words(columns, read, settings)
    warn_of_lost_cells(columns, settings.asked)
    return Table(columns, has_names=settings.header)


def likely_delimiter(content: bytes) -> str:
    """The separator: the most frequent candidate in the first line, or spaces.

    Spaces count if there is no other candidate, they give the first lines equally many cells, and
    one of the columns is numeric; names and sentences contain spaces too.
    """
    guess = guess_delimiter(content)
    lines = content[:HEAD].strip().splitlines()[:MOST_LINES]
    if len(content) > HEAD and len(lines) > 1:
        lines.pop()  # it may be cut
    if len(lines) < 2 or any(sign in lines[0] for sign in b',;\t|"'):
        return guess
    cells = [line.split() for line in lines]
    if len(cells[0]) < 2 or {len(row) for row in cells} != {len(cells[0])}:
        return guess
    columns = zip(*cells[1:], strict=True)
    has_numbers = any(all(is_number(cell.decode("latin-1")) for cell in one) for one in columns)
    return " " if has_numbers else guess


def with_single_spaces(content: bytes) -> bytes:
    """Text in which one space separates cells; people align columns by several."""
    return re.sub(rb"(?<![^\r\n]) | (?=[\r\n]|\Z)", b"", re.sub(rb"[ \t]+", b" ", content))


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
        hint = (
            f"the model was trained on {what} in this column; na= lists the text that means missing"
        )
        return ModelTableError(message, hint=hint)
    return DataError(message, hint=error.hint if error is not None else "")


def column_names(
    content: bytes, delimiter: str, settings: ReadSettings, source: str
) -> tuple[str, ...]:
    """The names in the header, or made-up ones."""
    names = read_csv_header(content, delimiter)
    if not settings.header:
        return generated_names(len(names))
    names = unique_names(names, source)
    if any(is_number(name) for name in names):
        warn_user(
            f"{source}: the first line holds numbers ({', '.join(names[:4])} ...) but is read as "
            "column names; if it is data, give header=False"
        )
    return tuple(names)


def unique_names(names: Sequence[str], source: str) -> list[str]:
    """The names, with those that occur again numbered as pandas does, and a warning.

    >>> from treewright.errors import keeping_warnings
    >>> with keeping_warnings():
    ...     unique_names(["a", "b", "a", "a.1", ""], "t.csv")
    ['a', 'b', 'a.2', 'a.1', '']
    """
    if len(set(names)) == len(names):
        return list(names)
    found: list[str] = []
    renamed: list[str] = []
    taken = set(names)
    for at, name in enumerate(names):
        new = name
        if name in found or (not name and names.count("") > 1):
            base, number = (name, 1) if name else ("column", at + 1)
            while (new := f"{base}.{number}" if name else f"{base}_{number}") in taken:
                number += 1
            taken.add(new)
            renamed.append(f"`{new}`" if name else f"`{new}` (no name)")
        found.append(new)
    shown = ", ".join(renamed[:MOST_RENAMED]) + (" ..." if len(renamed) > MOST_RENAMED else "")
    warn_user(
        f"{source}: some column names occur more than once; the later ones are renamed {shown}"
    )
    return found


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def types_for(names: Sequence[str], settings: ReadSettings, source: str) -> list[CsvType]:
    """What each column is to be read as."""
    types = dict.fromkeys(names, CsvType.AUTOMATIC)
    if settings.schema is not None:
        types |= {
            spec.name: type_of_spec(spec) for spec in settings.schema.columns if spec.name in types
        }
    for name, kind in settings.kinds.items():
        if name in types:
            types[name] = TYPE_OF_KIND.get(kind, CsvType.AUTOMATIC)
        elif settings.strict:
            raise UnknownColumnError.among(name, tuple(names), source=source)
    return list(types.values())


TYPE_OF_KIND = {"category": CsvType.CATEGORICAL, **dict.fromkeys(FROM_TEXT, CsvType.TEXT)}


def type_of_spec(spec: ColumnSpec) -> CsvType:
    """What a model's column is read as by the native reader, for which `1.000` is 1."""
    if spec.is_numeric and spec.format.contradicts(PLAIN):
        return CsvType.TEXT
    return TYPE_OF_KIND.get(kind_of_spec(spec), CsvType.AUTOMATIC)


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
        return column if settings.kind_of(name) else with_model_spelling(column, spec.levels)
    return from_text(column, wanted)


def plain_numbers(
    name: str, texts: Sequence[str], delimiter: str, settings: ReadSettings
) -> Column | None:
    """A column of these cells if all are plain numbers or missing; None if any is other text."""
    if not texts:
        return None
    cells = io.StringIO()
    writer = csv.writer(cells, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([[text] for text in texts])
    (read,) = read_csv(
        cells.getvalue().encode(),
        delimiter,
        has_header=False,
        columns=[(name, TYPE_OF_KIND.get(settings.kind_of(name), CsvType.AUTOMATIC))],
        missing=MISSING_WORDS if settings.na is None else tuple(settings.na),
        missing_in_text=settings.na is not None,
    )
    return None if read.levels is not None else finished_numbers(name, read, settings)


def from_text(column: NominalColumn, wanted: Wanted) -> Column:
    """A column of text, converted to its inferred type."""
    if wanted.kind in ("", "date") and isinstance(found := dated(column), NumericColumn):
        return found
    return infer_column(column, wanted)


def finished_numbers(name: str, read: CsvColumn, settings: ReadSettings) -> Column:
    if not read.any_number and settings.kind_of(name) != "number":
        empty = empty_column(name, len(read.data))
        return replace(empty, origin=MISSING_WORDS_ALONE) if read.n_missing_words else empty
    words = f", {read.n_missing_words} cells that mean missing" if read.n_missing_words else ""
    words += INFINITE if np.isinf(read.data).any() else ""
    zeros = f"leading zeros lost, such as `{read.leading_zero}`" if read.leading_zero else ""
    origin = PLAIN_NUMBERS + words
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


def warn_of_missing_words(
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
        warn_user(
            f"text that may mean missing is kept as categories in {'; '.join(kept)}. "
            'Give na=["?", ...] to make it missing, na=[] to keep it as categories'
        )
