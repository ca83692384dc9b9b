"""Notes and errors on stderr. Needs no package, so it can also say that one is missing."""

import os
import sys

from treewright.plain_text import plain_lines


def print_error(text: str) -> None:
    print_styled("error", "bold red", text)


def print_note(text: str) -> None:
    print_styled("note", "yellow", text)


def print_styled(word: str, style: str, text: str) -> None:
    """`word: text`, with the word in colour where a person is looking.

    A name from a file must not move the cursor or hide what follows.
    """
    text = plain_lines(text)
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        print(f"{word}: {text}", file=sys.stderr)
        return
    try:
        from rich.console import Console
        from rich.text import Text
    except ModuleNotFoundError:
        print(f"{word}: {text}", file=sys.stderr)
        return
    line = Text.assemble((f"{word}: ", style), text)
    Console(stderr=True, highlight=False, soft_wrap=True).print(line)
