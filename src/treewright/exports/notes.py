"""Words about a program: the comment at its top, and those beside its lines."""

import json
from collections.abc import Iterator
from typing import Any

from treewright.data.column import split_unit
from treewright.data.schema import ColumnSpec
from treewright.exports.program import Levels, Program, Step, WeightedSum, levels_by_child
from treewright.exports.program import as_levels as cut_levels
from treewright.exports.routes import Arm, AtMost
from treewright.plain_text import beginning
from treewright.tree.conditions import bound_text

LONGEST = 60  # letters of a name or a list of levels in a comment
MOST_LISTED = 12

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
    """A name for a comment: quoted, on one line, never the end of the comment, not too long.

    A backslash is doubled, so that no language takes it for the start of something else.
    """
    text = beginning(text, LONGEST)
    quoted = json.dumps(text, ensure_ascii=not text.isprintable())
    return quoted.replace("*/", "*\\/")


def header_lines(program: Program, missing_words: str) -> Iterator[str]:
    """What the file holds, for the comment at its top."""
    tree = program.tree
    yield f"{program.title}: {tree.n_leaves} leaves, depth {tree.depth}. Written by Treewright."
    yield ""
    if program.classes is None:
        yield "Answers with a number."
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
    """A column and what it holds, in words."""
    name = quoted_name(spec.name)
    if spec.is_numeric:
        return f"{name}: {unit_note(spec) or 'a number'}"
    levels = listed([literal_note(level) for level in spec.levels])
    return f"{name}: {'one' if spec.kind == 'nominal' else 'in this order, one'} of {levels}"


def unit_note(spec: ColumnSpec) -> str:
    """What the number of a time column counts; "" for plain numbers."""
    if not spec.unit:
        return ""
    kind, step = split_unit(spec.unit)
    since = " since 1970-01-01" if kind == "datetime64" else ""
    return f"a time, as the number of {UNIT_NAMES[step]}{since}"


def literal_note(value: Any) -> str:
    return quoted_name(value) if isinstance(value, str) else repr(value)


def listed(texts: list[str]) -> str:
    shown = ", ".join(texts[:MOST_LISTED])
    more = len(texts) - MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def question_note(program: Program, step: Step) -> str:
    """What a node asks, and how it goes on without an answer."""
    names = [
        quoted_name(program.columns[column].name)
        for column in (
            [at for at, _ in step.question.terms]
            if isinstance(step.question, WeightedSum)
            else [step.question.column]
        )
    ]
    text = " + ".join(names)
    if step.surrogates:
        others = [
            quoted_name(program.columns[question.column].name)
            for question in step.surrogates
            if not isinstance(question, WeightedSum)
        ]
        text += f", or in its place {listed(others)}"
    return text + ("; a missing value goes down several branches" if step.splits_rows else "")


def bound_note(program: Program, test: AtMost) -> str:
    """The date or duration that a bound stands for; "" for plain numbers."""
    spec = program.columns[test.column]
    return bound_text(spec, test.bound) if spec.unit else ""


def rest_note(program: Program, step: Step, arm: Arm) -> str:
    """What is left for the last arm of a chain."""
    words = left_over(program, step, arm)
    if not arm.takes_missing:
        return words if words != "larger" else ""
    return f"{words}, or missing" if words else "missing"


def left_over(program: Program, step: Step, arm: Arm) -> str:
    """The known values that no arm before has taken."""
    question = step.question
    if step.surrogates or step.splits_rows or arm.child is None:
        return ""
    if isinstance(question, WeightedSum) or program.columns[question.column].is_numeric:
        return "larger"
    spec = program.columns[question.column]
    listing = question if isinstance(question, Levels) else cut_levels(question, spec)
    levels = levels_by_child(listing, spec).get(arm.child, ())
    return listed([literal_note(level) for level in levels])
