"""JSON Lines, one object for each row, and JSON arrays of objects."""

import json
import re
from collections.abc import Sequence
from io import BytesIO
from math import isfinite
from typing import Any

import numpy as np

from treewright.data.sources import table_from
from treewright.data.sources.encodings import as_utf8
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.typed_cells import chosen_kinds, table_from_cells
from treewright.data.table import Table
from treewright.errors import DataError, NoRowsError

JSON = (".jsonl", ".ndjson", ".json")
JSON_START = re.compile(rb"\s*(\[\s*)?\{\s*\"")  # of a stream, which has no name
NO_WORD = r"^(-?\d+(\.\d+)?([eE][-+]?\d+)?|true|false)$"
ONE_VALUE = 'each row must be one object of plain values, such as {"size": 3, "color": "red"}'


class LateKeysError(DataError):
    """Rows have keys that no row of the first block has."""

    keys: tuple[str, ...] = ()  # of all rows

    @classmethod
    def of(cls, keys: Sequence[str], n_known: int, source: str) -> "LateKeysError":
        """The error for keys of which the first `n_known` are those of the first block."""
        error = cls(
            f"{source}: no row of the first block has the key `{keys[n_known]}`, which later rows "
            "have",
            hint="write all keys in the first row; null means missing",
        )
        error.keys = (*keys,)
        return error


def table_from_json(content: bytes, settings: ReadSettings, *, source: str) -> Table:
    """The table of JSON Lines, or of one array of objects."""
    content = as_utf8(content, source, settings.encoding)
    frame = frame_from_lines(content)
    if frame is not None and is_text(frame, settings.text):
        return table_from_cells(frame, settings, source)
    rows = rows_from(content, source)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not rows or not names:
        raise NoRowsError(f"{source} holds no rows")
    columns = {name: [row.get(name) for row in rows] for name in names}
    for name in {*settings.text} & {*names}:
        columns[name] = [as_text(value) for value in columns[name]]
    frame = frame_from_columns(columns)
    if frame is None:
        return chosen_kinds(table_from(columns), settings, source)
    return table_from_cells(frame, settings, source)


def frame_from_lines(content: bytes) -> Any:
    """JSON Lines by polars; None if that is missing, or finds anything to complain of.

    The slower reader below then says what is wrong, and where.
    """
    if not content.lstrip().startswith(b"{"):
        return None
    try:
        import polars
    except ModuleNotFoundError:
        return None
    try:
        frame = polars.read_ndjson(content, infer_schema_length=None)
    except polars.exceptions.PolarsError:
        return None
    nested = (polars.Struct, polars.List, polars.Array, polars.Object)
    if 0 in frame.shape or any(isinstance(kind, nested) for kind in frame.dtypes):
        return None
    if any(map(may_be_mixed, frame.get_columns())):
        return None
    keys = keys_in_order(content, frame.width)
    return frame.select(keys) if {*keys} == {*frame.columns} else frame


def keys_in_order(content: bytes, n_keys: int) -> list[str]:
    """The keys of the rows as they first occur; polars puts late ones among the others."""
    keys: dict[str, None] = {}
    for line in BytesIO(content):
        if len(keys) == n_keys:
            break
        if line.strip():
            keys.update(dict.fromkeys(json.loads(line)))
    return [*keys]


def may_be_mixed(series: Any) -> bool:
    """Whether some cells of a column of text were numbers or booleans, as 1.0 among words.

    polars writes them in its own way, as `1`.
    """
    if str(series.dtype) != "String":
        return False
    known = series.drop_nulls()
    looks_mixed = known.str.contains(NO_WORD)
    return bool(looks_mixed.any() and not looks_mixed.all())


def is_text(frame: Any, names: Sequence[str]) -> bool:
    """Whether the named columns hold text, if they exist; numbers are not kept as written."""
    return all(str(frame.schema.get(name, "String")) == "String" for name in names)


def frame_from_columns(columns: dict[str, list[Any]]) -> Any:
    """The columns as a polars frame; None if that is missing, or a column mixes types."""
    try:
        import polars
    except ModuleNotFoundError:
        return None
    try:
        return polars.DataFrame(
            {name: polars.Series(mixed_as_text(values)) for name, values in columns.items()}
        )
    except (polars.exceptions.PolarsError, TypeError, OverflowError):
        return None


def mixed_as_text(values: list[Any]) -> list[Any]:
    """Text among numbers makes all of them text, as in a CSV file."""
    types = {type(value) for value in values} - {type(None)}
    if str not in types or types == {str}:
        return [float(value) if type(value) is int else value for value in values]
    return [as_text(value) for value in values]


def as_text(value: Any) -> str | None:
    """A value as polars writes it in a column of text: 1.0 is `1`, without an exponent."""
    if isinstance(value, float) and isfinite(value):
        return np.format_float_positional(value, trim="-")
    return value if value is None or isinstance(value, str) else json.dumps(value)


def rows_from(content: bytes, source: str) -> list[dict[str, Any]]:
    """The objects of a file, by the standard library; errors name the line."""
    text = content.decode()
    if text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise not_json(source, error, 0) from None
        return [checked(row, f"{source}, row {at}") for at, row in enumerate(found)]
    rows = []
    for at, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise not_json(source, error, at) from None
            rows.append(checked(row, f"{source}, line {at}"))
    return rows


def checked(row: Any, where: str) -> dict[str, Any]:
    """A row, if it is an object of plain values."""
    if not isinstance(row, dict):
        kind = {list: "an array", str: "a string", type(None): "null"}.get(type(row), "a number")
        raise DataError(f"{where}: {kind} instead of an object", hint=ONE_VALUE)
    for name, value in row.items():
        if isinstance(value, (dict, list)):
            kind = "an object" if isinstance(value, dict) else "an array"
            raise DataError(f"{where}: `{name}` holds {kind}", hint=ONE_VALUE)
    return row


def not_json(source: str, error: Exception, line: int) -> DataError:
    said = getattr(error, "msg", "") or "objects within objects, too deep to be read"
    at_line = line or getattr(error, "lineno", 1)
    return DataError(f"{source}, line {at_line}: not JSON: {said}", hint=ONE_VALUE)
