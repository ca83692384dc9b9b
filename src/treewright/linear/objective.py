"""The cost that linear models lower, and its gradient.

    J = mean of the rows' losses + l2 / 2 x squares of the coefficients + l1 x their sizes

The loss of a row is half the square of its error, as in note 001 (whose sum over the rows has its
least value in the same place), or minus the logarithm of the probability of its class. Rows count
by weight; intercepts are not penalized.
"""

from dataclasses import dataclass, fields

import numpy as np

from treewright._kernels import portable
from treewright._kernels.learners import LinearLoss, LinearRows
from treewright.arrays import Floats
from treewright.errors import DataError
from treewright.linear.coded_rows import CodedRows

# Up to so many terms, products are computed once, and steps need not go through the rows.
MOST_TERMS_OF_PRODUCTS = 1000
N_POWER_STEPS = 100
# The second derivative of a loss by its scores is nowhere larger.
LARGEST_CURVATURE = {
    LinearLoss.squared_error: 1.0,
    LinearLoss.logistic: 0.25,
    LinearLoss.multinomial: 0.5,
}


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """What the squares of a linear model are made of, whatever its coefficients are."""

    gram: Floats  # (n_terms, n_terms) mean products of terms
    moments: Floats  # (n_terms,) mean products with the target less its mean
    target_mean: float
    target_variance: float


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is to be lowered over the rows."""

    loss: LinearLoss
    target: Floats  # numbers, 0 and 1, or numbers of classes
    n_outputs: int
    l1: float
    l2: float
    n_threads: int


@dataclass(frozen=True, slots=True, eq=False)
class Objective(Task):
    """The cost of coefficients, which are (n_outputs, n_terms)."""

    coded: CodedRows
    rows: LinearRows
    products: Products | None  # of squares, unless there are too many terms
    mean_square: float  # of the length of a row
    largest_square: float  # mean square of the largest term

    @classmethod
    def of(cls, task: Task, coded: CodedRows) -> "Objective":
        """The cost of these rows."""
        rows, squares = coded.for_kernels(), coded.mean_squares()
        is_small = coded.n_terms <= MOST_TERMS_OF_PRODUCTS
        has_products = is_small and task.loss == LinearLoss.squared_error
        return cls(
            **{field.name: getattr(task, field.name) for field in fields(Task)},
            coded=coded,
            rows=rows,
            products=products_of(task, coded, rows) if has_products else None,
            mean_square=float(squares.sum()) + coded.slots.shape[1],
            largest_square=float(squares.max()),
        )

    def start(self) -> Floats:
        """Coefficients that are all 0."""
        return np.zeros((self.n_outputs, self.coded.n_terms))

    def smooth(self, at: Floats, *, from_rows: bool = False) -> tuple[float, Floats]:
        """The cost without l1, and its gradient; from the rows it has more digits of its own."""
        by_products = self.products is not None and not from_rows
        cost, slope = self._by_products(at) if by_products else self._by_rows(at)
        cost += 0.5 * self.l2 * float(np.square(at[:, 1:]).sum())
        slope[:, 1:] += self.l2 * at[:, 1:]
        return cost, slope

    def cost(self, smooth_cost: float, at: Floats) -> float:
        """The whole cost."""
        return smooth_cost + self.l1 * float(np.abs(at[:, 1:]).sum())

    def shrunk(self, at: Floats, rate: float) -> Floats:
        """Coefficients brought nearer to 0 by rate x l1."""
        if self.l1 == 0:
            return at
        nearer = np.sign(at) * np.maximum(np.abs(at) - rate * self.l1, 0.0)
        nearer[:, 0] = at[:, 0]
        return nearer

    def slope_size(self, at: Floats, slope: Floats, rate: float) -> float:
        """The largest slope in any direction; with l1, how far a step would go, by its rate."""
        if self.l1 == 0:
            return float(np.abs(slope).max())
        return float(np.abs(at - self.shrunk(at - rate * slope, rate)).max()) / rate

    def rounding(self, at: Floats) -> float:
        """A slope that may be rounding."""
        sizes = np.abs(at).sum() - np.abs(at[:, 0]).sum()
        return 4 * float(np.finfo(float).eps * sizes) * self.largest_square

    def _by_rows(self, at: Floats) -> tuple[float, Floats]:
        """Cost and gradient without penalties, from a pass over the rows."""
        slope = np.empty_like(at)
        cost = self.rows.gradient(
            self.loss, self.target, np.ascontiguousarray(at), slope, self.n_threads
        )
        return cost, slope

    def _by_products(self, at: Floats) -> tuple[float, Floats]:
        """The same from the products, around the mean of the target."""
        products = self.products
        assert products is not None
        around = at[0].copy()
        around[0] -= products.target_mean
        slope = portable.product(products.gram, around) - products.moments
        cost = 0.5 * (products.target_variance + portable.dot(around, slope - products.moments))
        return max(cost, 0.0), slope[np.newaxis]

    def curvature(self) -> float:
        """The largest second derivative of the smooth cost in any direction, or a little more."""
        direction = np.random.default_rng(0).random(self.coded.n_terms) - 0.5
        size = 0.0
        for _ in range(N_POWER_STEPS):
            direction /= np.sqrt(np.square(direction).sum())
            direction = self._times_gram(direction)
            with np.errstate(over="ignore"):
                before, size = size, float(np.sqrt(np.square(direction).sum()))
            if size == 0 or not abs(size - before) > 1e-4 * size:
                break
        if not np.isfinite(size):
            raise DataError("the squares of the columns overflow", hint="use standardize=True")
        return 1.01 * size * LARGEST_CURVATURE[self.loss] + self.l2

    def _times_gram(self, direction: Floats) -> Floats:
        if self.products is not None:
            return portable.product(self.products.gram, direction)
        slope: Floats = np.empty((1, len(direction)))
        nothing = np.zeros(self.coded.n_rows)
        given = np.ascontiguousarray(direction[np.newaxis])
        self.rows.gradient(LinearLoss.squared_error, nothing, given, slope, self.n_threads)
        return np.asarray(slope[0])


def products_of(task: Task, coded: CodedRows, rows: LinearRows) -> Products:
    """The products of the terms, from two passes over the rows."""
    n_terms = coded.n_terms
    gram = np.empty((n_terms, n_terms))
    rows.products(None, gram, task.n_threads)
    mean = float((coded.shares * (task.target - task.target[0])).sum() + task.target[0])
    away = task.target - mean
    slope = np.empty((1, n_terms))
    half = rows.gradient(
        LinearLoss.squared_error, away, np.zeros((1, n_terms)), slope, task.n_threads
    )
    return Products(gram, -slope[0], mean, 2.0 * half)


def probabilities(scores: Floats) -> Floats:
    """(n_rows, n_classes) from the log odds of two classes or from a score for each of many."""
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
    return portable.softmax(scores, axis=1)
