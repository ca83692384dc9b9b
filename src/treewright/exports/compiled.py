"""Running exported programs of other languages: rows go in as lines of text, answers come out.

A value is written so that nothing is lost and nothing needs quoting: a number as the 16 hex digits
of its bits, a text as `=` and the hex digits of its encoding, an integer or boolean in decimal, a
missing value as `-`. An answer is the place of the class (-1: the row is refused; 0 for a number)
and the bits of each value.
"""

import os
import shutil
import signal
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treewright.data.column import Column, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.program import Answers, Program, ProgramError

SECONDS_TO_ANSWER = 60.0
SECONDS_TO_COMPILE = 600.0
REFUSED = -1


def kind_of(spec: ColumnSpec) -> str:
    """ "number", "string", "integer" or "boolean": what a program is given for a column."""
    return "number" if spec.is_numeric else spec.level_type or "string"


def row_lines(program: Program, rows: Table, encoding: str = "utf-8") -> str:
    """The used columns of all rows, one line each."""
    columns = [
        list(fields(rows.columns[column], kind_of(program.columns[column]), encoding))
        for column in program.used_columns
    ]
    if not columns:
        return "\n" * len(rows)
    return "".join(" ".join(row) + "\n" for row in zip(*columns, strict=True))


def fields(column: Column, kind: str, encoding: str) -> Iterator[str]:
    if isinstance(column, NumericColumn):
        yield from (struct.pack(">d", value).hex() for value in column.values.tolist())
        return
    for row in range(len(column)):
        level = column.value(row)
        if level is None:
            yield "-"
        elif kind == "string":
            yield "=" + str(level).encode(encoding, "surrogatepass").hex()
        else:
            yield str(int(level))


def read_answers(program: Program, output: str) -> Answers:
    """The answers that a program printed, one line for each row."""
    lines = output.splitlines()
    labels: list[Any] = [None] * len(lines)
    values = np.full((len(lines), program.tree.n_values), np.nan)
    errors: dict[int, str] = {}
    classes = program.classes or (None,)
    for row, line in enumerate(lines):
        place, numbers = read_line(line)
        if place in range(len(classes)) and len(numbers) == program.tree.n_values:
            labels[row], values[row] = classes[place], numbers
        elif place != REFUSED:
            errors[row] = f"class number {place}, values {numbers}"
    return Answers(None if program.classes is None else labels, values, errors=errors)


def read_line(line: str) -> tuple[int, list[float]]:
    try:
        place, *numbers = line.split()
        return int(place), [struct.unpack(">d", bytes.fromhex(number))[0] for number in numbers]
    except (ValueError, struct.error) as error:
        raise ProgramError(f"the program prints what is no answer: {line[:80]!r}") from error


def run_files(
    files: dict[str, str],
    commands: Sequence[Sequence[str]],
    given: str,
    *,
    language: str,
    timeout: float = SECONDS_TO_ANSWER,
) -> str:
    """What the last command prints, run in a folder of its own that holds these files.

    The commands before it compile, for which there is time enough.
    """
    for command in commands:
        if not command[0].startswith("./") and shutil.which(command[0]) is None:
            raise ExportError(
                f"running exported {language} needs `{command[0]}`, which this machine lacks",
                hint=f"install {command[0]}, or check the code elsewhere",
            )
    with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        for command in commands[:-1]:
            run_command(command, folder, "", SECONDS_TO_COMPILE)
        return run_command(commands[-1], folder, given, timeout)


def run_command(command: Sequence[str], folder: str, given: str, timeout: float) -> str:
    program = os.path.join(folder, command[0]) if command[0].startswith("./") else command[0]
    called = f"`{' '.join(command)}`"
    try:
        done = subprocess.run(
            [program, *command[1:]],
            cwd=folder,
            input=given,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ProgramError(f"{called} did not end within {timeout:g} seconds") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise ProgramError(f"{called} {how_it_ended(done.returncode)}: {said[:2000]}".rstrip(": "))
    return done.stdout


def how_it_ended(code: int) -> str:
    """What a return code tells: less than zero is a signal."""
    if code >= 0:
        return "failed"
    known = code in {-number for number in signal.valid_signals()}
    name = signal.Signals(-code).name if known else f"signal {-code}"
    return f"was ended by {name} ({signal.strsignal(-code)})"
