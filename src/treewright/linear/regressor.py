"""Least squares by gradient descent, or by the normal equations."""

from typing import Any

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.data.target import NumericTarget, encode_numbers
from treewright.estimators.fitted import frozen
from treewright.estimators.methods import RegressorMethods
from treewright.estimators.training import TrainingRows
from treewright.linear.base import LinearModel
from treewright.linear.fitted import FittedNumbersLinear
from treewright.linear.objective import Task
from treewright.linear.params import DESCENT_REGRESSOR_PARAMS
from treewright.linear.problem import (
    Problem,
    check_target,
    smallest_slope,
    spread_and_mean,
)


class GradientDescentRegressor(RegressorMethods, LinearModel[FittedNumbersLinear]):
    """Linear regression by least squares, with gradient descent or the normal equations.

    The cost is half the mean of (y - prediction) squared, plus penalties. Numeric columns are
    standardized internally, and coefficients are in the original units. Every category of a
    nominal column has a coefficient: its effect relative to an average row. Missing values of a
    nominal column have a coefficient too, if training had any. A missing number is replaced by the
    mean of its column.

    Parameters
    ----------
    solver
        "gradient_descent", or "normal_equations", which needs no steps and ignores the settings of
        the descent.
    method
        Rows used in each step: "batch" uses all rows, "stochastic" one row, "mini_batch"
        `batch_size` rows, in random order.
    batch_size
        Number of rows per step with "mini_batch".
    learning_rate
        Step size; "auto" chooses the largest safe one. If the cost diverges, an error suggests a
        safe rate.
    step_rule
        How the learning rate changes: "constant"; "inverse": learning_rate / (1 + decay t) in step
        or epoch t; "backtracking" (batch): halved until the step is short enough, then raised by a
        quarter for the next step; "halving" (stochastic, mini_batch): halved after an epoch that
        hardly lowers the cost. "auto" is "constant" for batch and "halving" otherwise.
    decay
        Decay of the learning rate with "inverse".
    momentum
        Nesterov momentum: fraction of the last step added to the next. "auto" increases it and
        restarts when the cost rises; it is 0 for "stochastic" and "mini_batch".
    max_iter
        Maximum number of steps, or of epochs for "stochastic" and "mini_batch".
    tol
        Tolerance: the descent has converged when no partial derivative is larger than this, in
        standard deviations of y. "stochastic" and "mini_batch" rarely get that close. They have
        also converged when "halving" has reduced the rate below 1/10,000 of the first, or when ten
        epochs did not lower the cost.
    l1, l2
        Penalties: l1 times the absolute values plus l2 / 2 times the squares of the coefficients,
        for standardized numbers and for categories.
    standardize
        Whether to standardize numeric columns for the descent and the penalties.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", as the
        "majority" category, or raise an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    random_state
        Seed for the order of the rows with "stochastic" and "mini_batch".
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The model is
        always the same.

    Attributes
    ----------
    coef_, intercept_
        Coefficients of the terms, and the intercept.
    term_names_
        Name of each term: a column, or a category of one.
    trace_
        Cost, gradient size, learning rate and coefficients of the recorded steps.
    n_iter_, converged_, cost_
        Number of steps, whether the descent converged, and the final cost.

    Examples
    --------
    >>> import treewright as tw
    >>> X = [[1.0, "red"], [2.0, "red"], [1.0, "blue"], [2.0, "blue"]]
    >>> model = tw.GradientDescentRegressor().fit(X, [8.0, 10.0, 6.0, 8.0])
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
