"""Formulas in plain text, worked out in intervals: `5/14 × 0.9710 + 5/14 × 0.9710`."""

import math
import re
from collections.abc import Callable, Sequence

from reference.printed_formulas import Interval, NotANumberError

TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?|log2|entropy|Gini|max|U|\^2|[-+×/(),])")
FUNCTIONS = ("log2", "entropy", "Gini", "max", "U")

Printed = Callable[[str], Interval]
Rate = Callable[[Interval, Interval], Interval]


def entropy_of(counts: Sequence[float]) -> float:
    whole = sum(counts)
    return -sum(count / whole * math.log2(count / whole) for count in counts if count > 0)


def gini_of(counts: Sequence[float]) -> float:
    return 1 - sum((count / sum(counts)) ** 2 for count in counts)


class TextFormula:
    """One side of a formula; words and terms left out raise."""

    def __init__(self, text: str, printed: Printed, rate: Rate) -> None:
        self.printed, self.rate = printed, rate
        self.tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            found = TOKEN.match(text, at)
            if found is None:
                raise NotANumberError(text[at:])
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    def value(self) -> Interval:
        value = self.sum()
        if self.at < len(self.tokens):
            raise NotANumberError(self.tokens[self.at])
        return value

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def sum(self) -> Interval:
        total, sign = Interval(0.0, 0.0), "+"
        if self.peek() in ("+", "-"):
            sign = self.take()
        while True:
            term = self.product()
            total = total + (term if sign == "+" else -term)
            if self.peek() not in ("+", "-"):
                return total
            sign = self.take()

    def product(self) -> Interval:
        value = self.quotient()
        while self.peek() == "×" or self.peek() == "log2":
            if self.peek() == "×":
                self.take()
            value = value * self.quotient()
        return value

    def quotient(self) -> Interval:
        value = self.power()
        while self.peek() == "/":
            self.take()
            value = value / self.power()
        return value

    def power(self) -> Interval:
        value = self.atom()
        if self.peek() == "^2":
            self.take()
            return value.squared()
        return value

    def atom(self) -> Interval:
        token = self.take()
        if token[:1].isdigit():
            return self.printed(token)
        if token == "(":
            self.at -= 1
            return self.arguments()[0]
        if token in FUNCTIONS:
            return self.call(token, self.arguments())
        raise NotANumberError(token)

    def call(self, name: str, given: list[Interval]) -> Interval:
        if name == "log2":
            return given[0].log2()
        if name == "max":
            return Interval(max(one.low for one in given), max(one.high for one in given))
        if name == "U":
            return self.rate(*given)
        return _of_counts(entropy_of if name == "entropy" else gini_of, given)

    def arguments(self) -> list[Interval]:
        if self.take() != "(":
            raise NotANumberError("no arguments")
        found = [self.sum()]
        while self.peek() == ",":
            self.take()
            found.append(self.sum())
        if self.take() != ")":
            raise NotANumberError("no end of arguments")
        return found


def _of_counts(measure: Callable[[Sequence[float]], float], given: list[Interval]) -> Interval:
    """A measure of counts that are rounded: no count moves it by more than its own rounding can."""
    middle = [(one.low + one.high) / 2 for one in given]
    half = sum(one.high - one.low for one in given) / 2
    value = measure(middle)
    share = half / max(sum(middle), 1e-300)
    slack = 0.0 if share == 0 else share * (4 + abs(math.log2(share)))
    return Interval(value - slack, value + slack)
