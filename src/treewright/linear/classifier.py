"""Logistic and multinomial regression by gradient descent, or by Newton's method."""

from typing import Any

import numpy as np

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.data.target import encode_classes
from treewright.estimators.fitted import frozen
from treewright.estimators.methods import ClassifierMethods
from treewright.estimators.training import (
    TrainingRows,
    class_target,
    warn_of_many_classes,
    weighted_by_class,
)
from treewright.linear.base import LinearModel
from treewright.linear.fitted import FittedClassesLinear
from treewright.linear.objective import Task
from treewright.linear.params import DESCENT_CLASSIFIER_PARAMS
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

    Parameters
    ----------
    solver
        "gradient_descent", or "newton" (Newton's method), which needs few steps and ignores the
        settings of the descent.
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
        Tolerance: the descent has converged when no partial derivative is larger than this.
        "stochastic" and "mini_batch" rarely get that close. They have also converged when
        "halving" has reduced the rate below 1/10,000 of the first, or when ten epochs did not
        lower the cost.
    l1, l2
        Penalties: l1 times the absolute values plus l2 / 2 times the squares of the coefficients,
        for standardized numbers and for categories. Without a penalty, coefficients grow without
        bound if the classes are linearly separable.
    standardize
        Whether to standardize numeric columns for the descent and the penalties.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
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

    params = DESCENT_CLASSIFIER_PARAMS
    encode_target = staticmethod(encode_classes)
    state_type = FittedClassesLinear

    coef_: Floats
    intercept_: Floats

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
        tol: float = 1e-7,
        l1: float = 0.0,
        l2: float = 1e-3,
        standardize: bool = True,
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def weighted_rows(self, rows: TrainingRows) -> TrainingRows:
        return weighted_by_class(rows, self.class_weight).without_empty_classes()

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
            **values,
        )

    def _advice(self) -> str:
        if self.l1 == 0 and self.l2 == 0:
            return (
                "if the classes are linearly separable, coefficients grow without bound unless l2 "
                "is above 0; or raise max_iter or tol"
            )
        return f'{super()._advice()}, or use solver="newton"'

    def left_sides(self) -> list[str]:
        labels = self.classes_.tolist()
        if len(labels) == 2:
            return [f"log odds of {labels[1]}"]
        return [f"score of {label}" for label in labels]

    def decision_function(self, X: Any) -> Floats:
        """The log-odds of the second of two classes, (n_rows,); otherwise one score per class."""
        state = self.state_
        scores = state.scores(X, self)
        return scores[:, 0] if state.n_classes == 2 else scores
