"""Lloyd's algorithm: assign rows to the nearest center, move centers to the mean of their rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.clustering.measure import Measure
from treewright.clustering.space import MixedRows, Moved, PlainRows, Space, numbers_of
from treewright.data.table import Table
from treewright.errors import DataError


@dataclass(frozen=True, slots=True)
class Limits:
    """When iterations end, unless no row moves before."""

    max_iter: int
    least_shift: float = 0.0  # of the centers: the sum of squared distances; 0 for no such limit


@dataclass(frozen=True, slots=True)
class Round:
    """One iteration: rows were assigned to `centers`, `n_moved` of them to another cluster."""

    centers: Floats
    n_moved: int
    middles: Floats  # the centers after it


@dataclass(frozen=True, slots=True)
class Clustering:
    """The result of one run."""

    start: Floats
    centers: Floats
    moves: tuple[int, ...]  # rows that changed their cluster, for each iteration
    inertia: float  # weighted sum of squared distances from the own center

    @property
    def has_converged(self) -> bool:
        return self.moves[-1] == 0


def rounds_from(space: Space, start: Floats, limits: Limits) -> Iterator[Round]:
    """Iterations until no row moves or a limit is reached."""
    space.forget()
    centers = start
    for _ in range(limits.max_iter):
        n_moved = space.assign(centers)
        if n_moved == 0:
            yield Round(centers, 0, centers)
            return
        middles = new_centers(space, centers)
        yield Round(centers, n_moved, middles)
        if limits.least_shift > 0 and space.shift(centers, middles) <= limits.least_shift:
            return
        centers = middles


def cluster(space: Space, start: Floats, limits: Limits) -> Clustering:
    """One run; the space has the labels afterwards."""
    moves = []
    centers = start
    for found in rounds_from(space, start, limits):
        moves.append(found.n_moved)
        centers = found.middles
    if moves[-1]:
        space.assign(centers)  # so that each row is in the cluster of its nearest center
    return Clustering(start, centers, tuple(moves), inertia_of(space, centers))


def inertia_of(space: Space, centers: Floats) -> float:
    """The weighted sum of squared distances of the rows from their centers."""
    squares = space.squares(centers)
    return float(squares.sum() if space.weights is None else (space.weights * squares).sum())


def new_centers(space: Space, centers: Floats) -> Floats:
    """The new centers; an empty cluster gets the row that is farthest from its center.

    That row no longer counts in its own cluster. A row that is alone in its cluster stays there. If
    every row is at its center, there are fewer distinct rows than clusters, and empty clusters keep
    their centers.
    """
    middles, weight = space.middles(centers)
    empty = np.flatnonzero(weight == 0)
    if not len(empty):
        return middles
    moved = farthest_rows(space, centers, empty)
    return space.middles(centers, moved)[0] if moved else middles


def farthest_rows(space: Space, centers: Floats, empty: NDArray[np.intp]) -> Moved:
    """A row for each empty cluster, as long as there are any."""
    labels, squares = space.labels(), space.squares(centers)
    n_rows_of = np.bincount(labels, minlength=len(centers))
    moved: list[tuple[int, int]] = []
    for row in np.argsort(-squares, kind="stable").tolist():
        if squares[row] == 0 or len(moved) == len(empty):
            break
        if n_rows_of[labels[row]] > 1:
            n_rows_of[labels[row]] -= 1
            moved.append((row, int(empty[len(moved)])))
    return moved


def random_start(
    space: Space, n_clusters: int, generator: np.random.Generator, *, spread: bool
) -> Floats:
    """Random rows as initial centers, distinct as long as there are enough.

    With `spread` (k-means++, Arthur and Vassilvitskii 2007) the probability of a row is its squared
    distance from the centers so far times its weight; of a few rows drawn, the one with the lowest
    resulting inertia is used. Otherwise it is the weight alone. A row of weight 2 is drawn like two
    equal rows.
    """
    weights = np.ones(space.n_rows) if space.weights is None else space.weights
    n_trials = 2 + int(portable.log(n_clusters)) if spread else 1
    centers = [space.point(drawn(weights, 1, generator)[0])]
    so_far = np.full(space.n_rows, np.inf)
    while True:
        space.come_near(centers[-1], so_far)
        if len(centers) == n_clusters:
            return np.concatenate(centers)
        chances = weights * (so_far if spread else so_far > 0)
        if not chances.any():  # every row is already a center
            chances = weights
        centers.append(best_of(space, drawn(chances, n_trials, generator), so_far))


def drawn(chances: Floats, n: int, generator: np.random.Generator) -> list[int]:
    """Random rows, by probabilities that need not add up to one."""
    running = np.cumsum(chances)
    rows = np.searchsorted(running, generator.random(n) * running[-1], side="right")
    if rows.max() == len(chances):  # rounded beyond the last row
        rows = np.minimum(rows, np.flatnonzero(chances)[-1])
    return [int(row) for row in rows]


def best_of(space: Space, rows: list[int], so_far: Floats) -> Floats:
    """The row with the lowest resulting inertia, the first of equals."""
    points = [space.point(row) for row in rows]
    if len(points) == 1:
        return points[0]
    return points[int(np.argmin(space.left_over(np.concatenate(points), so_far)))]


def rows_with_weight(table: Table, weights: Floats) -> tuple[Table, Floats]:
    """The rows of positive weight, with only the categories that occur in them."""
    if weights.all():
        return table, weights
    kept = np.flatnonzero(weights)
    return table[kept].compact_levels(), weights[kept]


def space_of(
    table: Table,
    measure: Measure,
    weights: Floats | None,
    n_threads: int,
    *,
    is_whole: bool,
) -> Space:
    """`PlainRows` for numbers without missing values, otherwise `MixedRows`."""
    if not is_whole:
        return MixedRows(table, measure, weights, n_threads)
    matrix = table.matrix
    if matrix is None:
        matrix = np.column_stack([numbers_of(column) for column in table.columns])
    return PlainRows(matrix, measure, weights, n_threads)


def given_centers(table: Table) -> Floats:
    """Rows as initial centers; raise for a missing value."""
    for column in table.columns:
        if column.is_missing.any():
            row = int(np.argmax(column.is_missing))
            raise DataError(
                f"init has a missing value in column `{column.name}`, row {row}",
                hint="give every initial center a value in every column",
            )
    return np.column_stack([numbers_of(column) for column in table.columns]).astype(np.float64)
