"""Running exported programs of other languages: rows go in as lines of text, answers come out.

A value is written so that nothing is lost and nothing needs quoting: a number as the 16 hex digits
of its bits, a text as `=` and the hex digits of its encoding, an integer or boolean in decimal, a
missing value as `-`. An answer is the place of the class (-1: the row is refused; 0 for a number)
and the bits of each value.
"""

import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from treewright.data.column import Column, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.answers import Answers
from treewright.exports.program import Program

MOST_SECONDS = 600


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
    labels, values = [], []
    for line in output.splitlines():
        place, *numbers = line.split()
        labels.append(program.classes[int(place)] if program.classes and place != "-1" else None)
        bits = [struct.unpack(">d", bytes.fromhex(number))[0] for number in numbers]
        values.append(bits if place != "-1" else [np.nan] * program.tree.n_values)
    array = np.array(values, dtype=np.float64).reshape(len(values), program.tree.n_values)
    return Answers(None if program.classes is None else labels, array)


def run_files(
    files: dict[str, str], commands: Sequence[Sequence[str]], given: str, *, language: str
) -> str:
    """What the last command prints, run in a folder of its own that holds these files."""
    for command in commands:
        if not command[0].startswith("./") and shutil.which(command[0]) is None:
            raise ExportError(
                f"running exported {language} needs `{command[0]}`, which this machine lacks",
                hint=f"install {command[0]}, or check the code elsewhere",
            )
    with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        for command in commands:
            output = run_command(command, folder, given if command is commands[-1] else "")
    return output


def run_command(command: Sequence[str], folder: str, given: str) -> str:
    program = os.path.join(folder, command[0]) if command[0].startswith("./") else command[0]
    done = subprocess.run(
        [program, *command[1:]],
        cwd=folder,
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=MOST_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise ExportError(f"`{' '.join(command)}` failed: {said[:2000]}")
    return done.stdout
