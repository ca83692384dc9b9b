"""Run exported programs in other languages: rows go in as lines of text, predictions come out.

Values are written without loss and without quoting: a number as the 16 hex digits of its bits, a
text as `=` and the hex digits of its encoding, an integer or boolean in decimal, a missing value as
`-`. A prediction is the position of the class (-1: the row is refused; 0 for a number) and the bits
of each value.
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
from treewright.exports.program import Exported, Predictions, ProgramError

SECONDS_TO_RUN = 60.0
SECONDS_TO_COMPILE = 600.0
REFUSED = -1


def kind_of(spec: ColumnSpec) -> str:
    """ "number", "string", "integer" or "boolean": what a program is given for a column."""
    return "number" if spec.is_numeric else spec.level_type or "string"


def row_lines(program: Exported, rows: Table, encoding: str = "utf-8") -> str:
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


def read_predictions(program: Exported, output: str) -> Predictions:
    """The predictions that a program printed, one line for each row."""
    lines = output.splitlines()
    labels: list[Any] = [None] * len(lines)
    values = np.full((len(lines), program.n_values), np.nan)
    errors: dict[int, str] = {}
    classes = program.classes or (None,)
    for row, line in enumerate(lines):
        label, numbers = read_line(line)
        if label in range(len(classes)) and len(numbers) == program.n_values:
            labels[row], values[row] = classes[label], numbers
        elif label != REFUSED:
            errors[row] = f"class number {label}, values {numbers}"
    return Predictions(None if program.classes is None else labels, values, errors=errors)


def read_line(line: str) -> tuple[int, list[float]]:
    try:
        label, *numbers = line.split()
        return int(label), [struct.unpack(">d", bytes.fromhex(number))[0] for number in numbers]
    except (ValueError, struct.error) as error:
        raise ProgramError(f"the program printed no prediction but {line[:80]!r}") from error


def run_program(
    program: Exported,
    files: dict[str, str],
    commands: Sequence[Sequence[str]],
    lines: str,
    timeout: float,
) -> Predictions:
    """The predictions that the last command prints for rows given as `lines`; see `run_files`."""
    return read_predictions(program, run_files(files, commands, lines, timeout))


def run_files(
    files: dict[str, str],
    commands: Sequence[Sequence[str]],
    lines: str,
    timeout: float = SECONDS_TO_RUN,
) -> str:
    """The output of the last command, run on input `lines` in a temporary folder with these files.

    The commands before it compile; `timeout` does not apply to them.
    """
    for command in commands:
        if not command[0].startswith("./") and shutil.which(command[0]) is None:
            raise ExportError(
                f"running the exported code needs `{command[0]}`, which is not installed",
                hint=f"install {command[0]}, or verify the code on another machine",
            )
    with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        for command in commands[:-1]:
            run_command(command, folder, "", SECONDS_TO_COMPILE)
        return run_command(commands[-1], folder, lines, timeout)


def run_command(command: Sequence[str], folder: str, lines: str, timeout: float) -> str:
    program = os.path.join(folder, command[0]) if command[0].startswith("./") else command[0]
    shown = f"`{' '.join(command)}`"
    try:
        done = subprocess.run(
            [program, *command[1:]],
            cwd=folder,
            input=lines,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ProgramError(f"{shown} did not end within {timeout:g} seconds") from error
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()
        raise ProgramError(f"{shown} {how_it_ended(done.returncode)}: {output[:2000]}".rstrip(": "))
    return done.stdout


def how_it_ended(code: int) -> str:
    """The meaning of a return code: a negative one is a signal."""
    if code >= 0:
        return "failed"
    known = code in {-number for number in signal.valid_signals()}
    name = signal.Signals(-code).name if known else f"signal {-code}"
    return f"was ended by {name} ({signal.strsignal(-code)})"
