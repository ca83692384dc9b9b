"""Least squares by gradient descent, or by the normal equations."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.data.target import NumericTarget, encode_numbers
from treewright.estimators.fitted import frozen, learned
from treewright.estimators.methods import RegressorMethods
from treewright.estimators.training import TrainingRows
from treewright.linear.base import FittedLinear, LinearModel
from treewright.linear.objective import Task
from treewright.linear.params import DESCENT_REGRESSOR_PARAMS
from treewright.linear.problem import (
    Problem,
    check_target,
    smallest_slope,
    spread_and_mean,
)
from treewright.persistence.values import NUMBER, floats


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNumbersLinear(FittedLinear):
    coef: Floats = learned(floats(1))
    intercept: float = learned(NUMBER)

    @property
    def by_output(self) -> tuple[Floats, Floats]:
        return np.array([self.intercept]), self.coef[np.newaxis]


class GradientDescentergressor(RegressorMethods, LinearModel[FittedNumbersLinear]):
    """A number as a sum of terms, each times its coefficient, with the least squares of errors.

    The cost is half the mean of (y - prediction) squared, plus penalties if asked for. Numbers are
    centered and scaled inside; coefficients are in the units of the columns. Every level of a
    nominal column has a coefficient, its effect against a mean row; so have the holes of such a
    column, if training met any. A hole in a number counts as the mean of its column.

    Parameters
    ----------
    solver
        "gradient_descent", or "normal_equations": the least cost in one go, whatever the
        settings of the descent are.
    method
        "batch": every step looks at all rows; "stochastic": at one row; "mini_batch": at
        `batch_size` rows, in random order.
    batch_size
        Rows of a step of "mini_batch".
    learning_rate
        How far a step goes down the slope; "auto" is as far as is safe. A rate at which the cost
        grows without end is an error that names a safe one.
    step_rule
        "constant"; "inverse": learning_rate / (1 + decay t) in step or epoch t; "backtracking"
        (batch): halved until the step is not too long, a quarter larger for the next; "halving"
        (stochastic, mini_batch): halved after an epoch that hardly lowers the cost. "auto" is
        "constant" for batch and "halving" otherwise.
    decay
        How fast the rate falls with "inverse".
    momentum
        Share of the last step that the next one begins with (Nesterov). "auto" lets it grow, and
        begins anew where it leads uphill; without batch it is 0.
    max_iter
        Most steps; epochs for stochastic and mini_batch.
    tol
        The descent has arrived when no slope is larger than this, in standard deviations of y.
        Single rows and batches seldom come so near: they have arrived as well when "halving" has
        brought the rate below a ten-thousandth of the first, or when ten epochs lowered the cost
        no further.
    l1, l2
        Penalties: l1 times the sizes, l2 / 2 times the squares of the coefficients of scaled
        numbers and of levels.
    standardize
        Whether numbers are centered and scaled for the descent (and the penalties).
    handle_unknown
        What a level does that training never met: as "missing", as the "majority", or "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    random_state
        Seed of the order of the rows in stochastic and mini_batch descent.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The model is
        always the same.

    Attributes
    ----------
    coef_, intercept_
        Coefficients of the terms, and what is added to them.
    term_names_
        What each coefficient belongs to: a column, or a level of one.
    trace_
        Cost, slope, rate and coefficients of the steps.
    n_iter_, converged_, cost_
        Steps taken, whether they arrived, and the cost at the end.

    Examples
    --------
    >>> import treewright as tw
    >>> X = [[1.0, "red"], [2.0, "red"], [1.0, "blue"], [2.0, "blue"]]
    >>> model = tw.GradientDescentergressor().fit(X, [8.0, 10.0, 6.0, 8.0])
    >>> print(model.equation())
    y = 5 + 2 x0 + 1 [x1 = red] - 1 [x1 = blue]
    """

    params = DESCENT_REGRESSOR_PARAMS
    encode_target = staticmethod(encode_numbers)
    state_type = FittedNumbersLinear

    coef_: Floats
    intercept_: float

    def __init__(
        self,
        *,
        solver: str = "gradient_descent",
        method: str = "batch",
        batch_size: int = 32,
        learning_rate: float | str = "auto",
        step_rule: str = "auto",
        decay: float = 0.1,
        momentum: float | str = "auto",
        max_iter: int = 10_000,
        tol: float = 1e-12,
        l1: float = 0.0,
        l2: float = 0.0,
        standardize: bool = True,
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.solver = solver
        self.method = method
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.step_rule = step_rule
        self.decay = decay
        self.momentum = momentum
        self.max_iter = max_iter
        self.tol = tol
        self.l1 = l1
        self.l2 = l2
        self.standardize = standardize
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _task(self, rows: TrainingRows) -> Task:
        assert isinstance(rows.target, NumericTarget)
        check_target(rows.target.values, rows.target.name)
        return self._task_of(rows, LinearLoss.squared_error, rows.target.values, 1)

    def smallest_slope_of(self, problem: Problem) -> float:
        objective = problem.objective
        size = spread_and_mean(objective.target, objective.coded.shares)
        return smallest_slope(problem, float(self.tol), size)

    def learn(self, rows: TrainingRows) -> FittedNumbersLinear:
        problem = self.problem_for(rows)
        found = self.descended(problem)
        line = problem.in_units(found.point)[0]
        values = self.common_values(problem, found) | {
            "coef": frozen(line[1:]),
            "intercept": float(line[0]),
        }
        return FittedNumbersLinear(
            schema=problem.terms.schema, notes=self._notes_on(found), **values
        )

    def _advice(self) -> str:
        return f'{super()._advice()}, or use solver="normal_equations"'

    def left_sides(self) -> list[str]:
        return [self.target_name_ or "y"]

    def predict(self, X: Any) -> Floats:
        """The intercept and all terms times their coefficients."""
        return self.scores_of(X, self.state_)[:, 0]
