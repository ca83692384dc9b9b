"""Logistic and multinomial regression by gradient descent, or by Newton's method."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.data.target import encode_classes
from treewright.errors import ModelFileError
from treewright.estimators.fitted import frozen, learned
from treewright.estimators.methods import ClassifierMethods, class_target, weighted_by_class
from treewright.estimators.training import TrainingRows, warn_of_many_classes
from treewright.linear.base import FittedLinear, LinearModel
from treewright.linear.direct import probabilities
from treewright.linear.objective import Task
from treewright.linear.params import DESCENT_CLASSIFIER_PARAMS
from treewright.linear.problem import Problem, smallest_slope
from treewright.persistence.values import floats


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClassesLinear(FittedLinear):
    coef: Floats = learned(floats(2))
    intercept: Floats = learned(floats(1))

    @property
    def by_output(self) -> tuple[Floats, Floats]:
        return self.intercept, self.coef

    def check(self) -> None:
        super().check()
        n_classes = self.n_classes
        if len(self.intercept) != (1 if n_classes == 2 else n_classes):
            raise ModelFileError("learned: coefficients for another number of classes")


class GradientDescentClassifier(
    ClassifierMethods,
    LinearModel[FittedClassesLinear],
):
    """Classes by scores that are sums of terms, each times its coefficient.

    The cost is the mean of minus the logarithm of the probability of each row's class, plus
    penalties. Of two classes the score is the log odds of the second (logistic regression); more
    have a score each (multinomial, softmax). Numbers are centered and scaled inside; coefficients
    are in the units of the columns. Every level of a nominal column has a coefficient, its effect
    against a mean row; so have the holes of such a column, if training met any. A hole in a number
    counts as the mean of its column.

    Parameters
    ----------
    solver
        "gradient_descent", or "newton": few steps, each of them solving equations,
        whatever the settings of the descent are.
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
        The descent has arrived when no slope is larger than this. Single rows and batches
        seldom come so near: they have arrived as well when "halving" has brought the rate below a
        ten-thousandth of the first, or when ten epochs lowered the cost no further.
    l1, l2
        Penalties: l1 times the sizes, l2 / 2 times the squares of the coefficients of scaled
        numbers and of levels. Without any, coefficients grow without end where a plane can tell
        the classes apart.
    standardize
        Whether numbers are centered and scaled for the descent (and the penalties).
    class_weight
        "balanced" or a dict from class to the factor on the weight of its rows.
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
    classes_
        The classes, sorted.
    coef_, intercept_
        (1, n_terms) for two classes, otherwise a line for each class.
    term_names_
        What each coefficient belongs to: a column, or a level of one.
    trace_
        Cost, slope, rate and coefficients of the steps.
    n_iter_, converged_, cost_
        Steps taken, whether they arrived, and the cost at the end.

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

    classes_: NDArray[Any]
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
                "where a plane tells the classes apart coefficients grow without end, unless l2 "
                "is above 0; or raise max_iter or tol"
            )
        return f'{super()._advice()}, or use solver="newton"'

    def left_sides(self) -> list[str]:
        labels = self.classes_.tolist()
        if len(labels) == 2:
            return [f"log odds of {labels[1]}"]
        return [f"score of {label}" for label in labels]

    def decision_function(self, X: Any) -> Floats:
        """The log odds of the second of two classes, (n_rows,); otherwise a score for each."""
        state = self.state_
        scores = self.scores_of(X, state)
        return scores[:, 0] if state.n_classes == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """(n_rows, n_classes): the probability of each class."""
        return self._chances(X, self.state_)

    def _chances(self, X: Any, state: FittedClassesLinear) -> Floats:
        scores = self.scores_of(X, state)
        return np.ones((len(scores), 1)) if state.n_classes == 1 else probabilities(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of largest probability; of equals the first."""
        state = self.state_
        assert state.classes is not None
        return np.asarray(state.classes[np.argmax(self._chances(X, state), axis=1)])
