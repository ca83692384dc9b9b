"""The worksheet of a linear model: cost, slopes and coefficients of its first steps."""

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.documents.page import Document
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.linear.descent import Descended
from treewright.linear.descent_document import descent_document
from treewright.linear.problem import Problem
from treewright.linear.step_blocks import MOST_TERMS
from treewright.linear.step_work import StepRun, StepWork, first_steps
from treewright.models.early_stop import seed_of
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

    model: "LinearModel"
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
        if max_steps is not None and (isinstance(max_steps, bool) or max_steps < 1):
            raise ParameterError(f"max_steps={max_steps!r} is not a number of steps")
        target = self.problem.objective.target
        digits = Digits(decimals).for_numbers_like(float(np.abs(target).max()))
        steps = self.steps(MOST_STEPS if max_steps is None else int(max_steps))
        return descent_document(self, steps, digits)

    def __repr__(self) -> str:
        return f"<DescentSheet: {type(self.model).__name__}, {self.found.record.n_steps} steps>"


def descent_sheet(model: "LinearModel", X: Any, y: Any, sample_weight: Any) -> DescentSheet:
    """The sheet of a fitted model, with the rows that it was fitted to."""
    if X is None or y is None:
        raise ParameterError(
            "the worksheet of a descent is worked out from rows", hint="give X and y of the fit"
        )
    rows = model._training_rows(X, y, sample_weight)
    problem = model._problem(rows)
    found = model._descended(problem)
    if problem.terms.names != model.term_names_ or not np.isclose(
        found.record.costs[0], model.trace_costs_[0], rtol=1e-9
    ):
        raise ParameterError(
            "these are not the rows that the model was fitted to: its first cost was "
            f"{model.trace_costs_[0]:.6g}, here it is {found.record.costs[0]:.6g}",
            hint="give X, y and sample_weight of the fit, or fit again",
        )
    return DescentSheet(model, problem, found, rows.weights is not None)
