r"""Calculations in LaTeX, in words that MathJax and KaTeX know too.

Names are letters in `\text{...}` and signs of mathematics between them: so `credit_rating` becomes
`\text{credit}\_\text{rating}`, which all three read alike.
"""

import re
from collections.abc import Callable

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
    is_short,
)
from treewright.plain_text import plain

SIGNS = {
    "\\": r"\backslash ",
    "{": r"\lbrace ",
    "}": r"\rbrace ",
    "|": r"\vert ",
    "~": r"\sim ",
    "*": r"\ast ",
    "^": r"\wedge ",
    "<": "<{}",  # the brackets keep it from being read as the start of a tag
    ">": "{}>",
    "`": r"\text{‘}",
    # Readers of Markdown that know no formulas would take these for an image, a link, an address.
    "[": r"\lbrack ",
    "]": r"\rbrack ",
    ":": "{:}",
    **{sign: f"\\{sign}" for sign in "_%&#$"},
}
PIECES = re.compile(r"([\\{}|~*^<>`_%&#$\[\]]|:(?=//))")


def math_latex(
    math: Math,
    *,
    blank: Callable[[int], str] = lambda number: f"[{number}: ]",
    words: Callable[[str], str] = str,
) -> str:
    r"""An expression in LaTeX; `words` writes what stands in `\text`.

    >>> math_latex(Product((Fraction(Number("5"), Number("14")), Number("0.971"))))
    '\\tfrac{5}{14} \\cdot 0.971'
    """
    return Writer(blank, words).write(math)


def _power(found: re.Match[str]) -> str:
    return rf" \cdot 10^{{{int(found[1])}}}"


class Writer:
    """LaTeX with one way to write blanks and one to write words."""

    def __init__(self, blank: Callable[[int], str], words: Callable[[str], str]) -> None:
        self.blank = blank
        self.words = words

    def write(self, math: Math) -> str:  # noqa: C901 -- one branch for each kind
        match math:
            case Number(text):
                return re.sub(r"e([+-]\d+)$", _power, text)
            case Name(text, symbol):
                return symbol or self._name(plain(text))
            case Letter(text, index):
                return f"{text}_{{{index}}}" if index else text
            case Call(name, arguments):
                return f"{self.write(name)}({', '.join(map(self.write, arguments))})"
            case Fraction(above, below):
                command = r"\tfrac" if is_short(above) and is_short(below) else r"\dfrac"
                return f"{command}{{{self.write(above)}}}{{{self.write(below)}}}"
            case Log2(of):
                inner = self.write(of)
                return rf"\log_2 ({inner})" if isinstance(of, Sum) else rf"\log_2 {inner}"
            case Square(of):
                inner = self.write(of)
                is_one = isinstance(of, Number | Letter)
                return f"{inner}^2" if is_one else rf"\left({inner}\right)^2"
            case Product(factors):
                return self._product(factors)
            case Sum():
                return self._sum(math)
            case SumOver(of, index):
                return rf"\sum_{{{index}}} {self.write(of)}"
            case Dots():
                return r"\dots"
            case Blank(number):
                return self.blank(number)

    def _name(self, text: str) -> str:
        pieces = [piece for piece in PIECES.split(text) if piece]
        return "".join(
            SIGNS[piece] if piece in SIGNS else rf"\text{{{self.words(piece)}}}" for piece in pieces
        )

    def _product(self, factors: tuple[Math, ...]) -> str:
        text = ""
        for factor in factors:
            part = self.write(factor)
            if isinstance(factor, Sum):
                part = rf"\left({part}\right)"
            sign = " " if isinstance(factor, Log2) else r" \cdot "
            text += sign + part if text else part
        return text

    def _sum(self, math: Sum) -> str:
        text = ""
        for number, term in enumerate(math.terms):
            sign = "+" if term.is_added else "-"
            part = self.write(term.of)
            if isinstance(term.of, Sum):
                part = rf"\left({part}\right)"
            if number == 0:
                text = part if term.is_added and not math.goes_on else f"{sign} {part}"
            else:
                text += f" {sign} {part}"
        return text
