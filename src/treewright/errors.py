"""Errors that Treewright raises on purpose.

TreewrightError
├── DataError            the data cannot be used for the request
│   ├── UnknownColumnError
│   ├── DataTypeError    ... and is a TypeError too
│   └── ModelTableError  a table lacks or mistypes columns that a saved model needs
├── ParameterError       a setting is outside its allowed values
├── ModelFileError       a saved model cannot be read
├── ExportError          a format cannot express the model, or an exported program cannot run
└── MissingExtraError    an optional package is not installed
"""

import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from pathlib import Path

from treewright.plain_text import escape_controls

MOST_LISTED = 20  # names listed in a hint
MOST_LETTERS = 1000  # in a message about an untrusted file


def nearest(name: str, known: Collection[str], plural: str) -> str:
    """A hint with the known name nearest to what was given, or with all of them.

    >>> nearest("petal lenght", ["petal length", "petal width"], "columns")
    'did you mean `petal length`?'
    """
    by_plain_name = {plain(one): one for one in reversed(list(known))}
    near = get_close_matches(name, known, n=1) or [
        by_plain_name[found] for found in get_close_matches(plain(name), by_plain_name, n=1)
    ]
    return f"did you mean `{near[0]}`?" if near else listed(known, plural)


def kind_of(thing: object) -> str:
    """What something is, as messages name it.

    >>> kind_of(1.5), kind_of(1)
    ('a float', 'an int')
    """
    name = type(thing).__name__
    return f"{'an' if name[:1] in 'AEIOaeio' or name.startswith('M5') else 'a'} {name}"


def plain(name: str) -> str:
    """A name in lower case, without spaces and punctuation.

    >>> plain("Petal Length"), plain("petal_length")
    ('petallength', 'petallength')
    """
    letters = "".join(letter for letter in name.casefold() if letter.isalnum())
    return letters or name


def listed(known: Collection[str], plural: str) -> str:
    """All known names, or the first of many.

    >>> listed([f"x{at}" for at in range(100)], "columns")[-27:]
    'x17, x18, x19 and 80 others'
    """
    if not known:
        return f"it has no {plural}"
    first = ", ".join(list(known)[:MOST_LISTED])
    n_others = len(known) - MOST_LISTED
    return f"{plural} are: {first}" + (f" and {n_others} others" if n_others > 0 else "")


class TreewrightError(Exception):
    """Says what is wrong; `hint` says how to fix it."""

    def __init__(self, problem: str, *, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint

    def __str__(self) -> str:
        problem = super().__str__()
        message = f"{problem}\nhint: {self.hint}" if self.hint else problem
        return escape_controls(message)


class DataError(TreewrightError, ValueError):
    """The data cannot be used for the request."""


class NoRowsError(DataError):
    """A table has columns, but not a single row."""


class UnknownColumnError(DataError):
    """A column was named that the table does not have."""

    @classmethod
    def among(cls, name: str, known: Collection[str], *, source: str) -> "UnknownColumnError":
        """The error for `name`, hinting at the nearest of the `known` columns."""
        return cls(f"no column `{name}` in {source}", hint=nearest(name, known, "columns"))


class DataTypeError(DataError, TypeError):
    """A value or column has a type that no tree can use."""


class ModelTableError(DataError):
    """A table lacks or mistypes columns that a saved model needs."""


class ParameterError(TreewrightError, ValueError):
    """A setting is outside its allowed values."""


class ModelFileError(TreewrightError, ValueError):
    """A saved model cannot be read."""

    def __init__(self, problem: str, *, hint: str = "") -> None:
        # A quoted text from a file may be very long.
        cut = problem if len(problem) <= MOST_LETTERS else f"{problem[:MOST_LETTERS]} ..."
        super().__init__(cut, hint=hint)


class ExportError(TreewrightError, ValueError):
    """A format cannot express the model, or an exported program cannot run."""


class MissingExtraError(TreewrightError, ImportError):
    """An optional package is not installed."""


PACKAGE = str(Path(__file__).parents[1])


_kept: ContextVar[list[str] | None] = ContextVar("kept warnings", default=None)


def warn_user(message: str) -> None:
    """Warn at the line of the user's code that called the package."""
    if (kept := _kept.get()) is not None:
        kept.append(message)
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(escape_controls(message), UserWarning, stacklevel=level)


@contextmanager
def keeping_warnings() -> Iterator[list[str]]:
    """What `warn_user` would warn of in the block. Other threads warn as usual."""
    kept: list[str] = []
    before = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(before)


def check_type(value: object, wanted: type, noun: str, call: str) -> None:
    """Raise unless the value is what a function such as `tw.elbow(X)` returns."""
    if not isinstance(value, wanted):
        raise ParameterError(f"{kind_of(value)} is not {noun}", hint=f"give {call}")


def is_whole(value: object, low: int, high: float = float("inf")) -> bool:
    """Whether the value is an integer in a range."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def check_whole(name: str, value: object, low: int = 1) -> None:
    """Raise unless a setting is an integer of at least `low`."""
    if not is_whole(value, low):
        raise ParameterError(f"{name} is {value!r}", hint=f"use a whole number from {low} on")
