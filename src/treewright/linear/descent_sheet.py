"""The worksheet of a linear model: cost, slopes and coefficients of its first steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.documents.math import (
    Call,
    Fraction,
    Letter,
    Math,
    Name,
    Number,
    Product,
    Square,
    Sum,
    SumOver,
    Term,
)
from treewright.documents.page import (
    Block,
    Document,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    SheetTable,
)
from treewright.documents.printed import Printed, number_shown
from treewright.errors import ParameterError
from treewright.estimators.threads import seed_of
from treewright.linear.descent import Descended
from treewright.linear.direct import curvature_matrix, solve_directly
from treewright.linear.problem import Problem
from treewright.linear.step_blocks import (
    MOST_TERMS,
    StepPage,
    StepRun,
    StepWork,
    step_blocks,
    steps_of_an_epoch,
    steps_over_all_rows,
    symbol_text,
)
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.linear.base import LinearModel


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
    by_epoch = model.method != "batch" and not model.is_direct
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
    matrix = curvature_matrix(objective, start)
    right = -objective.smooth(start, from_rows=True)[1][0]
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
    if model.is_direct or objective.l1 or n_unknowns > MOST_UNKNOWNS:
        return
    solver = "newton" if hasattr(model, "predict_proba") else "normal_equations"
    point = solve_directly(objective, model.smallest_slope_of(sheet.problem)).point
    solved = sheet.problem.in_units(point)[0]
    found = np.append(model.state_.by_output[0][0], model.state_.by_output[1][0])
    gaps = np.abs(found - solved) / np.maximum(np.abs(solved), 1e-12 * np.abs(solved).max())
    yield Paragraph.of(f"The same without descent, by {solver.replace('_', ' ')}:")
    lines = tuple(
        (name, f"{found[at]:.10g}", f"{solved[at]:.10g}", f"{gaps[at]:.1e}")
        for at, name in enumerate(("intercept", *model.term_names_)[: 1 + MOST_TERMS])
    )
    words = "descent" if objective.n_outputs == 1 else f"descent, {model.state_.left_sides[0]}"
    columns = ("term", words, solver.replace("_", " "), "relative difference")
    yield SheetTable(columns, lines, "lrrr")


def page_of(sheet: "DescentSheet", digits: Digits) -> StepPage:
    """What all steps are shown with."""
    problem, model = sheet.problem, sheet.model
    names = ("", *problem.terms.names)
    places = (0, *problem.terms.places.tolist())
    loss = problem.objective.loss
    classes: tuple[str, ...] = ()
    if loss != LinearLoss.squared_error:
        classes = tuple(map(str, model.classes_.tolist()))
    return StepPage(
        names=names[: 1 + MOST_TERMS],
        places=places[: 1 + MOST_TERMS],
        n_left_out=max(0, len(names) - 1 - MOST_TERMS),
        classes=classes,
        digits=digits,
        is_weighted=sheet.is_weighted,
        l1=problem.objective.l1,
        l2=problem.objective.l2,
    )


def opening(sheet: "DescentSheet") -> Iterator[Block]:
    """What is lowered, and how."""
    model, objective = sheet.model, sheet.problem.objective
    n_rows, n_terms = objective.coded.n_rows, len(sheet.problem.terms.places)
    yield Paragraph.of(f"{n_rows} rows, {n_terms} terms. {way_of(sheet)}")
    yield Formula(Letter("J"), (cost_formula(sheet),))
    if sheet.is_weighted:
        yield Note(
            "Every row counts by its weight, and m is the sum of all weights. Below, weights are "
            "divided by their mean."
        )
    if objective.loss == LinearLoss.logistic:
        label = model.classes_.tolist()[1]
        yield Paragraph.of(
            f"The probability of {label} is 1 / (1 + exp(-score)), the score is b + w_1 z_1 + ..."
        )
    elif objective.loss == LinearLoss.multinomial:
        yield Paragraph.of(
            "Every class has a score b + w_1 z_1 + ...; its probability is exp(score) over the sum "
            "of that for all classes."
        )
    else:
        yield Paragraph.of("The prediction is b + w_1 z_1 + ...")


def way_of(sheet: "DescentSheet") -> str:
    """How the coefficients are found, in a sentence or two."""
    model, found = sheet.model, sheet.found
    if model.solver == "normal_equations":
        return "The cost is least where all its slopes are 0: one equation for each coefficient."
    if model.solver == "newton":
        return "Each step goes to the bottom of the parabola that touches the cost."
    rows = {
        "batch": "all rows",
        "stochastic": "one row after the other, in random order",
        "mini_batch": f"{model.batch_size} rows after the other, in random order",
    }[model.method]
    rate = f"The learning rate is {found.rate:.6g}"
    return f"Each step goes down the slope of the cost of {rows}. {rate} to begin with."


def cost_formula(sheet: "DescentSheet") -> Math:
    """The cost over all rows, with its penalties."""
    objective = sheet.problem.objective
    m: Math = Letter("m") if sheet.is_weighted else Number(str(objective.coded.n_rows))
    terms: list[Term] = []
    if objective.loss == LinearLoss.squared_error:
        square = Square(Sum.less(Name("prediction"), Name("y")))
        half = Fraction(Number("1"), Product((Number("2"), m)))
        terms.append(Term(Product((half, SumOver(square, "rows")))))
    else:
        surprise = Call(Name("ln"), (Name("probability of the row's class"),))
        share = Fraction(Number("1"), m)
        terms.append(Term(Product((share, SumOver(surprise, "rows"))), is_added=False))
    if objective.l2:
        half_l2 = Fraction(Number(f"{objective.l2:g}"), Number("2"))
        terms.append(Term(Product((half_l2, SumOver(Square(Letter("w")), "w")))))
    if objective.l1:
        size = Call(Name("size"), (Letter("w"),))
        terms.append(Term(Product((Number(f"{objective.l1:g}"), SumOver(size, "w")))))
    return Sum(tuple(terms)) if len(terms) > 1 or not terms[0].is_added else terms[0].of


def terms_table(sheet: "DescentSheet", page: StepPage) -> Iterator[Block]:
    """What each coefficient belongs to, and how its column is scaled."""
    scaling, terms = sheet.problem.scaling, sheet.problem.terms
    lines = []
    for at, (name, place) in enumerate(zip(page.names[1:], page.places[1:], strict=True), 1):
        number = place - 1
        if number >= terms.n_numbers:
            lines.append((f"w_{at}", name, "1 or 0"))
            continue
        center, scale = float(scaling.centers[number]), float(scaling.scales[number])
        lines.append((f"w_{at}", name, scaled_text(name, center, scale)))
    yield SheetTable(("coefficient", "term", "z"), tuple(lines), "lll")
    if page.n_left_out:
        yield Note(f"... {page.n_left_out} more terms, which are not written out below")
    if sheet.problem.objective.coded.slots.shape[1] and sheet.problem.objective.l1 == 0:
        yield Note(
            "Every level has a coefficient. At the end what all levels of a column share is put to "
            "the intercept, so that they are differences from a mean row."
        )


def scaled_text(name: str, center: float, scale: float) -> str:
    """How a number becomes z.

    >>> scaled_text("area", 101.5, 20.0), scaled_text("area", 0.0, 1.0)
    ('(area - 101.5) / 20', 'area')
    """
    shifted = name if center == 0 else f"({name} {'-' if center > 0 else '+'} {abs(center):.6g})"
    return shifted if scale == 1 else f"{shifted} / {scale:.6g}"


MOST_STEPS = 2  # of a page, unless more are asked for


@dataclass(frozen=True, eq=False, repr=False)
class DescentSheet(Printed):
    """The calculation behind a descent, computed from the training rows.

    It is printed as every page is; `decimals` is from 0 to 15, and `max_steps` the number of steps
    that are written out, 2 unless given.
    """

    model: "LinearModel[Any]"
    problem: Problem
    found: Descended
    is_weighted: bool

    def steps(self, n_steps: int) -> list[StepWork]:
        """The first steps with all their numbers, unrounded; none of solvers without steps."""
        if self.model.is_direct:
            return []
        run = StepRun(
            self.problem.objective,
            self.model.step_settings(self.problem),
            self.found.rate,
            seed_of(self.model.random_state),
            np.array([0, *self.problem.terms.places[:MOST_TERMS]], dtype=np.intp),
        )
        n_steps = min(n_steps, self.found.record.n_steps)
        by_batches = bool(run.settings.batch_size)
        steps = steps_of_an_epoch(run) if by_batches else steps_over_all_rows(run)
        return list(islice(steps, n_steps))

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered."""
        target = self.problem.objective.target
        digits = Digits(decimals).for_numbers_like(float(np.abs(target).max()))
        steps = self.steps(number_shown(max_steps, MOST_STEPS))
        page = page_of(self, digits)
        blocks = [*opening(self), *terms_table(self, page)]
        for step in steps:
            blocks.append(Heading(2, f"Step {step.number}", f"step-{step.number}"))
            blocks += step_blocks(page, step)
        n_more = self.found.record.n_steps - len(steps)
        if steps and n_more > 0:
            blocks.append(Note(f"... {n_more} more; max_steps= writes out more of them"))
        blocks += ending(self, page)
        return Document(f"Worksheet: {type(self.model).__name__}", tuple(blocks))

    def __repr__(self) -> str:
        return f"<DescentSheet: {type(self.model).__name__}, {self.found.record.n_steps} steps>"


def descent_sheet(model: "LinearModel[Any]", X: Any, y: Any, sample_weight: Any) -> DescentSheet:
    """The sheet of a fitted model, with the rows that it was fitted to."""
    if X is None or y is None:
        raise ParameterError(
            "the worksheet of a descent needs the training rows", hint="give X and y of the fit"
        )
    rows = model.training_rows(X, y, sample_weight)
    problem = model.problem_for(rows)
    found = model.descended(problem)
    if not is_of_the_fit(model, problem, found):
        raise ParameterError(
            "these are not the rows that the model was fitted to: they lead to other coefficients",
            hint="give X, y and sample_weight of the fit, or fit again",
        )
    return DescentSheet(model, problem, found, rows.weights is not None)


def is_of_the_fit(model: "LinearModel[Any]", problem: Problem, found: Descended) -> bool:
    """Whether the rows have the means, the first cost and slope, and the end of the fit."""
    if problem.terms.names != model.term_names_:
        return False
    record = found.record
    here = [*problem.term_means, record.costs[0], record.slopes[0]]
    fitted = [*model.term_means_, model.trace_costs_[0], model.trace_slopes_[0]]
    rounding = 1e-9 * max(map(abs, fitted[-2:]))
    if not np.allclose(here, fitted, rtol=1e-9, atol=rounding):
        return False
    if not model.is_direct and model.method != "batch" and not isinstance(model.random_state, int):
        return True  # another order of the rows than in the fit
    end = problem.in_units(found.point) - np.column_stack(model.state_.by_output)
    by_terms = np.abs(end[:, 1:] * sizes_of_terms(problem))
    return bool((by_terms <= 1e-6 * np.abs(found.point).max()).all())


def sizes_of_terms(problem: Problem) -> Floats:
    """How far a term goes from its mean, as far as the descent is concerned."""
    sizes = np.ones(problem.terms.n_coefficients)
    sizes[1 : 1 + problem.terms.n_numbers] = problem.scaling.scales
    return sizes[problem.terms.places]
