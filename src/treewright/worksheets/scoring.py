"""Impurity and gain by the criterion of a tree.

One split is measured by the readable functions of `treewright.measures`. Where many cuts or level
sets are compared, sums by row stand in for them: the same formulas on arrays.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from treewright import measures
from treewright.worksheets.training import Floats, Share, Training

Sides = list[Share]


class Scorer(ABC):
    """How mixed rows are, and what a split takes away, both times weight."""

    def __init__(self, training: Training) -> None:
        self.training = training

    @abstractmethod
    def impurity(self, share: Share) -> float:
        """Per unit of weight."""

    def weight(self, share: Share) -> float:
        """The weight as the measure counts it."""
        return share.weight

    def gain(self, sides: Sides) -> float:
        """What a split takes away from the rows on its sides, times their weight."""
        together = sides[0]
        for side in sides[1:]:
            together = together.and_also(side)
        before = self.weight(together) * self.impurity(together)
        return before - sum(self.weight(side) * self.impurity(side) for side in sides)

    def gains(self, splits: list[Sides]) -> Floats:
        """The gains of many splits of the same rows."""
        return np.array([self.gain(sides) for sides in splits])

    def cut_gains(self, share: Share, ends: NDArray[np.intp]) -> Floats:
        """The gains of cuts of rows in order, each after so many rows."""
        return self.gains(
            [
                [
                    Share(share.rows[:end], share.weights[:end]),
                    Share(share.rows[end:], share.weights[end:]),
                ]
                for end in ends
            ]
        )


class SumScorer(Scorer):
    """A measure of sums over rows, so that neighbouring cuts need not be added up anew."""

    @abstractmethod
    def sums(self, share: Share) -> Floats:
        """(n_rows, n_sums): what each row adds."""

    @abstractmethod
    def total(self, sums: Floats) -> Floats:
        """Weight x impurity of groups, from their sums along the last axis."""

    def cut_gains(self, share: Share, ends: NDArray[np.intp]) -> Floats:
        running = np.cumsum(self.sums(share), axis=0)
        below = running[ends - 1]
        above = running[-1] - running[ends - 1]
        gains: Floats = self.total(below + above) - self.total(below) - self.total(above)
        return gains


class ClassScorer(SumScorer):
    """Entropy, Gini, Gini with costs, or a function of class weights."""

    def __init__(self, training: Training) -> None:
        super().__init__(training)
        factor = training.settings.class_factor
        self.factor = np.ones(training.n_classes) if factor is None else factor

    def counts(self, share: Share) -> Floats:
        """Class weights as the measure counts them: times the factors of altered priors."""
        counted: Floats = self.training.class_weights(share) * self.factor
        return counted

    def weight(self, share: Share) -> float:
        return float(self.counts(share).sum())

    def impurity(self, share: Share) -> float:
        return self.of_counts(self.counts(share))

    def of_counts(self, counts: Floats) -> float:
        """The impurity of a group with these class weights."""
        criterion = self.training.settings.criterion
        if callable(criterion):
            return float(criterion(counts))
        if criterion == "cost_gini":
            costs = self.training.settings.costs
            return measures.weighted_gini(
                counts, 1 - np.eye(len(counts)) if costs is None else costs
            )
        if criterion in ("gini", "chi2"):
            return measures.gini(counts)
        return measures.entropy(counts)

    def gain(self, sides: Sides) -> float:
        table = np.array([self.counts(side) for side in sides])
        if self.training.settings.criterion == "chi2":
            return measures.chi_square(table)
        return float(self.total(table.sum(axis=0)) - self.total(table).sum())

    def sums(self, share: Share) -> Floats:
        assert self.training.codes is not None
        one_hot = np.zeros((share.n_rows, self.training.n_classes))
        codes = self.training.codes[share.rows]
        one_hot[np.arange(share.n_rows), codes] = share.weights * self.factor[codes]
        return one_hot

    def total(self, sums: Floats) -> Floats:
        return np.array(np.apply_along_axis(lambda c: c.sum() * self.of_counts(c), -1, sums))

    def cut_gains(self, share: Share, ends: NDArray[np.intp]) -> Floats:
        if self.training.settings.criterion == "chi2":
            return Scorer.cut_gains(self, share, ends)
        return super().cut_gains(share, ends)


class EntropyScorer(ClassScorer):
    """Entropy of many groups at once."""

    def total(self, sums: Floats) -> Floats:
        kept = np.maximum(sums, 0.0)  # a difference of sums may be a shade below zero
        whole = kept.sum(axis=-1, keepdims=True)
        share = np.divide(kept, whole, out=np.zeros_like(kept), where=whole > 0)
        logarithm = np.log2(share, out=np.zeros_like(share), where=share > 0)
        bits: Floats = -(kept * logarithm).sum(axis=-1)
        return bits


class GiniScorer(ClassScorer):
    """Gini index of many groups at once."""

    def total(self, sums: Floats) -> Floats:
        whole = sums.sum(axis=-1, keepdims=True)
        share = np.divide(sums, whole, out=np.zeros_like(sums), where=whole > 0)
        index: Floats = (sums * (1 - share)).sum(axis=-1)
        return index


class NumberScorer(Scorer):
    """What numeric targets share."""

    def values(self, share: Share) -> Floats:
        assert self.training.values is not None
        return self.training.values[share.rows]


class SquaresScorer(NumberScorer, SumScorer):
    """Squared distances from the mean."""

    def __init__(self, training: Training) -> None:
        super().__init__(training)
        assert training.values is not None
        # Distances from a number in the middle keep the sums of squares small.
        self.middle = float(np.average(training.values, weights=training.weights))

    def impurity(self, share: Share) -> float:
        return measures.variance(self.values(share), share.weights)

    def sums(self, share: Share) -> Floats:
        distance = self.values(share) - self.middle
        weights = share.weights
        return np.column_stack([weights, weights * distance, weights * distance**2])

    def total(self, sums: Floats) -> Floats:
        weight, first, second = np.moveaxis(sums, -1, 0)
        mean = np.divide(first, weight, out=np.zeros_like(first), where=weight > 0)
        return np.asarray(second - first * mean)


class PoissonScorer(NumberScorer, SumScorer):
    """Half of the Poisson deviance, as growth counts it."""

    def impurity(self, share: Share) -> float:
        return measures.poisson_deviance(self.values(share), share.weights) / 2

    def sums(self, share: Share) -> Floats:
        y, weights = self.values(share), share.weights
        logarithm = np.log(y, out=np.zeros_like(y), where=y > 0)
        return np.column_stack([weights, weights * y, weights * y * logarithm])

    def total(self, sums: Floats) -> Floats:
        weight, first, logarithms = np.moveaxis(sums, -1, 0)
        mean = np.divide(first, weight, out=np.ones_like(first), where=(weight > 0) & (first > 0))
        return np.asarray(logarithms - first * np.log(mean))


class DistanceScorer(NumberScorer):
    """Distances from the median."""

    def impurity(self, share: Share) -> float:
        return measures.absolute_error(self.values(share), share.weights)


SCORERS: dict[str, type[Scorer]] = {
    "information_gain": EntropyScorer,
    "entropy": EntropyScorer,
    "gain_ratio": EntropyScorer,
    "gini": GiniScorer,
    "squared_error": SquaresScorer,
    "poisson": PoissonScorer,
    "absolute_error": DistanceScorer,
}


def scorer_for(training: Training) -> Scorer:
    """The measure that the tree was grown by."""
    criterion = training.settings.criterion
    kind = SCORERS.get(criterion) if isinstance(criterion, str) else None
    return (kind or ClassScorer)(training)
