"""Rows with the scores that a growing model gives them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.histogram import PackedTrees
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.ensembles.packed import PackedTreeSequence
from treewright.tree.predict import predict_values

Float64Array = NDArray[np.float64]
Rows = Table | NDArray[Any]


def add_answers(
    trees: PackedTreeSequence, rows: Rows, scores: Float64Array, which: range, n_threads: int
) -> None:
    """Add to `scores` (n_outputs, n_rows) what some of the trees answer.

    Of `n_outputs` trees each answers for one output, in turn.
    """
    n_outputs = len(scores)
    for number in which:
        scores[number % n_outputs] += predict_values(trees[number], rows, n_threads)[:, 0]


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows, what they are to be answered, and their scores so far."""

    table: Table
    y: Float64Array
    weights: Float64Array | None
    scores: Float64Array  # (n_outputs, n_rows)

    @classmethod
    def from_start(
        cls, table: Table, y: Float64Array, weights: Float64Array | None, start: Float64Array
    ) -> "ScoredRows":
        """Rows that no tree has answered."""
        return cls(table, y, weights, start_scores(start, len(y)))

    @property
    def loss_scores(self) -> Float64Array:
        """The scores as a loss takes them: without an axis for a single output."""
        single: Float64Array = self.scores[0]
        return single if len(self.scores) == 1 else self.scores

    def add(self, trees: PackedTrees, first: int, last: int, n_threads: int) -> None:
        """Add what the trees from `first` to before `last` answer."""
        sequence = PackedTreeSequence(trees, Schema.of(self.table), None, "missing")
        add_answers(sequence, self.table, self.scores, range(first, last), n_threads)

    def mean_loss(self, loss: Any) -> float:
        """The mean loss of a row at its score now, by weight."""
        return float(np.average(loss.row_losses(self.y, self.loss_scores), weights=self.weights))


def start_scores(start: Float64Array, n_rows: int) -> Float64Array:
    """(n_outputs, n_rows): the scores that all rows begin with."""
    return np.repeat(start[:, np.newaxis], n_rows, axis=1)
