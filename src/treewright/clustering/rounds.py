"""Lloyd's algorithm: rows go to the nearest center, centers to the middle of their rows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.clustering.measure import Measure
from treewright.clustering.space import MixedRows, PlainRows, Space, Strays, numbers_of
from treewright.data.table import Table
from treewright.errors import DataError


@dataclass(frozen=True, slots=True)
class Limits:
    """When rounds end, unless no row moves before."""

    max_iter: int
    least_shift: float = 0.0  # of the centers: the sum of squared distances; 0 for no such limit


@dataclass(frozen=True, slots=True)
class Round:
    """One round: rows were put to `centers`, `n_moved` went to another cluster than before."""

    centers: Floats
    n_moved: int
    middles: Floats  # where the centers go then


@dataclass(frozen=True, slots=True)
class Clustering:
    """Where the centers of one start ended."""

    start: Floats
    centers: Floats
    moves: tuple[int, ...]  # rows that changed their cluster, for each round
    inertia: float  # weighted sum of squared distances from the own center

    @property
    def has_converged(self) -> bool:
        return self.moves[-1] == 0


def rounds_from(space: Space, start: Floats, limits: Limits) -> Iterator[Round]:
    """Rounds until no row moves, or a limit is reached."""
    space.forget()
    centers = start
    for _ in range(limits.max_iter):
        n_moved = space.assign(centers)
        if n_moved == 0:
            yield Round(centers, 0, centers)
            return
        middles = without_empty_clusters(space, centers)
        yield Round(centers, n_moved, middles)
        if limits.least_shift > 0 and space.shift(centers, middles) <= limits.least_shift:
            return
        centers = middles


def cluster(space: Space, start: Floats, limits: Limits) -> Clustering:
    """The rounds from one start; the space knows the labels then."""
    moves = []
    centers = start
    for found in rounds_from(space, start, limits):
        moves.append(found.n_moved)
        centers = found.middles
    if moves[-1]:
        space.assign(centers)  # so that each row is in the cluster of its nearest center
    return Clustering(start, centers, tuple(moves), inertia_of(space, centers))


def inertia_of(space: Space, centers: Floats) -> float:
    """The weighted sum of squared distances from the own center."""
    squares = space.squares(centers)
    return float(squares.sum() if space.weights is None else (space.weights * squares).sum())


def without_empty_clusters(space: Space, centers: Floats) -> Floats:
    """The middles of all clusters; one without rows gets the row that is worst off.

    That is the row farthest from its center, the first of equals, which does not count in its own
    cluster then. A row that is alone in its cluster stays there. If no row is away from its center,
    there are fewer different rows than clusters, and an empty one stays where it is.
    """
    middles, weight = space.middles(centers)
    empty = np.flatnonzero(weight == 0)
    if not len(empty):
        return middles
    strays = rows_worst_off(space, centers, empty)
    return space.middles(centers, strays)[0] if strays else middles


def rows_worst_off(space: Space, centers: Floats, empty: NDArray[np.intp]) -> Strays:
    """A row for each empty cluster, as far as there are some."""
    labels, squares = space.labels(), space.squares(centers)
    n_rows_of = np.bincount(labels, minlength=len(centers))
    strays: list[tuple[int, int]] = []
    for row in np.argsort(-squares, kind="stable").tolist():
        if squares[row] == 0 or len(strays) == len(empty):
            break
        if n_rows_of[labels[row]] > 1:
            n_rows_of[labels[row]] -= 1
            strays.append((row, int(empty[len(strays)])))
    return strays


def drawn_start(
    space: Space, n_clusters: int, generator: np.random.Generator, *, spread: bool
) -> Floats:
    """Rows drawn one after the other, none twice while there are others.

    Spread (k-means++, Arthur and Vassilvitskii 2007) a row is drawn by its squared distance from
    the centers that there are, times its weight; of a few rows drawn so, the one that leaves the
    least to cover is taken. Otherwise rows are drawn by their weight alone. What is drawn does not
    depend on whether a row has weight 2 or stands there twice.
    """
    weights = np.ones(space.n_rows) if space.weights is None else space.weights
    n_trials = 2 + int(math.log(n_clusters)) if spread else 1
    centers = [space.point(drawn(weights, 1, generator)[0])]
    so_far = np.full(space.n_rows, np.inf)
    while True:
        space.come_near(centers[-1], so_far)
        if len(centers) == n_clusters:
            return np.concatenate(centers)
        chances = weights * (so_far if spread else so_far > 0)
        if not chances.any():  # every row is a center already
            chances = weights
        centers.append(best_of(space, drawn(chances, n_trials, generator), so_far))


def drawn(chances: Floats, n: int, generator: np.random.Generator) -> list[int]:
    """Rows, by chances that need not add up to one."""
    running = np.cumsum(chances)
    rows = np.searchsorted(running, generator.random(n) * running[-1], side="right")
    if rows.max() == len(chances):  # rounding led beyond the last
        rows = np.minimum(rows, np.flatnonzero(chances)[-1])
    return [int(row) for row in rows]


def best_of(space: Space, rows: list[int], so_far: Floats) -> Floats:
    """Of some rows the one that leaves the least squared distances, the first of equals."""
    points = [space.point(row) for row in rows]
    if len(points) == 1:
        return points[0]
    return points[int(np.argmin(space.left_over(np.concatenate(points), so_far)))]


def rows_that_count(table: Table, weights: Floats) -> tuple[Table, Floats]:
    """The rows of some weight, and only the levels that these have."""
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
    """The quick kind of rows for numbers without holes, the other kind for the rest."""
    if not is_whole:
        return MixedRows(table, measure, weights, n_threads)
    matrix = table.matrix
    if matrix is None:
        matrix = np.column_stack([numbers_of(column) for column in table.columns])
    return PlainRows(matrix, measure, weights, n_threads)


def points_of(table: Table) -> Floats:
    """Rows as points; a hole is an error."""
    for column in table.columns:
        holes = column.is_missing
        if holes.any():
            raise DataError(
                f"init has a hole in column `{column.name}`, row {int(np.argmax(holes))}",
                hint="give every start point a value in every column",
            )
    return np.column_stack([numbers_of(column) for column in table.columns]).astype(np.float64)
