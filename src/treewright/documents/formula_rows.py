"""Break long calculations into lines: one for each step, and long sums between terms."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from treewright.documents.math import Math, Sum, Term
from treewright.documents.page import Formula

Measure = Callable[[Math], float]


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """One line: a step with its equals sign, or the rest of a sum."""

    of: Math
    is_step: bool  # begins with an equals sign
    result: Math | None = None  # a short last step on the same line


def formula_rows(formula: Formula, width: float, measure: Measure) -> list[FormulaRow]:
    """The steps of a formula in lines of at most `width`, where sums can be broken."""
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
