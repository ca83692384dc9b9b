"""The calculation of a model tree's prediction for one row."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.table import Table
from treewright.documents.math import Fraction, Name, Number, Product, Sum
from treewright.documents.page import Block, Document, Formula, Heading, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.estimators.rows import row_table
from treewright.explanations.conditions import label
from treewright.model_trees.coding import Coding
from treewright.model_trees.node_models import Equation
from treewright.plain_text import plain
from treewright.tree.as_text import MOST_LEVELS
from treewright.tree.conditions import bound_text_among, column_thresholds, condition_text
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.model_trees.reading import ModelTreeReading


@dataclass(frozen=True, slots=True)
class TermWork:
    """One term of the equation for one row."""

    term: str
    value: Any  # of the row; None if missing
    counts: float  # the number in the equation
    coefficient: float

    @property
    def adds(self) -> float:
        return self.coefficient * self.counts


@dataclass(frozen=True, slots=True)
class SmoothingStep:
    """One step from the leaf to the root."""

    node: int
    weight: float  # n, of the node below
    below: float  # p, the prediction so far
    above: float  # q, the prediction of the node's model
    smoothed: float


@dataclass(frozen=True, repr=False)
class RowWork(Printed):
    """The path, the equation and the smoothing of one row; `print` shows them."""

    prediction: float
    target: str
    path: tuple[int, ...]
    conditions: tuple[tuple[str, str], ...]  # on the path, and the values of the row
    intercept: float  # of the leaf's own model
    terms: tuple[TermWork, ...]
    leaf_prediction: float
    smoothing_weight: float
    steps: tuple[SmoothingStep, ...]  # empty without smoothing

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        digits = Digits(decimals).for_numbers_like(self.prediction)
        return Document(f"Why {label(self.prediction)}?", tuple(self._blocks(digits)))

    def _blocks(self, digits: Digits) -> Iterator[Block]:
        yield Paragraph.of(f"prediction: {plain(self.target)} = {digits.text(self.prediction)}")
        if self.conditions:
            yield SheetTable(("condition", "the row has"), self.conditions, "ll")
        yield Heading(2, f"The model of node {self.path[-1]}")
        lines = [("", "", "", digits.text(self.intercept))]
        lines += [
            (term.term, self._value(term), f"{term.coefficient:.6g}", digits.text(term.adds))
            for term in self.terms
        ]
        lines.append(("together", "", "", digits.text(self.leaf_prediction)))
        ends = frozenset({len(lines) - 1})
        columns = ("term", "the row has", "coefficient", "adds")
        yield SheetTable(columns, tuple(lines), "llrr", marked=ends)
        if any(term.value is None for term in self.terms):
            yield Note("a missing value is replaced by the mean, or by the most frequent category")
        if self.steps:
            yield from self._smoothing(digits)

    def _value(self, term: TermWork) -> str:
        if term.value is None:
            return f"missing: {term.counts:.6g}"
        is_number = isinstance(term.value, float)
        return f"{term.value:.6g}" if is_number else f"{plain(str(term.value))}: {term.counts:g}"

    def _smoothing(self, digits: Digits) -> Iterator[Block]:
        yield Heading(2, "Smoothing")
        k = Number(digits.weight(self.smoothing_weight))
        yield Paragraph.of(
            "From the leaf to the root, the prediction p of a node of n rows becomes (n p + k q) / "
            f"(n + k), where q is the prediction of the model above, and k = {k.text}."
        )
        for step in self.steps:
            n = Number(digits.weight(step.weight))
            p, q = digits.number(step.below), digits.number(step.above)
            above = Sum.of(Product((n, p)), Product((k, q)))
            yield Formula(
                Name(f"at node {step.node}"),
                (Fraction(above, Sum.of(n, k)), digits.number(step.smoothed)),
            )

    def __repr__(self) -> str:
        return f"<RowWork: {self.target} = {self.prediction:.6g} by node {self.path[-1]}>"


def row_work(model: "ModelTreeReading", row: Any) -> RowWork:
    """The calculation for one row."""
    given = row_table(row, model.state_.schema)
    encoded = model.encode_rows(given)
    table = encoded if isinstance(encoded, Table) else Table.of_matrix(encoded)
    tree, coding, models = model.tree_, model.state_.coding, model.state_.models
    path = tree.path_of(table, 0)
    own = [models.of_node(node) for node in path]
    values = [value_of(equation, coding, table) for equation in own]
    steps = smoothing_steps(model, path, values)
    return RowWork(
        steps[-1].smoothed if steps else values[-1],
        model.state_.target_word,
        path,
        tuple(path_conditions(model, path, given)),
        own[-1].intercept,
        tuple(term_works(own[-1], coding, table, given)),
        values[-1],
        model.smoothing_rows(),
        tuple(steps),
    )


def value_of(equation: Equation, coding: Coding, table: Table) -> float:
    """The value of an equation for the first row."""
    return equation.intercept + sum(
        coefficient * counts_as(term.column, term.cut, coding, table)
        for term, coefficient in equation.coefficients.items()
    )


def counts_as(column: int, cut: int, coding: Coding, table: Table) -> float:
    """The number of a term for the first row."""
    number = float(coding.numbers(table, column)[0])
    return float(number >= cut) if cut else number


def term_works(
    equation: Equation, coding: Coding, table: Table, given: Table
) -> Iterator[TermWork]:
    """The terms of an equation for the first row."""
    for term, coefficient in equation.coefficients.items():
        counts = counts_as(term.column, term.cut, coding, table)
        value = given.columns[term.column].value(0)
        yield TermWork(term.text(coding, max_levels=MOST_LEVELS), value, counts, coefficient)


def smoothing_steps(
    model: "ModelTreeReading", path: tuple[int, ...], values: list[float]
) -> list[SmoothingStep]:
    """From the leaf up to the root."""
    k, below = model.smoothing_rows(), values[-1]
    steps: list[SmoothingStep] = []
    if k == 0:
        return steps
    for at in range(len(path) - 2, -1, -1):
        n = float(model.tree_.weight[path[at + 1]])
        smoothed = (n * below + k * values[at]) / (n + k)
        steps.append(SmoothingStep(path[at], n, below, values[at], smoothed))
        below = smoothed
    return steps


def path_conditions(
    model: "ModelTreeReading", path: tuple[int, ...], given: Table
) -> Iterator[tuple[str, str]]:
    """Each condition on the path, and the value of the row."""
    tree = with_thresholds_shown(model.tree_)
    for above, below in pairwise(path):
        column = int(tree.feature[above])
        value = given.columns[column].value(0)
        spec = model.state_.schema.columns[column]
        shown = plain(str(value))
        if isinstance(value, float):
            sides = np.nextafter(np.array(column_thresholds(tree, column)), np.inf)
            shown = bound_text_among(spec, value, sides)
        condition = condition_text(tree, above, below - int(tree.first_child[above]))
        yield condition, "missing" if value is None else shown
