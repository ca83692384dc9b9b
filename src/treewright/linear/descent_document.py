"""A descent as a page: the cost, the errors of the rows, slopes term by term, new coefficients."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from treewright._kernels.linear import LinearLoss
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
from treewright.documents.page import Block, Document, Formula, Heading, Note, Paragraph, SheetTable
from treewright.linear.descent_end import ending
from treewright.linear.step_blocks import MOST_TERMS, StepPage, step_blocks
from treewright.linear.step_work import StepWork
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.linear.descent_sheet import DescentSheet


def descent_document(sheet: "DescentSheet", steps: list[StepWork], digits: Digits) -> Document:
    """The page of a sheet with these steps written out."""
    page = page_of(sheet, digits)
    blocks = [*opening(sheet), *terms_table(sheet, page)]
    for step in steps:
        blocks.append(Heading(2, f"Step {step.number}", f"step-{step.number}"))
        blocks += step_blocks(page, step)
    n_more = sheet.found.record.n_steps - len(steps)
    if steps and n_more > 0:
        blocks.append(Note(f"... {n_more} more; max_steps= writes out more of them"))
    blocks += ending(sheet, page)
    return Document(f"Worksheet: {type(sheet.model).__name__}", tuple(blocks))


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
        centre, scale = float(scaling.centres[number]), float(scaling.scales[number])
        lines.append((f"w_{at}", name, scaled_text(name, centre, scale)))
    yield SheetTable(("coefficient", "term", "z"), tuple(lines), "lll")
    if page.n_left_out:
        yield Note(f"... {page.n_left_out} more terms, which are not written out below")
    if sheet.problem.objective.coded.slots.shape[1] and sheet.problem.objective.l1 == 0:
        yield Note(
            "Every level has a coefficient. At the end what all levels of a column share is put to "
            "the intercept, so that they are differences from a mean row."
        )


def scaled_text(name: str, centre: float, scale: float) -> str:
    """How a number becomes z.

    >>> scaled_text("area", 101.5, 20.0), scaled_text("area", 0.0, 1.0)
    ('(area - 101.5) / 20', 'area')
    """
    shifted = name if centre == 0 else f"({name} {'-' if centre > 0 else '+'} {abs(centre):.6g})"
    return shifted if scale == 1 else f"{shifted} / {scale:.6g}"
