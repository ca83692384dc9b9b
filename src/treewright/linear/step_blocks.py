"""One step of a descent on paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.documents.math import (
    Call,
    Dots,
    Fraction,
    Letter,
    Math,
    Name,
    Number,
    Product,
    Square,
    Sum,
    Term,
)
from treewright.documents.page import Block, Formula, Heading, Note, Paragraph, SheetTable
from treewright.linear.coded_rows import CodedRows
from treewright.linear.descent import Step, StepSettings, steps_down
from treewright.linear.objective import Objective, probabilities
from treewright.worksheets.digits import Digits


@dataclass(frozen=True, slots=True, eq=False)
class StepWork:
    """One step: the rows that it looks at, their errors, the slopes and the new coefficients."""

    step: Step
    rows: NDArray[np.intp]  # positions
    values: Floats  # (n_rows, n_shown) of the terms shown, the intercept's 1 first
    target: Floats  # (n_rows,)
    predictions: Floats  # (n_rows, n_outputs) predictions, or probabilities
    errors: Floats  # (n_rows, n_outputs) prediction - target
    weights: Floats  # (n_rows,) that add up to 1

    @property
    def number(self) -> int:
        """Counted from 1."""
        return self.step.number + 1


def dense(coded: CodedRows, rows: NDArray[np.intp], places: NDArray[np.intp]) -> Floats:
    """Some terms of some rows, a column for each."""
    values = np.zeros((len(rows), len(places)))
    for at, place in enumerate(places.tolist()):
        if place < coded.n_numbers:
            values[:, at] = coded.numbers[rows, place]
        else:
            values[:, at] = (coded.slots[rows] == place - coded.n_numbers).any(axis=1)
    return values


def predictions_and_errors(
    objective: Objective, scores: Floats, target: Floats
) -> tuple[Floats, Floats]:
    """What the scores say, and by how much that is more than the target."""
    if objective.loss == LinearLoss.squared_error:
        return scores, scores - target[:, np.newaxis]
    if objective.loss == LinearLoss.logistic:
        chances = probabilities(scores)[:, 1:]
        return chances, chances - target[:, np.newaxis]
    chances = probabilities(scores) if objective.n_outputs > 1 else np.ones_like(scores)
    return chances, chances - np.eye(objective.n_outputs)[target.astype(np.intp)]


@dataclass(frozen=True, slots=True, eq=False)
class StepRun:
    """A descent to take the first steps of once more."""

    objective: Objective
    settings: StepSettings
    rate: float
    seed: int  # of the order of the rows
    places: NDArray[np.intp]  # of the terms to be shown


def steps_over_all_rows(run: StepRun) -> Iterator[StepWork]:
    """Steps of the batch descent."""
    objective, coded = run.objective, run.objective.coded
    rows = np.arange(coded.n_rows)
    values = dense(coded, rows, run.places)
    for step in steps_down(objective, run.settings, run.rate):
        scores = np.empty((coded.n_rows, objective.n_outputs))
        objective.rows.scores(np.ascontiguousarray(step.point), scores, objective.n_threads)
        predictions, errors = predictions_and_errors(objective, scores, objective.target)
        yield StepWork(step, rows, values, objective.target, predictions, errors, coded.shares)


def steps_of_an_epoch(run: StepRun) -> Iterator[StepWork]:
    """Steps of the first epoch by single rows or batches."""
    objective, settings, rate = run.objective, run.settings, run.rate
    coded, momentum = objective.coded, settings.momentum or 0.0
    order = np.random.default_rng(run.seed).permutation(coded.n_rows)
    every_place = np.arange(coded.n_terms)
    point = before = objective.start()
    for number, begin in enumerate(range(0, coded.n_rows, settings.batch_size)):
        rows = order[begin : begin + settings.batch_size]
        values, target = dense(coded, rows, every_place), objective.target[rows]
        predictions, errors = predictions_and_errors(objective, values @ point.T, target)
        weights = coded.shares[rows] * coded.n_rows / len(rows)
        slope = (errors * weights[:, np.newaxis]).T @ values
        slope[:, 1:] += objective.l2 * point[:, 1:]
        after = objective.shrunk(point - rate * slope, rate)
        on = after + momentum * (after - before)
        size, no_cost = objective.slope_size(point, slope, rate), float("nan")
        step = Step(number, point, no_cost, slope, size, rate, after, momentum, on)
        yield StepWork(step, rows, values[:, run.places], target, predictions, errors, weights)
        point, before = on, after


MOST_ROWS = 20  # of a table
MOST_TERMS = 5  # with coefficients that are written out
MOST_CLASSES = 3
MOST_SUMMANDS = 6  # of a sum that is written out


@dataclass(frozen=True, slots=True)
class StepPage:
    """How steps are written."""

    names: tuple[str, ...]  # of the terms shown, the intercept's first and empty
    places: tuple[int, ...]  # of their coefficients
    n_left_out: int  # terms
    classes: tuple[str, ...]  # () for numbers
    digits: Digits
    is_weighted: bool
    l1: float
    l2: float

    def number(self, number: float) -> Number:
        """A number that is not negative, whole ones without decimals."""
        text = self.digits.text(number) if self.digits.by_powers else self.digits.weight(number)
        return Number(text)

    def symbol(self, at: int) -> Letter:
        """b, w_1, w_2 ..."""
        return Letter("w", str(at)) if at else Letter("b")


def step_blocks(page: StepPage, work: StepWork) -> Iterator[Block]:
    """The rows, the cost, and for each coefficient its slope and what it becomes."""
    yield rows_table(page, work)
    if len(work.rows) > MOST_ROWS:
        yield Note(f"... {len(work.rows) - MOST_ROWS} more rows")
    if not np.isnan(work.step.cost):
        yield from cost_blocks(page, work)
    n_outputs = len(work.step.point)
    for output in range(min(n_outputs, MOST_CLASSES)):
        if n_outputs > 1:
            yield Heading(3, f"class {page.classes[output]}")
        for at in range(len(page.places)):
            yield slope_formula(page, work, output, at)
            yield new_formula(page, work, output, at)
        if page.l1:
            yield Note(f"All but b come nearer to 0 by rate x l1 = {work.step.rate * page.l1:.6g}.")
        if work.step.momentum:
            yield from momentum_blocks(page, work, output)
    if n_outputs > MOST_CLASSES:
        yield Note(f"... {n_outputs - MOST_CLASSES} more classes")


def rows_table(page: StepPage, work: StepWork) -> SheetTable:
    """For each row: its terms, its target, the prediction, the error."""
    digits, shown = page.digits, work.rows[:MOST_ROWS]
    is_many = len(work.step.point) > 1
    prediction = "prediction" if not page.classes else "probability"
    if is_many:
        predictions = tuple(f"p({name})" for name in page.classes[:MOST_CLASSES])
    else:
        predictions = (prediction, "error")
    columns = ["row", *(f"z_{at}" for at in range(1, len(page.places))), "y", *predictions]
    if page.is_weighted:
        columns.insert(1, "weight")
    lines = []
    for at, row in enumerate(shown.tolist()):
        line = [str(row)]
        if page.is_weighted:
            line.append(digits.text(work.weights[at] * len(work.rows)))
        line += [value_text(page, one) for one in work.values[at, 1:].tolist()]
        line.append(target_text(page, float(work.target[at])))
        if is_many:
            line += [digits.text(one) for one in work.predictions[at, :MOST_CLASSES].tolist()]
        else:
            line += [digits.text(work.predictions[at, 0]), digits.text(work.errors[at, 0])]
        lines.append(tuple(line))
    align = "r" * len(columns)
    return SheetTable(tuple(columns), tuple(lines), align)


def value_text(page: StepPage, value: float) -> str:
    """A number; 1 and 0 of levels without decimals."""
    return str(int(value)) if value in (0.0, 1.0) else page.digits.text(value)


def target_text(page: StepPage, target: float) -> str:
    """The number, or the class; of two classes 0 or 1, by which errors are counted."""
    if len(page.classes) > 2:
        return page.classes[int(target)]
    return page.digits.weight(target) if target >= 0 else page.digits.text(target)


def cost_blocks(page: StepPage, work: StepWork) -> Iterator[Block]:
    """The cost before the step, from what each row costs."""
    n_rows, weights = len(work.rows), row_weights(page, work)
    summands: list[Term] = []
    for row in ends_of(n_rows):
        factor = () if weights[row] == 1 else (Number(page.digits.text(weights[row])),)
        if page.classes:
            cost: Math = Call(Name("ln"), (page.number(own_probability(work, row)),))
        else:
            cost = Square(page.number(abs(work.errors[row, 0])))
        product: Math = Product((*factor, cost)) if factor else cost
        summands.append(Term(product, is_added=not page.classes))
    total: Math = Sum(with_dots(summands, n_rows))
    below: Math = Number(str(n_rows))
    if not page.classes:
        below = Product((Number("2"), below))
    parts: list[Math] = [Fraction(total, below)]
    squares = float(np.square(work.step.point[:, 1:]).sum())
    if page.l2 and squares:
        half = Fraction(Number(f"{page.l2:g}"), Number("2"))
        parts.append(Product((half, page.number(squares))))
    sizes = float(np.abs(work.step.point[:, 1:]).sum())
    if page.l1 and sizes:
        parts.append(Product((Number(f"{page.l1:g}"), page.number(sizes))))
    formula = parts[0] if len(parts) == 1 else Sum.of(*parts)
    yield Formula(Letter("J"), (formula, page.digits.number(work.step.cost)))


def own_probability(work: StepWork, row: int) -> float:
    """What the row's own class had."""
    if work.predictions.shape[1] > 1:
        return float(work.predictions[row, int(work.target[row])])
    chance = float(work.predictions[row, 0])
    return chance if work.target[row] == 1 else 1 - chance


def slope_formula(page: StepPage, work: StepWork, output: int, at: int) -> Formula:
    """The slope by one coefficient: the mean of error times z."""
    place, n_rows, weights = page.places[at], len(work.rows), row_weights(page, work)
    values, errors = work.values[:, at], work.errors[:, output]
    counted = np.flatnonzero(values)  # others add nothing
    summands: list[Term] = []
    for row in counted[list(ends_of(len(counted)))].tolist():
        factors = [page.number(abs(errors[row]))]
        if abs(values[row]) != 1:
            factors.append(page.number(abs(values[row])))
        if weights[row] != 1:
            factors.insert(0, page.number(weights[row]))
        product: Math = factors[0] if len(factors) == 1 else Product(tuple(factors))
        summands.append(Term(product, is_added=bool(errors[row] * values[row] >= 0)))
    mean: Math = Sum(with_dots(summands, len(counted))) if summands else Number("0")
    if n_rows > 1 and summands:
        mean = Fraction(mean, Number(str(n_rows)))
    if page.l2 and place and work.step.point[output, place]:
        penalty = Product(
            (Number(f"{page.l2:g}"), Number(page.digits.text(abs(work.step.point[output, place]))))
        )
        mean = Sum((Term(mean), Term(penalty, is_added=bool(work.step.point[output, place] > 0))))
    slope = page.digits.number(float(work.step.slope[output, place]))
    return Formula(Name(f"slope by {symbol_text(page, at)}"), (mean, slope))


def new_formula(page: StepPage, work: StepWork, output: int, at: int) -> Formula:
    """What a coefficient becomes."""
    digits, place = page.digits, page.places[at]
    slope, before = float(work.step.slope[output, place]), float(work.step.point[output, place])
    down = Product((Number(f"{work.step.rate:.6g}"), Number(digits.text(abs(slope)))))
    sum_ = Sum((Term(digits.number(before)), Term(down, is_added=slope < 0)))
    after = digits.number(float(work.step.after[output, place]))
    return Formula(Name(f"new {symbol_text(page, at)}"), (sum_, after))


def momentum_blocks(page: StepPage, work: StepWork, output: int) -> Iterator[Block]:
    """Where the next step begins: beyond the new coefficients."""
    digits, places = page.digits, list(page.places)
    yield Paragraph.of(
        f"The next step begins ahead: momentum {work.step.momentum:.4g} times the last change "
        "further."
    )
    lines = tuple(
        (symbol_text(page, at), digits.text(work.step.after[output, place]), digits.text(ahead))
        for at, (place, ahead) in enumerate(
            zip(places, work.step.next_point[output, places].tolist(), strict=True)
        )
    )
    yield SheetTable(("coefficient", "new", "next step begins at"), lines, "lrr")


def symbol_text(page: StepPage, at: int) -> str:
    symbol = page.symbol(at)
    return f"{symbol.text}_{symbol.index}" if symbol.index else symbol.text


def row_weights(page: StepPage, work: StepWork) -> Floats:
    """Weights around 1."""
    return work.weights * len(work.rows) if page.is_weighted else np.ones(len(work.rows))


def ends_of(n_summands: int) -> Sequence[int]:
    """The first and the last of many."""
    if n_summands <= MOST_SUMMANDS:
        return range(n_summands)
    return (*range(MOST_SUMMANDS - 1), n_summands - 1)


def with_dots(summands: list[Term], n_summands: int) -> tuple[Term, ...]:
    """Dots for what is between the ends of a long sum."""
    if n_summands <= MOST_SUMMANDS:
        return tuple(summands)
    return (*summands[:-1], Term(Dots()), summands[-1])
