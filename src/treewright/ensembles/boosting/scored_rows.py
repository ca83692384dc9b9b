"""Rows with the scores that a growing model gives them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.histogram import BinnedTable, LeafAnswer, PackedTrees
from treewright._kernels.predictor import RowArrays

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows, what they are to be answered, and their scores so far."""

    cells: BinnedTable | RowArrays  # as packed trees read them
    y: Float64Array | NDArray[np.int32]  # codes of classes for losses that take them
    weights: Float64Array | None
    scores: Float64Array  # (n_outputs, n_rows)

    @classmethod
    def from_start(
        cls,
        cells: BinnedTable | RowArrays,
        y: Float64Array | NDArray[np.int32],
        weights: Float64Array | None,
        start: Float64Array,
    ) -> "ScoredRows":
        """Rows that no tree has answered."""
        return cls(cells, y, weights, np.repeat(start[:, np.newaxis], len(y), axis=1))

    @property
    def loss_scores(self) -> Float64Array:
        """The scores as a loss takes them: without an axis for a single output."""
        single: Float64Array = self.scores[0]
        return single if len(self.scores) == 1 else self.scores

    def answers_of(self, trees: PackedTrees, first: int, last: int, n_threads: int) -> Float64Array:
        """(n_outputs, n_rows): what the trees from `first` to before `last` add up to."""
        added = np.zeros(self.scores.shape[::-1])
        trees.add_values(self.cells, added, n_threads, LeafAnswer.value, first, last)
        return added.T

    def add(self, trees: PackedTrees, first: int, last: int, n_threads: int) -> None:
        """Add what the trees from `first` to before `last` answer, in their order."""
        if len(self.scores) > 1:
            self.scores[:] += self.answers_of(trees, first, last, n_threads)
            return
        by_row = self.scores.reshape(-1, 1)
        trees.add_values(self.cells, by_row, n_threads, LeafAnswer.value, first, last)

    def mean_loss(self, loss: Any) -> float:
        """The mean loss of a row at its score now, by weight."""
        return float(np.average(loss.row_losses(self.y, self.loss_scores), weights=self.weights))
