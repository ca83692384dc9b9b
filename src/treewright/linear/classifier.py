"""Logistic and multinomial regression by gradient descent, or by Newton's method."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.data.target import encode_classes
from treewright.estimators import params as shared
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.methods import ClassifierMethods
from treewright.estimators.training import (
    TrainingRows,
    class_target,
    warn_of_many_classes,
)
from treewright.linear.base import L1, L2, TOL, LinearModel
from treewright.linear.fitted import CLASSES_SOLVER, FittedClassesLinear
from treewright.linear.objective import Task
from treewright.linear.problem import Problem, smallest_slope


class GradientDescentClassifier(
    ClassifierMethods,
    LinearModel[FittedClassesLinear],
):
    """Linear classifier: logistic regression for two classes, multinomial for more.

    The cost is the mean negative log-likelihood plus penalties. For two classes the score is the
    log-odds of the second class; with more classes each class has a score (softmax). Numeric
    columns are standardized internally, and coefficients are in the original units. Every category
    of a nominal column has a coefficient: its effect relative to an average row. Missing values of
    a nominal column have a coefficient too, if training had any. A missing number is replaced by
    the mean of its column.

    Attributes
    ----------
    classes_
        The classes, sorted.
    coef_, intercept_
        Coefficients (1, n_terms) and intercept for two classes, otherwise one row per class.
    term_names_
        Name of each term: a column, or a category of one.
    trace_
        Cost, gradient size, learning rate and coefficients of the recorded steps.
    n_iter_, converged_, cost_
        Number of steps, whether the descent converged, and the final cost.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> model = tw.GradientDescentClassifier(l2=0.1).fit(X, y)
    >>> model.predict(X[:3]).tolist()
    ['No', 'No', 'Yes']
    """

    encode_target = staticmethod(encode_classes)
    state_type = FittedClassesLinear

    solver: str = CLASSES_SOLVER
    tol: float = TOL.but(default=1e-7)
    l1: float = L1.but(
        help=f"{L1.help} Without a penalty, coefficients grow without bound if the classes are "
        "linearly separable."
    )
    l2: float = L2.but(default=1e-3)
    costs: Any = shared.COSTS_AT_PREDICTION.but(before="handle_unknown")
    class_weight: Any = shared.CLASS_WEIGHT.but(before="handle_unknown")

    classes_: NDArray[Any] = set_by_fit()
    coef_: Floats = set_by_fit()
    intercept_: Floats = set_by_fit()

    def _task(self, rows: TrainingRows) -> Task:
        target = class_target(rows)
        two = target.n_classes == 2
        loss = LinearLoss.logistic if two else LinearLoss.multinomial
        codes = target.codes.astype(np.float64)
        return self._task_of(rows, loss, codes, 1 if two else target.n_classes)

    def smallest_slope_of(self, problem: Problem) -> float:
        return smallest_slope(problem, float(self.tol), (1.0, 0.0))

    def learn(self, rows: TrainingRows) -> FittedClassesLinear:
        target = class_target(rows)
        warn_of_many_classes(target)
        problem = self.problem_for(rows)
        found = self.descended(problem)
        lines = problem.in_units(found.point)
        values = self.common_values(problem, found) | {
            "coef": frozen(lines[:, 1:]),
            "intercept": frozen(lines[:, 0]),
        }
        return FittedClassesLinear(
            schema=problem.terms.schema,
            classes=target.classes,
            notes=self._notes_on(found),
            costs=rows.costs,
            **values,
        )

    def _advice(self) -> str:
        if self.l1 == 0 and self.l2 == 0:
            return (
                "if the classes are linearly separable, coefficients grow without bound unless l2 "
                "is above 0; or raise max_iter or tol"
            )
        return f'{super()._advice()}, or use solver="newton"'

    def decision_function(self, X: Any) -> Floats:
        """The log-odds of the second of two classes, (n_rows,); otherwise one score per class."""
        state = self.state_
        scores = state.scores(X, self)
        return scores[:, 0] if state.n_classes == 2 else scores
