"""What the commands print: data to stdout, notes and errors to stderr."""

import json
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from treewright.cli.command_syntax import in_command_syntax
from treewright.cli.groups import flag
from treewright.cli.streams import (
    Named,
    check_one_input,
    check_one_output,
    is_same_file,
    is_standard,
    output_is_closed,
    print_data,
    print_note,
    write_content,
)
from treewright.errors import ModelFileError, ParameterError
from treewright.files import open_regular
from treewright.plain_text import (
    aligned,
    escape_controls,
    escape_formula,
    json_text,
    plain,
    printable_json,
)

MOST_WARNINGS = 20  # on a table that is read in blocks
OTHER_SUFFIXES = {".parquet", ".pq", ".arrow", ".feather", ".ipc", ".xlsx", ".xlsm", ".xls", ".ods"}
OTHER_SUFFIXES |= {".gz", ".zst", ".bz2", ".xz", ".zip"}

QuietOption = Annotated[bool, flag("Print no notes.", "--quiet", "-q")]


@dataclass(frozen=True, slots=True)
class Output:
    """The output of one command, and the flags that say how it prints."""

    as_json: Annotated[bool, flag("Print the result as JSON.", "--json")] = False
    quiet: QuietOption = False
    noted: set[str] = field(default_factory=set)  # notes already printed
    rows_before: int = 0  # in earlier blocks of the table
    files: list[Path] = field(default_factory=list)  # with results of the command

    def data(self, text: str) -> None:
        """Print text; a closed standard output is an error unless files hold all results."""
        if not (self.files and output_is_closed()):
            print(escape_controls(text))

    def json(self, value: object) -> None:
        text = json_text(value)
        if not text.isascii() and not (sys.stdout.encoding or "utf-8").lower().startswith("utf"):
            text = json.dumps(value, indent=2, allow_nan=False)
        print(text)

    def wrote(self, path: Path, text: str) -> None:
        """Note that a result was written to a file; the standard output needs no note."""
        if not is_standard(path):
            self.files.append(path)
            self.note(text)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print aligned columns."""
        cells = [[plain(str(cell)) for cell in row] for row in (header, *rows)]
        for line in aligned(cells, "l" * len(header)):
            self.data(line)

    def note(self, text: str) -> None:
        """Print a note, once."""
        if not self.quiet and text not in self.noted:
            self.noted.add(text)
            print_note(text)

    def warn(self, text: str) -> None:
        """Print a warning about a table; for later blocks only if it is about other columns."""
        columns = {*re.findall("`[^`]*`", text)}
        are_noted = bool(columns) and columns <= self.noted
        if self.rows_before and (are_noted or len(self.noted) > MOST_WARNINGS):
            return
        self.noted.update(columns)
        self.note(in_command_syntax(with_rows_of_file(text, self.rows_before)))

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Show warnings for users as notes, each once; hide those for programmers."""

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_, **__: self.warn(str(message))
            yield

    @contextmanager
    def warnings_hidden(self) -> Iterator[None]:
        """Hide warnings: those about the whole table need not be repeated for its parts."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield


def with_rows_of_file(text: str, rows_before: int) -> str:
    """A message with row numbers counted from the start of the file, not of a block.

    >>> with_rows_of_file("'x' in column `c`, row 3", 1000)
    "'x' in column `c`, row 1003"
    """
    return re.sub(r"(?<=`, row )\d+", lambda row: str(int(row[0]) + rows_before), text)


def write_text(text: str, path: Path | None, output: Output, *, for_programs: bool = False) -> None:
    """Print a text, or write it to a file, all of it or nothing.

    Text for programs (HTML, LaTeX, CSV, JSON ...) is printed in UTF-8 as in a file; text for people
    in the encoding of the terminal, with similar characters where it lacks one.
    """
    if path is None or is_standard(path):
        shown = text.rstrip("\n")
        print_data(f"{shown}\n") if for_programs else output.data(shown)
        return
    write_content(text.encode("utf-8"), path)
    output.wrote(path, f"written to {path}")


def page_text(page: Any, form: str, **choices: Any) -> str:
    """A page as text, Markdown, ...; as JSON its tables."""
    from treewright.documents.page import to_values

    if form != "json":
        return str(getattr(page, f"to_{form}")(**choices))
    return json_text(to_values(page.document(**choices)))


def check_files(
    writes: Sequence[Path | None], reads: Sequence[Named], *, as_json: bool = False
) -> None:
    """Raise before the work begins if files cannot be written, or one is used twice."""
    for path in writes:
        if path is not None:
            check_can_write(path, reads)
    check_one_output(*writes, as_json=as_json)
    check_one_input(*reads)


def check_text_suffix(path: Path | None) -> None:
    """Raise if the suffix of a file to write is that of a binary or packed format."""
    if path is not None and path.suffix.lower() in OTHER_SUFFIXES:
        raise ParameterError(
            f"tables are written as text, not as `{path.suffix}` files",
            hint=f"name the file {path.stem.removesuffix('.csv')}.csv",
        )


def check_can_write(path: Path, reads: Sequence[Named]) -> None:
    """Raise if `path` cannot be written, or is one of the files that the command reads."""
    if is_standard(path):
        return
    if any(source is not None and is_same_file(path, source) for source in reads):
        raise ParameterError(
            f"`{path}` is an input of this command and would be overwritten",
            hint="choose another file name",
        )
    folder = path.parent
    if path.is_dir():
        raise ParameterError(f"`{path}` is a folder, not a file to write")
    if not folder.is_dir():
        raise ParameterError(f"there is no folder `{folder}` to write `{path.name}` into")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise ParameterError(f"`{path}` cannot be written: permission denied")


def check_can_read(path: Path) -> None:
    """Raise if there is no regular file to read at `path`."""
    open_regular(path, ModelFileError).close()


Column = Sequence[Any]


class NumberText(str):
    """A number as written in a file: -3.50 is not a formula and stays as it is."""

    __slots__ = ()


def csv_header(names: Sequence[str], *, raw: bool) -> str:
    return csv_lines([[name] for name in names], raw=raw)


def csv_lines(columns: Sequence[Column], *, raw: bool) -> str:
    """A line for each row; `raw` does not escape cells that spreadsheets read as formulas."""
    written = [cells(column, lambda value: csv_cell(value, raw=raw)) for column in columns]
    if len(written) == 1:  # an empty line would not be read as a row
        empty = '""'
        return "".join(f"{cell or empty}\n" for cell in written[0])
    return "".join(f"{','.join(row)}\n" for row in zip(*written, strict=True))


def json_lines(names: Sequence[str], columns: Sequence[Column]) -> str:
    """A line with a JSON object for each row."""
    written = [cells(column, json_cell) for column in columns]
    keys = [json_cell(name).replace("%", "%%") for name in names]
    form = "{" + ", ".join(f"{key}: %s" for key in keys) + "}\n"
    return "".join(form % row for row in zip(*written, strict=True))


def cells(column: Column, write: Callable[[Any], str]) -> list[str]:
    """The cells of a column; each distinct text is formatted once."""
    values = list(column)
    if not values or not isinstance(values[0], str):
        return list(map(write, values))
    by_text = {value: write(value) for value in set(values)}
    return [by_text[value] for value in values]


def csv_cell(value: Any, *, raw: bool) -> str:
    """One cell, quoted if needed, and escaped against CSV injection unless `raw`."""
    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return str(value)
    text = value if raw or isinstance(value, NumberText) else escape_formula(value)
    if any(letter in text for letter in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def json_cell(value: Any) -> str:
    """One value; NaN and infinities are null, a date is its text."""
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return printable_json(json.dumps(value, ensure_ascii=False, default=str))
