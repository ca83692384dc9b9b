"""What a case is, and how the answer of a library to it is judged.

A case is a function that treats a library badly and returns whether the answer was right. What it
raises is judged by its words: an error is clear if it names what is wrong, and placed if it also
says where. A case without such words has a right answer that every library could give, and no error
is clear. A wrong answer under a warning that names what is wrong counts as a clear error. A case
that a library cannot be asked, or that it documents as legal, is not applicable.
"""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

OK = "ok"
CLEAR = "clear error"
UNCLEAR = "unclear error"
WRONG = "wrong"
CRASH = "crash"
HANG = "hang"
NOT_APPLICABLE = "not applicable"

FROM_BEST_TO_WORST = (OK, CLEAR, UNCLEAR, WRONG, CRASH, HANG)

# Faults of a program, whatever their text says: nobody meant to tell the user anything.
ACCIDENTS = (
    AssertionError,
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    SystemError,
    UnboundLocalError,
    UnicodeError,
    ZeroDivisionError,
)


class NotAskableError(Exception):
    """The library has nothing that the case could be tried on; the text says why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of bad treatment."""

    number: str  # in the torture list
    title: str
    run: Callable[[Any], bool]
    names: tuple[str, ...]  # patterns, all of which a clear error matches; without any none is
    place: str | None  # what an error that says where it is matches
    seconds: float  # after which it is a hang
    alone: bool  # whether its answer depends on what else the machine does
    legal: Mapping[str, str] = field(default_factory=dict, hash=False)  # see `case`

    @property
    def key(self) -> str:
        return f"{self.number}:{self.run.__name__}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a library took a case."""

    word: str
    detail: str = ""
    placed: bool | None = None  # whether an error says where; None if it is none or has no place


CASES: dict[str, Case] = {}


def case(
    number: str,
    title: str,
    *,
    names: tuple[str, ...] = (),
    place: str | None = None,
    seconds: float = 60,
    alone: bool = False,
    legal: Mapping[str, str] | None = None,
) -> Callable[[Callable[[Any], bool]], Callable[[Any], bool]]:
    """Register a function as a case.

    `legal` says for a library by what word of its documentation the treatment is no fault.
    """

    def register(run: Callable[[Any], bool]) -> Callable[[Any], bool]:
        made = Case(number, title, run, names, place, seconds, alone, legal or {})
        CASES[made.key] = made
        return run

    return register


def judge(case: Case, library: Any) -> Verdict:
    """The verdict on one library, as far as the process survives it."""
    if library.name in case.legal:
        return Verdict(NOT_APPLICABLE, case.legal[library.name])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            if case.run(library):
                return Verdict(OK)
        except NotAskableError as reason:
            return Verdict(NOT_APPLICABLE, str(reason))
        except Exception as error:
            return judge_error(case, error)
    return judge_silence(case, [str(warning.message) for warning in told])


def judge_silence(case: Case, told: list[str]) -> Verdict:
    """A wrong answer, unless a warning named what is wrong."""
    for text in told:
        if names_fault(text, case.names):
            placed = None if case.place is None else found(case.place, text)
            return Verdict(CLEAR, f"a warning: {text[:300]}", placed)
    return Verdict(WRONG)


def judge_error(case: Case, error: Exception) -> Verdict:
    """Whether an error says what is wrong, and where."""
    text = told_by(error)
    placed = None if case.place is None else found(case.place, text)
    first_line = next((line for line in text.splitlines() if line.strip()), text)
    return Verdict(CLEAR if is_clear(error, case.names) else UNCLEAR, first_line[:300], placed)


def is_clear(error: Exception, names: tuple[str, ...]) -> bool:
    return not isinstance(error, ACCIDENTS) and names_fault(told_by(error), names)


def names_fault(text: str, names: tuple[str, ...]) -> bool:
    return bool(names) and all(found(name, text) for name in names)


def told_by(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
