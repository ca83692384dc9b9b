"""Calculations in three scripts: as text, in LaTeX and in MathML."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given

from documents.expressions import expressions, formulas
from treewright.documents.as_html import to_html
from treewright.documents.math import (
    Blank,
    Call,
    Fraction,
    Letter,
    Log2,
    Name,
    Number,
    Product,
    Square,
    Sum,
    SumOver,
    Term,
    formula_rows,
    math_text,
    typeset_width,
)
from treewright.documents.math_latex import aligned_latex, math_latex
from treewright.documents.math_mathml import math_mathml
from treewright.documents.page import Document, Formula

FIVE, FOURTEEN, HALF = Number("5"), Number("14"), Number("0.5")
SHARE = Fraction(FIVE, FOURTEEN)

WRITTEN = [
    (SHARE, "5/14", r"\tfrac{5}{14}"),
    (Product((SHARE, Log2(SHARE))), "5/14 log2(5/14)", r"\tfrac{5}{14} \log_2 \tfrac{5}{14}"),
    (Sum.less(Number("1"), Square(SHARE)), "1 - (5/14)^2", r"1 - \left(\tfrac{5}{14}\right)^2"),
    (Square(Letter("p", "i")), "p_i^2", "p_{i}^2"),
    (Sum((Term(HALF, is_added=False),)), "- 0.5", "- 0.5"),
    (Sum((Term(HALF),), goes_on=True), "+ 0.5", "+ 0.5"),
    (
        Product((SHARE, Sum.less(HALF, HALF))),
        "5/14 × (0.5 - 0.5)",
        r"\tfrac{5}{14} \cdot \left(0.5 - 0.5\right)",
    ),
    (Fraction(Sum.of(FIVE, FIVE), Number("2")), "(5 + 5)/2", r"\dfrac{5 + 5}{2}"),
    (Call(Name("entropy", "H"), (FIVE, FOURTEEN)), "entropy(5, 14)", "H(5, 14)"),
    (Name("credit_rating"), "credit_rating", r"\text{credit}\_\text{rating}"),
    (SumOver(Letter("p", "i"), "i"), "sum over i of p_i", r"\sum_{i} p_{i}"),
    (Number("1.5e-07"), "1.5e-07", r"1.5 \cdot 10^{-7}"),
    (Blank(3), "[3: ______]", "[3: ]"),
]


@pytest.mark.parametrize(("math", "text", "latex"), WRITTEN)
def test_an_expression_is_written_as_people_do(math, text, latex):
    assert math_text(math) == text
    assert math_latex(math) == latex


@given(expressions)
def test_mathml_is_well_formed(math):
    # What is not allowed in XML at all is left to the HTML parser.
    text = "".join(letter for letter in math_mathml(math) if letter.isprintable())
    ElementTree.fromstring(f"<math>{text}</math>")


@given(expressions)
def test_latex_braces_balance(math):
    text = math_latex(math)
    assert text.count("{") == text.count("}")
    assert "<script" not in text


@given(formulas)
def test_broken_formulas_keep_every_step(formula):
    rows = formula_rows(formula.steps, 30, typeset_width)
    steps = sum(row.is_step for row in rows) + sum(row.result is not None for row in rows)
    assert steps == len(formula.steps)


@given(formulas)
def test_broken_sums_keep_every_term(formula):
    rows = formula_rows(formula.steps, 20, lambda math: len(math_text(math)))
    whole = " ".join(math_text(step) for step in formula.steps).split()
    parts = [math_text(part) for row in rows for part in (row.of, row.result) if part is not None]
    # A line that goes on begins with its sign, which in one line stands between two terms.
    assert " ".join(parts).split() == whole


def test_a_short_formula_stays_on_one_line():
    short = Formula(Name("all"), (Sum.of(HALF, HALF), Number("1")))
    assert aligned_latex(short, new_line=r"\\") == r"\text{all} = 0.5 + 0.5 = 1"


def test_a_long_formula_has_a_line_for_each_step():
    long = Formula(Name("all"), (Sum.of(*[HALF] * 12), Sum.of(*[HALF] * 12), Number("6")))
    text = aligned_latex(long, new_line=r"\\")
    assert text.startswith(r"\begin{aligned}\text{all} &= 0.5")
    assert text.count("&=") == 2
    assert text.endswith(r"0.5 = 6\end{aligned}")


def test_html_sets_formulas_without_any_script():
    page = to_html(Document("t", (Formula(Name("share"), (SHARE,)),)))
    assert "<mfrac><mn>5</mn><mn>14</mn></mfrac>" in page
    assert "<script" not in page
