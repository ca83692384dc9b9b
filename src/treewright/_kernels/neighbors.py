"""The nearest rows of a table, and distances between rows, by compiled code."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native
from treewright.arrays import Floats

MISSING = {
    "one": _native.MissingInDistance.as_one,
    "farthest": _native.MissingInDistance.farthest,
    "left_out": _native.MissingInDistance.left_out,
}


@dataclass(frozen=True, slots=True)
class Measure:
    """How the differences of columns become a distance.

    `squares`: the root of the sum of squares; otherwise the sum. `missing`: what a column adds that
    a row does not know: "one", the "farthest" that a number from 0 to 1 can be, or it is
    "left_out" and the others are averaged.
    """

    squares: bool
    missing: str

    def native(self) -> _native.DistanceMeasure:
        return _native.DistanceMeasure(self.squares, MISSING[self.missing])


@dataclass(frozen=True, slots=True)
class Voting:
    """Which neighbors count, and how much: the nearest whose weights add up to `n_neighbors`."""

    n_neighbors: float
    weights: Floats | None  # of the training rows; None: each counts one
    all_ties: bool  # whether all rows count that are as far as the last one
    by_distance: bool  # whether what counts is divided by the distance
    rounds: bool = False  # whether "as far" allows for the rounding of scaled numbers


class Found(NamedTuple):
    """The neighbors of one row that count, the nearest first."""

    rows: NDArray[np.int64]
    distances: Floats
    counts: Floats


class NeighborSearch:
    """Rows arranged for a fast search of the nearest; threads may share it."""

    __slots__ = ("_native", "n_rows")

    def __init__(self, rows: Floats, is_level: NDArray[np.uint8], measure: Measure) -> None:
        """`rows` are (n_rows, n_columns): numbers or, where `is_level`, codes; NaN is missing."""
        self._native = _native.NeighborSearch(rows, is_level, measure.native())
        self.n_rows = len(rows)

    def nearest(
        self, queries: Floats | None, n_neighbors: int, n_threads: int = 1
    ) -> tuple[NDArray[np.int64], Floats]:
        """(n_queries, n_neighbors) rows and distances; without queries the neighbors of the rows.

        Of rows that are equally far those with smaller numbers come first.
        """
        n_queries = self.n_rows if queries is None else len(queries)
        rows = np.empty((n_queries, n_neighbors), dtype=np.int64)
        distances = np.empty((n_queries, n_neighbors))
        self._native.find_nearest(queries, n_threads, rows, distances)
        return rows, distances

    def neighbors_of(self, query: Floats, voting: Voting) -> Found:
        """The neighbors of one row, (1, n_columns), with how much each counts."""
        return Found(*self._native.neighbors_of(query, self._voting(voting)))

    def class_votes(
        self,
        queries: Floats,
        voting: Voting,
        codes: NDArray[np.int32],
        n_classes: int,
        n_threads: int = 1,
    ) -> Floats:
        """(n_queries, n_classes): how much the neighbors of each class count."""
        votes = np.empty((len(queries), n_classes))
        self._native.class_votes(queries, self._voting(voting), codes, n_threads, votes)
        return votes

    def mean_targets(
        self, queries: Floats, voting: Voting, targets: Floats, n_threads: int = 1
    ) -> Floats:
        """(n_queries,): the mean target of the neighbors, weighted by how much each counts."""
        means = np.empty(len(queries))
        self._native.mean_targets(queries, self._voting(voting), targets, n_threads, means)
        return means

    def _voting(self, voting: Voting) -> _native.NeighborVoting:
        return _native.NeighborVoting(
            self._native,
            voting.n_neighbors,
            voting.weights,
            voting.all_ties,
            voting.rounds,
            voting.by_distance,
        )


def distance_sums(
    rows: Floats,
    is_level: NDArray[np.uint8],
    measure: Measure,
    groups: NDArray[np.int32],
    n_threads: int = 1,
) -> Floats:
    """(n_rows, n_groups): distances of each row from the other rows of each group, added up."""
    sums = np.empty((len(rows), int(groups.max()) + 1))
    _native.distance_sums(rows, is_level, measure.native(), groups, n_threads, sums)
    return sums
