"""Reading the content of files that somebody else may have chosen."""

import errno
import os
import stat
from typing import BinaryIO

from treewright.errors import TreewrightError

KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
COPY_FIRST = "copy what it holds to a file first; on the command line, `-` reads standard input"
RAISE = (
    "if you trust the file, raise the limit: `max_bytes` of `tw.load`, "
    "TREEWRIGHT_MAX_MODEL_BYTES for commands"
)


def open_regular(path: str | os.PathLike[str], error: type[TreewrightError]) -> BinaryIO:
    """A regular file, to be read; anything else raises at once instead of waiting for input.

    A folder raises the system's own IsADirectoryError.
    """
    # Without O_NONBLOCK, to open a pipe waits until somebody writes to it.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        refuse(mode, path, error)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(
    path: str | os.PathLike[str], error: type[TreewrightError], max_bytes: int | None
) -> bytes:
    """The content of a regular file of at most `max_bytes` bytes; None is no limit."""
    with open_regular(path, error) as file:
        size = os.fstat(file.fileno()).st_size
        if max_bytes is not None and size > max_bytes:
            raise too_large(f"{size:,} bytes", path, error, max_bytes)
        return read_at_most(file, path, error, max_bytes)


def read_at_most(
    file: BinaryIO,
    name: str | os.PathLike[str],
    error: type[TreewrightError],
    max_bytes: int | None,
) -> bytes:
    """All that is left in an open file, unless it is more than `max_bytes`."""
    if max_bytes is None:
        return file.read()
    content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise too_large("more", name, error, max_bytes)
    return content


def too_large(
    size: str, name: str | os.PathLike[str], error: type[TreewrightError], max_bytes: int
) -> TreewrightError:
    return error(
        f"{os.fspath(name)}: the limit is {max_bytes:,} bytes, the file has {size}", hint=RAISE
    )


def open_stream(path: str | os.PathLike[str], error: type[TreewrightError]) -> BinaryIO:
    """A regular file or a pipe, to be read; a device, which may never end, raises.

    Shells make pipes of `<(zcat table.csv.gz)`.
    """
    file = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    try:
        if not stat.S_ISFIFO(mode := os.fstat(file.fileno()).st_mode):
            refuse(mode, path, error)
    except BaseException:
        file.close()
        raise
    return file


def refuse(mode: int, path: str | os.PathLike[str], error: type[TreewrightError]) -> None:
    """Raise for pipes, devices and sockets."""
    kind = KINDS.get(stat.S_IFMT(mode))
    if kind is not None:
        raise error(f"{os.fspath(path)} is {kind}, not a regular file", hint=COPY_FIRST)
