"""The messages of Arrow files and streams, checked before a library trusts their sizes.

```text
schema   dictionary ...   batch   batch ...   end                        a stream
"ARROW1"   dictionary ...   batch   batch ...   index   size   "ARROW1"   an Arrow or Feather file
```

A message is a mark, the length of its metadata (a flatbuffer), the metadata, and a body. polars
ends the process if the index of a file points outside of it.
"""

import struct
from collections.abc import Iterator
from io import SEEK_END, BytesIO
from typing import Any, BinaryIO

from treewright.data.sources.packed import check_is_no_bomb
from treewright.errors import DataError

FILE_START = b"ARROW1"
MARK = b"\xff\xff\xff\xff"
SCHEMA, DICTIONARY, BATCH = 1, 2, 3
LARGEST_METADATA = 2**28  # bytes
PACKED_SIZE = 8  # bytes before a packed buffer that state its size
INDEX_END = 10  # bytes: the length of the index, and "ARROW1"
DAMAGED = "was it cut off, or damaged?"


def stream_parts(stream: BinaryIO, source: str) -> Iterator[bytes]:
    """For each batch of rows, a small Arrow stream that holds just that batch."""
    schema, dictionaries, n_batches = b"", b"", 0
    for kind, message in messages(stream, source):
        if kind == SCHEMA:
            schema = schema or message
        elif kind == DICTIONARY:
            dictionaries += message
        elif kind == BATCH:
            n_batches += 1
            yield schema + dictionaries + message
    if not schema:
        raise DataError(f"{source} is not an Arrow or Feather file", hint=DAMAGED)
    if not n_batches:
        yield schema


def messages(stream: BinaryIO, source: str) -> Iterator[tuple[int, bytes]]:
    """The kind and the bytes of each message, up to the mark of the end."""
    head = exactly(stream, 8, source)
    while True:
        (size,) = struct.unpack("<i", head[4:8])
        if head[:4] != MARK or not 0 <= size <= LARGEST_METADATA:
            raise DataError(f"{source} is not an Arrow or Feather file", hint=DAMAGED)
        if size == 0:
            return
        metadata = exactly(stream, size, source)
        try:
            kind, n_body, buffers = parsed(metadata)
        except (struct.error, IndexError, ValueError):
            raise damaged_message(source) from None
        body = exactly(stream, n_body, source)
        check_buffers(BytesIO(body), (0, n_body), buffers, source)
        yield kind, head + metadata + body
        head = stream.read(8)
        if len(head) < 8:  # the mark of the end may be left out
            return


def exactly(stream: BinaryIO, size: int, source: str) -> bytes:
    """So many bytes; memory is taken only for what is there."""
    content = stream.read(size) if size >= 0 else b""
    if len(content) != size:
        raise DataError(f"{source} is not a complete Arrow or Feather file", hint=DAMAGED)
    return content


def parsed(metadata: bytes) -> tuple[int, int, list[tuple[int, int]]]:
    """Kind and length of the body of a message, and its packed buffers as (offset, length)."""
    message = at_offset(metadata, 0)
    kind_at, body_at = field(metadata, message, 1), field(metadata, message, 3)
    kind = metadata[kind_at] if kind_at else 0
    n_body = number(metadata, "<q", body_at) if body_at else 0
    if kind not in (DICTIONARY, BATCH):
        return kind, n_body, []
    batch = at_offset(metadata, field(metadata, message, 2))
    if kind == DICTIONARY:
        batch = at_offset(metadata, field(metadata, batch, 1))
    if not field(metadata, batch, 3):
        return kind, n_body, []
    vector = at_offset(metadata, field(metadata, batch, 2))
    n_buffers = number(metadata, "<I", vector)
    end = vector + 4 + 16 * n_buffers
    if end > len(metadata):
        raise ValueError("more buffers than metadata")
    return kind, n_body, list(struct.iter_unpack("<qq", metadata[vector + 4 : end]))


def field(content: bytes, table: int, index: int) -> int:
    """Where a field of a flatbuffer's table is; 0 if the table has none."""
    places = table - number(content, "<i", table)
    if places < 0:
        raise ValueError("a table outside of the metadata")
    if 4 + 2 * index >= number(content, "<H", places):
        return 0
    offset = number(content, "<H", places + 4 + 2 * index)
    return table + offset if offset else 0


def at_offset(content: bytes, at: int) -> int:
    return at + number(content, "<I", at)


def number(content: bytes, form: str, at: int) -> int:
    if at < 0:
        raise ValueError("an offset before the metadata")
    (value,) = struct.unpack_from(form, content, at)
    return int(value)


def check_buffers(
    file: BinaryIO, body: tuple[int, int], buffers: list[tuple[int, int]], source: str
) -> None:
    """Raise if a packed buffer lies outside of the body, or states a size that cannot be true."""
    begin, n_body = body
    total = 0
    for offset, length in buffers:
        if offset < 0 or length < 0 or offset + length > n_body:
            raise damaged_message(source)
        if length >= PACKED_SIZE:
            file.seek(begin + offset)
            (size,) = struct.unpack("<q", exactly(file, PACKED_SIZE, source))
            if size < -1:
                raise damaged_message(source)
            total += max(size, 0)
    check_is_no_bomb(total, n_body, source)


def check_file(file: BinaryIO, source: str) -> None:
    """Raise unless all that the index of a file points to is inside of it."""
    size = file.seek(0, SEEK_END)
    file.seek(max(size - INDEX_END, 0))
    end = file.read()
    if len(end) < INDEX_END or not end.endswith(FILE_START):
        raise DataError(f"{source} is not a complete Arrow or Feather file", hint=DAMAGED)
    (n_index,) = struct.unpack("<i", end[:4])
    if not 0 < n_index <= min(size, LARGEST_METADATA):
        raise damaged_message(source)
    begin = size - INDEX_END - n_index
    file.seek(max(begin, 0))
    try:
        for block in blocks_in(exactly(file, n_index, source)):
            check_block(file, block, begin, source)
    except (struct.error, IndexError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise damaged_message(source) from None


def blocks_in(index: bytes) -> Iterator[tuple[int, int, int]]:
    """Offset, length of the metadata and length of the body of each message of a file."""
    footer = at_offset(index, 0)
    for at in (2, 3):  # dictionaries, batches
        if place := field(index, footer, at):
            vector = at_offset(index, place)
            n_blocks = number(index, "<I", vector)
            if vector + 4 + 24 * n_blocks > len(index):
                raise ValueError("more blocks than the index holds")
            for one in range(n_blocks):
                offset, n_metadata, n_body = struct.unpack_from(
                    "<qixxxxq", index, vector + 4 + 24 * one
                )
                yield offset, n_metadata, n_body


def check_block(file: BinaryIO, block: tuple[int, int, int], end: int, source: str) -> None:
    """Raise unless a message is where the index says, as long as it says, and whole."""
    offset, n_metadata, n_body = block
    if offset < 8 or n_metadata < 8 or n_body < 0 or offset + n_metadata + n_body > end:
        raise damaged_message(source)
    file.seek(offset)
    metadata = exactly(file, n_metadata, source)
    skipped = 8 if metadata.startswith(MARK) else 4  # old files have no mark
    _, stated, buffers = parsed(metadata[skipped:])
    if stated > n_body:
        raise damaged_message(source)
    check_buffers(file, (offset + n_metadata, n_body), buffers, source)


def damaged_message(source: str) -> DataError:
    return DataError(f"{source} holds a damaged Arrow message", hint=DAMAGED)


def frames(stream: BinaryIO, source: str, polars: Any) -> Iterator[Any]:
    """A polars frame for each batch of rows."""
    for part in stream_parts(stream, source):
        yield polars.read_ipc_stream(BytesIO(part))
