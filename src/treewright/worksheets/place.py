"""What is needed to score the splits of one node: its rows, criterion and limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.worksheets.class_scoring import (
    ChiSquareScorer,
    ClassScorer,
    EntropyScorer,
    GiniScorer,
)
from treewright.worksheets.number_scoring import DistanceScorer, PoissonScorer, SquaresScorer
from treewright.worksheets.scoring import FURTHER, N_ROWS, WEIGHT, Scorer, ValuesHere
from treewright.worksheets.training import Share, Training
from treewright.worksheets.work import Group

SCORERS: dict[str, type[Scorer]] = {
    "information_gain": EntropyScorer,
    "entropy": EntropyScorer,
    "gain_ratio": EntropyScorer,
    "gini": GiniScorer,
    "cost_gini": GiniScorer,
    "chi2": ChiSquareScorer,
    "squared_error": SquaresScorer,
    "poisson": PoissonScorer,
    "absolute_error": DistanceScorer,
}


TIE = 1e-12  # of impurity x weight: gains closer than this are equal
ROUNDING = 1e-9  # of a weight limit
CEILING, PART = 25.0, 0.1  # C4.5: the minimum weight on each side of a threshold
SPARSE = 2  # if the table has this many times more values than the node has rows, sort here


@dataclass(frozen=True, slots=True)
class Limits:
    """What each side of a split must contain."""

    n_rows: float
    weight: float
    needs_mean: bool  # Poisson: a predicted rate of zero would rule out any later event

    def can_be_side(self, sums: Floats) -> NDArray[np.bool_]:
        """Whether groups with these sums can be a side at all."""
        if not self.needs_mean:
            return np.ones(sums.shape[:-1], dtype=bool)
        return np.asarray(sums[..., FURTHER] > 0)

    def are_large(self, sums: Floats) -> NDArray[np.bool_]:
        """Whether groups with these sums are large enough."""
        n_rows, weight = sums[..., N_ROWS], sums[..., WEIGHT]
        enough = (n_rows >= max(self.n_rows, 1)) & (weight >= self.weight * (1 - ROUNDING))
        return np.asarray(enough & self.can_be_side(sums))


class Place:
    """A node with its rows and criterion."""

    def __init__(self, training: Training, share: Share) -> None:
        self.training = training
        self.share = share
        criterion = training.settings.criterion
        kind = SCORERS[criterion] if isinstance(criterion, str) else ClassScorer
        self.scorer: Scorer = kind(training, share)

    @property
    def weight(self) -> float:
        """As the criterion counts it."""
        return self.scorer.node.counted

    @property
    def impurity(self) -> float:
        return self.scorer.node.impurity

    @property
    def tolerance(self) -> float:
        """Gains, times weight, closer than this are equal."""
        # Where all targets are the same, no split gains: the first one is as good as any.
        return TIE * (self.impurity or 1.0) * self.weight

    def group(self, condition: str) -> Group:
        """What the worksheet says of the node's rows."""
        return self.scorer.node.as_group(condition)

    def values(self, feature: int) -> ValuesHere:
        """The values of a column among the node's rows."""
        column = self.training.coded(feature)
        n_values = len(column.values)
        codes = column.codes[self.share.rows]
        if n_values > SPARSE * len(codes):
            present, codes = np.unique(codes, return_inverse=True)
        else:
            present = np.arange(n_values + 1)
        sums = self.scorer.sums(codes, len(present))
        is_known = present < n_values
        missing = sums[~is_known].sum(axis=0)
        is_here = is_known & (sums[:, N_ROWS] > 0)
        position = np.where(is_here, np.cumsum(is_here) - 1, is_here.sum())
        return ValuesHere(column.values[present[is_here]], sums[is_here], missing, codes, position)

    def limits(self, feature: int, missing: float) -> Limits:
        """What a side must contain if a column splits the node.

        `missing` is the weight of the rows whose value is missing.
        """
        training, settings = self.training, self.training.settings
        least = settings.min_weight_fraction_leaf * training.weight
        needs_mean = settings.criterion == "poisson"
        if not settings.sizes_are_weights:
            return Limits(settings.min_samples_leaf, least, needs_mean)
        weight = float(settings.min_samples_leaf)
        if settings.limits_by_weight and not training.is_nominal(feature) and training.n_classes:
            known = self.scorer.node.weight - missing
            weight = max(weight, min(CEILING, PART * known / training.n_classes))
        return Limits(1, max(weight, least), needs_mean)
