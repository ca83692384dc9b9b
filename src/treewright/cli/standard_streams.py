r"""The three standard streams, made usable whatever the shell has done to them.

- A closed stream (`>&-`) leaves its number free, so the next file that is opened would get it, and
  Python has `None` in its place. Here the number is taken by the null device; writing to a closed
  standard output is an error, and messages to a closed standard error are dropped.
- An encoding that lacks a character (`PYTHONIOENCODING=ascii`) is no reason to fail: text to read
  shows the nearest signs, or an escape such as `\u00e9`.
"""

import codecs
import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO

NEAREST_SIGNS = str.maketrans(
    "×·⋅−–—─│├└•≈‘’“”\xa0", "x**----||`*~''\"\" ", "\u2068\u2069"
) | str.maketrans(
    {
        "²": "^2",
        "±": "+/-",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "→": "->",
        "∞": "inf",
        "∑": "sum",
        "…": "...",
        "⋯": "...",
    }
)
READABLE = "treewright-readable"  # name of the error handler below


class ClosedOutput(io.RawIOBase):
    """In the place of a standard output that is closed: every write fails."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, _content: object) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def prepare_streams() -> None:
    """Make the standard streams of this process usable."""
    codecs.register_error(READABLE, readable)
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is given out, which is this one.
            os.open(os.devnull, os.O_RDWR)
            if number == 1:
                sys.stdout = io.TextIOWrapper(ClosedOutput(), "utf-8", write_through=True)
            elif number == 2:
                sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), "utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=READABLE)


def readable(error: UnicodeError) -> tuple[str, int]:
    r"""What is written for characters that an encoding lacks: near signs, or `\u00e9`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(NEAREST_SIGNS)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def output_is_closed() -> bool:
    """Whether the shell has closed the standard output."""
    return isinstance(getattr(sys.stdout, "buffer", None), ClosedOutput)


def forget(stream: TextIO) -> None:
    """Drop what is written to a stream from now on: its reader has gone, or its device is full."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
