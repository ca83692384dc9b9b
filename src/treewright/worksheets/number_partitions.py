"""Splits of numeric columns: by a threshold, or into intervals."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.cut_points import midpoint
from treewright.data.mdl import total_entropy
from treewright.plain_text import plain
from treewright.tree.conditions import bound_text_among
from treewright.worksheets.class_scoring import ClassScorer
from treewright.worksheets.partitions import NOT_COUNTED, Cuts, Partitions, Ways
from treewright.worksheets.place import TIE, Limits, Place
from treewright.worksheets.scoring import Codes, ValuesHere, first_best
from treewright.worksheets.training import Training

J48_GAP = 1e-5  # J48 does not cut between closer values
MOST_VALUES_CUT_EXACTLY = 256  # beyond, the best cuts are found one after the other
MOST_CLASSES_RAISED = 31  # beyond, 3^k - 2 is 3^k
PRESENT = 1e-12  # a class with less weight counts as absent


def threshold_at(training: Training, feature: int, below: float, above: float) -> float:
    """The threshold of a cut: the midpoint, or for C4.5 the largest value not above it."""
    middle = midpoint(below, above) if below < above else float(below)
    column = training.table.columns[feature]
    if not training.settings.data_value_thresholds or not isinstance(column, NumericColumn):
        return middle
    slack = 1e-6 * (above - below) if np.isfinite(above - below) else 0.0
    values = training.coded(feature).values
    value = float(values[np.searchsorted(values, middle + slack, side="right") - 1])
    return value if np.isfinite(value) else middle


def threshold_conditions(training: Training, feature: int, threshold: float) -> tuple[str, str]:
    """`x <= 5` and `x > 5`."""
    at, name = threshold_text(training, feature, threshold), plain(training.spec(feature).name)
    return f"{name} <= {at}", f"{name} > {at}"


def interval_conditions(training: Training, feature: int, cuts: Sequence[float]) -> tuple[str, ...]:
    """`x <= 2`, `2 < x <= 5` and `x > 5`."""
    ends = [threshold_conditions(training, feature, cut) for cut in cuts]
    name = plain(training.spec(feature).name)
    bounds = [below.removeprefix(f"{name} <= ") for below, _ in ends]
    inner = [f"{low} < {name} <= {high}" for low, high in pairwise(bounds)]
    return (ends[0][0], *inner, ends[-1][1])


def threshold_text(training: Training, feature: int, threshold: float) -> str:
    """A threshold as the tree prints it, or with the fewest digits that give the same split."""
    return bound_text_among(training.spec(feature), threshold, training.coded(feature).values)


class Thresholds(Cuts):
    """Values cut once."""

    kind = "threshold"

    def __init__(self, place: Place, feature: int, here: ValuesHere) -> None:
        super().__init__(place, feature, here)
        self.order = np.arange(here.n_values)
        gap = J48_GAP if place.training.settings.j48_gaps else 0.0
        lengths = np.flatnonzero(here.numbers[:-1] + gap < here.numbers[1:]) + 1
        # All known values may be on one side, and the missing ones on the other.
        if self.is_learned and here.numbers[-1] < np.inf:
            lengths = np.append(lengths, here.n_values)
        self.lengths = lengths

    def _with(self, missing: int, undivided: float) -> Ways:
        ways = super()._with(missing, undivided)
        if missing == 0:  # then the other side is empty
            ways.allowed[self.lengths == self.here.n_values] = False
        return ways

    def conditions(self, partition: int) -> tuple[str, ...]:
        threshold = self.threshold(partition)
        return threshold_conditions(self.place.training, self.feature, threshold)

    def threshold(self, partition: int) -> float:
        numbers, end = self.here.numbers, int(self.lengths[partition])
        above = numbers[min(end, len(numbers) - 1)]
        return threshold_at(self.place.training, self.feature, numbers[end - 1], above)


class Intervals(Partitions):
    """Values cut into several intervals."""

    kind = "intervals"

    def __init__(self, place: Place, feature: int, here: ValuesHere) -> None:
        super().__init__(place, feature, here)
        self.starts = interval_starts(place, here, self.limits)

    def measured(self) -> Ways:
        if not self.starts:
            return Ways.none()
        n_sides = len(self.starts) + 1
        is_in = self.sides(0) == np.arange(n_sides)[:, np.newaxis]
        alone, totals = self._of_sets(is_in, with_missing=False)
        gain = self._undivided() - float(totals.sum())
        if not self.is_learned:
            allowed = np.array([bool(self.limits.are_large(alone).all())])
            return self._ways(np.array([gain]), allowed, np.zeros(1, dtype=np.intp), NOT_COUNTED)
        joined, joined_totals = self._of_sets(is_in, with_missing=True)
        large = self.limits.are_large(alone)
        allowed = (large.sum() - large == n_sides - 1) & self.limits.are_large(joined)
        partition = np.zeros(n_sides, dtype=np.intp)
        return Ways(gain + totals - joined_totals, allowed, partition, np.arange(n_sides))

    def sides(self, partition: int) -> Codes:
        return np.searchsorted(self.starts, np.arange(self.here.n_values), side="right")

    def conditions(self, partition: int) -> tuple[str, ...]:
        numbers, training = self.here.numbers, self.place.training
        cuts = [
            threshold_at(training, self.feature, *numbers[at - 1 : at + 1]) for at in self.starts
        ]
        return interval_conditions(training, self.feature, cuts)


def interval_starts(place: Place, here: ValuesHere, limits: Limits) -> list[int]:
    """The first value of every interval but the first; [] if no cut is good enough."""
    if here.n_values < 2:
        return []
    most = place.training.settings.max_intervals
    if most is None:
        return _DescriptionLength(place, here, limits).starts()
    scores = _IntervalScores(place, here, limits)
    if here.n_values <= MOST_VALUES_CUT_EXACTLY:
        return scores.best_starts(min(most, here.n_values))
    return scores.greedy_starts(most)


class _DescriptionLength:
    """Cuts whose gain exceeds the bits needed to describe them (Fayyad and Irani, 1993)."""

    def __init__(self, place: Place, here: ValuesHere, limits: Limits) -> None:
        self.sums = np.vstack([np.zeros(here.sums.shape[1]), np.cumsum(here.sums, axis=0)])
        assert isinstance(place.scorer, ClassScorer)
        self.counted = place.scorer.counted(self.sums)
        self.limits = limits

    def starts(self) -> list[int]:
        found: list[int] = []
        waiting = [(0, len(self.sums) - 1)]  # ranges of values still to cut
        while waiting:
            start, stop = waiting.pop()
            cut = self._best_cut(start, stop)
            if cut is not None and self._pays(start, cut, stop):
                found.append(cut)
                waiting += [(start, cut), (cut, stop)]
        return sorted(found)

    def _best_cut(self, start: int, stop: int) -> int | None:
        whole = self.counted[stop] - self.counted[start]
        if stop - start < 2 or np.count_nonzero(whole > PRESENT) < 2:
            return None
        cuts = slice(start + 1, stop)
        allowed = self.limits.are_large(self.sums[cuts] - self.sums[start])
        allowed &= self.limits.are_large(self.sums[stop] - self.sums[cuts])
        if not allowed.any():
            return None
        left_over = _bits(self.counted[cuts] - self.counted[start])
        left_over += _bits(self.counted[stop] - self.counted[cuts])
        scores = np.where(allowed, -left_over, -inf)
        return start + 1 + first_best(scores, TIE * float(_bits(whole)))

    def _pays(self, start: int, cut: int, stop: int) -> bool:
        whole, left, right = (
            self.counted[end] - self.counted[begin]
            for begin, end in ((start, stop), (start, cut), (cut, stop))
        )
        gain = float(_bits(whole) - _bits(left) - _bits(right))
        n_classes = np.count_nonzero(whole > PRESENT)
        patterns = float(n_classes * log2(3))
        if n_classes <= MOST_CLASSES_RAISED:
            patterns = log2(3**n_classes - 2)
        patterns -= _bits_by_class(whole) - _bits_by_class(left) - _bits_by_class(right)
        return gain > log2(max(float(whole.sum()) - 1, 1.0)) + patterns


def _bits(counted: Floats) -> Floats:
    """Weight x entropy."""
    return total_entropy(np.maximum(counted, 0.0))


def _bits_by_class(counted: Floats) -> float:
    """Classes present x entropy."""
    return float(np.count_nonzero(counted > PRESENT) * _bits(counted) / counted.sum())


class _IntervalScores:
    """Scores of intervals, to find the best division into several of them."""

    def __init__(self, place: Place, here: ValuesHere, limits: Limits) -> None:
        self.place = place
        self.here = here
        self.limits = limits
        self.whole = here.sums.sum(axis=0)

    def best_starts(self, most: int) -> list[int]:
        """The best cuts into at most `most` intervals, by dynamic programming."""
        n_values = self.here.n_values
        score = np.full((n_values + 1, n_values + 1), -inf)
        for start in range(n_values):
            score[start, start:] = self._growing(np.arange(start, n_values))
        best = score[0].copy()
        starts: list[list[int]] = [[] for _ in range(n_values + 1)]
        for _ in range(1, most):
            best, starts = self._with_one_more(score, best, starts)
        return starts[n_values]

    def _with_one_more(
        self, score: Floats, best: Floats, starts: list[list[int]]
    ) -> tuple[Floats, list[list[int]]]:
        next_best, next_starts = best.copy(), list(starts)
        for stop in range(2, len(best)):
            whole = best[1:stop] + score[1:stop, stop]
            cut = first_best(np.append(best[stop], whole), self.place.tolerance)
            if cut > 0:
                next_best[stop] = whole[cut - 1]
                next_starts[stop] = [*starts[cut], cut]
        return next_best, next_starts

    def greedy_starts(self, most: int) -> list[int]:
        """The cut with the largest gain, repeatedly."""
        ends = [0, self.here.n_values]
        while len(ends) <= most:
            cuts, gains = [], []
            for start, stop in pairwise(ends):
                inside = np.arange(start, stop)
                before = self._growing(inside)
                after = self._growing(inside[::-1])[::-1]
                cuts.append(inside[1:])
                gains.append(before[1:-1] + after[1:-1] - before[-1])
            gain = np.concatenate(gains)
            if not (gain > -inf).any():
                break
            cut = int(np.concatenate(cuts)[first_best(gain, self.place.tolerance)])
            ends = sorted([*ends, cut])
        return ends[1:-1]

    def _growing(self, values: NDArray[np.intp]) -> Floats:
        """The score of the first 0, 1, 2 ... of some values; minus infinity for too few rows."""
        sums, totals = self.place.scorer.of_prefixes(
            self.here, values, with_missing=False, whole=self.whole
        )
        return np.where(self.limits.are_large(sums), -totals, -inf)
