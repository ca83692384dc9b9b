"""A formula in LaTeX: on one line, or its steps below each other at their equals signs."""

from collections.abc import Callable

from treewright.documents.formula_rows import FormulaRow, formula_rows, typeset_width
from treewright.documents.math import Math
from treewright.documents.math_latex import math_latex
from treewright.documents.page import Formula

WIDTH = 84  # digits that fit on a line of a printed page


def aligned_latex(
    formula: Formula, *, new_line: str, write: Callable[[Math], str] = math_latex
) -> str:
    r"""The formula without its dollars.

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
    rows = formula_rows(formula, room, typeset_width)
    lines = f" {new_line} ".join(_row(row, write) for row in rows)
    return rf"\begin{{aligned}}{left} {lines}\end{{aligned}}"


def _row(row: FormulaRow, write: Callable[[Math], str]) -> str:
    start = "&=" if row.is_step else r"&\quad"
    line = f"{start} {write(row.of)}"
    return line if row.result is None else f"{line} = {write(row.result)}"
