"""Calculations as data: numbers, fractions, sums, before anyone writes them down.

A worksheet calculates in these. `math_text`, `math_latex` and `math_mathml` write them, each with
one branch for every kind of expression, and `formula_rows` breaks long ones into lines.
"""

from dataclasses import dataclass

from treewright.plain_text import plain


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


def math_text(math: Math) -> str:  # noqa: C901 -- one branch for each kind
    """An expression in plain characters.

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
            return (
                f"{math_text(of)}^2" if isinstance(of, Number | Letter) else f"({math_text(of)})^2"
            )
        case Product(factors):
            return _product(factors)
        case Sum():
            return _sum(math)
        case SumOver(of, index):
            return f"sum over {index} of {math_text(of)}"
        case Dots():
            return "..."
        case Blank(number):
            return blank_text(number)


def blank_text(number: int) -> str:
    """A place to write in."""
    return f"[{number}: ______]"


def _tight(math: Math) -> str:
    """In brackets where a fraction bar beside it would take it apart."""
    text = math_text(math)
    single = isinstance(math, Number | Letter | Call | Log2 | Blank) or (
        isinstance(math, Name) and " " not in text
    )
    return text if single else f"({text})"


def _product(factors: tuple[Math, ...]) -> str:
    text = ""
    for factor in factors:
        part = math_text(factor)
        if isinstance(factor, Sum):
            part = f"({part})"
        sign = " " if isinstance(factor, Log2) else " × "
        text += sign + part if text else part
    return text


def _sum(math: Sum) -> str:
    text = ""
    for number, term in enumerate(math.terms):
        sign = "+" if term.is_added else "-"
        part = f"({math_text(term.of)})" if isinstance(term.of, Sum) else math_text(term.of)
        if number == 0:
            text = part if term.is_added and not math.goes_on else f"{sign} {part}"
        else:
            text += f" {sign} {part}"
    return text
