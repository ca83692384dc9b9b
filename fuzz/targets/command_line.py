"""Words of a command line: they are understood, or there is one sentence about what is wrong.

Only the words are read; no command runs.
"""

import io
from contextlib import redirect_stderr, redirect_stdout

import typer

from treewright.cli.app import LEARNING, make_app
from treewright.cli.usage_errors import usage_message
from treewright.errors import TreewrightError

COMMAND = typer.main.get_command(make_app(LEARNING, completing=True))


def check(data: bytes) -> None:
    words = [word for word in data.decode(errors="replace").split("\n") if word]
    if any("completion" in word for word in words):  # would change the shell's start-up files
        return
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            read_words(words)
        except (typer.Exit, TreewrightError):
            return
        except typer.TyperException as mistake:
            if not usage_message(mistake).strip():
                raise AssertionError("a mistake without a word") from None


def read_words(words: list[str]) -> None:
    """Everything that happens before a command runs."""
    outer = COMMAND.make_context("treewright", words)
    following = [*outer._protected_args, *outer.args]
    if not following:
        return
    name, command, rest = COMMAND.resolve_command(outer, following)
    if command is not None:
        command.make_context(name, rest, parent=outer)
