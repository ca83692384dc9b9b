"""Calculations as data: numbers, fractions, sums.

Worksheets are made of these. `math_text`, `math_latex` and `math_mathml` write them, each with one
branch for every kind of expression, and `formula_rows` breaks long ones into lines.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from treewright.plain_text import plain


@dataclass(frozen=True, slots=True)
class Number:
    """A number, formatted."""

    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """A word of a formula; typeset formulas use its symbol if it has one."""

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
    """One part of a sum, added or subtracted."""

    of: "Math"
    is_added: bool = True


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms; the sign of the first is shown if it is negative, or if the sum goes on."""

    terms: tuple[Term, ...]
    goes_on: bool = False  # the first terms are on a line before

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
    """Omitted parts."""


@dataclass(frozen=True, slots=True)
class Blank:
    """A numbered place to fill in; also in tables and sentences."""

    number: int


def is_short(math: "Math") -> bool:
    """Whether it is easy to read in the small letters of an inline fraction."""
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


def math_text(math: Math) -> str:  # noqa: C901 -- one branch for each kind
    """An expression in plain text.

    >>> math_text(Product((Fraction(Number("5"), Number("14")), Number("0.971"))))
    '5/14 × 0.971'
    """
    match math:
        case Number(text):
            return text
        case Name(text, _):
            return plain(text)
        case Letter(text, index):
            return f"{text}_{index}" if index else text
        case Call(name, arguments):
            return f"{math_text(name)}({', '.join(map(math_text, arguments))})"
        case Fraction(above, below):
            return f"{_tight(above)}/{_tight(below)}"
        case Log2(of):
            return f"log2({math_text(of)})"
        case Square(of):
            text = math_text(of)
            return f"{text}^2" if isinstance(of, Number | Letter) else f"({text})^2"
        case Product(factors):
            return write_product(factors, math_text, "({})".format, " × ")
        case Sum():
            return write_sum(math, math_text, "({})".format)
        case SumOver(of, index):
            return f"sum over {index} of {math_text(of)}"
        case Dots():
            return "..."
        case Blank(number):
            return blank_text(number)


def blank_text(number: int) -> str:
    """A place to fill in."""
    return f"[{number}: ______]"


def _tight(math: Math) -> str:
    """In brackets if a fraction bar next to it would split it."""
    text = math_text(math)
    single = isinstance(math, Number | Letter | Call | Log2 | Blank) or (
        isinstance(math, Name) and " " not in text
    )
    return text if single else f"({text})"


def write_product(
    factors: "tuple[Math, ...]",
    write: Callable[["Math"], str],
    bracketed: Callable[[str], str],
    times: str,
    before_log: str = " ",
) -> str:
    """Factors joined by the sign `times`, which is left out before logarithms."""
    text = ""
    for factor in factors:
        part = bracketed(write(factor)) if isinstance(factor, Sum) else write(factor)
        if text:
            text += before_log if isinstance(factor, Log2) else times
        text += part
    return text


def write_sum(
    total: Sum,
    write: Callable[["Math"], str],
    bracketed: Callable[[str], str],
    signed: Callable[[str, bool], str] | None = None,
) -> str:
    """Terms with their signs; `signed` may write a sign in another way, also the first one."""
    text = ""
    for number, term in enumerate(total.terms):
        if number or total.goes_on or not term.is_added:
            sign, is_first = "+" if term.is_added else "-", number == 0
            text += signed(sign, is_first) if signed else f"{'' if is_first else ' '}{sign} "
        text += bracketed(write(term.of)) if isinstance(term.of, Sum) else write(term.of)
    return text


SMALL = 0.8  # size of digits in a fraction, compared with those on the line


def typeset_width(math: Math) -> float:  # noqa: C901 -- one branch for each kind
    """The approximate width of a typeset expression, in digits.

    >>> typeset_width(Fraction(Number("9"), Number("14")))
    1.6
    """
    match math:
        case Number(text) | Name(text, ""):
            return len(text)
        case Name(_, symbol):
            return len(symbol)
        case Letter(text, index):
            return len(text) + SMALL * len(index)
        case Call(name, arguments):
            return typeset_width(name) + 2 + sum(2 + typeset_width(part) for part in arguments)
        case Fraction(above, below):
            return SMALL * max(typeset_width(above), typeset_width(below))
        case Log2(of):
            return 4 + typeset_width(of)
        case Square(of):
            return 3 + typeset_width(of)
        case Product(factors):
            return sum(2 + typeset_width(factor) for factor in factors)
        case Sum(terms, _):
            return sum(3 + typeset_width(term.of) for term in terms)
        case SumOver(of, _):
            return 3 + typeset_width(of)
        case Dots():
            return 2
        case Blank():
            return 8


Measure = Callable[[Math], float]


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """One line: a step with its equals sign, or the rest of a sum."""

    of: Math
    is_step: bool  # begins with an equals sign
    result: Math | None = None  # a short last step on the same line


def formula_rows(steps: "tuple[Math, ...]", width: float, measure: Measure) -> list[FormulaRow]:
    """The steps of a formula in lines of at most `width`, where sums can be broken."""
    rows = [row for step in steps for row in _rows_of_step(step, width, measure)]
    if len(rows) > 1 and rows[-1].is_step:
        *others, before, last = rows
        if measure(before.of) + 3 + measure(last.of) <= width:
            return [*others, replace(before, result=last.of)]
    return rows


def _rows_of_step(step: Math, width: float, measure: Measure) -> Iterator[FormulaRow]:
    if not isinstance(step, Sum) or measure(step) <= width:
        yield FormulaRow(step, is_step=True)
        return
    line: list[Term] = []
    used, is_step, goes_on = 0.0, True, step.goes_on
    for term in step.terms:
        size = measure(Sum((term,), goes_on=True)) + 1
        if line and used + size - 1 > width:
            yield FormulaRow(Sum(tuple(line), goes_on), is_step)
            line, used, is_step, goes_on = [], 0.0, False, True
        line.append(term)
        used += size
    yield FormulaRow(Sum(tuple(line), goes_on), is_step)
