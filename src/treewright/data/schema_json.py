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
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.threshold_digits import ALL_DIGITS, LEAST_DIGITS, ThresholdDigits
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
        keys = {"name", "kind", "unit"}
        entry = with_keys(data, keys | {"digits"} if "digits" in data else keys, where)
        unit = entry["unit"]
        if type(unit) is not str or not UNIT.fullmatch(unit):
            raise ModelFileError(f"{where}: `unit` is {unit!r}")
        digits = read_digits(entry["digits"], where) if "digits" in entry else None
        return ColumnSpec(read_name(entry["name"], where), "numeric", (), unit, digits)
    if kind in ("nominal", "ordered"):
        entry = with_keys(data, {"name", "kind", "levels"}, where)
        name = read_name(entry["name"], where)
        return ColumnSpec(name, kind, read_levels(entry["levels"], where))
    raise ModelFileError(f"{where}: `kind` is {kind!r}, not numeric, nominal or ordered")


def read_digits(data: object, where: str) -> ThresholdDigits:
    """How many digits thresholds are printed with: rising thresholds, a number of digits each."""
    entry = with_keys(data, {"threshold", "digits"}, f"{where}, `digits`")
    at, digits = entry["threshold"], entry["digits"]
    if type(at) is not list or type(digits) is not list or len(at) != len(digits):
        raise ModelFileError(f"{where}: `digits` is not a list of thresholds and one of digits")
    if any(type(number) is not float or not isfinite(number) for number in at):
        raise ModelFileError(f"{where}: `digits` has a threshold that is not a finite number")
    if any(low >= high for low, high in pairwise(at)):
        raise ModelFileError(f"{where}: `digits` has thresholds that do not rise")
    if any(type(n) is not int or not LEAST_DIGITS <= n <= ALL_DIGITS for n in digits):
        raise ModelFileError(
            f"{where}: `digits` has a number of digits that is not from {LEAST_DIGITS} to "
            f"{ALL_DIGITS}"
        )
    return ThresholdDigits(np.array(at, dtype=np.float64), np.array(digits, dtype=np.int64))


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
