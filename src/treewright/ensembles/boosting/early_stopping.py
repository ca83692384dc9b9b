"""Rounds that no longer serve rows which the trees have not seen."""

import math
from dataclasses import dataclass


@dataclass(slots=True)
class Patience:
    """How long a better round is waited for."""

    n_rounds: int | None  # None: for ever
    tolerance: float  # a round is better if it lowers the loss by more than this
    best_loss: float = math.inf
    best_round: int = 0

    def is_over(self, number: int, loss: float) -> bool:
        """Whether round `number`, with this loss, is the last to wait for."""
        is_better = loss < self.best_loss - self.tolerance or math.isnan(self.best_loss)
        if is_better or self.best_round == 0:
            self.best_loss, self.best_round = loss, number
        return self.n_rounds is not None and number - self.best_round >= self.n_rounds
