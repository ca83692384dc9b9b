"""The rounds of boosting: each grows trees on the gradients that the ones before leave."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.histogram import (
    BinnedTable,
    GradientTreeGrower,
    GradientTreeSettings,
    PackedTrees,
)
from treewright.ensembles.scored_rows import ScoredRows

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """What is done in every round."""

    n_rounds: int
    loss: Any
    tree: GradientTreeSettings
    n_threads: int


class Rounds:
    """Trees that grow round by round, and the scores of the rows that they grow on."""

    def __init__(self, plan: RoundPlan, bins: BinnedTable, rows: ScoredRows) -> None:
        self.plan = plan
        self.rows = rows
        self.grower = GradientTreeGrower(bins, plan.tree, plan.n_threads)
        self.trees: PackedTrees = self.grower.no_trees()

    def run(self) -> None:
        """Grow all rounds."""
        for _ in range(self.plan.n_rounds):
            self.grow()

    def grow(self) -> None:
        """One round: a tree for each output."""
        gradients, hessians = self._derivatives()
        for output, scores in enumerate(self.rows.scores):
            hessian = None if hessians is None else hessians[output]
            self.grower.grow(self.trees, gradients[output], hessian, None, scores)

    def _derivatives(self) -> tuple[Float64Array, Float64Array | None]:
        """(n_outputs, n_rows) each; no second ones where all are 1."""
        rows, loss = self.rows, self.plan.loss
        gradients, hessians = loss.gradients(rows.y, rows.loss_scores)
        if rows.weights is not None:
            gradients, hessians = gradients * rows.weights, hessians * rows.weights
        shape = rows.scores.shape
        if loss.unit_hessian and rows.weights is None:
            return gradients.reshape(shape), None
        return gradients.reshape(shape), hessians.reshape(shape)
