"""Run a workbook: fill in rows, recalculate with LibreOffice, read the predictions."""

import io
import math
import re
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.files.xlsx import MAIN, cell, column_name, packed
from treewright.exports.program import Predictions, Program, row_dicts

FIRST_SHEET = "xl/worksheets/sheet1.xml"
PREDICTIONS_SHEET = "xl/worksheets/sheet5.xml"
SHARED_TEXTS = "xl/sharedStrings.xml"
SECONDS_ALLOWED = 600
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
LARGEST = float(np.finfo(np.float64).max)

Row = dict[str, Any]  # letters of a column -> value; None for an error


def storable(rows: Table, *, n_rows: int = 100) -> Table:
    """The rows with the largest double instead of infinities, which no cell can hold."""
    columns = [
        replace(column, values=np.clip(column.values.astype(np.float64), -LARGEST, LARGEST))
        if isinstance(column, NumericColumn)
        else column
        for column in rows.columns
    ]
    return Table(columns, len(rows), has_names=rows.has_names)


def run(code: bytes, program: Program, rows: Table, *, n_rows: int = 100) -> Predictions:
    """What LibreOffice computes, in as many copies of the workbook as the rows need."""
    return predictions_in(recalculated(copies_for(code, rows)), code, program, len(rows))


def copies_for(code: bytes, rows: Table) -> list[bytes]:
    """Copies of a workbook with all rows filled in."""
    n_rows = len(sheet_rows(code))
    inputs = list(row_dicts(rows))
    starts = range(0, len(inputs), n_rows)
    return [filled_in(code, inputs[start : start + n_rows]) for start in starts]


def filled_in(code: bytes, rows: list[dict[str, Any]]) -> bytes:
    """The workbook with values in the cells of its first rows."""
    parts = parts_of(code)
    ElementTree.register_namespace("", MAIN)
    sheet = ElementTree.fromstring(parts[FIRST_SHEET])
    cells = {one.get("r"): one for one in sheet.iter(tag("c"))}
    for number, row in enumerate(rows, start=2):
        for at, value in enumerate(row.values()):
            if value is not None:
                place = f"{column_name(at)}{number}"
                new = ElementTree.fromstring(cell(place, value))
                old = cells[place]
                old.set("t", new.get("t", "n"))
                for child in new.iter():
                    child.tag = tag(child.tag)
                old.extend(new)
    parts[FIRST_SHEET] = ElementTree.tostring(sheet, encoding="utf-8", xml_declaration=True)
    return packed(parts)


def recalculated(workbooks: list[bytes]) -> list[bytes]:
    """The workbooks as LibreOffice saves them."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise ExportError(
            "running a workbook needs LibreOffice", hint="install the package `libreoffice-calc`"
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "out").mkdir()
        files = [folder / f"{at}.xlsx" for at in range(len(workbooks))]
        for file, content in zip(files, workbooks, strict=True):
            file.write_bytes(content)
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = [program, profile, "--headless", "--convert-to", "xlsx", "--outdir"]
        subprocess.run(
            [*command, folder / "out", *files],
            check=True,
            capture_output=True,
            timeout=SECONDS_ALLOWED,
        )
        return [(folder / "out" / file.name).read_bytes() for file in files]


# ---------------------------------------------------------------------------- reading


def parts_of(code: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(code)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def tag(name: str) -> str:
    return f"{{{MAIN}}}{name}"


def sheet_rows(code: bytes, sheet: str = FIRST_SHEET) -> list[Row]:
    """The rows of a sheet below its heading."""
    parts = parts_of(code)
    texts: list[str] = []
    if SHARED_TEXTS in parts:
        shared = ElementTree.fromstring(parts[SHARED_TEXTS])
        texts = [text_in(entry) for entry in shared.iter(tag("si"))]
    tree = ElementTree.fromstring(parts[sheet])
    return [
        {one.get("r", "").rstrip("0123456789"): value_of(one, texts) for one in row.iter(tag("c"))}
        for row in list(tree.iter(tag("row")))[1:]
    ]


def value_of(found: ElementTree.Element, texts: list[str]) -> Any:
    """The value in a cell; None if it is an error or empty."""
    kind, value = found.get("t", "n"), found.find(tag("v"))
    if kind == "inlineStr":
        return text_in(found)
    if kind == "e" or value is None or value.text is None:
        return "" if kind == "str" else None
    if kind in ("s", "str"):
        return texts[int(value.text)] if kind == "s" else unescaped(value.text)
    return value.text == "1" if kind == "b" else float(value.text)


def text_in(found: ElementTree.Element) -> str:
    return unescaped("".join(part.text or "" for part in found.iter(tag("t"))))


def unescaped(text: str) -> str:
    return ESCAPE.sub(lambda found: chr(int(found.group(1), 16)), text)


def predictions_in(copies: list[bytes], code: bytes, program: Program, n_rows: int) -> Predictions:
    """Labels and numbers of the rows; None and NaN for errors."""
    found = [row for copy in copies for row in sheet_rows(copy)][:n_rows]
    stored = sheet_rows(code, PREDICTIONS_SHEET)
    first, n_values = len(program.columns), program.tree.n_values
    n_results = n_values + (program.classes is not None)
    names = [column_name(first + at) for at in range(n_results)]
    labels = [row.get(names[0]) for row in found]
    values = np.array(
        [[shown_number(row.get(name)) for name in names[-n_values:]] for row in found]
    )
    for at, row in enumerate(found):
        *_, number = row.values()
        if number is not None:
            as_stored = list(stored[int(number) - 1].values())[-n_values:]
            values[at] = with_all_digits(values[at], as_stored)
    return Predictions(None if program.classes is None else labels, values)


def shown_number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def with_all_digits(shown: NDArray[np.float64], stored: list[float]) -> list[float]:
    """Numbers with all digits of the workbook, because LibreOffice saves only 15."""
    return [
        full if math.isclose(full, short, rel_tol=1e-14) else short
        for short, full in zip(shown.tolist(), stored, strict=True)
    ]
