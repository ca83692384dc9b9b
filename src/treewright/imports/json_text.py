"""JSON of other libraries, read strictly: each part is checked where it is used."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.errors import ModelFileError
from treewright.persistence.file_text import parse


def read_json(content: bytes) -> dict[str, Any]:
    """The object that a file holds."""
    found = parse(content)
    if type(found) is not dict:
        raise ModelFileError("the file holds no object with keys")
    return found


def section(data: Any, key: str, where: str) -> Mapping[str, Any]:
    """An object inside another one."""
    found = data.get(key) if isinstance(data, Mapping) else None
    if type(found) is not dict:
        raise ModelFileError(f"{where}: `{key}` is missing, or not an object with keys")
    return found


def text_of(data: Mapping[str, Any], key: str, where: str) -> str:
    """A text of an object."""
    found = data.get(key)
    if type(found) is not str:
        raise ModelFileError(f"{where}: `{key}` is missing, or not a text")
    return found


def whole_of(
    data: Mapping[str, Any],
    key: str,
    where: str,
    limits: tuple[int, int],
    default: int | None = None,
) -> int:
    """A whole number, which may be written as a text."""
    found = data.get(key, default)
    if type(found) is str and found.isascii() and found.isdigit() and len(found) < 19:
        found = int(found)
    low, high = limits
    if type(found) is not int or not low <= found <= high:
        raise ModelFileError(
            f"{where}: `{key}` is {str(found)[:50]!r}, not a whole number from {low} to {high}"
        )
    return found


def array_of(
    data: Mapping[str, Any], key: str, where: str, dtype: type[np.generic], n: int | None = None
) -> Any:
    """A list of numbers as an array; of `n` numbers if that is given."""
    found = data.get(key)
    if isinstance(found, np.ndarray):
        array = found
    elif type(found) is list:
        if not set(map(type, found)) <= {int, float, bool}:
            raise ModelFileError(f"{where}: `{key}` holds something else than numbers")
        try:
            array = np.array(found, dtype=np.float64 if dtype is np.float64 else None)
        except (OverflowError, ValueError):
            raise ModelFileError(f"{where}: `{key}` has a number out of range") from None
        array = array if len(found) else np.zeros(0, dtype)
    else:
        raise ModelFileError(f"{where}: `{key}` is missing, or not a list of numbers")
    if n is not None and len(array) != n:
        raise ModelFileError(f"{where}: `{key}` has {len(array)} numbers, not {n}")
    if array.dtype.kind not in "iubf" or (dtype is np.int64 and not are_whole(array)):
        raise ModelFileError(f"{where}: `{key}` has a number that is not whole, or out of range")
    return array.astype(dtype)


def are_whole(array: Any) -> bool:
    """Whether numbers are whole, and exact as 64 bits."""
    if array.dtype.kind != "f":
        return array.dtype != np.uint64 or not (array > 2**62).any()
    return bool((array % 1 == 0).all() and (np.abs(array) <= 2**53).all())
