"""Rows with the scores that a growing model gives them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.ensembles.packed import PackedTreeSequence
from treewright.tree.predict import predict_values

Float64Array = NDArray[np.float64]
Rows = Table | NDArray[Any]


def add_answers(
    trees: PackedTreeSequence,
    rows: Rows,
    scores: Float64Array,
    first: int,
    last: int,
    n_threads: int,
) -> None:
    """Add to `scores` (n_outputs, n_rows) what the trees from `first` to before `last` answer.

    Of `n_outputs` trees each answers for one output, in turn.
    """
    n_outputs = len(scores)
    for number in range(first, last):
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
        scores = np.repeat(start[:, np.newaxis], len(y), axis=1)
        return cls(table, y, weights, np.ascontiguousarray(scores))

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def loss_scores(self) -> Float64Array:
        """The scores as a loss takes them: without an axis for a single output."""
        return self.scores[0] if len(self.scores) == 1 else self.scores
