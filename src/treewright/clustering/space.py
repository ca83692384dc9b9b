"""Rows and their distances from centers.

There are two implementations: numbers without missing values use bounds on distances; mixed columns
with missing values compare every row with every center.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import Lloyd, Prototypes
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.clustering.measure import Measure
from treewright.data.column import Column, NumericColumn
from treewright.data.table import Table

Int32Array = NDArray[np.int32]
Moved = Sequence[tuple[int, int]]  # rows that count for another cluster than their own


def numbers_of(column: Column) -> NDArray[Any]:
    """The numbers of a column, or its category codes."""
    return column.values if isinstance(column, NumericColumn) else column.codes


def divided(column: Column, divisor: np.float64) -> NDArray[Any]:
    """The scaled numbers of a column, or its category codes."""
    numbers = numbers_of(column)
    return numbers if divisor == 1 else numbers / divisor


class Space(ABC):
    """Rows and centers. Centers are scaled (`inside`) in the algorithm, unscaled for the user."""

    def __init__(self, kernel: Any, n_rows: int, weights: Floats | None, measure: Measure) -> None:
        self._kernel = kernel
        self._divisors = measure.divisors_if_any
        self.n_rows = n_rows
        self.weights = weights

    @abstractmethod
    def assign(self, centers: Floats) -> int:
        """Assign every row to its nearest center, the first of equals; return how many moved."""

    @abstractmethod
    def middles(self, centers: Floats, moved: Moved = ()) -> tuple[Floats, Floats]:
        """The mean of each cluster's rows, or its center if it has none, and its weight."""

    @abstractmethod
    def point(self, row: int) -> Floats:
        """A row as a center, (1, n_columns)."""

    @abstractmethod
    def shift(self, before: Floats, after: Floats) -> float:
        """The sum of the squared shifts of all centers."""

    def inside(self, points: Floats) -> Floats:
        return np.ascontiguousarray(points if self._divisors is None else points / self._divisors)

    def outside(self, centers: Floats) -> Floats:
        return centers if self._divisors is None else centers * self._divisors

    def forget(self) -> None:
        """Start again: in the next iteration all rows count as moved."""
        self._kernel.forget()

    def labels(self) -> Int32Array:
        """The cluster of each row."""
        labels: Int32Array = self._kernel.labels()
        return labels

    def squares(self, centers: Floats) -> Floats:
        """(n_rows,): squared distance of each row from the center of its cluster."""
        squares: Floats = self._kernel.squares(centers)
        return squares

    def all_squares(self, centers: Floats) -> Floats:
        """(n_rows, n_clusters): squared distances from every center."""
        out = np.empty((self.n_rows, len(centers)))
        self._kernel.all_squares(centers, out)
        return out

    def left_over(self, points: Floats, so_far: Floats) -> Floats:
        """The weighted sum of squared distances if each point were added to the centers."""
        sums: Floats = self._kernel.left_over(points, so_far)
        return sums

    def come_near(self, point: Floats, so_far: Floats) -> None:
        """Lower the squared distances `so_far` of rows that are closer to the point."""
        self._kernel.come_near(point, so_far)


class PlainRows(Space):
    """Numbers without missing values, scaled."""

    def __init__(
        self, matrix: NDArray[Any], measure: Measure, weights: Floats | None, n_threads: int
    ) -> None:
        divisors = measure.divisors_if_any
        self._matrix = matrix if divisors is None else matrix / divisors
        kernel = Lloyd(self._matrix, matrix.shape[1], weights, n_threads)
        super().__init__(kernel, len(matrix), weights, measure)
        self._sums = np.empty(0), np.empty(0)  # sums of the last iteration, and weights

    def assign(self, centers: Floats) -> int:
        n_moved, sums, weight = self._kernel.assign(centers)
        self._sums = sums.reshape(centers.shape), weight
        return int(n_moved)

    def middles(self, centers: Floats, moved: Moved = ()) -> tuple[Floats, Floats]:
        sums, weight = self._sums[0].copy(), self._sums[1].copy()
        labels = self.labels() if moved else ()
        for row, cluster in moved:
            own = 1.0 if self.weights is None else self.weights[row]
            for at, share in ((labels[row], -own), (cluster, own)):
                sums[at] += share * self._matrix[row]
                weight[at] += share
        has_rows = weight > 0
        found = centers.copy()
        found[has_rows] = sums[has_rows] / weight[has_rows, None]
        return found, weight

    def point(self, row: int) -> Floats:
        return np.ascontiguousarray(self._matrix[row : row + 1], dtype=np.float64)

    def shift(self, before: Floats, after: Floats) -> float:
        return float(((after - before) ** 2).sum())


class MixedRows(Space):
    """Scaled numbers and categories, with missing values. Centers have means and codes.

    A row without missing values has exactly the same distances here as in `PlainRows`, so its
    cluster does not depend on missing values of other rows.
    """

    def __init__(
        self, table: Table, measure: Measure, weights: Floats | None, n_threads: int
    ) -> None:
        pairs = zip(table.columns, measure.divisors, strict=True)
        self._columns = [np.ascontiguousarray(divided(*pair)) for pair in pairs]
        self._inside = replace(measure, divisors=np.ones_like(measure.divisors))
        factors = self._inside.factors
        kernel = Prototypes(self._columns, measure.n_levels, factors, weights, n_threads)
        super().__init__(kernel, table.n_rows, weights, measure)

    def assign(self, centers: Floats) -> int:
        return int(self._kernel.assign(centers))

    def middles(self, centers: Floats, moved: Moved = ()) -> tuple[Floats, Floats]:
        labels = self.labels()
        for row, cluster in moved:
            labels[row] = cluster
        found, weight = self._kernel.middles(labels, centers)
        return found.reshape(centers.shape), weight

    def point(self, row: int) -> Floats:
        """The row; missing values are replaced by the mean or mode of all rows."""
        values = [column[row] for column in self._columns]
        is_known = [value == value and (value >= 0 or value.dtype.kind == "f") for value in values]
        return np.where(is_known, np.array(values, dtype=np.float64), self._middle_of_all)

    def shift(self, before: Floats, after: Floats) -> float:
        return float(self._inside.squares(after - before).sum())

    @cached_property
    def _middle_of_all(self) -> Floats:
        one_cluster = np.zeros(self.n_rows, dtype=np.int32)
        middle, _ = self._kernel.middles(one_cluster, np.zeros((1, len(self._columns))))
        found: Floats = middle.reshape(1, -1)
        return found
