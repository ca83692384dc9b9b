"""Protocol buffers, as far as model files need them: fields of a message, one after the other.

Nothing is allocated by an announced size: a length that goes beyond the message is an error.
"""

import struct
from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
SIZES = {FIXED64: 8, FIXED32: 4}
MOST_VARINT = 10  # bytes
FIRST_WINDOW = 64

Field = tuple[int, int, int | memoryview]  # number, wire type, content


def fields_of(message: memoryview) -> Iterator[Field]:
    """The fields of a message in their order."""
    at = 0
    while at < len(message):
        one, at = field_at(message, at)
        yield one


def field_at(message: memoryview, at: int) -> tuple[Field, int]:
    """The field that begins at a position, and where it ends."""
    tag, at = varint(message, at)
    number, wire = tag >> 3, tag & 7
    if wire == VARINT:
        value, at = varint(message, at)
        return (number, wire, value), at
    if wire == BYTES:
        size, at = varint(message, at)
    elif wire in SIZES:
        size = SIZES[wire]
    else:
        raise ModelFileError(f"protobuf: unknown wire type {wire}")
    if number == 0 or size > len(message) - at:
        raise ModelFileError("protobuf: a field goes beyond its message; the file may be cut")
    return (number, wire, message[at : at + size]), at + size


def float_run(message: memoryview, at: int) -> tuple[NDArray[np.float32], int]:
    """Floats of 32 bits that follow each other with the same tag of one byte, and their end."""
    tag, n, window = message[at], 0, FIRST_WINDOW
    while True:  # a window that grows with the run: the rest of the message is not touched
        records = np.frombuffer(message[at : at + 5 * window], dtype=np.uint8)
        records = records[: len(records) // 5 * 5].reshape(-1, 5)
        others = np.flatnonzero(records[:, 0] != tag)
        n = int(others[0]) if len(others) else len(records)
        if n < window:
            values = np.ascontiguousarray(records[:n, 1:]).view("<f4").ravel()
            return values.astype(np.float32), at + 5 * n
        window *= 2


def whole_run(message: memoryview, at: int) -> tuple[NDArray[np.int64], int]:
    """Whole numbers that follow each other with the same tag of one byte, and their end."""
    tag, window = message[at], FIRST_WINDOW
    while True:
        data = np.frombuffer(message[at : at + window], dtype=np.uint8)
        end = np.flatnonzero(data < 128)  # of each varint; tags and numbers take turns
        end = end[: len(end) // 2 * 2]
        start = np.concatenate([[0], end[:-1] + 1])[: len(end)]
        size = end - start + 1
        is_pair = (data[start[::2]] == tag) & (size[::2] == 1) & (size[1::2] <= MOST_VARINT)
        others = np.flatnonzero(~is_pair)
        if len(others) or window >= len(message) - at:
            n = int(others[0]) if len(others) else len(is_pair)
            start, size = start[1 : 2 * n : 2], size[1 : 2 * n : 2]
            values = np.zeros(n, dtype=np.uint64)
            for shift in range(int(size.max(initial=0))):
                has_more = size > shift
                bits = (data[start[has_more] + shift] & 127).astype(np.uint64)
                values[has_more] |= bits << np.uint64(7 * shift)
            return values.view(np.int64), at + (int(end[2 * n - 1]) + 1 if n else 0)
        window *= 2


def varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits per byte, and where it ends."""
    value = 0
    for shift in range(min(MOST_VARINT, len(message) - at)):
        byte = message[at + shift]
        value |= (byte & 127) << (7 * shift)
        if byte < 128:
            return value & (2**64 - 1), at + shift + 1
    raise ModelFileError("protobuf: a number does not end; the file may be cut")


def signed(value: int) -> int:
    """A varint as a signed 64-bit number."""
    return value - 2**64 if value >= 2**63 else value


def message_in(field: Field) -> memoryview:
    """The bytes of a field that holds a message or a text."""
    _, wire, content = field
    if wire != BYTES or not isinstance(content, memoryview):
        raise ModelFileError("protobuf: a field of another type")
    return content


def text_in(field: Field) -> str:
    try:
        return bytes(message_in(field)).decode()
    except UnicodeDecodeError:
        raise ModelFileError("protobuf: a text that is not UTF-8") from None


def whole_in(field: Field) -> int:
    if not isinstance(field[2], int):
        raise ModelFileError("protobuf: a field of another type")
    return signed(field[2])


def add_wholes(field: Field, found: "array[int]") -> None:
    """Add one number, or several that are packed."""
    content = field[2]
    if isinstance(content, int):
        found.append(signed(content))
        return
    packed, at = message_in(field), 0
    while at < len(packed):
        value, at = varint(packed, at)
        found.append(signed(value))


def add_floats(field: Field, found: "array[float]") -> None:
    """Add one float of 32 bits, or several that are packed."""
    _, wire, content = field
    if wire not in (FIXED32, BYTES) or not isinstance(content, memoryview) or len(content) % 4:
        raise ModelFileError("protobuf: a field of another type")
    found.extend(struct.unpack(f"<{len(content) // 4}f", content))
