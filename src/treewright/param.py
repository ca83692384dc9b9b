"""One setting, declared once: its name, type, default, limits and help.

Estimators and pruning methods declare theirs so; validation, signatures, docstrings, command-line
flags and the reference page read the declarations.
"""

import math
import re
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from treewright.errors import ParameterError

NUMBERS = (int, float)
FIRST_CLAUSE = re.compile(r"[.:;](?:\s|$)")  # where it ends
NOUNS = {int: "an integer", float: "a number", str: "a string", bool: "True or False"}


@dataclass(frozen=True, slots=True)
class SavedFunction:
    """A user's function in a loaded model: a file holds its name only."""

    name: str

    def __call__(self, *_: object) -> float:
        raise ParameterError(
            f"a setting of this model was `{self.name}`, which a model file holds by name only",
            hint="set it again with set_params before fitting",
        )


@dataclass(frozen=True, slots=True)
class SavedEstimator:
    """An estimator that is a parameter of a saved model, such as one of `inductors`."""

    name: str
    params: Any  # as in the file, not checked


@dataclass(frozen=True, slots=True)
class Param:
    """One setting of an estimator or a method."""

    name: str
    type: type  # int, float, str, bool, or object for a structure that `accepts` checks
    default: object
    help: str  # sentences; the docstring shows them all, --help the first clause
    low: float | None = None
    above: float | None = None  # as `low`, but the limit itself is not allowed
    high: float | None = None
    below: float | None = None  # as `high`, but the limit itself is not allowed
    choices: tuple[str, ...] = ()  # the strings allowed, beside numbers if `type` is a number
    nonzero: bool = False
    optional: bool = False  # None is allowed
    share: bool = False  # a float strictly between 0 and 1 is a share of the rows
    accepts: Callable[[object], bool] | None = None  # anything else that is allowed ...
    accepts_text: str = ""  # ... in words
    in_older_files: object = None  # value in model files without it; None: the default
    stored_if_set: bool = False  # whether model files leave it out while it has its default
    annotation: object = Any  # in the signature
    kw_only: bool = True  # False: it may also be given by position
    before: str = ""  # the inherited parameter that it is listed before; "": listed last

    def but(self, **changes: Any) -> Any:
        """The same declaration with another default, help or limit."""
        return replace(self, **changes)

    @property
    def summary(self) -> str:
        """The help up to the first period, colon or semicolon."""
        return FIRST_CLAUSE.split(self.help, maxsplit=1)[0].replace("`", "")

    def check(self, value: object) -> None:
        """Raise unless `value` is allowed."""
        if (value is None and self.optional) or (value is self.default and value is not None):
            return
        if self.choices and isinstance(value, str) and value in self.choices:
            return
        if self.accepts is not None and self.accepts(value):
            return
        if self.type in NUMBERS and self._is_number_in_range(value):
            return
        if self.type is bool and isinstance(value, bool | np.bool_):
            return
        near = get_close_matches(str(value).lower(), self.choices, n=1)
        guess = f'did you mean "{near[0]}"? ' if near else ""
        raise ParameterError(
            f"{self.name}={reprlib.repr(value)} is not allowed", hint=f"{guess}use {self.allowed}"
        )

    def _is_number_in_range(self, value: object) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
            return False
        number = _as_float(value)
        if self.share and not isinstance(value, Integral):
            return 0.0 < number < 1.0
        if self.type is int and not (isinstance(value, Integral) or number.is_integer()):
            return False  # 1e9 is an integer, 1.5 is not
        return (
            not math.isnan(number)
            and not (self.nonzero and number == 0.0)
            and (self.low is None or number >= self.low)
            and (self.above is None or number > self.above)
            and (self.high is None or number <= self.high)
            and (self.below is None or number < self.below)
        )

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        ways = [f'"{choice}"' for choice in self.choices]
        if self.type in NUMBERS or self.type is bool:
            ways.append(NOUNS[self.type] + self._range_text())
        if self.share:
            ways.append("a share of the rows between 0 and 1")
        if self.accepts is not None:
            ways.append(self.accepts_text)
        if self.optional:
            ways.append("None")
        return ways[0] if len(ways) == 1 else ", ".join(ways[:-1]) + " or " + ways[-1]

    def _range_text(self) -> str:
        if self.low is not None and self.high is not None:
            return f" from {_plain(self.low)} to {_plain(self.high)}"
        limits = (
            ("of at least", self.low),
            ("above", self.above),
            ("of at most", self.high),
            ("below", self.below),
        )
        words = [f" {word} {_plain(limit)}" for word, limit in limits if limit is not None]
        return " other than 0" if self.nonzero else " and".join(words)


class Parameterized(Protocol):
    """An estimator with the parameters that its class declares."""

    @property
    def params(self) -> tuple[Param, ...]: ...


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond the range of floats
        return math.inf if number > 0 else -math.inf


def _plain(number: float) -> str:
    is_short = float(number).is_integer() and abs(number) < 1e15
    return str(int(number)) if is_short else f"{number:g}"
