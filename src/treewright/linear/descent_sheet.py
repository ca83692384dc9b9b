"""The worksheet of a linear model: cost, slopes and coefficients of its first steps."""

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.documents.page import Document
from treewright.documents.printed import Printed, number_shown
from treewright.errors import ParameterError
from treewright.estimators.seeds import seed_of
from treewright.linear.descent import Descended
from treewright.linear.descent_document import descent_document
from treewright.linear.problem import Float64Array, Problem
from treewright.linear.step_blocks import MOST_TERMS
from treewright.linear.step_work import StepRun, StepWork, first_steps
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.linear.base import LinearModel

MOST_STEPS = 2  # of a page, unless more are asked for


@dataclass(frozen=True, eq=False, repr=False)
class DescentSheet(Printed):
    """The calculation behind a descent, worked out from the rows of the fit.

    It is printed as every page is; `decimals` is from 0 to 15, and `max_steps` the number of steps
    that are written out, 2 unless given.
    """

    model: "LinearModel[Any]"
    problem: Problem
    found: Descended
    is_weighted: bool

    def steps(self, n_steps: int) -> list[StepWork]:
        """The first steps with all their numbers, unrounded; none of solvers without steps."""
        if self.model._is_direct:
            return []
        run = StepRun(
            self.problem.objective,
            self.model._step_settings(self.problem),
            self.found.rate,
            seed_of(self.model.random_state),
            np.array([0, *self.problem.terms.places[:MOST_TERMS]], dtype=np.intp),
        )
        n_steps = min(n_steps, self.found.record.n_steps)
        return list(islice(first_steps(run), n_steps))

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered."""
        target = self.problem.objective.target
        digits = Digits(decimals).for_numbers_like(float(np.abs(target).max()))
        steps = self.steps(number_shown(max_steps, MOST_STEPS))
        return descent_document(self, steps, digits)

    def __repr__(self) -> str:
        return f"<DescentSheet: {type(self.model).__name__}, {self.found.record.n_steps} steps>"


def descent_sheet(model: "LinearModel[Any]", X: Any, y: Any, sample_weight: Any) -> DescentSheet:
    """The sheet of a fitted model, with the rows that it was fitted to."""
    if X is None or y is None:
        raise ParameterError(
            "the worksheet of a descent is worked out from rows", hint="give X and y of the fit"
        )
    rows = model.training_rows(X, y, sample_weight)
    problem = model._problem(rows)
    found = model._descended(problem)
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
    if not model._is_direct and model.method != "batch" and not isinstance(model.random_state, int):
        return True  # another order of the rows than in the fit
    end = problem.in_units(found.point) - np.column_stack(model.state_.by_output)
    by_terms = np.abs(end[:, 1:] * sizes_of_terms(problem))
    return bool((by_terms <= 1e-6 * np.abs(found.point).max()).all())


def sizes_of_terms(problem: Problem) -> Float64Array:
    """How far a term goes from its mean, as far as the descent is concerned."""
    sizes = np.ones(problem.terms.n_coefficients)
    sizes[1 : 1 + problem.terms.n_numbers] = problem.scaling.scales
    return sizes[problem.terms.places]
