"""Comments of exported programs: the header, and notes on single lines."""

import json
from collections.abc import Iterator
from typing import Any

from treewright.data.column import split_unit
from treewright.data.formats import PLAIN
from treewright.data.schema import ColumnSpec
from treewright.exports.program import (
    Exported,
    Program,
    Step,
    WeightedSum,
    columns_of,
    levels_by_child,
)
from treewright.exports.routes import Arm, AtMost
from treewright.plain_text import beginning
from treewright.tree.conditions import bound_text

MAX_NAME = 60  # letters of a name or a list of levels in a comment
MAX_LISTED = 12

UNIT_NAMES = {
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}


def quoted_name(text: str) -> str:
    """A name for a comment: quoted, on one line, not too long, without an end of comment.

    Backslashes are doubled, so that no language takes them for escapes.
    """
    text = beginning(text, MAX_NAME)
    quoted = json.dumps(text, ensure_ascii=not text.isprintable())
    return quoted.replace("*/", "*\\/")


def header_lines(program: Exported, missing_words: str) -> Iterator[str]:
    """The comment at the top of the file."""
    yield f"{program.title}: {program.size_text}. Written by Treewright."
    yield ""
    if program.classes is None:
        yield "Predicts a number."
    else:
        yield f"Classes: {listed([literal_note(label) for label in program.classes])}."
    if not program.used_columns:
        yield "Asks no column."
        return
    yield f"Columns asked ({missing_words}):"
    for column in program.used_columns:
        yield f"  {column_note(program.columns[column])}"
    if any(not program.columns[column].is_numeric for column in program.used_columns):
        words = {
            "missing": "counts as a missing value",
            "majority": "goes where most training rows went",
            "error": "is refused",
        }
        yield f"A level that training has not seen {words[program.unseen]}."


def column_note(spec: ColumnSpec) -> str:
    """A column and its values, in words."""
    name = quoted_name(spec.name)
    if spec.is_numeric:
        return f"{name}: {unit_note(spec) or 'a number'}{format_note(spec)}"
    levels = listed([literal_note(level) for level in spec.levels])
    return f"{name}: {'one' if spec.kind == 'nominal' else 'in this order, one'} of {levels}"


def unit_note(spec: ColumnSpec) -> str:
    """The unit of a time column; "" for plain numbers."""
    if not spec.unit:
        return ""
    kind, step = split_unit(spec.unit)
    since = " since 1970-01-01" if kind == "datetime64" else ""
    return f"a time, as the number of {UNIT_NAMES[step]}{since}"


def format_note(spec: ColumnSpec) -> str:
    """How the training table wrote a value, and the number that stands for it here."""
    form = spec.format
    if form.is_part:
        first = f", 1 is {form.bound_text(1, '')}" if form.kind in ("month", "weekday") else ""
        return f", the {form.kind} of {quoted_name(form.of)}{first}"
    if form == PLAIN:
        return ""
    if spec.unit:
        return f"; {form.time_text(0, spec.unit)} is 0"
    number = "12.5" if form.sign == "%" else "1234.5"
    return f"; {form.number_text(number)} is {number}"


def literal_note(value: Any) -> str:
    return quoted_name(value) if isinstance(value, str) else repr(value)


def listed(texts: list[str]) -> str:
    shown = ", ".join(texts[:MAX_LISTED])
    more = len(texts) - MAX_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def question_note(program: Program, step: Step) -> str:
    """What a node asks, and what happens if the value is missing."""

    def names(columns: tuple[int, ...]) -> list[str]:
        return [quoted_name(program.columns[column].name) for column in columns]

    text = " + ".join(names(columns_of(step.question)))
    if step.surrogates:
        others = tuple(columns_of(question)[0] for question in step.surrogates)
        text += f", or in its place {listed(names(others))}"
    return text + ("; a missing value goes down several branches" if step.splits_rows else "")


def bound_note(program: Program, test: AtMost) -> str:
    """The date or duration that a bound stands for; "" for plain numbers."""
    spec = program.columns[test.column]
    return bound_text(spec, test.bound) if spec.unit or spec.format != PLAIN else ""


def rest_note(program: Program, step: Step, arm: Arm) -> str:
    """The values that are left for the last arm of a chain."""
    words = left_over(program, step, arm)
    if not arm.takes_missing:
        return words if words != "larger" else ""
    return f"{words}, or missing" if words else "missing"


def left_over(program: Program, step: Step, arm: Arm) -> str:
    """The known values that no arm before takes."""
    question = step.question
    if step.surrogates or step.splits_rows or arm.child is None:
        return ""
    if isinstance(question, WeightedSum) or program.columns[question.column].is_numeric:
        return "larger"
    levels = levels_by_child(question, program.columns[question.column]).get(arm.child, ())
    return listed([literal_note(level) for level in levels])
