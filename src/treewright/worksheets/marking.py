"""Read the answers to an exercise and mark them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from treewright.documents.page import Block, Document, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.plain_text import plain
from treewright.result import Record

COARSEST = 0.01  # largest tolerance: fewer than two decimals do not widen it
ROUNDED_ON_THE_WAY = 1.5  # tolerance for rounded inputs, in units of the sheet's last decimal

FILLED = re.compile(r"\[(\d+):([^\]\n]*)\]")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Question:
    """One blank: what it asks for, and the correct answers."""

    number: int
    asked: str  # `gain(outlook) at node 0`
    answers: tuple[str, ...]  # one number as printed, or names; the first is shown
    choices: tuple[str, ...] = ()  # names to choose from; () for a number
    decimals: int = 0  # of the number

    def is_right(self, written: str) -> bool:
        """Whether an answer is right: a number up to rounding, a name up to case."""
        if self.choices:
            return named(written, self.choices) in self.answers
        found = number_of(written)
        if found is None:
            return False
        value, unit = found
        answer = float(self.answers[0])
        size = max(1.0, abs(answer))
        room = max(min(unit, COARSEST * size), ROUNDED_ON_THE_WAY * 10.0**-self.decimals * size)
        return abs(value - answer) <= room * (1 + 1e-9)


@dataclass(frozen=True, slots=True)
class Mark:
    """The answer to one blank, marked."""

    question: Question
    written: str  # "" if empty

    @property
    def is_right(self) -> bool:
        """Whether the answer is right."""
        return self.question.is_right(self.written)

    @property
    def verdict(self) -> str:
        """`right`, `empty`, or what is wrong."""
        if not self.written:
            return "empty"
        if self.is_right:
            return "right"
        if not self.question.choices:
            return "wrong" if number_of(self.written) else "not a number"
        if named(self.written, self.question.choices):
            return "wrong"
        near = get_close_matches(self.written, self.question.choices, n=1)
        return f"not a name of the table; {near[0]}?" if near else "not a name of the table"


class Marking(Printed):
    """A marked exercise: the answer to each blank, and whether it is right."""

    def __init__(self, marks: Sequence[Mark], title: str) -> None:
        self.marks = tuple(marks)
        self._title = title

    @property
    def points(self) -> int:
        """Number of correct blanks."""
        return sum(mark.is_right for mark in self.marks)

    @property
    def n_blanks(self) -> int:
        """Number of blanks, each worth a point."""
        return len(self.marks)

    def __getitem__(self, number: int) -> Mark:
        """The mark of blank `number`."""
        return {mark.question.number: mark for mark in self.marks}[number]

    def _facts(self) -> Record:
        return {"points": self.points, "n_blanks": self.n_blanks, "marks": self._records()}

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "blank": mark.question.number,
                "asked": mark.question.asked,
                "written": mark.written,
                "answer": " or ".join(mark.question.answers),
                "verdict": mark.verdict,
            }
            for mark in self.marks
        ]

    def document(self) -> Document:
        """The page before it is rendered."""
        rows = tuple(tuple(plain(str(cell)) for cell in one.values()) for one in self._records())
        columns = ("blank", "asked", "written", "answer", "")
        blocks: list[Block] = [
            Paragraph.of(f"{self.points} of {self.n_blanks} points."),
            SheetTable(columns, rows, "rllll"),
        ]
        return Document(f"{self._title}, marked", tuple(blocks))

    def __repr__(self) -> str:
        return f"<Marking: {self.points} of {self.n_blanks} points>"


def answers_in(filled: Mapping[Any, Any] | str, questions: Sequence[Question]) -> dict[int, str]:
    """The answer to each blank that was filled in."""
    if not isinstance(filled, str | Mapping):
        raise ParameterError(
            f"a {type(filled).__name__} does not say which blank an answer belongs to",
            hint='give {1: "0.94", ...}, or the text of the sheet with the blanks filled in',
        )
    known = {question.number for question in questions}
    given = _in_text(filled) if isinstance(filled, str) else _in_mapping(filled)
    unknown = sorted({*given} - known)
    if unknown:
        raise ParameterError(
            f"there is no blank {unknown[0]}", hint=f"blanks are numbered 1 to {len(known)}"
        )
    return {number: words for number, words in given.items() if words}


def _in_mapping(filled: Mapping[Any, Any]) -> dict[int, str]:
    given = {}
    for key, written in filled.items():
        if not str(key).isdecimal():
            raise ParameterError(f"{key!r} is not the number of a blank", hint='{1: "0.94", ...}')
        given[int(key)] = "" if written is None else tidied(str(written))
    return given


def _in_text(filled: str) -> dict[int, str]:
    """The answers in `[3: 0.94]`; of a blank in several places, the first that is filled in."""
    given: dict[int, str] = {}
    for number, written in FILLED.findall(filled):
        words = tidied(written)
        given[int(number)] = given.get(int(number)) or words
    if not given:
        raise ParameterError(
            "the text has no blanks", hint="blanks look like [1: ]; write between `:` and `]`"
        )
    return given


def tidied(written: str) -> str:
    r"""An answer without the line to write on and without Markdown.

    >>> tidied(" **credit\\_rating** ___ ")
    'credit_rating'
    """
    words = re.sub(r"\\([^\w\s])", r"\1", written.replace("\\_", "\0"))
    return words.replace("_" * 2, "").strip(" \t_*`").replace("\0", "_")


def number_of(written: str) -> tuple[float, float] | None:
    """The number in an answer and the unit of its last digit; None if there is no number.

    >>> number_of("0,940"), number_of("47/50"), number_of("94 %"), number_of("much")
    ((0.94, 0.001), (0.94, 0.01), (0.94, 0.01), None)
    """
    text = written.casefold().replace("−", "-").lstrip("=≈~ ").replace(" ", "")
    if "," in text and "." not in text:
        text = text.replace(",", ".", 1)
    above, slash, below = text.partition("/")
    if slash:
        parts = [Fraction(part) for part in (above, below) if NUMBER.fullmatch(part)]
        return (float(parts[0] / parts[1]), COARSEST) if len(parts) == 2 and parts[1] else None
    digits = text.removesuffix("%")
    if not NUMBER.fullmatch(digits):
        return None
    value = Fraction(digits)
    mantissa, _, exponent = digits.partition("e")
    unit = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    percent = 100 if text.endswith("%") else 1
    return float(value / percent), float(unit / percent)


def named(written: str, choices: Sequence[str]) -> str | None:
    """The choice that an answer means; case and spaces matter only if names differ in them."""
    if written in choices:
        return written
    words = written.casefold().split()
    alike = [choice for choice in choices if choice.casefold().split() == words]
    return alike[0] if len(alike) == 1 else None
