"""Protocol buffers, as far as model files need them: fields of a message, one after the other.

Nothing is allocated by an announced size: a length that goes beyond the message is an error.
"""

import struct
from array import array
from collections.abc import Iterator

from treewright.errors import ModelFileError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
SIZES = {FIXED64: 8, FIXED32: 4}
MOST_VARINT = 10  # bytes

Field = tuple[int, int, int | memoryview]  # number, wire type, content


def fields_of(message: memoryview) -> Iterator[Field]:
    """The fields of a message in their order."""
    at, end = 0, len(message)
    while at < end:
        tag, at = varint(message, at)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            value, at = varint(message, at)
            yield number, wire, value
            continue
        if wire == BYTES:
            size, at = varint(message, at)
        elif wire in SIZES:
            size = SIZES[wire]
        else:
            raise ModelFileError(f"protobuf: unknown wire type {wire}")
        if number == 0 or size > end - at:
            raise ModelFileError("protobuf: a field goes beyond its message; the file may be cut")
        yield number, wire, message[at : at + size]
        at += size


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
