"""Compressed files: .gz, .bz2, .xz and .zst, recognized by their first bytes."""

import bz2
import gzip
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from treewright.errors import DataError
from treewright.optional import optional_module

# What files begin with, whatever their names say.
PACKED_BY_START = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\x00": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
}
PACKED = tuple(PACKED_BY_START.values())
DAMAGED = (EOFError, lzma.LZMAError, zlib.error, ValueError)  # bz2 says ValueError
MEGABYTE = 2**20

# A few kilobytes can hold terabytes of zeros. Tables that large do not shrink that much.
MOST_UNPACKED = 2**30  # bytes that any file may hold
MOST_TIMES = 200  # how many times its size a file may hold beyond that


def packed_by(start: bytes, suffix: str) -> str:
    """How a file is packed, as an ending such as .gz; "" if it is not.

    Its first bytes decide; if they do not, the extension decides.
    """
    found = [ending for begin, ending in PACKED_BY_START.items() if start.startswith(begin)]
    return found[0] if found else suffix if suffix in PACKED else ""


def unpacked(stream: BinaryIO, packed: str, source: str) -> Any:
    """The stream of what a packed stream holds; damage and bombs raise a DataError."""
    return BufferedReader(Unpacking(stream, packed, source), MEGABYTE)


class Unpacking(RawIOBase):
    """Unpacks while it is read."""

    def __init__(self, stream: BinaryIO, packed: str, source: str) -> None:
        self._packed_bytes = Counted(stream)
        openers: dict[str, Callable[..., Any]] = {
            ".gz": gzip.open,
            ".bz2": bz2.open,
            ".xz": lzma.open,
        }
        self._errors: tuple[type[Exception], ...] = DAMAGED
        if packed == ".zst":
            zstd = zstd_module()
            openers[packed] = zstd.open
            self._errors += (zstd.ZstdError,)
        self._unpacked: Any = openers[packed](self._packed_bytes, "rb")
        self._packed, self._source = packed, source
        self._n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            content = self._unpacked.read(len(buffer))
        except self._errors as error:
            raise damaged(self._source, self._packed, error) from None
        except OSError as error:
            if error.errno is not None:  # of the disk, not of the content
                raise
            raise damaged(self._source, self._packed, error) from None
        buffer[: len(content)] = content
        self._n_bytes += len(content)
        check_is_no_bomb(self._n_bytes, self._packed_bytes.n_bytes, self._source)
        return len(content)


class Counted:
    """A stream that counts what was read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.n_bytes = 0

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(size)
        self.n_bytes += len(content)
        return content


def check_is_no_bomb(n_unpacked: int, n_packed: int, source: str) -> None:
    """Raise if a small file holds so much that it is not a table."""
    if n_unpacked > MOST_UNPACKED and n_unpacked > MOST_TIMES * n_packed:
        raise DataError(
            f"{source} holds more than {MOST_UNPACKED:,} bytes, {MOST_TIMES} times its own size",
            hint="it may be a decompression bomb; if you trust it, unpack it yourself",
        )


def unzipped(suffix: str, content: bytes, source: str) -> tuple[str, bytes]:
    """Ending and content of the one file in a .zip archive; others are returned as they are."""
    if suffix != ".zip":
        return suffix, content
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            files = [part for part in archive.infolist() if is_of_user(part)]
            if len(files) != 1:
                raise DataError(
                    f"{source} holds {len(files):,} files, not one table",
                    hint="unpack it, and give one of the files, or a pattern",
                )
            (file,) = files
            if file.flag_bits & 1:
                raise DataError(f"{source} is protected by a password", hint="unpack it first")
            check_is_no_bomb(file.file_size, len(content), source)
            return Path(file.filename).suffix.lower(), archive.read(file)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise damaged(source, suffix, error) from None


def is_of_user(part: zipfile.ZipInfo) -> bool:
    """Whether a part of an archive is neither a folder nor what macOS adds."""
    return not part.is_dir() and not part.filename.startswith("__MACOSX/")


def damaged(source: str, packed: str, error: Exception) -> DataError:
    return DataError(
        f"{source} is not a complete {packed[1:]} file: {error}",
        hint="if it was cut off, copy it again; if it is not compressed, rename it",
    )


def zstd_module() -> Any:
    """The standard library's zstd, or its backport."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return optional_module(name, extra="files", purpose="reading .zst files")
