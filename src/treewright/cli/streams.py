"""The standard streams: `-` in place of a file, and notes and errors on stderr.

It needs no package, so it can also say that one is missing.
"""

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import TextIO

from treewright.errors import ParameterError
from treewright.files import open_file, write_file
from treewright.plain_text import escape_controls, plain_lines

STANDARD = "-"
Named = str | PathLike[str] | None


def is_standard(path: Named) -> bool:
    """Whether a path stands for the standard input or output."""
    return path is not None and fspath(path) == STANDARD


def is_same_file(path: Path, source: str | PathLike[str]) -> bool:
    """Whether two names refer to the same file; `-` is the file that the input comes from.

    `source` may also be a pattern that the file matches.
    """
    other = Path("/dev/stdin" if is_standard(source) else source)
    others = [other] if other.exists() else matching_files(fspath(source))
    return path.is_file() and any(path.samefile(one) for one in others)


def matching_files(pattern: str) -> list[Path]:
    """The files that match a pattern such as `2024-*.csv`; none for a plain name."""
    if not has_magic(pattern):
        return []
    return [Path(name) for name in glob(pattern, recursive=True) if Path(name).is_file()]


def check_one_output(*paths: Named, as_json: bool = False) -> None:
    """Raise if two outputs would go to the standard output, or to one file."""
    files = [Path(path).resolve() for path in paths if path is not None and not is_standard(path)]
    if len({*files}) < len(files):
        raise ParameterError(
            f"`{files[0].name}` can take one output only", hint="write the others to other files"
        )
    if sum(map(is_standard, paths)) + as_json > 1:
        raise ParameterError(
            "the standard output can take one output only", hint="write the others to files"
        )


def check_one_input(*paths: Named) -> None:
    """Raise if the standard input is used more than once."""
    if sum(map(is_standard, paths)) > 1:
        raise ParameterError(
            "the standard input can be used only once", hint="give the others as files"
        )


def write_content(content: bytes, path: Path) -> None:
    """Write to a file, all of it or nothing, or to the standard output."""
    if not is_standard(path):
        write_file(path, content)
        return
    check_no_bytes_on_terminal(content)
    if not hasattr(sys.stdout, "buffer"):  # the text is captured
        sys.stdout.write(content.decode("utf-8"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def check_no_bytes_on_terminal(content: bytes) -> None:
    """Raise if the bytes of a file, which are not text, would go to a terminal."""
    if sys.stdout.isatty() and b"\0" in content:
        raise ParameterError(
            "this is a binary file, and the standard output is a terminal",
            hint="write it to a file with --out FILE, or into a pipe",
        )


def print_data(text: str) -> None:
    """Write text for programs to the standard output: the bytes that a file of it would hold."""
    if sys.stdout.isatty():
        sys.stdout.write(escape_controls(text))
    else:
        write_content(text.encode("utf-8"), Path(STANDARD))


class DataOutput(io.TextIOBase):
    """The standard output as a file of text for programs."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        print_data(text)
        return len(text)


@contextmanager
def text_output(path: Path | None) -> Iterator[io.TextIOBase]:
    """Standard output, or a file that appears once it is complete."""
    if path is None or is_standard(path):
        yield DataOutput()
        return
    with open_file(path) as binary:
        file = io.TextIOWrapper(binary, encoding="utf-8", newline="")
        yield file
        file.detach()  # flushes it, and leaves the closing to `open_file`


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
    """Replaces a closed standard output: every write fails."""

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
    r"""Replaces characters that an encoding lacks: by similar ones, or `\u00e9`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(NEAREST_SIGNS)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def output_is_closed() -> bool:
    """Whether the shell has closed the standard output."""
    return isinstance(getattr(sys.stdout, "buffer", None), ClosedOutput)


def forget(stream: TextIO) -> None:
    """Discard further output to a stream: its reader is gone, or its device is full."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# The arguments of the command, for pages and hints that repeat them.
ARGUMENTS: ContextVar[tuple[str, ...]] = ContextVar("ARGUMENTS", default=())


def print_error(text: str) -> None:
    print_styled("error", "bold red", text)


def print_warning(text: str) -> None:
    print_styled("warning", "bold yellow", text)


def print_note(text: str) -> None:
    print_styled("note", "yellow", text)


def print_styled(word: str, style: str, text: str) -> None:
    """Print `word: text`, with the word in color on a terminal.

    Control characters in names from a file are made visible. A message that cannot be written is
    dropped: it must not stop the work.
    """
    try:
        write_styled(word, style, plain_lines(text))
    except OSError:
        forget(sys.stderr)


def write_styled(word: str, style: str, text: str) -> None:
    if sys.stderr.isatty() and not os.environ.get("NO_COLOR"):
        with suppress(ModuleNotFoundError):
            from rich.console import Console
            from rich.text import Text

            line = Text.assemble((f"{word}: ", style), text)
            Console(stderr=True, highlight=False, soft_wrap=True).print(line)
            return
    print(f"{word}: {text}", file=sys.stderr, flush=True)
