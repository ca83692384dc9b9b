"""Rows as text, CSV or JSON, column by column: a word that repeats is written once."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from treewright.plain_text import printable_json

Column = Sequence[Any]


class NumberText(str):
    """A number as a file writes it: -3.50 is no formula and is left as it is."""

    __slots__ = ()


def csv_header(names: Sequence[str], *, raw: bool) -> str:
    return csv_lines([[name] for name in names], raw=raw)


def csv_lines(columns: Sequence[Column], *, raw: bool) -> str:
    """A line for each row; `raw` leaves cells that spreadsheets take for formulas as they are."""
    written = [cells(column, lambda value: csv_cell(value, raw=raw)) for column in columns]
    if len(written) == 1:  # a line without a cell would be no row
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
    """The cells of a column; each different word is written once."""
    values = list(column)
    if not values or not isinstance(values[0], str):
        return list(map(write, values))
    by_word = {value: write(value) for value in set(values)}
    return [by_word[value] for value in values]


def csv_cell(value: Any, *, raw: bool) -> str:
    """One cell; text in quotes where it must be, and harmless to spreadsheets unless `raw`."""
    from treewright.data.harmless import harmless

    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return str(value)
    text = value if raw or isinstance(value, NumberText) else harmless(value)
    if any(letter in text for letter in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def json_cell(value: Any) -> str:
    """One value; what JSON has no number for is null, a date is its text."""
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return printable_json(json.dumps(value, ensure_ascii=False, default=str))
