"""Writes docs/commands.md from the commands themselves: `python docs/command_reference.py`."""

import contextlib
import io
import os
from pathlib import Path

from treewright.cli.app import LEARNING, OTHERS
from treewright.cli.main import main

PAGE = Path(__file__).with_name("commands.md")
BEGIN = """# Commands

This page is generated from the commands' own help by `python docs/command_reference.py`. It shows
all flags, as `treewright train --help-all` does; `--help` shows the usual ones, and with `--model
NAME` those of one algorithm. Data goes
to standard output; notes, progress and errors go to standard error. `-` in place of a file name is
standard input or output. Each command links to the schema of its `--json` output.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | warnings with `--strict`; any other error: a full disk, no memory, a failed check |
| 2 | a wrong flag, an unknown or unreadable path, an unknown column name |
| 3 | content that cannot be read or used: a table, a model, a query without rows |
| 4 | a table without the columns, or the column types, that the saved model needs |
| 130 | interrupted by Ctrl-C; no file is left incomplete |
"""


def help_of(*words: str) -> str:
    """The output of `treewright ... --help-all` at a width of 100."""
    os.environ["COLUMNS"] = "100"
    os.environ["TERMINAL_WIDTH"] = "100"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main([*words, "--help-all"])
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines()).strip("\n")


def page() -> str:
    """The whole page."""
    sections = [section(name) for name in [*LEARNING, *OTHERS]]
    return "\n".join([BEGIN, f"```text\n{help_of()}\n```\n", *sections])


def section(name: str) -> str:
    """One command: its help, and the link to the schema of its JSON."""
    schema = f"[Schema of the `--json` output](schemas/{name}.json)."
    return f"## {name}\n\n```text\n{help_of(name)}\n```\n\n{schema}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
