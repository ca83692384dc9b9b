"""Calculations as data: numbers, fractions, sums, before anyone writes them down.

A worksheet calculates in these. `math_text`, `math_latex` and `math_mathml` write them, each with
one branch for every kind of expression, and `formula_rows` breaks long ones into lines.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A number already written out."""

    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """A word of a formula; where formulas are set in type, its symbol if it has one."""

    text: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that stands for any value, such as p with the index i."""

    text: str
    index: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A measure of something: entropy(9, 5)."""

    name: Name
    arguments: "tuple[Math, ...]"


@dataclass(frozen=True, slots=True)
class Fraction:
    """One expression over another."""

    above: "Math"
    below: "Math"


@dataclass(frozen=True, slots=True)
class Log2:
    """The logarithm to base 2."""

    of: "Math"


@dataclass(frozen=True, slots=True)
class Square:
    """An expression times itself."""

    of: "Math"


@dataclass(frozen=True, slots=True)
class Product:
    """Factors; sums among them are put in brackets."""

    factors: "tuple[Math, ...]"


@dataclass(frozen=True, slots=True)
class Term:
    """One part of a sum, added or taken away."""

    of: "Math"
    is_added: bool = True


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms; the sign of the first is shown if it is taken away, or if the sum goes on."""

    terms: tuple[Term, ...]
    goes_on: bool = False  # a line before holds the first terms

    @classmethod
    def of(cls, *parts: "Math") -> "Sum":
        """All parts added."""
        return cls(tuple(map(Term, parts)))

    @classmethod
    def less(cls, first: "Math", *others: "Math") -> "Sum":
        """The first less the others."""
        return cls((Term(first), *(Term(other, is_added=False) for other in others)))


@dataclass(frozen=True, slots=True)
class SumOver:
    """The sum of an expression over an index."""

    of: "Math"
    index: str


@dataclass(frozen=True, slots=True)
class Dots:
    """What is left out."""


@dataclass(frozen=True, slots=True)
class Blank:
    """A place to fill in, by its number; also in tables and sentences."""

    number: int


def is_short(math: "Math") -> bool:
    """Whether it is still easy to read in the small letters of a fraction within a line."""
    return isinstance(math, Letter) or (isinstance(math, Number) and len(math.text) < 5)


Math = (
    Number
    | Name
    | Letter
    | Call
    | Fraction
    | Log2
    | Square
    | Product
    | Sum
    | SumOver
    | Dots
    | Blank
)
