"""The format of a file with arrays: a head, JSON, and arrays as in memory.

    bytes  0 - 15   b"treewright pack\\n"
    bytes 16 - 23   format version
    bytes 24 - 31   length of the JSON, its padding included
    bytes 32 - 63   SHA-256 of bytes 0 - 31 and of everything from byte 64 on
    from byte 64    JSON: {"arrays": [[name, type, shape], ...], "model": {...}}, padded by blanks
    then            the arrays in that order, each padded by zero bytes

Everything is little-endian and begins at a multiple of 64 bytes. Nothing is read before the
checksum is verified, and no stated length is allocated: arrays are views of the file's bytes.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import StandardArithmetic
from treewright.data.schema import with_keys
from treewright.errors import ModelFileError
from treewright.files import blocks_of
from treewright.persistence.file_text import check_checksum, check_version, parse

MAGIC = b"treewright pack\n"
FORMAT_VERSION = 2
ALIGNMENT = 64
HEAD = 64  # bytes before the JSON
HASHED = 32  # bytes before the checksum
MAX_AXES = 3
MAX_ELEMENTS = 2**50  # also of an empty array, whose zero axes count as 1
TYPES = {
    np.dtype(code).name: np.dtype(code)
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
}


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """The content of a file: JSON values, and arrays by name."""

    model: object
    arrays: dict[str, NDArray[Any]]


def is_container(content: bytes) -> bool:
    """Whether these are the bytes of a container, intact or not."""
    return content[: len(MAGIC)] == MAGIC


def container_bytes(model: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a file that holds `model` and `arrays`."""
    for name, array in arrays.items():
        if array.dtype.name not in TYPES or array.ndim > MAX_AXES:
            raise ModelFileError(
                f"array `{name}` of {array.dtype} with {array.ndim} axes cannot be saved",
                hint=f"a file can hold {', '.join(TYPES)} with at most {MAX_AXES} axes",
            )
    listed = [[name, array.dtype.name, list(array.shape)] for name, array in arrays.items()]
    with StandardArithmetic():
        text = json.dumps({"arrays": listed, "model": model}, allow_nan=False).encode()
    text += b" " * gap_after(len(text))
    parts = [text]
    for array in arrays.values():
        content = little_endian(np.asarray(array, TYPES[array.dtype.name])).tobytes()
        parts += [content, bytes(gap_after(len(content)))]
    start = MAGIC + FORMAT_VERSION.to_bytes(8, "little") + len(text).to_bytes(8, "little")
    return b"".join([start, checksum(start, *parts), *parts])


def read_container(content: bytes) -> Container:
    """What `container_bytes` wrote; anything else is a `ModelFileError`."""
    text, body = checked_parts(content)
    entry = with_keys(parse(text), {"arrays", "model"}, "file")
    listed = entry["arrays"]
    if type(listed) is not list:
        raise ModelFileError("file: `arrays` is not a list")
    arrays: dict[str, NDArray[Any]] = {}
    at = 0
    for one in listed:
        name, kind, shape = array_entry(one)
        if name in arrays:
            raise ModelFileError(f"file: array `{name[:50]}` occurs twice")
        n_bytes = prod(shape) * kind.itemsize  # Python integers do not overflow
        end = at + n_bytes + gap_after(n_bytes)
        if end > len(body):
            raise ModelFileError(f"file: array `{name[:50]}` does not fit into the file")
        if any(body[at + n_bytes : end]):
            raise ModelFileError(f"file: after array `{name[:50]}` there is more than padding")
        arrays[name] = little_endian(np.frombuffer(body, kind, prod(shape), at)).reshape(shape)
        at = end
    if at != len(body):
        raise ModelFileError("file: there is more in it than its arrays")
    return Container(entry["model"], arrays)


def checked_parts(content: bytes) -> tuple[bytes, memoryview]:
    """The JSON and the bytes after it, if head and checksum are correct."""
    if not is_container(content):
        raise ModelFileError("this is not a treewright model")
    if len(content) < HEAD:
        raise ModelFileError("the head of the file is cut")
    check_version(int.from_bytes(content[16:24], "little"), FORMAT_VERSION)
    after = memoryview(content)[HEAD:]
    check_checksum(checksum(content[:HASHED], after), content[HASHED:HEAD])
    length = int.from_bytes(content[24:32], "little")
    if length > len(after) or length % ALIGNMENT:
        raise ModelFileError("file: the stated length of the JSON is wrong")
    return bytes(after[:length]), after[length:]


def array_entry(data: object) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    """Name, type and shape of an array."""
    if type(data) is not list or len(data) != 3:
        raise ModelFileError("file: an array needs a name, a type and a shape")
    name, kind, shape = data
    if type(name) is not str:
        raise ModelFileError("file: the name of an array is not text")
    if type(kind) is not str or kind not in TYPES:
        raise ModelFileError(f"file: the type of array `{name[:50]}` is not known")
    is_shape = type(shape) is list and 1 <= len(shape) <= MAX_AXES
    is_shape = is_shape and all(type(axis) is int and axis >= 0 for axis in shape)
    if not is_shape or prod(max(axis, 1) for axis in shape) > MAX_ELEMENTS:
        raise ModelFileError(f"file: the shape of array `{name[:50]}` cannot be right")
    return name, TYPES[kind], tuple(shape)


def little_endian(array: NDArray[Any]) -> NDArray[Any]:
    """From this machine's byte order to that of files, or back."""
    return array if sys.byteorder == "little" else array.byteswap()


def gap_after(length: int) -> int:
    """Bytes up to the next multiple of the alignment."""
    return -length % ALIGNMENT


def checksum(start: bytes, *after: bytes | memoryview) -> bytes:
    """SHA-256 of the bytes before the checksum and of the parts after it."""
    digest = hashlib.sha256(start)
    for part in after:
        for block in blocks_of(part):
            digest.update(block)
    return digest.digest()
