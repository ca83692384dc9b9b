"""The rounds of a fitted clustering once more, with the distances that decided them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.clustering.base import ClusterEstimator
from treewright.clustering.measure import check_numbers
from treewright.clustering.rounds import Limits, rounds_from
from treewright.clustering.space import Float64Array, Int32Array
from treewright.clustering.table_rows import rows_that_count, space_of
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.weights import check_weights, in_range
from treewright.errors import DataError, ParameterError

MOST_ROWS = 30  # whose distances are kept, of a longer table


@dataclass(frozen=True, slots=True)
class RoundTrace:
    """One round: where the centres were, how far rows were from them, and where rows went."""

    number: int  # from 1
    centers: Float64Array  # (n_clusters, n_columns), in the units of the columns
    before: Int32Array | None  # the cluster of each row before the round; None before the first
    labels: Int32Array  # and after it
    distances: Float64Array  # (rows, n_clusters), of the first rows
    moved: NDArray[np.intp]  # rows that went to another cluster

    @property
    def is_last(self) -> bool:
        """Whether no row moved, so that all is over."""
        return len(self.moved) == 0


@dataclass(frozen=True, slots=True)
class Trace:
    """The rows of the fit and all rounds."""

    model: ClusterEstimator
    table: Table  # the rows that count, as the model knows their columns
    weights: Float64Array | None
    positions: NDArray[np.intp]  # of these rows in X
    rounds: Sequence[RoundTrace]

    @property
    def n_shown(self) -> int:
        """Rows whose distances are kept."""
        return min(MOST_ROWS, self.table.n_rows)


def trace_of(model: ClusterEstimator, X: Any, sample_weight: Any) -> Trace:
    """Every round from the start that won, on the rows of the fit."""
    if X is None:
        raise ParameterError(
            "the worksheet of clusters is worked out from their rows", hint="give X of the fit"
        )
    given = table_from(X, categorical_features=model.categorical_features)
    weights = check_weights(sample_weight, given.n_rows)
    positions = np.arange(given.n_rows)
    if weights is not None:
        positions = np.flatnonzero(weights)
        given, weights = rows_that_count(given, weights)
    model.schema_.check_columns(given, model=type(model).__name__)
    table = model.schema_.encode(given, "missing", model=type(model).__name__)
    rounds = list(rounds_again(model, table, in_range(weights)[0]))
    if not is_of_the_fit(model, rounds[-1], positions):
        raise DataError(
            f"these rows do not lead to the clusters of this {type(model).__name__}",
            hint="give the rows of the fit, and their weights if it had some",
        )
    return Trace(model, table, weights, positions, rounds)


def is_of_the_fit(model: ClusterEstimator, last: RoundTrace, positions: NDArray[np.intp]) -> bool:
    """Whether the rounds end with the labels and the centres of the model."""
    if len(model.labels_) <= positions[-1]:
        return False
    away = np.abs(last.centers - model.cluster_centers_) / model.divisors_
    rounding = 1e-9 * np.abs(model.cluster_centers_ / model.divisors_).max(axis=0)
    return bool((away <= rounding).all()) and np.array_equal(last.labels, model.labels_[positions])


def rounds_again(
    model: ClusterEstimator, table: Table, weights: Float64Array | None
) -> Sequence[RoundTrace]:
    """The rounds of the fit; a last one where the fit was ended by a limit."""
    measure, is_whole = model.state_.measure, check_numbers(table)
    threads = model._n_threads_for(table)
    space = space_of(table, measure, weights, threads, is_whole=is_whole)
    head = space_of(table[:MOST_ROWS], measure, None, 1, is_whole=is_whole)
    start = space.inside(model.start_centers_)
    found: list[RoundTrace] = []
    centres = start
    for one in rounds_from(space, start, Limits(model.n_iter_)):
        before = found[-1].labels if found else None
        labels = space.labels()
        moved = np.arange(len(labels)) if before is None else np.flatnonzero(before != labels)
        distances = np.sqrt(head.all_squares(one.centres))
        outside = space.outside(one.centres)
        found.append(RoundTrace(len(found) + 1, outside, before, labels, distances, moved))
        centres = one.middles
    if not found[-1].is_last:
        space.assign(centres)
        before, labels = found[-1].labels, space.labels()
        distances = np.sqrt(head.all_squares(centres))
        moved = np.flatnonzero(before != labels)
        outside = space.outside(centres)
        found.append(RoundTrace(len(found) + 1, outside, before, labels, distances, moved))
    return found
