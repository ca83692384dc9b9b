"""Derivatives of the loss for all training rows, in arrays that every round fills anew."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.histogram import Loss, loss_gradients
from treewright.ensembles.boosting.scored_rows import ScoredRows

Float64Array = NDArray[np.float64]


class Gradients:
    """First and second derivatives by the score, each times the weight of its row."""

    def __init__(self, loss: Any, rows: ScoredRows, n_threads: int) -> None:
        self._loss = loss
        self._compiled = getattr(Loss, loss.name, None)
        self._rows = rows
        self._n_threads = n_threads
        shape = rows.scores.shape
        self.first = np.empty(shape)
        no_weights = rows.weights is None
        # The second follow from the first, so nobody has to keep them.
        self.is_logistic = self._compiled is Loss.logistic and no_weights
        is_one = loss.unit_hessian and no_weights
        self.second = None if is_one or self.is_logistic else np.empty(shape)  # None: 1, or these

    def fill(self) -> None:
        """Work them out at the scores that the rows have now."""
        rows, loss = self._rows, self._loss
        if self._compiled is None:
            self._fill_by_definition()
            return
        loss_gradients(
            self._compiled,
            loss.parameter,
            rows.y,
            rows.scores,
            rows.weights,
            self.first,
            self.second,
            self._n_threads,
        )

    def _fill_by_definition(self) -> None:
        rows = self._rows
        first, second = self._loss.gradients(rows.y, rows.loss_scores)
        factor: Float64Array | float = 1.0 if rows.weights is None else rows.weights
        np.multiply(first, factor, out=self.first.reshape(first.shape))
        if self.second is not None:
            np.multiply(second, factor, out=self.second.reshape(second.shape))
