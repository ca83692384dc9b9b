"""What both linear models share: learning, scores, equations, traces."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.estimators import params as shared
from treewright.estimators.base import Model
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.threads import n_threads, seed_of
from treewright.estimators.training import TrainingRows, warn_user
from treewright.linear.descent import Descended, StepSettings, descend
from treewright.linear.direct import solve_directly
from treewright.linear.fitted import METHOD
from treewright.linear.objective import Task
from treewright.linear.problem import Problem, as_float, problem_of
from treewright.linear.reading import LinearReading, State
from treewright.linear.stochastic import descend_by_batches

WORK_WORTH_THREADS = 200_000  # rows times terms
SWING = 1.001  # times the least cost: a descent that ends there has gone up again
STOCHASTIC_RULES = ("constant", "inverse", "halving")
BATCH_RULES = ("constant", "inverse", "backtracking")

SOLVER = param("gradient_descent", "How to minimize the cost.")
TOL = param(
    1e-12,
    'The descent has converged when no partial derivative is larger than this. "stochastic" and '
    '"mini_batch" rarely get that close. They have also converged when "halving" has reduced the '
    "rate below 1/10,000 of the first, or when ten epochs did not lower the cost.",
    low=0,
)
L1 = param(
    0.0,
    "L1 penalty on the absolute values of the coefficients, for standardized numbers and for "
    "categories.",
    low=0,
    below=shared.TOO_LARGE,
)
L2 = param(
    0.0,
    "L2 penalty on the squares of the coefficients (times l2 / 2), for standardized numbers and "
    "for categories.",
    low=0,
    below=shared.TOO_LARGE,
)


class LinearModel(LinearReading[State], Model[State]):
    """Coefficients times terms, found by lowering a cost."""

    solver: str = SOLVER
    method: str = METHOD
    batch_size: int = param(32, 'Number of rows per step with "mini_batch".', low=1)
    learning_rate: float | str = param(
        "auto",
        'Step size; "auto" chooses the largest safe one. If the cost diverges, an error suggests '
        "a safe rate.",
        above=0,
        below=shared.TOO_LARGE,
        choices=("auto",),
    )
    step_rule: str = param(
        "auto",
        'How the learning rate changes: "constant"; "inverse": learning_rate / (1 + decay t) in '
        'step or epoch t; "backtracking" (batch): halved until the step is short enough, then '
        'raised by a quarter for the next step; "halving" (stochastic, mini_batch): halved after '
        'an epoch that hardly lowers the cost. "auto" is "constant" for batch and "halving" '
        "otherwise.",
        choices=("auto", "constant", "inverse", "backtracking", "halving"),
    )
    decay: float = param(
        0.1, 'Decay of the learning rate with "inverse".', low=0, below=shared.TOO_LARGE
    )
    momentum: float | str = param(
        "auto",
        'Fraction of the last step added to the next (Nesterov momentum). "auto" increases it and '
        'restarts when the cost rises; it is 0 for "stochastic" and "mini_batch".',
        low=0,
        below=1,
        choices=("auto",),
    )
    max_iter: int = param(
        10_000,
        'Maximum number of steps, or of epochs for "stochastic" and "mini_batch".',
        low=1,
    )
    tol: float = TOL
    l1: float = L1
    l2: float = L2
    standardize: bool = param(
        True, "Whether to standardize numeric columns for the descent and the penalties."
    )
    handle_unknown: str = shared.HANDLE_UNKNOWN.but(
        help='How to handle a category that was not seen in training: treat it as "missing", as '
        'the "majority" category, or raise an "error".'
    )
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    random_state: Any = shared.RANDOM_STATE.but(
        help='Seed for the order of the rows with "stochastic" and "mini_batch".'
    )
    n_jobs: int | None = shared.N_JOBS

    term_means_: Floats = set_by_fit()  # of each term; missing numbers count as it
    hole_columns_: NDArray[np.int64] = set_by_fit()  # nominal, and missing values are a term
    n_iter_: int = set_by_fit()
    converged_: bool = set_by_fit()
    learning_rate_: float = set_by_fit()
    cost_: float = set_by_fit()
    trace_costs_: Floats = set_by_fit()
    trace_slopes_: Floats = set_by_fit()
    trace_rates_: Floats = set_by_fit()
    trace_steps_: NDArray[np.int64] = set_by_fit()
    trace_points_: Floats = set_by_fit()

    def _task(self, rows: TrainingRows) -> Task:
        """What is to be lowered for these rows."""
        raise NotImplementedError

    def smallest_slope_of(self, problem: Problem) -> float:
        """The slope at which the descent has arrived."""
        raise NotImplementedError

    def _task_of(
        self, rows: TrainingRows, loss: LinearLoss, target: Floats, n_outputs: int
    ) -> Task:
        """The task with the penalties and threads that were asked for."""
        work = rows.n_rows * rows.table.n_columns
        threads = n_threads(self.n_jobs, worth_it=work >= WORK_WORTH_THREADS)
        return Task(loss, target, n_outputs, float(self.l1), float(self.l2), threads)

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

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        from treewright.linear.descent_sheet import descent_sheet

        return descent_sheet(self, X, y, sample_weight)
