"""The commands that pages of Markdown show, run again.

A block of console holds commands after `$ ` and what each prints; `...` stands for anything, as in
doctest. The commands of a page run one after the other in one folder, so that the second may read
what the first has written. `python tests/pages.py README.md docs/*.md` puts in what they print now;
look at the difference.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from treewright.cli.main import main

CONSOLE = re.compile(r"^```console\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
STEP = re.compile(
    r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)", flags=re.MULTILINE
)
LIKE = doctest.OutputChecker()
AS_SHOWN = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what the page says that it prints."""

    command: str
    output: str

    def is_like(self, printed: str) -> bool:
        return LIKE.check_output(self.output, printed, doctest.ELLIPSIS)


def blocks(text: str, language: str) -> list[str]:
    """The code of every block of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def steps_of(text: str) -> list[Step]:
    """Every command of a page, in order."""
    return [
        Step(found["command"], found["output"])
        for block in CONSOLE.findall(text)
        for found in STEP.finditer(block)
    ]


def printed_by(command: str, folder: Path) -> str:
    """What a command in `folder` prints, on either stream.

    `treewright` runs in this process, which spares a second for every command; what follows a
    `|` or `>` is left to the shell.
    """
    found = re.fullmatch(r"treewright ([^|>]*)([|>].*)?", joined(command))
    if found is None:
        return by_shell(command, "", folder)
    own, shell = found.groups()
    printed, data = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, AS_SHOWN),
        contextlib.redirect_stdout(data if shell else printed),
        contextlib.redirect_stderr(printed),
    ):
        main(shlex.split(own))
    rest = by_shell(f"cat {shell}", data.getvalue(), folder) if shell else ""
    return printed.getvalue() + rest


def joined(command: str) -> str:
    """The command on one line."""
    return re.sub(r"\\\n *", " ", command)


def by_shell(command: str, data: str, folder: Path) -> str:
    """What the shell prints for a command that reads `data`."""
    words = ["bash", "-c", command]
    done = subprocess.run(words, input=data, capture_output=True, text=True, cwd=folder, check=True)
    return done.stdout


def brought_up_to_date(text: str) -> str:
    """The page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:

        def step_now(found: re.Match[str]) -> str:
            step = Step(found["command"], found["output"])
            printed = printed_by(step.command, Path(folder))
            kept = step.output if step.is_like(printed) else printed
            return f"$ {step.command}\n{kept}"

        def block_now(found: re.Match[str]) -> str:
            return f"```console\n{STEP.sub(step_now, found[1])}```"

        return CONSOLE.sub(block_now, text)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(brought_up_to_date(page.read_text(encoding="utf-8")), encoding="utf-8")
