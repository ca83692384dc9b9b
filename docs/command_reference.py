"""Writes docs/commands.md from the commands themselves: `python docs/command_reference.py`."""

import contextlib
import io
import os
from pathlib import Path

from treewright.cli.app import LEARNING, OTHERS
from treewright.cli.main import main

PAGE = Path(__file__).with_name("commands.md")
BEGIN = """# Commands

Made from the commands' own help by `python docs/command_reference.py`; a test compares the two.
Data goes to the standard output, notes, progress and errors to the standard error. Where a file can
be named, `-` is the standard input or output. Under each command is the schema of what its `--json`
prints.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | anything not below: a full disk, a closed standard output, no memory, a failed check |
| 2 | a wrong flag, an unknown or unreadable path, an unknown column name |
| 3 | contents that cannot be read or used: a table, a model, a query without rows |
| 4 | a table that lacks or mistypes columns which the saved model needs |
| 130 | interrupted by Ctrl-C; nothing is left half written |
"""


def help_of(*words: str) -> str:
    """What `treewright ... --help` prints at a width of 100."""
    os.environ["COLUMNS"] = "100"
    os.environ["TERMINAL_WIDTH"] = "100"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main([*words, "--help"])
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines()).strip("\n")


def page() -> str:
    """The whole page."""
    sections = [section(name) for name in [*LEARNING, *OTHERS]]
    return "\n".join([BEGIN, f"```text\n{help_of()}\n```\n", *sections])


def section(name: str) -> str:
    """One command: its help, and where the schema of its JSON is."""
    schema = f"What `--json` prints: [schema](schemas/{name}.json)."
    return f"## {name}\n\n```text\n{help_of(name)}\n```\n\n{schema}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
