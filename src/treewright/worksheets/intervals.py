"""Several cut points of a column at once: those that pay for themselves, or the best k."""

from itertools import pairwise
from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.worksheets.class_scoring import ClassScorer
from treewright.worksheets.place import Limits, Place
from treewright.worksheets.scoring import ValuesHere, first_best

MOST_VALUES_CUT_EXACTLY = 256  # of more, one best cut after another
MOST_CLASSES_RAISED = 31  # of more, 3^k - 2 is 3^k
PRESENT = 1e-12  # a class of less weight is not there
TIE = 1e-12


def interval_starts(place: Place, here: ValuesHere, limits: Limits) -> list[int]:
    """The first value of every interval but the first; none where nothing is worth cutting."""
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
    """Cuts whose gain exceeds the bits that say where they are (Fayyad and Irani, 1993)."""

    def __init__(self, place: Place, here: ValuesHere, limits: Limits) -> None:
        self.sums = np.vstack([np.zeros(here.sums.shape[1]), np.cumsum(here.sums, axis=0)])
        assert isinstance(place.scorer, ClassScorer)
        self.counted = place.scorer.counted(self.sums)
        self.limits = limits

    def starts(self) -> list[int]:
        found: list[int] = []
        waiting = [(0, len(self.sums) - 1)]  # ranges of values still to be cut
        while waiting:
            start, stop = waiting.pop()
            cut = self._best_cut(start, stop)
            if cut is not None and self._pays(start, cut, stop):
                found.append(cut)
                waiting += [(start, cut), (cut, stop)]
        return sorted(found)

    def _best_cut(self, start: int, stop: int) -> int | None:
        whole = self.counted[stop] - self.counted[start]
        if stop - start < 2 or whole.sum() <= 1 or np.count_nonzero(whole > PRESENT) < 2:
            return None
        cuts = slice(start + 1, stop)
        allowed = self.limits.are_big(self.sums[cuts] - self.sums[start])
        allowed &= self.limits.are_big(self.sums[stop] - self.sums[cuts])
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
    kept = np.maximum(counted, 0.0)
    together = kept.sum(axis=-1)
    return np.asarray(_x_log2_x(together) - _x_log2_x(kept).sum(axis=-1))


def _x_log2_x(x: Floats) -> Floats:
    return np.asarray(x * np.log2(x, out=np.zeros_like(x), where=x > 0))


def _bits_by_class(counted: Floats) -> float:
    """Classes present x entropy."""
    return float(np.count_nonzero(counted > PRESENT) * _bits(counted) / counted.sum())


class _IntervalScores:
    """How pure each interval would be, for the best division into a number of them."""

    def __init__(self, place: Place, here: ValuesHere, limits: Limits) -> None:
        self.place = place
        self.here = here
        self.limits = limits
        self.whole = here.sums.sum(axis=0)

    def best_starts(self, most: int) -> list[int]:
        """The best cuts into at most `most` intervals, by the best cuts of what lies before."""
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
        """The best cut of the interval that gains most, again and again."""
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
        """The score of the first 0, 1, 2 ... of some values; of too few rows, minus infinity."""
        sums, totals = self.place.scorer.of_prefixes(
            self.here, values, with_missing=False, whole=self.whole
        )
        return np.where(self.limits.are_big(sums), -totals, -inf)
