r"""Calculations in LaTeX that MathJax and KaTeX can read too.

Names are letters in `\text{...}` with math symbols between them: `credit_rating` becomes
`\text{credit}\_\text{rating}`, which all three read the same way.
"""

import re
import unicodedata
from collections.abc import Callable

from treewright.documents.math import (
    Blank,
    Call,
    Dots,
    FormulaRow,
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
    formula_rows,
    is_short,
    typeset_width,
    write_product,
    write_sum,
)
from treewright.documents.page import Formula
from treewright.plain_text import plain
from treewright.tree.escaping import latex

SIGNS = {
    "\\": r"\backslash ",
    "{": r"\lbrace ",
    "}": r"\rbrace ",
    "|": r"\vert ",
    "~": r"\sim ",
    "*": r"\ast ",
    "^": r"\wedge ",
    "<": "<{}",  # the braces keep it from looking like a tag
    ">": "{}>",
    "`": r"\text{‘}",
    # Markdown readers without formulas would take these for an image, a link, an address.
    "[": r"\lbrack ",
    "]": r"\rbrack ",
    ":": "{:}",
    **{sign: f"\\{sign}" for sign in "_%&#$"},
}
bracketed = r"\left({}\right)".format
PIECES = re.compile(r"([\\{}|~*^<>`_%&#$\[\]]|:(?=//))")


def math_latex(
    math: Math,
    *,
    blank: Callable[[int], str] = lambda number: f"[{number}: ]",
    words: Callable[[str], str] = str,
) -> str:
    r"""An expression in LaTeX; `words` writes the content of `\text`.

    >>> math_latex(Product((Fraction(Number("5"), Number("14")), Number("0.971"))))
    '\\tfrac{5}{14} \\cdot 0.971'
    """
    return Writer(blank, words).write(math)


def _power(found: re.Match[str]) -> str:
    return rf" \cdot 10^{{{int(found[1])}}}"


class Writer:
    """Writes LaTeX with given functions for blanks and words."""

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
                return f"{inner if is_one else bracketed(inner)}^2"
            case Product(factors):
                return write_product(factors, self.write, bracketed, r" \cdot ")
            case Sum():
                return write_sum(math, self.write, bracketed)
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


WIDTH = 84  # digits on a line of a printed page


def aligned_latex(
    formula: Formula, *, new_line: str, write: Callable[[Math], str] = math_latex
) -> str:
    r"""The formula without dollar signs.

    >>> from treewright.documents.math import Name, Number, Sum
    >>> half = Number("0.5")
    >>> aligned_latex(Formula(Name("all"), (Sum.of(half, half), Number("1"))), new_line="")
    '\\text{all} = 0.5 + 0.5 = 1'
    """
    left = write(formula.left)
    equals = 3 * len(formula.steps)
    if equals + sum(map(typeset_width, (formula.left, *formula.steps))) <= WIDTH:
        return " = ".join([left, *map(write, formula.steps)])
    room = max(WIDTH - typeset_width(formula.left) - 3, WIDTH / 3)
    rows = formula_rows(formula.steps, room, typeset_width)
    lines = f" {new_line} ".join(_row(row, write) for row in rows)
    return rf"\begin{{aligned}}{left} {lines}\end{{aligned}}"


def _row(row: FormulaRow, write: Callable[[Math], str]) -> str:
    start = "&=" if row.is_step else r"&\quad"
    line = f"{start} {write(row.of)}"
    return line if row.result is None else f"{line} = {write(row.result)}"


# Latin letters that the encoding T1 does not have, and other characters that it has.
NOT_IN_T1 = frozenset("ĦħĸĿŀŉŦŧ\u00ad")
MORE_SIGNS = frozenset("–—‘’‚“”„†‡•…‰‹›€™")
NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)$")
# Greek letters that look like Latin ones have no command of their own.
LATIN_CAPITALS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True))
AS_FORMULAS = {"≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "−": "-", "→": r"\to", "∞": r"\infty"}

DEFINITIONS = r"""\providecommand{\letters}[2]{\ifdefined\Umathchar#1\else\texttt{U+#2}\fi}"""


def latex_words(text: str) -> str:
    r"""A name or sentence in LaTeX; it may use the command of `DEFINITIONS`.

    >>> latex_words("50 % of 漢")
    '50 \\% of \\letters{漢}{6F22}'
    """
    # Only some encodings have a command for a straight quote.
    escaped = latex(plain(text)).replace(r"\textquotedbl{}", r"\symbol{34}")
    return NOT_ASCII.sub(lambda found: _not_ascii(found[0]), escaped)


def _not_ascii(run: str) -> str:
    text, unknown = "", ""
    for letter in run:
        known = _known(letter)
        if known is None:
            unknown += letter
            continue
        text += _numbered(unknown) + known
        unknown = ""
    return text + _numbered(unknown)


def _known(letter: str) -> str | None:
    """How pdfLaTeX writes a letter; None if it cannot."""
    if letter in AS_FORMULAS:
        return rf"\ensuremath{{{AS_FORMULAS[letter]}}}"
    if letter in LATIN_CAPITALS:
        return LATIN_CAPITALS[letter]
    if letter in MORE_SIGNS or ("\u00a0" < letter < "\u017f" and letter not in NOT_IN_T1):
        return letter
    greek = GREEK.match(unicodedata.name(letter, ""))
    if greek is None or not "\u0391" <= letter <= "\u03c9":
        return None
    name = greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()
    return rf"\ensuremath{{\{name.replace('lamda', 'lambda').replace('Lamda', 'Lambda')}}}"


def _numbered(letters: str) -> str:
    if not letters:
        return ""
    numbers = " ".join(f"{ord(letter):04X}" for letter in letters)
    return rf"\letters{{{letters}}}{{{numbers}}}"
