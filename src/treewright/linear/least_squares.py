"""Least squares: the plane that comes nearest to weighted rows, whatever the columns are like.

Columns are centered and scaled before they are multiplied with each other, so units do not matter,
and the first solution is refined on the rows themselves, so that little is lost by the squares. A
column that is constant, or a combination of columns before it, gets the coefficient 0: columns that
say the same twice are no error.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats

Columns = NDArray[np.intp] | list[int] | None

# A column with less variance of its own than this share, once those before it are known, says
# nothing new: the rest is what rounding leaves of a combination.
LEAST_OWN_SHARE = 1e-12
N_REFINEMENTS = 2


@dataclass(frozen=True, slots=True, eq=False)
class LinearFit:
    """An intercept and a coefficient for each column, in the units of the columns."""

    intercept: float
    coefficients: Floats
    used: NDArray[np.bool_]  # False: constant, or a combination of columns before

    def predict(self, X: Floats) -> Floats:
        """The prediction for each row."""
        return portable.product(X, self.coefficients) + self.intercept


@dataclass(frozen=True, slots=True, eq=False)
class CrossProducts:
    """All that least squares needs to know of the rows, for any choice among the columns.

    Whoever fits the same rows with many sets of columns (dropping terms one by one, say) goes
    through the rows once.
    """

    total_weight: float
    means: Floats  # (n_columns,)
    target_mean: float
    scales: Floats  # (n_columns,) root of the weighted squares of the centered column
    gram: Floats  # (n_columns, n_columns) products of centered columns over both scales
    moments: Floats  # (n_columns,) products of centered columns over scale and centered target
    target_squares: float  # weighted squares of the centered target

    @classmethod
    def of(cls, X: Floats, y: Floats, weights: Floats | None = None) -> Self:
        """The products of the columns of X with each other and with y; no value is missing."""
        return cls._of(CenteredRows.of(X, y, weights))

    @classmethod
    def _of(cls, rows: "CenteredRows") -> Self:
        return cls(
            rows.total_weight,
            rows.means,
            rows.target_mean,
            rows.scales,
            portable.product(rows.columns.T, rows.columns),
            portable.product(rows.columns.T, rows.target),
            portable.dot(rows.target, rows.target),
        )

    def fit(self, columns: Columns = None) -> LinearFit:
        """The best plane over these columns; all others get the coefficient 0."""
        chosen = np.arange(len(self.means)) if columns is None else np.asarray(columns, np.intp)
        solver = GramSolver.of(self.gram[np.ix_(chosen, chosen)])
        solution = np.zeros(len(self.means))
        solution[chosen] = solver.solve(self.moments[chosen])
        used = np.zeros(len(self.means), dtype=bool)
        used[chosen] = solver.used
        return self.in_units(solution, used)

    def in_units(self, solution: Floats, used: NDArray[np.bool_]) -> LinearFit:
        """Coefficients of scaled columns as those of the columns themselves."""
        safe = np.where(self.scales > 0, self.scales, 1.0)
        coefficients = np.where(used, solution / safe, 0.0)
        intercept = self.target_mean - portable.dot(coefficients, self.means)
        return LinearFit(intercept, coefficients, used)


@dataclass(frozen=True, slots=True, eq=False)
class CenteredRows:
    """Rows with the mean taken from each column and the roots of their weights put in."""

    columns: Floats  # (n_rows, n_columns) of squares that add up to one, or all zero
    target: Floats
    means: Floats
    scales: Floats
    target_mean: float
    total_weight: float

    @classmethod
    def of(cls, X: Floats, y: Floats, weights: Floats | None) -> "CenteredRows":
        """The rows centered; weights only count by their shares."""
        shares = np.full(len(y), 1.0 / len(y)) if weights is None else weights / weights.sum()
        roots = np.sqrt(shares)[:, np.newaxis]
        total = float(len(y)) if weights is None else float(weights.sum())
        # From a value of the column itself: what all rows share is gone without any rounding.
        away = X - X[0]
        shift = portable.weighted_sum(shares, away)
        columns = (away - shift) * roots
        columns[:, ~away.any(axis=0)] = 0.0
        largest = np.abs(columns).max(axis=0, initial=0.0)
        columns /= np.where(largest > 0, largest, 1.0)
        norms = np.sqrt(np.square(columns).sum(axis=0))
        columns /= np.where(norms > 0, norms, 1.0)
        target_away = y - y[0]
        target_shift = portable.dot(shares, target_away)
        target = (target_away - target_shift) * roots[:, 0]
        return cls(
            columns, target, X[0] + shift, largest * norms, float(y[0]) + target_shift, total
        )


@dataclass(frozen=True, slots=True, eq=False)
class GramSolver:
    """A matrix of cross-products taken apart (Cholesky) over the columns that say something new."""

    factor: Floats  # upper triangle; zero in the rows of columns that are not used
    used: NDArray[np.bool_]

    @classmethod
    def of(cls, gram: Floats) -> "GramSolver":
        """The solver of a matrix whose diagonal is 1, or 0 for columns to leave out."""
        factor = portable.factored(gram, LEAST_OWN_SHARE)
        return cls(factor, factor.diagonal() > 0)

    def solve(self, moments: Floats) -> Floats:
        """The coefficients; 0 for columns that are not used."""
        return portable.solved(self.factor, moments)


def least_squares(X: Floats, y: Floats, weights: Floats | None = None) -> LinearFit:
    """The intercept and coefficients with the least sum of weighted squares of y - prediction.

    X holds finite numbers, (n_rows, n_columns), at least one row; weights are at least 0.

    Examples
    --------
    >>> fit = least_squares(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]))
    >>> round(fit.intercept, 9), fit.coefficients.round(9).tolist()
    (1.0, [2.0])
    """
    rows = CenteredRows.of(X, y, weights)
    products = CrossProducts._of(rows)
    solver = GramSolver.of(products.gram)
    solution = solver.solve(products.moments)
    for _ in range(N_REFINEMENTS):
        left_over = rows.target - portable.product(rows.columns, solution)
        solution += solver.solve(portable.product(rows.columns.T, left_over))
    return products.in_units(solution, solver.used)
