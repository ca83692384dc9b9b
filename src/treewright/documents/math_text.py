"""Calculations in one line of plain characters: entropy(9, 5) = - 9/14 log2(9/14) ..."""

from treewright.documents.math import (
    Blank,
    Call,
    Dots,
    Fraction,
    Letter,
    Log2,
    Math,
    Name,
    Number,
    Product,
    Square,
    Sum,
    SumOver,
)
from treewright.plain_text import plain


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
