r"""Formulas as a reader with a pocket calculator checks them: each side is worked out as printed.

A printed number stands for all numbers that are rounded to it, so every expression is worked out
in intervals. `\tfrac{5}{14} \cdot 0.9710 + \tfrac{5}{14} \cdot 0.9710 = 0.6935` holds if the
interval on the left reaches the one on the right.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

FLOAT_NOISE = 1e-13

TOKEN = re.compile(
    r"\s+|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"|(?P<name>\\text\{[^{}]*\}|\\(?:tfrac|dfrac|frac|cdot|log_2|dots|max)|[A-Z])"
    r"|(?P<open>\\left\(|\\right\)|[-+(){},^])"
)


class NotANumberError(Exception):
    """An expression with words or letters in it, or with terms left out."""


@dataclass(frozen=True)
class Interval:
    """All numbers from low to high."""

    low: float
    high: float

    @classmethod
    def printed(cls, text: str, decimals: int) -> "Interval":
        """The numbers that are printed like this. Weights have two decimals at least."""
        number, digits = float(text), len(text.partition(".")[2])
        if "e" in text:
            half = 0.005 * abs(number)
        elif digits == decimals:
            half = 0.5 * 10.0**-decimals
        else:
            half = 0.5 * 10.0 ** -max(decimals, 2) if digits else 0.0
        return cls(number - half, number + half)

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def __mul__(self, other: "Interval") -> "Interval":
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: "Interval") -> "Interval":
        if other.low <= 0 <= other.high:
            return Interval(-math.inf, math.inf)
        return self * Interval(1 / other.high, 1 / other.low)

    def log2(self) -> "Interval":
        low = math.log2(self.low) if self.low > 0 else -math.inf
        return Interval(low, math.log2(self.high))

    def squared(self) -> "Interval":
        ends = sorted((self.low**2, self.high**2))
        return Interval(0.0 if self.low <= 0 <= self.high else ends[0], ends[1])

    def meets(self, other: "Interval") -> bool:
        slack = FLOAT_NOISE * max(1.0, abs(self.low), abs(self.high))
        return self.low <= other.high + slack and other.low <= self.high + slack


@dataclass(frozen=True)
class Printed:
    """A formula taken apart: what stands left, the steps that are numbers, the result."""

    left: str
    steps: tuple[Interval, ...]
    result: float
    text: str

    def check(self) -> None:
        """Every step that can be worked out comes to the result."""
        for step in self.steps[:-1]:
            assert step.meets(self.steps[-1]), f"{step} is not {self.steps[-1]} in {self.text}"


def read_formula(text: str, decimals: int) -> Printed:
    r"""A formula between `$$` and `$$`, in one line or aligned in several."""
    for mark in (r"\begin{aligned}", r"\end{aligned}", r"\cr", r"\quad", "&", "\n"):
        text = text.replace(mark, " ")
    left, *sides = (side.strip() for side in text.split(" = "))
    steps = []
    for side in (left, *sides):
        try:
            steps.append(Reader(side, decimals).value())
        except NotANumberError:
            continue
    words = re.sub(r"\\text\{([^{}]*)\}", r"\1", left)
    return Printed(words, tuple(steps), float(sides[-1]), text)


class Reader:
    """Works out one side of a formula."""

    def __init__(self, text: str, decimals: int) -> None:
        self.decimals = decimals
        self.tokens = list(_tokens(text))
        self.at = 0

    def value(self) -> Interval:
        value = self.sum()
        if self.at < len(self.tokens):
            raise NotANumberError(self.tokens[self.at])
        return value

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        token = self.peek()
        if wanted and token not in wanted:
            raise NotANumberError(f"{token!r} for {wanted}")
        self.at += 1
        return token

    def sum(self) -> Interval:
        total = Interval(0.0, 0.0)
        sign = self.take() if self.peek() in ("+", "-") else "+"
        while True:
            term = self.product()
            total = total + (term if sign == "+" else -term)
            if self.peek() not in ("+", "-"):
                return total
            sign = self.take()

    def product(self) -> Interval:
        product = self.power()
        while self.peek() in (r"\cdot", r"\log_2"):
            if self.peek() == r"\cdot":
                self.take()
            product = product * self.power()
        return product

    def power(self) -> Interval:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take("^")
        self.take("2")
        return base.squared()

    def atom(self) -> Interval:
        token = self.take()
        if re.fullmatch(r"\d.*", token):
            return Interval.printed(token, self.decimals)
        if token in (r"\tfrac", r"\dfrac", r"\frac"):
            return self.group("{", "}") / self.group("{", "}")
        if token == r"\log_2":
            return self.atom().log2()
        if token in ("(", r"\left("):
            self.at -= 1
            return self.group(token, ")" if token == "(" else r"\right)")
        if token in (r"\text{max}", r"\max"):
            return _largest(self.arguments())
        if token == "H":
            return _entropy(self.arguments())
        raise NotANumberError(token)

    def group(self, opening: str, closing: str) -> Interval:
        self.take(opening)
        inner = self.sum()
        self.take(closing)
        return inner

    def arguments(self) -> list[Interval]:
        self.take("(")
        found = [self.sum()]
        while self.peek() == ",":
            self.take()
            found.append(self.sum())
        self.take(")")
        return found


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise NotANumberError(text[at:])
        if found[0].strip():
            yield found[0]
        at = found.end()


def _largest(found: list[Interval]) -> Interval:
    return Interval(max(one.low for one in found), max(one.high for one in found))


def _entropy(weights: list[Interval]) -> Interval:
    whole = Interval(0.0, 0.0)
    for weight in weights:
        whole = whole + weight
    total = Interval(0.0, 0.0)
    for weight in weights:
        if weight.high > 0 and weight.low > 0:
            share = weight / whole
            total = total + -(share * share.log2())
    return total
