"""Atomic file writes: readers see the old file or the new one, never a part.

A temporary file is locked while it is written. The lock ends with the process, however that ends.
Unlike process ids, it works across containers.
"""

import errno
import hashlib
import os
import platform
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from treewright.errors import ParameterError, TreewrightError

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

TEMPORARY = re.compile(r"\.treewright-[0-9a-f]{8}-([0-9a-f]{8})-[0-9a-f]{8}\.tmp")
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")  # the same in all containers of a machine
DAY = 86_400  # seconds
BLOCK = 2**24  # bytes, a few hundredths of a second
_unfinished: set[Path] = set()  # temporary files of this process


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path` through a temporary file beside it."""
    with open_file(path) as file:
        for block in blocks_of(content):
            file.write(block)


def blocks_of(content: bytes | memoryview) -> Iterator[memoryview]:
    """Blocks of a large content, so that Ctrl-C works between them."""
    view = memoryview(content)
    for at in range(0, len(view), BLOCK):
        yield view[at : at + BLOCK]


@contextmanager
def open_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing; it appears at `path` when it is complete.

    After an error, an existing file stays as it was.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():  # a device or a pipe; a directory raises
            with target.open("wb") as device:
                yield device
            return
        remove_left_overs(target)
        with _replacement(target) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:  # in terms of the file that was asked for, not of the temporary one
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def write_by_suffix(
    path: str | os.PathLike[str],
    ways: Mapping[str, Callable[..., str | bytes]],
    what: str,
    **choices: Any,
) -> None:
    """Write the content in the format that the extension of `path` names, all or nothing."""
    suffix = Path(path).suffix.lower()
    if suffix not in ways:
        raise ParameterError(
            f"{what} cannot be saved as {suffix!r}", hint=f"use one of {', '.join(ways)}"
        )
    content = ways[suffix](**choices)
    write_file(path, content if isinstance(content, bytes) else content.encode("utf-8"))


@contextmanager
def _replacement(target: Path) -> Iterator[BinaryIO]:
    temporary, file = _locked_temporary(target)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            if fcntl is None:  # Windows does not rename an open file
                file.close()
            os.replace(temporary, target)  # while it is locked
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(temporary)
    with suppress(OSError):  # some file systems do not sync directories
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _locked_temporary(target: Path) -> tuple[Path, BinaryIO]:
    """A new file beside `target` that this process has locked."""
    while True:
        name = f"{_prefix(target)}{_machine()}-{secrets.token_hex(4)}.tmp"
        temporary = target.with_name(name)
        _unfinished.add(temporary)
        try:
            file = open(temporary, "xb")  # noqa: SIM115 (the caller closes it)
        except BaseException:
            _unfinished.discard(temporary)
            raise
        if fcntl is not None:
            with suppress(OSError):  # some file systems have no locks
                fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return temporary, file
        file.close()  # another process removed it as a leftover before it was locked
        _unfinished.discard(temporary)


def remove_unfinished() -> None:
    """Remove what is being written, for a process that ends without unwinding its calls."""
    for temporary in tuple(_unfinished):
        temporary.unlink(missing_ok=True)


def _prefix(target: Path) -> str:
    """What the temporary names of one file begin with; short, however long its own name is."""
    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]
    return f".treewright-{digest}-"


def remove_left_overs(target: Path) -> None:
    """Remove temporary files of `target` whose process was killed while it wrote."""
    for left in target.parent.glob(f"{_prefix(target)}*.tmp"):
        match = TEMPORARY.fullmatch(left.name)
        if match:
            with suppress(OSError):  # not ours to remove, or gone
                _remove_if_left(left, is_of_this_machine=match[1] == _machine())


def _remove_if_left(temporary: Path, *, is_of_this_machine: bool) -> None:
    """Remove a temporary file that no process has locked.

    Locks of other machines may be out of sight, so their files must also be a day old. A file
    system without locks raises OSError, and the file stays.
    """
    if fcntl is None:
        return
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(temporary, flags)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_of_this_machine or time.time() - os.fstat(descriptor).st_mtime > DAY:
            temporary.unlink()
    finally:
        os.close(descriptor)


def _machine() -> str:
    """Eight digits for this machine since it was started: its processes see each other's locks."""
    try:
        name = BOOT_ID.read_text()
    except OSError:
        name = platform.node()
    return hashlib.sha256(name.encode()).hexdigest()[:8]


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
