"""Calculations in MathML, which browsers typeset without scripts or fonts."""

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
    write_product,
    write_sum,
)
from treewright.plain_text import plain
from treewright.tree.escaping import html

MINUS = "\u2212"
LEFT, RIGHT = "<mo>(</mo>", "<mo>)</mo>"
SMALL_LEFT, SMALL_RIGHT = "<mo stretchy='false'>(</mo>", "<mo stretchy='false'>)</mo>"
THIN_SPACE = "<mspace width='0.17em'></mspace>"


def math_mathml(math: Math) -> str:  # noqa: C901 -- one branch for each kind
    """An expression in MathML.

    >>> math_mathml(Fraction(Number("5"), Number("14")))
    '<mfrac><mn>5</mn><mn>14</mn></mfrac>'
    """
    match math:
        case Number(text):
            number = _number(text.removeprefix("-"))
            return f"<mrow><mo>{MINUS}</mo>{number}</mrow>" if text.startswith("-") else number
        case Name(text, symbol):
            return f"<mi>{symbol}</mi>" if symbol else f"<mtext>{html(plain(text))}</mtext>"
        case Letter(text, index):
            letter = f"<mi>{text}</mi>"
            return f"<msub>{letter}<mi>{index}</mi></msub>" if index else letter
        case Call(name, arguments):
            listed = "<mo>,</mo>".join(map(math_mathml, arguments))
            return f"{math_mathml(name)}<mrow>{SMALL_LEFT}{listed}{SMALL_RIGHT}</mrow>"
        case Fraction(above, below):
            size = "" if is_short(above) and is_short(below) else " displaystyle='true'"
            return f"<mfrac{size}>{_row(above)}{_row(below)}</mfrac>"
        case Log2(of):
            inner = _bracketed(math_mathml(of)) if isinstance(of, Sum) else math_mathml(of)
            return f"{THIN_SPACE}<msub><mi>log</mi><mn>2</mn></msub>{THIN_SPACE}{inner}"
        case Square(of):
            inner = math_mathml(of)
            base = inner if isinstance(of, Number | Letter) else _bracketed(inner)
            if isinstance(of, Fraction):
                base = f"<mrow>{LEFT}{inner}{RIGHT}</mrow>"
            return f"<msup>{base}<mn>2</mn></msup>"
        case Product(factors):
            return write_product(factors, math_mathml, _bracketed, "<mo>⋅</mo>", "")
        case Sum():

            def signed(sign: str, is_first: bool) -> str:  # noqa: FBT001 -- see write_sum
                sign = sign.replace("-", MINUS)
                return first_sign(sign) if is_first and math.goes_on else f"<mo>{sign}</mo>"

            return write_sum(math, math_mathml, _bracketed, signed)
        case SumOver(of, index):
            return f"<munder><mo>∑</mo><mi>{index}</mi></munder>{math_mathml(of)}"
        case Dots():
            return "<mo>⋯</mo>"
        case Blank(number):
            return f"<mtext>{blank_html(number)}</mtext>"


def _number(text: str) -> str:
    digits, _, power = text.partition("e")
    if not power:
        return f"<mn>{html(text)}</mn>"
    ten = f"<msup><mn>10</mn><mn>{int(power)}</mn></msup>"
    return f"<mrow><mn>{html(digits)}</mn><mo>⋅</mo>{ten}</mrow>"


def blank_html(number: int) -> str:
    """A place to fill in."""
    return f"<span class='blank'>{number}</span>"


def first_sign(sign: str) -> str:
    """A sign between two expressions, the first of which is on another line."""
    return f"<mo form='infix' lspace='0'>{sign}</mo>"


def _row(math: Math) -> str:
    text = math_mathml(math)
    return text if isinstance(math, Number | Letter) else f"<mrow>{text}</mrow>"


def _bracketed(text: str) -> str:
    return f"<mrow>{SMALL_LEFT}{text}{SMALL_RIGHT}</mrow>"
