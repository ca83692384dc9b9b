"""Notes and errors on stderr. Needs no package, so it can also say that one is missing."""

import os
import sys
from contextlib import suppress
from contextvars import ContextVar

from treewright.cli.streams import forget
from treewright.plain_text import plain_lines

# The arguments of the command, for pages and hints that repeat them.
ARGUMENTS: ContextVar[tuple[str, ...]] = ContextVar("ARGUMENTS", default=())


def print_error(text: str) -> None:
    print_styled("error", "bold red", text)


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
