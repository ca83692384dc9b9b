"""Universal Binary JSON, as XGBoost writes it, read strictly.

Arrays of numbers become NumPy arrays. Nothing is allocated before the bytes for it are there, so a
small file never takes much memory.
"""

import struct
from typing import Any

import numpy as np

from treewright.errors import ModelFileError

MAX_DEPTH = 64
NUMBERS = {
    b"i": ">i1",
    b"U": ">u1",
    b"I": ">i2",
    b"l": ">i4",
    b"L": ">i8",
    b"d": ">f4",
    b"D": ">f8",
}
FORMS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}
CONSTANTS = {b"Z": None, b"T": True, b"F": False}
WHOLE = (b"i", b"U", b"I", b"l", b"L")


class Reader:
    """The bytes, and how far they are read."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def problem(self, words: str) -> ModelFileError:
        return ModelFileError(f"byte {self.at}: {words}")

    def take(self, n: int) -> bytes:
        if n < 0 or n > len(self.content) - self.at:
            raise self.problem("the file ends here, but more is announced: it was cut")
        found = self.content[self.at : self.at + n]
        self.at += n
        return found

    def peek(self) -> bytes:
        return self.content[self.at : self.at + 1]

    def marker(self) -> bytes:
        found = self.take(1)
        while found == b"N":  # no operation
            found = self.take(1)
        return found

    def number(self, marker: bytes) -> int | float:
        form = FORMS[marker]
        found: int | float = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return found

    def length(self) -> int:
        marker = self.marker()
        if marker not in WHOLE:
            raise self.problem("a length is no whole number")
        return int(self.number(marker))

    def text(self) -> str:
        try:
            return self.take(self.length()).decode("utf-8")
        except UnicodeDecodeError:
            raise self.problem("a text is not UTF-8") from None

    def value(self, marker: bytes, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise self.problem(f"lists and objects are nested more than {MAX_DEPTH} deep")
        if marker in CONSTANTS:
            return CONSTANTS[marker]
        if marker in FORMS:
            return self.number(marker)
        if marker == b"S":
            return self.text()
        if marker == b"C":
            return self.take(1).decode("latin-1")
        if marker == b"[":
            return self.list(depth)
        if marker == b"{":
            return self.object(depth)
        raise self.problem(f"{marker!r} is no marker of UBJSON")

    def announced(self) -> tuple[bytes, int]:
        """The common type of the entries, or b"", and their number, or -1."""
        kind = b""
        if self.peek() == b"$":
            self.take(1)
            kind = self.take(1)
            if self.peek() != b"#":
                raise self.problem("a type without a count")
        if self.peek() != b"#":
            return kind, -1
        self.take(1)
        count = self.length()
        if count < 0 or count > len(self.content) - self.at:
            raise self.problem("more entries are announced than there are bytes: it was cut")
        return kind, count

    def list(self, depth: int) -> Any:
        kind, count = self.announced()
        if kind in NUMBERS:
            dtype = np.dtype(NUMBERS[kind])
            found = np.frombuffer(self.take(count * dtype.itemsize), dtype=dtype)
            return found.astype(dtype.newbyteorder("="))
        if kind in CONSTANTS or kind == b"N":
            raise self.problem("a list of constants without bytes")
        entries: list[Any] = []
        while count < 0 or len(entries) < count:
            marker = kind or self.marker()
            if count < 0 and marker == b"]":
                break
            entries.append(self.value(marker, depth + 1))
        return entries

    def object(self, depth: int) -> dict[str, Any]:
        kind, count = self.announced()
        if kind in CONSTANTS or kind == b"N":
            raise self.problem("an object of constants without bytes")
        entries: dict[str, Any] = {}
        n = 0
        while count < 0 or n < count:
            if count < 0 and self.peek() == b"}":
                self.take(1)
                break
            key = self.text()
            if key in entries:
                raise self.problem(f"the key `{key[:50]}` occurs twice")
            entries[key] = self.value(kind or self.marker(), depth + 1)
            n += 1
        return entries


def read_ubj(content: bytes) -> Any:
    """The value that the bytes hold."""
    reader = Reader(content)
    found = reader.value(reader.marker(), 0)
    if reader.at != len(content):
        raise reader.problem("something follows the end of the model")
    return found
