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
What `--json` prints is described in [schemas](schemas), one file for each command. Data goes to the
standard output, notes and errors to the standard error.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | anything not below |
| 2 | a wrong flag, an unknown or unreadable path, an unknown column name |
| 3 | contents that cannot be read or used |
| 4 | a table that lacks or mistypes columns which the model needs |
| 130 | interrupted |
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
    sections = [f"## {name}\n\n```text\n{help_of(name)}\n```\n" for name in [*LEARNING, *OTHERS]]
    return "\n".join([BEGIN, f"```text\n{help_of()}\n```\n", *sections])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
