"""The `treewright` command: the one place where errors become exit codes.

0 success · 1 any other error, or warnings with --strict · 2 wrong flag, path or column name
3 unusable file contents · 4 a table without the columns that a model needs · 130 interrupted
"""

import errno
import os
import sys
from collections.abc import Sequence

from treewright.cli.command_syntax import in_command_syntax
from treewright.cli.interrupts import INTERRUPTED, is_interrupted, leave, watch_for_interrupt
from treewright.cli.quick_start import start_quickly
from treewright.cli.streams import ARGUMENTS, forget, prepare_streams, print_error
from treewright.errors import (
    DataError,
    MissingExtraError,
    ModelFileError,
    ModelTableError,
    ParameterError,
    TreewrightError,
    UnknownColumnError,
)
from treewright.optional import optional_module

COMPLETING = "_TREEWRIGHT_COMPLETE"  # set by the completion scripts of shells
TRACEBACK = "TREEWRIGHT_TRACEBACK"  # set it to see where an unexpected error comes from

# The first class that fits decides.
EXIT_CODES: tuple[tuple[type[TreewrightError], int], ...] = (
    (UnknownColumnError, 2),
    (ModelTableError, 4),
    (ParameterError, 2),
    (DataError, 3),
    (ModelFileError, 3),
    (MissingExtraError, 1),
    (TreewrightError, 1),
)
WRONG_PATH = {errno.ENOENT, errno.EACCES, errno.EISDIR, errno.ENOTDIR, errno.EPERM, errno.EROFS}


def command() -> None:
    """The process of the `treewright` command."""
    prepare_streams()
    watch_for_interrupt()
    start_quickly()
    code = main()
    if code == INTERRUPTED:
        leave(code)
    sys.exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    code = 0
    try:
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe (`| head -1`)
        forget(sys.stdout)
        return 0
    except OSError as error:  # the remaining output does not fit
        forget(sys.stdout)
        return code or report_failure(error)
    return code


def run(arguments: Sequence[str] | None) -> int:
    """Run one command; a user error becomes a message and an exit code."""
    try:
        return call_app(arguments)
    except TreewrightError as error:
        print_error(in_command_syntax(str(error)))
        return next(code for kind, code in EXIT_CODES if isinstance(error, kind))
    except KeyboardInterrupt:
        print_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        return report_failure(error)
    except MemoryError:
        print_error("not enough memory for this table and these settings")
        return 1
    except Exception as error:
        if is_interrupted():  # some packages raise another error for it during import
            print_error("interrupted")
            return INTERRUPTED
        if os.environ.get(TRACEBACK):
            raise
        hint = f"set {TRACEBACK}=1 to see where, and report it"
        print_error(f"unexpected {type(error).__name__}: {error}\nhint: {hint}")
        return 1


def call_app(arguments: Sequence[str] | None) -> int:
    for package in ("typer", "rich"):
        optional_module(package, extra="cli", purpose="the command line")
    import typer

    from treewright.cli.app import HELP_ALL, make_app
    from treewright.cli.quick_values import read_values_quickly
    from treewright.cli.usage_errors import usage_message

    read_values_quickly()
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    ARGUMENTS.set(tuple(words))
    to_complete = words_to_complete()
    app = make_app([*words, *to_complete], completing=bool(to_complete))
    words = ["--help" if word == HELP_ALL else word for word in words]
    try:
        code = app(words, prog_name="treewright", standalone_mode=False)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # typer turns it into an exit
            raise BrokenPipeError from None
        raise
    except typer.TyperException as mistake:
        print_error(usage_message(mistake))
        return int(mistake.exit_code)
    if code == INTERRUPTED:  # typer's code for Ctrl-C
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def words_to_complete() -> list[str]:
    """The words of the line that a shell wants completed; none otherwise."""
    if COMPLETING not in os.environ:
        return []
    line = os.environ.get("COMP_WORDS", "") + " " + os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()


def report_failure(error: OSError) -> int:
    """Report an operating system error; a wrong path is a user error."""
    if error.errno == errno.EBADF and not error.filename:
        print_error("the standard output is closed, so the result cannot be printed")
        return 1
    is_full = error.errno in (errno.ENOSPC, errno.EFBIG) and not error.filename
    where = "standard output: " if is_full else f"`{path_text(error)}`: " if error.filename else ""
    print_error(f"{where}{(error.strerror or str(error)).lower()}")
    return 2 if error.errno in WRONG_PATH else 1


def path_text(error: OSError) -> str:
    """The file that an error of the system is about."""
    name = error.filename
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else str(name)


if __name__ == "__main__":
    command()
