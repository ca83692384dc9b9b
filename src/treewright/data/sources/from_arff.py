"""ARFF, the format of Weka: a header that declares each column, then the rows.

Nominal columns keep the levels that the header declares, in its order, also those that no row has.
"""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.sources.encodings import as_utf8
from treewright.data.sources.objects import nominal_from, numeric_from_dates
from treewright.data.table import Table
from treewright.errors import DataError, NoRowsError, warn_user

# A quoted word with backslash escapes, or a plain one.
WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}'"]+"""
ATTRIBUTE = re.compile(rf"@attribute\s+({WORD})\s+(.*)", re.IGNORECASE | re.DOTALL)
QUOTED_OR_PLAIN = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?!['"])[^,\t]*?"""
# What only the pattern below gets right: escapes, tabs, double quotes, '?' as a level, and blanks
# inside quotes or after them.
UNUSUAL = re.compile(r"""[\\\t"]|'\?'|'\s|[^,\s]\s+'""")
CELL = re.compile(rf"\s*+({QUOTED_OR_PLAIN})\s*(?:,|\t|$)")
SPARSE_CELL = re.compile(rf"\s*(\d+)\s+({WORD})\s*(?:,|$)")
WEIGHT = re.compile(r",?\s*\{\s*([^{}\s]+)\s*\}\s*$")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
NUMBERS = ("numeric", "real", "integer")
# Letters of Java's SimpleDateFormat, and what `strptime` calls them.
DATE_LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "MMM": "%b",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
}
ISO = "yyyy-MM-dd'T'HH:mm:ss"


@dataclass(slots=True)
class Attribute:
    """One column as the header declares it, and its cells; None is missing."""

    name: str
    kind: str  # "nominal", "numeric", "string" or "date"
    levels: tuple[str, ...] = ()
    date_format: str = ISO
    cells: Sequence[str | None] = ()


@dataclass(slots=True)
class Row:
    """The cells of one line, and the weight written after them."""

    cells: list[str | None]
    weight: float = 1.0


def table_from_arff(content: bytes, *, source: str) -> Table:
    """The table in the bytes of an ARFF file."""
    lines = numbered_lines(as_utf8(content, source).decode())
    attributes = read_header(lines, source)
    rows, weights, line_of_row = [], [], []
    for number, line in lines:
        row = read_row(line, attributes, f"{source}, line {number}")
        rows.append(row.cells)
        weights.append(row.weight)
        line_of_row.append(number)
    if not rows:
        raise NoRowsError(f"{source} has a header but no rows")
    for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True):
        attribute.cells = cells
    columns = [FINISH[attribute.kind](attribute, line_of_row, source) for attribute in attributes]
    if any(weight != 1.0 for weight in weights):
        columns.append(weight_column(weights, [column.name for column in columns]))
    return Table(columns)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are neither empty nor comments, with their numbers."""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line and not line.startswith("%"):
            yield number, line


def read_header(lines: Iterator[tuple[int, str]], source: str) -> list[Attribute]:
    """The declared columns; stops after the line `@data`."""
    attributes: list[Attribute] = []
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            if not attributes:
                raise DataError(f"{source} declares no columns")
            return attributes
        if word == "@attribute":
            attributes.append(read_attribute(line, f"{source}, line {number}"))
        elif word != "@relation":
            raise DataError(
                f"{source}, line {number}: `{line[:40]}` is not a line of an ARFF header",
                hint="a header holds @relation, @attribute and @data",
            )
    raise DataError(f"{source} has no line `@data`")


def read_attribute(line: str, where: str) -> Attribute:
    match = ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(f"{where}: `{line[:60]}` is not `@attribute name type`")
    name, declared = unquoted(match[1]), match[2].strip()
    if declared.startswith("{"):
        closing = declared.rfind("}")
        if closing < 0:
            raise DataError(f"{where}: the categories of `{name}` are not closed by a brace")
        levels = tuple(str(cell) for cell in cells_of(declared[1:closing], where))
        if len(set(levels)) != len(levels):
            raise DataError(f"{where}: a category of `{name}` is declared twice")
        return Attribute(name, "nominal", levels)
    kind, _, rest = declared.partition(" ")
    if kind.lower() in NUMBERS:
        return Attribute(name, "numeric")
    if kind.lower() == "string":
        return Attribute(name, "string")
    if kind.lower() == "date":
        return Attribute(name, "date", date_format=unquoted(rest.strip()) or ISO)
    raise DataError(f"{where}: column `{name}` has the type `{kind}`, which is not supported")


def read_row(line: str, attributes: list[Attribute], where: str) -> Row:
    """The cells of a line of data, dense or sparse."""
    weight = 1.0
    if line.endswith("}"):
        braced = WEIGHT.search(line)
        if braced is not None and braced.start() > 0:
            weight = number_in(braced[1], "the weight", where)
            line = line[: braced.start()]
    if line.startswith("{"):
        return Row(sparse_cells(line, attributes, where), weight)
    cells = cells_of(line, where)
    if len(cells) != len(attributes):
        raise DataError(f"{where}: {len(cells)} fields, expected {len(attributes)}")
    return Row(cells, weight)


def cells_of(line: str, where: str) -> list[str | None]:
    """Cells between commas or tabs; `?` without quotes is missing."""
    parts: list[str] = []
    if not any(letter in line for letter in "'\"\\\t"):
        parts = line.split(",")
    elif UNUSUAL.search(line) is None:
        parts = simple_parts(line)
    if parts:
        return [None if (cell := part.strip()) == "?" else cell for part in parts]
    cells: list[str | None] = []
    at = 0
    while True:
        match = CELL.match(line, at)
        if match is None:
            raise DataError(f"{where}: a quote is opened and never closed")
        cells.append(None if match[1] == "?" else unquoted(match[1]))
        if match.end() == len(line) and not match[0].endswith((",", "\t")):
            return cells
        at = match.end()


def simple_parts(line: str) -> list[str]:
    """The cells of a line that quotes as CSV does; none if it does not after all."""
    try:
        return next(csv.reader([line], quotechar="'", skipinitialspace=True, strict=True))
    except csv.Error:
        return []


def sparse_cells(line: str, attributes: list[Attribute], where: str) -> list[str | None]:
    """`{position value, ...}`: what is not named is 0, or the first level."""
    cells: list[str | None] = [
        attribute.levels[0] if attribute.kind == "nominal" else "0" for attribute in attributes
    ]
    at, inside = 0, line.strip().removeprefix("{").removesuffix("}").strip()
    while at < len(inside):
        match = SPARSE_CELL.match(inside, at)
        if match is None or int(match[1]) >= len(attributes):
            raise DataError(f"{where}: `{inside[at : at + 30]}` is not `position value`")
        cells[int(match[1])] = None if match[2] == "?" else unquoted(match[2])
        at = match.end()
    return cells


def unquoted(word: str) -> str:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), word[1:-1])


def nominal_of(attribute: Attribute, line_of_row: list[int], source: str) -> NominalColumn:
    code_of: dict[str | None, int] = {level: at for at, level in enumerate(attribute.levels)}
    code_of[None] = MISSING
    cells = attribute.cells
    try:
        codes = np.fromiter(map(code_of.__getitem__, cells), np.int32, len(cells))
    except KeyError:
        row = next(row for row, cell in enumerate(cells) if cell not in code_of)
        raise DataError(
            f"{source}, line {line_of_row[row]}: `{cells[row]}` is not a declared category of "
            f"`{attribute.name}`"
        ) from None
    return NominalColumn(
        attribute.name, codes, attribute.levels, declared=True, origin="declared nominal"
    )


def numbers_of(attribute: Attribute, line_of_row: list[int], source: str) -> NumericColumn:
    cells = attribute.cells
    try:
        numbers = np.array(cells, dtype=np.float64)  # None becomes NaN
    except ValueError:
        for row, cell in enumerate(cells):
            if cell is not None:
                number_in(cell, f"`{attribute.name}`", f"{source}, line {line_of_row[row]}")
        raise
    return NumericColumn(attribute.name, numbers, origin="declared numeric")


def number_in(text: str, what: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{where}: {what} is `{text}`, not a number") from None


def dates_of(attribute: Attribute, line_of_row: list[int], source: str) -> NumericColumn:
    from datetime import datetime

    pattern = date_pattern(attribute.date_format)
    moments: list[np.datetime64] = []
    for row, cell in enumerate(attribute.cells):
        if cell is None:
            moments.append(np.datetime64("NaT", "us"))
            continue
        try:
            moments.append(np.datetime64(datetime.strptime(cell, pattern), "us"))
        except (ValueError, re.error):  # re.error: of a form that names a part of dates twice
            raise DataError(
                f"{source}, line {line_of_row[row]}: `{cell}` in column `{attribute.name}` is not "
                f"a date of the form {attribute.date_format}"
            ) from None
    dates = np.array(moments, dtype="datetime64[us]")
    return numeric_from_dates(attribute.name, dates, origin="declared date")


def date_pattern(java: str) -> str:
    """A date format of Java as one of Python."""

    def translated(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1].replace("%", "%%")
        letters = match[0]
        return DATE_LETTERS.get(letters, DATE_LETTERS.get(letters * 2, letters))

    return re.sub(r"'([^']*)'|([A-Za-z])\2*", translated, java)


def weight_column(weights: list[float], names: list[str]) -> NumericColumn:
    name = "weight" if "weight" not in names else "instance weight"
    warn_user(
        f"the rows have weights, read as the column `{name}`: drop it from X and pass "
        "it as sample_weight"
    )
    return NumericColumn(name, np.array(weights), origin="weights of the rows")


FINISH: dict[str, Callable[[Attribute, list[int], str], Column]] = {
    "nominal": nominal_of,
    "numeric": numbers_of,
    "string": lambda read, *_: nominal_from(read.name, read.cells, origin="declared string"),
    "date": dates_of,
}
