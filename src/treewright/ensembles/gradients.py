"""Derivatives of the loss for all training rows, in arrays that every round fills anew."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.ensembles.scored_rows import ScoredRows

Float64Array = NDArray[np.float64]


class Gradients:
    """First and second derivatives by the score, each times the weight of its row."""

    def __init__(self, loss: Any, rows: ScoredRows) -> None:
        self._loss = loss
        self._rows = rows
        shape = rows.scores.shape
        self.first = np.empty(shape)
        is_one = loss.unit_hessian and rows.weights is None
        self.second = None if is_one else np.empty(shape)  # None: 1 for every row

    def fill(self) -> None:
        """Work them out at the scores that the rows have now."""
        rows = self._rows
        first, second = self._loss.gradients(rows.y, rows.loss_scores)
        factor: Float64Array | float = 1.0 if rows.weights is None else rows.weights
        np.multiply(first, factor, out=self.first.reshape(first.shape))
        if self.second is not None:
            np.multiply(second, factor, out=self.second.reshape(second.shape))
