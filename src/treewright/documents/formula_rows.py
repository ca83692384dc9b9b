"""Long calculations over several lines: a line for each step, long sums broken between terms."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

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
    Term,
)
from treewright.documents.page import Formula

Measure = Callable[[Math], float]
SMALL = 0.8  # digits of a fraction, beside those on the line


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """One line: a step with its equals sign, or the rest of a sum."""

    of: Math
    is_step: bool  # an equals sign stands before it
    result: Math | None = None  # a last short step on the same line


def formula_rows(formula: Formula, width: float, measure: Measure) -> list[FormulaRow]:
    """The steps of a formula in lines of at most `width`, as far as sums can be broken."""
    rows = [row for step in formula.steps for row in _rows_of_step(step, width, measure)]
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


def typeset_width(math: Math) -> float:  # noqa: C901 -- one branch for each kind
    """About how many digits wide an expression is where fractions stand upright.

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
