"""Impurity of class counts: entropy, Gini, chi-square, or a function of the user."""

import numpy as np

from treewright import measures
from treewright.arrays import Floats
from treewright.worksheets.scoring import (
    FURTHER,
    N_ROWS,
    WEIGHT,
    Codes,
    ScoredGroup,
    Scorer,
    Sides,
    ValuesHere,
)
from treewright.worksheets.training import Share, Training


class ClassScorer(Scorer):
    """A function of class weights, given by the user."""

    def __init__(self, training: Training, share: Share) -> None:
        super().__init__(training, share)
        assert training.codes is not None
        factor = training.settings.class_factor
        self.factor = np.ones(training.n_classes) if factor is None else factor
        self.classes = training.codes[share.rows].astype(np.uint32)

    def impurity(self, counted: Floats) -> float:
        """Of a group with these class weights."""
        criterion = self.training.settings.criterion
        assert callable(criterion)
        return float(criterion(counted))

    def sums(self, codes: Codes, n_codes: int) -> Floats:
        n_classes = self.training.n_classes
        cells = codes.astype(np.uint32)
        cells *= n_classes
        cells += self.classes
        weights = None if self.is_counted else self.share.weights
        counts = np.bincount(cells, weights, n_codes * n_classes).astype(np.float64)
        by_class = counts.reshape(n_codes, n_classes)
        n_rows = by_class.sum(axis=1) if self.is_counted else self._counted_rows(codes, n_codes)
        return self.sums_of_counts(n_rows, by_class)

    def groups(self, side_of_row: Codes, n_sides: int) -> list[ScoredGroup]:
        return [self._group(line) for line in self.sums(side_of_row + 1, n_sides + 1)[1:]]

    def sides(self, here: ValuesHere, side_of_value: Codes, n_sides: int) -> Sides:
        if self.is_counted:  # sums of whole numbers are the same in any order
            sums = here.sums_by_side(side_of_value, n_sides)
        else:
            side_of_row = side_of_value[here.value_of_row]
            sums = self.sums(np.where(side_of_row < 0, n_sides, side_of_row), n_sides + 1)
        return self.sides_of_sums(sums, float(here.missing[WEIGHT]))

    def sides_of_sums(self, sums: Floats, missing: float) -> Sides:
        """The sides with these sums; the last line is that of the rows without a side."""
        # If no row is left out, use the node itself: rounding must not change it.
        whole = self._group(sums[:-1].sum(axis=0)) if sums[-1, N_ROWS] else self.node
        groups = [self._group(line) for line in sums[:-1]]
        return Sides(groups, whole, float(sums[-1, WEIGHT]), missing)

    def sums_of_counts(self, n_rows: Floats, by_class: Floats) -> Floats:
        """(n, n_sums): the sums of groups with these numbers of rows and class weights."""
        return np.column_stack([n_rows, by_class.sum(axis=1), by_class])

    def _group(self, line: Floats) -> ScoredGroup:
        counts = line[FURTHER:]
        counted = counts * self.factor
        return ScoredGroup(
            n_rows=int(line[N_ROWS]),
            weight=float(line[WEIGHT]),
            counted=float(counted.sum()),
            impurity=self.impurity(counted) if line[N_ROWS] else 0.0,
            counts=tuple(counts.tolist()),
        )

    def totals(self, sums: Floats, whole: Floats) -> Floats:
        counted = self.counted(sums)
        return np.array([c.sum() * self.impurity(c) if c.any() else 0.0 for c in counted])

    def counted(self, sums: Floats) -> Floats:
        """Class weights as the criterion counts them: times the factors of altered priors."""
        counted: Floats = np.maximum(sums[..., FURTHER:], 0.0) * self.factor
        return counted


class EntropyScorer(ClassScorer):
    """Entropy, in bits."""

    def impurity(self, counted: Floats) -> float:
        return measures.entropy(counted)

    def totals(self, sums: Floats, whole: Floats) -> Floats:
        counted = self.counted(sums)
        together = counted.sum(axis=-1, keepdims=True)
        share = np.divide(counted, together, out=np.ones_like(counted), where=counted > 0)
        bits: Floats = -(counted * np.log2(share)).sum(axis=-1)
        return bits


class GiniScorer(ClassScorer):
    """The Gini index, with or without costs."""

    def __init__(self, training: Training, share: Share) -> None:
        super().__init__(training, share)
        self.costs = 1 - np.eye(training.n_classes)
        if training.settings.criterion == "cost_gini" and training.settings.costs is not None:
            self.costs = training.settings.costs

    def impurity(self, counted: Floats) -> float:
        if self.training.settings.criterion == "cost_gini":
            return measures.weighted_gini(counted, self.costs)
        return measures.gini(counted)

    def totals(self, sums: Floats, whole: Floats) -> Floats:
        counted = self.counted(sums)
        together = counted.sum(axis=-1)
        pairs = ((counted @ self.costs) * counted).sum(axis=-1)
        return np.asarray(np.divide(pairs, together, out=np.zeros_like(pairs), where=together > 0))


class ChiSquareScorer(GiniScorer):
    """Pearson's chi-square of branches and classes; a single node has its Gini index."""

    def gain(self, sides: list[ScoredGroup], whole: ScoredGroup) -> float:
        return measures.chi_square([np.array(side.counts) * self.factor for side in sides])

    def totals(self, sums: Floats, whole: Floats) -> Floats:
        counted, of_whole = self.counted(sums), self.counted(whole)
        if not of_whole.any():
            return np.zeros(len(sums))
        expected = counted.sum(axis=-1, keepdims=True) * (of_whole / of_whole.sum())
        difference = np.square(counted - expected)
        parts = np.divide(difference, expected, out=np.zeros_like(expected), where=expected > 0)
        return np.asarray(-parts.sum(axis=-1))
