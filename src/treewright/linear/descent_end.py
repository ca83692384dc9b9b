"""The end of a descent's page: all steps in a table, the equation, and another way to find it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treewright.documents.page import (
    Block,
    Heading,
    Listing,
    Note,
    Paragraph,
    SheetTable,
)
from treewright.linear.direct import curvature_matrix, solve_directly, with_penalty
from treewright.linear.step_blocks import MOST_TERMS, StepPage, symbol_text

if TYPE_CHECKING:
    from treewright.linear.descent_sheet import DescentSheet

FIRST_LINES, LAST_LINES = 8, 3  # of the table of steps
MOST_UNKNOWNS = 300  # that are solved for by the other way, too


def ending(sheet: "DescentSheet", page: StepPage) -> Iterator[Block]:
    """All steps, the result, the other way."""
    if sheet.model.solver == "normal_equations":
        yield from equations(sheet, page)
    else:
        yield from all_steps(sheet, page)
    yield Heading(2, "Result", "result")
    yield Listing(sheet.model.equation())
    if not sheet.model.converged_:
        yield Note("The descent was broken off before it arrived.")
    yield from other_way(sheet)


def all_steps(sheet: "DescentSheet", page: StepPage) -> Iterator[Block]:
    """A line for each step, those in the middle of many left out."""
    model, record, digits = sheet.model, sheet.found.record, page.digits
    by_epoch = model.method != "batch" and not model._is_direct
    unit = "epoch" if by_epoch else "step"
    yield Heading(2, f"All {unit}s", "all-steps")
    n_lines = len(record.costs)
    shown = list(range(n_lines))
    if n_lines > FIRST_LINES + LAST_LINES:
        shown = [*range(FIRST_LINES), *range(n_lines - LAST_LINES, n_lines)]
    kept = dict(zip(record.steps, record.points, strict=True))
    with_points = len(sheet.found.point) == 1
    lines = []
    for step in shown:
        line = [str(step), digits.text(record.costs[step]), f"{record.slopes[step]:.3g}"]
        line.append(f"{record.rates[step]:.4g}")
        if with_points:
            point = kept.get(step)
            line += [
                "" if point is None else digits.text(float(point[0, place]))
                for place in page.places
            ]
        lines.append(tuple(line))
    columns = [unit, "cost", "largest slope", "rate"]
    if with_points:
        columns += [symbol_text(page, at) for at in range(len(page.places))]
    if n_lines > len(shown):
        lines.insert(FIRST_LINES, ("...", *("" for _ in columns[1:])))
    yield SheetTable(tuple(columns), tuple(lines), "r" * len(columns))
    if by_epoch:
        yield Note("The best of all epochs is the result.")


def equations(sheet: "DescentSheet", page: StepPage) -> Iterator[Block]:
    """The normal equations: mean products of the terms, and with the target."""
    objective, digits = sheet.problem.objective, page.digits
    yield Heading(2, "Normal equations", "normal-equations")
    yield Paragraph.of(
        "Each line: coefficients times the mean products of its z with every other z are the mean "
        "product of its z with y."
    )
    start = objective.start()
    matrix, right = curvature_matrix(objective, start), -with_penalty(objective, start)[1][0]
    names = [symbol_text(page, at) for at in range(len(page.places))]
    lines = tuple(
        (
            name,
            *(digits.text(float(matrix[place, other])) for other in page.places),
            digits.text(float(right[place])),
            digits.text(float(sheet.found.point[0, place])),
        )
        for name, place in zip(names, page.places, strict=True)
    )
    columns = ("equation", *names, "right side", "solution")
    yield SheetTable(columns, lines, "l" + "r" * (len(names) + 2))
    if page.n_left_out:
        yield Note(f"... and as many lines and columns for {page.n_left_out} more terms")


def other_way(sheet: "DescentSheet") -> Iterator[Block]:
    """The coefficients by descent beside those without steps."""
    model, objective = sheet.model, sheet.problem.objective
    n_unknowns = objective.n_outputs * objective.coded.n_terms
    if model._is_direct or objective.l1 or n_unknowns > MOST_UNKNOWNS:
        return
    solver = "newton" if hasattr(model, "predict_proba") else "normal_equations"
    point = solve_directly(objective, model._smallest_slope(sheet.problem)).point
    solved = sheet.problem.in_units(point)[0]
    found = np.append(model.state_.by_output[0][0], model.state_.by_output[1][0])
    gaps = np.abs(found - solved) / np.maximum(np.abs(solved), 1e-12 * np.abs(solved).max())
    yield Paragraph.of(f"The same without descent, by {solver.replace('_', ' ')}:")
    lines = tuple(
        (name, f"{found[at]:.10g}", f"{solved[at]:.10g}", f"{gaps[at]:.1e}")
        for at, name in enumerate(("intercept", *model.term_names_)[: 1 + MOST_TERMS])
    )
    words = "descent" if objective.n_outputs == 1 else f"descent, {model._left_sides()[0]}"
    columns = ("term", words, solver.replace("_", " "), "relative difference")
    yield SheetTable(columns, lines, "lrrr")
