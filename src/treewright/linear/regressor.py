"""Least squares by gradient descent, or by the normal equations."""

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.data.target import NumericTarget, encode_numbers
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.methods import RegressorMethods
from treewright.estimators.training import TrainingRows
from treewright.linear.base import TOL, LinearModel
from treewright.linear.fitted import NUMBERS_SOLVER, FittedNumbersLinear
from treewright.linear.objective import Task
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

    encode_target = staticmethod(encode_numbers)
    state_type = FittedNumbersLinear

    solver: str = NUMBERS_SOLVER
    tol: float = TOL.but(
        help=TOL.help.replace("larger than this.", "larger than this, in standard deviations of y.")
    )

    coef_: Floats = set_by_fit()
    intercept_: float = set_by_fit()

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
