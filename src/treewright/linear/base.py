"""What both linear models share: learning, scores, equations, traces."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.estimators.base import Model, OtherModel
from treewright.estimators.fitted import frozen
from treewright.estimators.threads import n_threads, seed_of
from treewright.estimators.training import TrainingRows, warn_user
from treewright.linear.descent import Descended, DescentTrace, StepSettings, descend
from treewright.linear.direct import solve_directly
from treewright.linear.fitted import FittedLinear
from treewright.linear.objective import Task
from treewright.linear.problem import Problem, as_float, problem_of
from treewright.linear.stochastic import descend_by_batches
from treewright.linear.terms import equation_text

WORK_WORTH_THREADS = 200_000  # rows times terms
SWING = 1.001  # times the least cost: a descent that ends there has gone up again
STOCHASTIC_RULES = ("constant", "inverse", "halving")
BATCH_RULES = ("constant", "inverse", "backtracking")


State = TypeVar("State", bound=FittedLinear)


class LinearModel(OtherModel, Model[State]):
    """Coefficients times terms, found by lowering a cost."""

    # Parameters; the signatures set them.
    solver: str
    method: str
    batch_size: int
    learning_rate: float | str
    step_rule: str
    decay: float
    momentum: float | str
    max_iter: int
    tol: float
    l1: float
    l2: float
    standardize: bool
    random_state: Any

    # Set by fit.
    term_means_: Floats  # what each term is on average; missing numbers count as it
    hole_columns_: NDArray[np.int64]  # nominal columns whose missing values are a term
    n_iter_: int
    converged_: bool
    learning_rate_: float
    cost_: float
    trace_costs_: Floats
    trace_slopes_: Floats
    trace_rates_: Floats
    trace_steps_: NDArray[np.int64]
    trace_points_: Floats

    def _task(self, rows: TrainingRows) -> Task:
        """What is to be lowered for these rows."""
        raise NotImplementedError

    def smallest_slope_of(self, problem: Problem) -> float:
        """The slope at which the descent has arrived."""
        raise NotImplementedError

    def left_sides(self) -> list[str]:
        """What each output is, in words."""
        raise NotImplementedError

    def _task_of(
        self, rows: TrainingRows, loss: LinearLoss, target: Floats, n_outputs: int
    ) -> Task:
        """The task with the penalties and threads that were asked for."""
        work = rows.n_rows * rows.table.n_columns
        threads = n_threads(self.n_jobs, worth_it=work >= WORK_WORTH_THREADS)
        return Task(loss, target, n_outputs, float(self.l1), float(self.l2), threads)

    @property
    def is_direct(self) -> bool:
        return self.solver != "gradient_descent"

    def problem_for(self, rows: TrainingRows) -> Problem:
        return problem_of(
            rows, self._task(rows), standardize=bool(self.standardize), centered=self.is_direct
        )

    def step_settings(self, problem: Problem) -> StepSettings:
        """How the descent goes, with what does not fit together refused."""
        by_batches = self.method != "batch"
        known = STOCHASTIC_RULES if by_batches else BATCH_RULES
        rule = self.step_rule
        if rule == "auto":
            rule = "halving" if by_batches else "constant"
        if rule not in known:
            raise ParameterError(
                f'step_rule="{rule}" does not go with method="{self.method}"',
                hint=f"use {', '.join(known)}",
            )
        momentum = as_float(self.momentum)
        batch_size = int(self.batch_size) if self.method == "mini_batch" else 1
        return StepSettings(
            rate=as_float(self.learning_rate),
            rule=rule,
            decay=float(self.decay),
            momentum=0.0 if by_batches and momentum is None else momentum,
            max_iter=int(self.max_iter),
            tol=self.smallest_slope_of(problem),
            batch_size=min(batch_size, problem.objective.coded.n_rows) if by_batches else 0,
        )

    def descended(self, problem: Problem) -> Descended:
        """The result of the solver."""
        if self.is_direct:
            return solve_directly(problem.objective, self.smallest_slope_of(problem))
        settings = self.step_settings(problem)
        if settings.batch_size:
            return descend_by_batches(problem.objective, settings, seed_of(self.random_state))
        return descend(problem.objective, settings)

    def common_values(self, problem: Problem, found: Descended) -> dict[str, Any]:
        """What a fit learns beside the coefficients."""
        record = found.record
        points = problem.in_units(np.array(record.points))
        costs = np.array(record.costs)
        return {
            "term_means": frozen(problem.term_means),
            "hole_columns": frozen(np.array(problem.terms.missing_columns, dtype=np.int64)),
            "n_iter": record.n_steps,
            "converged": bool(found.converged),
            "learning_rate": float(found.rate),
            "cost": float(costs.min() if self.method != "batch" else costs[-1]),
            "trace_costs": frozen(costs),
            "trace_slopes": frozen(np.array(record.slopes)),
            "trace_rates": frozen(np.array(record.rates)),
            "trace_steps": frozen(np.array(record.steps, dtype=np.int64)),
            "trace_points": frozen(points),
        }

    def _notes_on(self, found: Descended) -> tuple[str, ...]:
        """A warning, kept with the model, if the descent was broken off."""
        if found.converged:
            return ()
        note = (
            f"the descent did not converge in {found.record.n_steps} steps, the gradient is still "
            f"{found.record.slopes[-1]:.3g}: {self._advice_on(found)}"
        )
        warn_user(note)
        return (note,)

    def _advice_on(self, found: Descended) -> str:
        costs = found.record.costs
        if not isinstance(self.learning_rate, str) and costs[-1] > SWING * min(costs):
            return "the cost oscillates, lower learning_rate"
        return self._advice()

    def _advice(self) -> str:
        return "raise max_iter or tol, or remove redundant columns"

    @property
    def term_names_(self) -> tuple[str, ...]:
        """Name of each term: a column, or a category of one."""
        return self.state_.terms.names

    @property
    def trace_(self) -> DescentTrace:
        """Cost, gradient size, learning rate and coefficients of the recorded steps."""
        state = self.state_
        return DescentTrace(
            state.trace_costs,
            state.trace_slopes,
            state.trace_rates,
            state.trace_steps,
            state.trace_points[:, :, 0],
            state.trace_points[:, :, 1:],
        )

    def equation(self, *, digits: int = 4) -> str:
        """The model as one equation per output; `digits` rounds the numbers."""
        state = self.state_
        intercepts, coefficients = state.by_output
        lines = [
            equation_text(left, float(intercept), of_terms, state.terms.factors, digits)
            for left, intercept, of_terms in zip(
                self.left_sides(), intercepts, coefficients, strict=True
            )
        ]
        return "\n".join(lines)

    def summary(self) -> str:
        """A summary of the descent, and the equation."""
        state = self.state_
        way = self.solver if self.is_direct else f"{self.method} gradient descent"
        unit = "epoch" if self.method != "batch" and not self.is_direct else "step"
        end = "" if state.converged else ", not converged"
        steps = f"{state.n_iter} {unit}{'' if state.n_iter == 1 else 's'}"
        head = f"{type(self).__name__}: {way}, {steps}{end}, cost {state.cost:.6g}"
        return f"{head}\n{self.equation()}"

    def explain(self, row: Any) -> Printed:
        """Contribution of each term to the prediction for one row.

        The row is a dict, a list of values, a row of a data frame, or a table of one row.
        """
        from treewright.linear.row_terms import row_terms

        return row_terms(self, row)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        from treewright.linear.descent_sheet import descent_sheet

        return descent_sheet(self, X, y, sample_weight)
