"""Lloyd's algorithm: rows go to the nearest centre, centres to the middle of their rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.clustering.space import Space, Strays

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Limits:
    """When rounds end, unless no row moves before."""

    max_iter: int
    least_shift: float = 0.0  # of the centres: the sum of squared distances; 0 for no such limit


@dataclass(frozen=True, slots=True)
class Round:
    """One round: rows were put to `centres`, `n_moved` went to another cluster than before."""

    centres: Float64Array
    n_moved: int
    middles: Float64Array  # where the centres go then


@dataclass(frozen=True, slots=True)
class Clustering:
    """Where the centres of one start ended."""

    start: Float64Array
    centres: Float64Array
    moves: tuple[int, ...]  # rows that changed their cluster, for each round
    inertia: float  # weighted sum of squared distances from the own centre

    @property
    def has_converged(self) -> bool:
        return self.moves[-1] == 0


def rounds_from(space: Space, start: Float64Array, limits: Limits) -> Iterator[Round]:
    """Rounds until no row moves, or a limit is reached."""
    space.forget()
    centres = start
    for _ in range(limits.max_iter):
        n_moved = space.assign(centres)
        if n_moved == 0:
            yield Round(centres, 0, centres)
            return
        middles = without_empty_clusters(space, centres)
        yield Round(centres, n_moved, middles)
        if limits.least_shift > 0 and space.shift(centres, middles) <= limits.least_shift:
            return
        centres = middles


def cluster(space: Space, start: Float64Array, limits: Limits) -> Clustering:
    """The rounds from one start; the space knows the labels then."""
    moves = []
    centres = start
    for found in rounds_from(space, start, limits):
        moves.append(found.n_moved)
        centres = found.middles
    if moves[-1]:
        space.assign(centres)  # so that each row is in the cluster of its nearest centre
    return Clustering(start, centres, tuple(moves), inertia_of(space, centres))


def inertia_of(space: Space, centres: Float64Array) -> float:
    """The weighted sum of squared distances from the own centre."""
    squares = space.squares(centres)
    return float(squares.sum() if space.weights is None else (space.weights * squares).sum())


def without_empty_clusters(space: Space, centres: Float64Array) -> Float64Array:
    """The middles of all clusters; one without rows gets the row that is worst off.

    That is the row farthest from its centre, the first of equals, which does not count in its own
    cluster then. A row that is alone in its cluster stays there. If no row is away from its centre,
    there are fewer different rows than clusters, and an empty one stays where it is.
    """
    middles, weight = space.middles(centres)
    empty = np.flatnonzero(weight == 0)
    if not len(empty):
        return middles
    strays = rows_worst_off(space, centres, empty)
    return space.middles(centres, strays)[0] if strays else middles


def rows_worst_off(space: Space, centres: Float64Array, empty: NDArray[np.intp]) -> Strays:
    """A row for each empty cluster, as far as there are some."""
    labels, squares = space.labels(), space.squares(centres)
    n_rows_of = np.bincount(labels, minlength=len(centres))
    strays: list[tuple[int, int]] = []
    for row in np.argsort(-squares, kind="stable").tolist():
        if squares[row] == 0 or len(strays) == len(empty):
            break
        if n_rows_of[labels[row]] > 1:
            n_rows_of[labels[row]] -= 1
            strays.append((row, int(empty[len(strays)])))
    return strays
