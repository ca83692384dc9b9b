"""The fitted states of linear models: how they predict, and what a model file may hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.errors import DataError, ModelFileError
from treewright.estimators.declaration import param
from treewright.estimators.fitted import Fitted, Rows, Settings, learned
from treewright.linear.coded_rows import LARGEST, CodedRows, Scaling, code_rows
from treewright.linear.objective import probabilities
from treewright.linear.problem import LARGEST_COEFFICIENT
from treewright.linear.terms import Terms
from treewright.persistence.values import FLAG, NUMBER, WHOLE, floats, ints

ROUNDING = 1e-9  # by which a share may be above 1

METHOD = param(
    "batch",
    'Rows used in each step: "batch" uses all rows, "stochastic" one row, "mini_batch" '
    "`batch_size` rows, in random order.",
    choices=("batch", "stochastic", "mini_batch"),
)
NUMBERS_SOLVER = param(
    "gradient_descent",
    'How to minimize the cost: by "gradient_descent", or by "normal_equations", which need no '
    "steps and ignore the settings of the descent.",
    choices=("gradient_descent", "normal_equations"),
)
CLASSES_SOLVER = param(
    "gradient_descent",
    'How to minimize the cost: by "gradient_descent", or by "newton" (Newton\'s method), which '
    "needs few steps and ignores the settings of the descent.",
    choices=("gradient_descent", "newton"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedLinear(Fitted):
    """Coefficients, and how the descent came to them."""

    prediction_params = Fitted.prediction_params | {"method": METHOD}
    reading = "treewright.linear.reading.LinearReading"

    # What each term is on average; missing numbers count as it.
    term_means: Floats = learned(floats(1))
    hole_columns: NDArray[np.int64] = learned(ints(1))  # nominal ones whose missing values count
    n_iter: int = learned(WHOLE)
    converged: bool = learned(FLAG)
    learning_rate: float = learned(NUMBER)
    cost: float = learned(NUMBER)
    trace_costs: Floats = learned(floats(1))
    trace_slopes: Floats = learned(floats(1))
    trace_rates: Floats = learned(floats(1))
    trace_steps: NDArray[np.int64] = learned(ints(1))
    trace_points: Floats = learned(floats(3))

    @property
    def by_output(self) -> tuple[Floats, Floats]:
        """(n_outputs,) intercepts and (n_outputs, n_terms) coefficients."""
        raise NotImplementedError

    @property
    def left_sides(self) -> list[str]:
        """What each output is, in words."""
        raise NotImplementedError

    @cached_property
    def terms(self) -> Terms:
        """What the coefficients belong to."""
        return Terms(self.schema, tuple(self.hole_columns.tolist()))

    def scores(self, X: Any, settings: Settings) -> Floats:
        """(n_rows, n_outputs): intercept and coefficients times terms."""
        rows = self.encode(X, settings)
        coded, coefficients = self.coded(rows)
        scores = np.empty((coded.n_rows, len(coefficients)))
        threads = self.threads_for(len(rows), settings)
        coded.for_kernels().scores(coefficients, scores, threads)
        if not np.isfinite(scores).all():
            row = int((~np.isfinite(scores)).any(axis=1).argmax())
            raise DataError(
                f"row {row}: its prediction overflows",
                hint="remove the row, or set its largest values to missing",
            )
        return scores

    def coded(self, rows: Rows) -> tuple[CodedRows, Floats]:
        """Rows of the schema, and (n_outputs, n_coefficients) in the places of the kernels."""
        terms = self.terms
        means = terms.for_kernels(np.ones(1), self.term_means[np.newaxis])[0]
        number_means, slot_shares = means[1 : 1 + terms.n_numbers], means[1 + terms.n_numbers :]
        usual = [
            places.first + int(np.argmax(np.append(slot_shares[places.levels], 0.0)))
            for places in terms.nominal
        ]
        coded = code_rows(
            terms,
            rows,
            Scaling.none(number_means),
            np.ones(len(rows)),
            np.array(usual, dtype=np.int32),
        )
        return coded, self._for_kernels(terms, slot_shares)

    def _for_kernels(self, terms: Terms, slot_shares: Floats) -> Floats:
        """The coefficients by slot; values missing only in new rows count as a mean row."""
        inner = terms.for_kernels(*self.by_output)
        slots = inner[:, 1 + terms.n_numbers :]
        for places in terms.nominal:
            if places.column not in terms.missing_columns:
                mean = portable.product(slots[:, places.levels], slot_shares[places.levels])
                is_none = np.abs(mean) < 1e-12 * np.abs(slots).max(axis=1)  # but for rounding
                slots[:, places.end - 1] = np.where(is_none, 0.0, mean)
        return inner

    def check(self) -> None:
        nominal = {at for at, spec in enumerate(self.schema.columns) if spec.kind == "nominal"}
        with_missing = self.hole_columns.tolist()
        if len(set(with_missing)) != len(with_missing) or not set(with_missing) <= nominal:
            raise ModelFileError("learned: `hole_columns_` are not nominal columns")
        n_terms, n_points = len(self.terms.places), len(self.trace_costs)
        intercepts, coefficients = self.by_output
        n_outputs = len(intercepts)
        if coefficients.shape != (n_outputs, n_terms) or len(self.term_means) != n_terms:
            raise ModelFileError("learned: not one coefficient and one mean for each term")
        self._check_sizes(intercepts, coefficients)
        if n_points != self.n_iter + 1 or {len(self.trace_slopes), len(self.trace_rates)} != {
            n_points
        }:
            raise ModelFileError("learned: a trace of another length than the descent")
        steps = self.trace_steps
        if not (
            self.trace_points.shape == (len(steps), n_outputs, 1 + n_terms)
            and len(steps) > 0
            and (np.diff(steps) > 0).all()
            and steps[0] >= 0
            and steps[-1] < n_points
        ):
            raise ModelFileError("learned: coefficients of other steps than the trace has")

    def _check_sizes(self, intercepts: Floats, coefficients: Floats) -> None:
        """Raise for coefficients and means that no fit gives: sums with them may be infinite."""
        if (np.abs(intercepts) > LARGEST_COEFFICIENT).any():
            raise ModelFileError(f"learned: an intercept beyond {LARGEST_COEFFICIENT:g}")
        terms, means = self.terms, self.term_means
        too_large = (np.abs(coefficients) > LARGEST_COEFFICIENT).any(axis=0)
        is_share = terms.places > terms.n_numbers
        most = np.where(is_share, 1.0 + ROUNDING, LARGEST)
        wrong = (means > most) | (means < np.where(is_share, 0.0, -LARGEST))
        if too_large.any():
            name = terms.names[int(too_large.argmax())]
            raise ModelFileError(
                f"learned: a coefficient of `{name}` beyond {LARGEST_COEFFICIENT:g}"
            )
        if wrong.any():
            at = int(wrong.argmax())
            raise ModelFileError(
                f"learned: `term_means_` has {means[at]:g} for `{terms.names[at]}`"
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNumbersLinear(FittedLinear):
    prediction_params = FittedLinear.prediction_params | {"solver": NUMBERS_SOLVER}

    coef: Floats = learned(floats(1))
    intercept: float = learned(NUMBER)

    @property
    def by_output(self) -> tuple[Floats, Floats]:
        return np.array([self.intercept]), self.coef[np.newaxis]

    @property
    def left_sides(self) -> list[str]:
        return [self.target_name or "y"]

    def predict(self, X: Any, settings: Settings) -> Floats:
        return self.scores(X, settings)[:, 0]


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClassesLinear(FittedLinear):
    prediction_params = FittedLinear.prediction_params | {"solver": CLASSES_SOLVER}

    coef: Floats = learned(floats(2))
    intercept: Floats = learned(floats(1))

    @property
    def by_output(self) -> tuple[Floats, Floats]:
        return self.intercept, self.coef

    @property
    def left_sides(self) -> list[str]:
        assert self.classes is not None
        labels = self.classes.tolist()
        if len(labels) == 2:
            return [f"log odds of {labels[1]}"]
        return [f"score of {label}" for label in labels]

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        return self.class_labels(self.predict_proba(X, settings))

    def predict_proba(self, X: Any, settings: Settings) -> Floats:
        scores = self.scores(X, settings)
        return np.ones((len(scores), 1)) if self.n_classes == 1 else probabilities(scores)

    def check(self) -> None:
        super().check()
        n_classes = self.n_classes
        if len(self.intercept) != (1 if n_classes == 2 else n_classes):
            raise ModelFileError("learned: coefficients for another number of classes")
