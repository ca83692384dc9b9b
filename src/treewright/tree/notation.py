"""Conditions as people write them: `x <= 5`, `2 < x <= 5`, `color = red`, `color in {red, blue}`.

The words are those that trees and rules print, so what was printed can be read again.
"""

import re
from dataclasses import dataclass
from math import inf, isfinite, nextafter

from treewright.errors import ParameterError

Level = str | int | bool

NAME = r"(?P<name>[^<>=!]*?[^<>=!\s])"
BETWEEN = re.compile(
    rf"(?P<low>[^\s<]+)\s*(?P<above><=?)\s*{NAME}\s*(?P<below><=?)\s*(?P<high>[^\s<>=]+)"
)
BOUND = re.compile(rf"{NAME}\s*(?P<sign><=|>=|<|>)\s*(?P<bound>[^\s<>=]+)")
AMONG = re.compile(rf"{NAME}\s+(?P<word>not in|in)\s*\{{(?P<levels>.*)\}}", re.DOTALL)
EQUAL = re.compile(rf"{NAME}\s*(?P<sign>==|!=|=)\s*(?P<level>.+)", re.DOTALL)
IS = re.compile(rf"{NAME}\s+(?P<sign>is not|is)\s+(?P<level>.+)", re.DOTALL)
INTERVAL = re.compile(r"\(\s*(?P<low>[^\s,]+)\s*,\s*(?P<high>[^\s,]+?)\s*[\])]")
WORD = re.compile(rf"{NAME}\s+(?P<word>missing|other|otherwise|else|known)")
OTHERWISE = ("other", "otherwise", "else")


@dataclass(frozen=True, slots=True)
class Clause:
    """What is asked of one column on one branch."""

    column: str
    low: float = -inf  # a number above this ...
    high: float = inf  # ... and not above this
    levels: tuple[Level, ...] = ()  # one of these levels
    excluded: bool = False  # or, the other way round, none of them
    word: str = ""  # "missing", "other" (whatever no other branch takes) or "known"

    @property
    def is_numeric(self) -> bool:
        return not self.levels and not self.word


def read_clause(text: str) -> Clause:
    """The condition that a text states.

    >>> read_clause("2 < petal width <= 5")
    Clause(column='petal width', low=2.0, high=5.0, levels=(), excluded=False, word='')
    """
    text = text.strip()
    if found := BETWEEN.fullmatch(text):
        low, high = number(found["low"], text), number(found["high"], text)
        low = nextafter(low, -inf) if found["above"] == "<=" else low
        high = nextafter(high, -inf) if found["below"] == "<" else high
        return Clause(found["name"], low, high)
    if found := AMONG.fullmatch(text):
        levels = tuple(level.strip() for level in found["levels"].split(","))
        return Clause(found["name"], levels=levels, excluded=found["word"] == "not in")
    if found := BOUND.fullmatch(text):
        return bound_clause(found["name"], found["sign"], number(found["bound"], text))
    if found := EQUAL.fullmatch(text) or IS.fullmatch(text):
        if (span := INTERVAL.fullmatch(found["level"].strip())) and found["sign"] in ("=", "=="):
            return interval_clause(found["name"], span, text)
        excluded = found["sign"] in ("!=", "is not")
        return Clause(found["name"], levels=(found["level"].strip(),), excluded=excluded)
    if found := WORD.fullmatch(text):
        word = "other" if found["word"] in OTHERWISE else found["word"]
        return Clause(found["name"], word=word)
    raise ParameterError(
        f"`{text}` is not a condition",
        hint="write `x <= 5`, `x > 5`, `2 < x <= 5`, `color = red`, `color in {red, blue}`, "
        "`color otherwise` or `color missing`",
    )


def clause_of(column: str, key: object) -> Clause:
    """The condition on a column that one key of a nested dict states: `<= 5`, a level, a tuple."""
    if key is None or key != key:
        return Clause(column, word="missing")
    if isinstance(key, tuple | frozenset):
        return Clause(column, levels=tuple(key))
    if not isinstance(key, str):
        return Clause(column, levels=(key,))  # type: ignore[arg-type]
    text = key.strip()
    if text in ("missing", "other", "otherwise", "else", "known"):
        return read_clause(f"{column} {text}")
    if found := re.fullmatch(r"(<=|>=|<|>)\s*(\S+)", text):
        return bound_clause(column, found[1], number(found[2], f"{column} {text}"))
    if found := INTERVAL.fullmatch(text):
        return interval_clause(column, found, text)
    if found := re.fullmatch(r"(in|not in)\s*\{.*\}", text, re.DOTALL):
        return read_clause(f"{column} {text}")
    return Clause(column, levels=(text,))


def interval_clause(column: str, span: re.Match[str], within: str) -> Clause:
    """`(2, 5]`, `(-inf, 5]`, `(2, inf)`: the upper end belongs to the interval."""
    low = -inf if span["low"] == "-inf" else number(span["low"], within)
    high = inf if span["high"] == "inf" else number(span["high"], within)
    return Clause(column, low, high)


def bound_clause(column: str, sign: str, bound: float) -> Clause:
    if sign in ("<", ">="):  # the next number below makes them `<=` and `>`
        bound = nextafter(bound, -inf)
    return Clause(column, high=bound) if sign in ("<", "<=") else Clause(column, low=bound)


def number(text: str, within: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = inf
    if not isfinite(found):
        raise ParameterError(f"`{text}` in `{within}` is not a number")
    return found
