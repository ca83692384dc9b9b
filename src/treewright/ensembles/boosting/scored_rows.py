"""Rows with the scores that a growing model gives them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import BinnedTable, LeafAnswer, PackedTrees
from treewright._kernels.predictor import RowArrays
from treewright.arrays import Floats


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows, what they are to be answered, and their scores so far."""

    cells: BinnedTable | RowArrays  # as packed trees read them
    y: Floats | NDArray[np.int32]  # codes of classes for losses that take them
    weights: Floats | None
    scores: Floats  # (n_outputs, n_rows)

    @classmethod
    def from_start(
        cls,
        cells: BinnedTable | RowArrays,
        y: Floats | NDArray[np.int32],
        weights: Floats | None,
        start: Floats,
    ) -> "ScoredRows":
        """Rows that no tree has answered."""
        return cls(cells, y, weights, np.repeat(start[:, np.newaxis], len(y), axis=1))

    @property
    def loss_scores(self) -> Floats:
        """The scores as a loss takes them: without an axis for a single output."""
        single: Floats = self.scores[0]
        return single if len(self.scores) == 1 else self.scores

    def answers_of(self, trees: PackedTrees, first: int, last: int, n_threads: int) -> Floats:
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
