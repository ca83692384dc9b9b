"""Reading a schema from a model file, which may be damaged or hostile.

The set of keys is closed and every type is checked: what comes out is a schema that could have
been written by `Schema.to_json`.
"""

import re
from itertools import islice, pairwise
from math import isfinite
from typing import Any

import numpy as np

from treewright.data.column import Level
from treewright.data.printed_thresholds import FARTHEST, PrintedThresholds
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError

UNIT = re.compile(r"|(datetime64|timedelta64)\[(D|h|m|s|ms|us|ns)\]")
LEVEL_TYPES = (str, bool, int)
MOST_SHOWN = 5  # a hostile file may hold a million odd keys


def read_schema(data: object) -> Schema:
    """The schema written as `data`."""
    by_name = type(data) is dict and data.get("by_name") is True
    keys = {"has_names", "columns", "by_name"} if by_name else {"has_names", "columns"}
    entry = with_keys(data, keys, "schema")
    if type(entry["has_names"]) is not bool:
        raise ModelFileError(f"schema: `has_names` is {entry['has_names']!r}, not true or false")
    if type(entry["columns"]) is not list or not entry["columns"]:
        raise ModelFileError("schema: `columns` is not a list of columns")
    specs = tuple(read_column(column, at) for at, column in enumerate(entry["columns"]))
    if len({spec.name for spec in specs}) != len(specs):
        raise ModelFileError("schema: a column name occurs twice")
    if by_name and not entry["has_names"]:
        raise ModelFileError("schema: columns without names cannot be picked by name")
    return Schema(specs, entry["has_names"], by_name)


def read_column(data: object, at: int) -> ColumnSpec:
    where = f"schema, column {at}"
    kind = data.get("kind") if type(data) is dict else None
    if kind == "numeric":
        assert type(data) is dict  # it has a kind
        keys = {"name", "kind", "unit"}
        entry = with_keys(data, keys | {"printed"} if "printed" in data else keys, where)
        unit = entry["unit"]
        if type(unit) is not str or not UNIT.fullmatch(unit):
            raise ModelFileError(f"{where}: `unit` is {unit!r}")
        printed = read_printed(entry["printed"], where) if "printed" in entry else None
        return ColumnSpec(read_name(entry["name"], where), "numeric", (), unit, printed)
    if kind in ("nominal", "ordered"):
        entry = with_keys(data, {"name", "kind", "levels"}, where)
        name = read_name(entry["name"], where)
        return ColumnSpec(name, kind, read_levels(entry["levels"], where))
    raise ModelFileError(f"{where}: `kind` is {kind!r}, not numeric, nominal or ordered")


def read_printed(data: object, where: str) -> PrintedThresholds:
    """What is printed for thresholds: numbers that rise as they do, and are close to them."""
    where = f"{where}, `printed`"
    entry = with_keys(data, {"threshold", "printed"}, where)
    at, shown = entry["threshold"], entry["printed"]
    if type(at) is not list or type(shown) is not list or len(at) != len(shown):
        raise ModelFileError(f"{where}: not two lists of equal length")
    for number in (*at, *shown):
        if type(number) is not float or not isfinite(number):
            raise ModelFileError(f"{where}: {str(number)[:50]!r} is not a finite number")
    for numbers in (at, shown):
        if any(low >= high for low, high in pairwise(numbers)):
            raise ModelFileError(f"{where}: the numbers do not rise")
    for exact, number in zip(at, shown, strict=True):
        if abs(exact - number) > 1.01 * FARTHEST * abs(exact):
            raise ModelFileError(f"{where}: {number!r} is too far from the threshold {exact!r}")
    return PrintedThresholds(np.array(at, dtype=np.float64), np.array(shown, dtype=np.float64))


def read_name(name: object, where: str) -> str:
    if type(name) is not str:
        raise ModelFileError(f"{where}: `name` is {name!r}, not a string")
    return name


def read_levels(levels: object, where: str) -> tuple[Level, ...]:
    if type(levels) is not list:
        raise ModelFileError(f"{where}: `levels` is not a list")
    types = set(map(type, levels))
    if len(types) > 1 or not types <= set(LEVEL_TYPES):
        raise ModelFileError(f"{where}: levels are not all strings, all integers or all booleans")
    if len(set(levels)) != len(levels):
        raise ModelFileError(f"{where}: a level occurs twice")
    return tuple(levels)


def with_keys(data: object, keys: set[str], where: str) -> dict[str, Any]:
    """`data` as a dict of exactly these keys."""
    if type(data) is not dict:
        raise ModelFileError(f"{where}: not an object with keys")
    if set(data) != keys:
        odd = sorted(key[:50] for key in islice(set(data) ^ keys, MOST_SHOWN))
        raise ModelFileError(f"{where}: keys missing or not known: {', '.join(odd)}")
    return data
