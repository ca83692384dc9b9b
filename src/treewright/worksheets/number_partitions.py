"""Numbers parted by a threshold, or into intervals."""

from itertools import pairwise

import numpy as np

from treewright.plain_text import plain
from treewright.worksheets.intervals import interval_starts
from treewright.worksheets.partitions import NOT_COUNTED, Cuts, Partitions, Ways
from treewright.worksheets.place import Place
from treewright.worksheets.scoring import Codes, ValuesHere
from treewright.worksheets.thresholds import may_cut, threshold_at, threshold_conditions


class Thresholds(Cuts):
    """Values cut once where they lie apart."""

    kind = "threshold"

    def __init__(self, place: Place, feature: int, here: ValuesHere) -> None:
        super().__init__(place, feature, here)
        self.order = np.arange(here.n_values)
        lengths = np.flatnonzero(may_cut(place.training, here.numbers)) + 1
        # Where rows are missing, all known ones may go to one side.
        if self.is_learned and here.numbers[-1] < np.inf:
            lengths = np.append(lengths, here.n_values)
        self.lengths = lengths

    def _with(self, missing: int, undivided: float) -> Ways:
        ways = super()._with(missing, undivided)
        if missing == 0:  # then nobody is on the other side
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
    """Values cut at several places."""

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
            allowed = np.array([bool(self.limits.are_big(alone).all())])
            return self._ways(np.array([gain]), allowed, np.zeros(1, dtype=np.intp), NOT_COUNTED)
        joined, joined_totals = self._of_sets(is_in, with_missing=True)
        large = self.limits.are_big(alone)
        allowed = (large.sum() - large == n_sides - 1) & self.limits.are_big(joined)
        partition = np.zeros(n_sides, dtype=np.intp)
        return Ways(gain + totals - joined_totals, allowed, partition, np.arange(n_sides))

    def sides(self, partition: int) -> Codes:
        return np.searchsorted(self.starts, np.arange(self.here.n_values), side="right")

    def conditions(self, partition: int) -> tuple[str, ...]:
        numbers, training = self.here.numbers, self.place.training
        cuts = [
            threshold_at(training, self.feature, *numbers[at - 1 : at + 1]) for at in self.starts
        ]
        ends = [threshold_conditions(training, self.feature, cut) for cut in cuts]
        name = plain(self.spec.name)
        bounds = [below.removeprefix(f"{name} <= ") for below, _ in ends]
        inner = [f"{low} < {name} <= {high}" for low, high in pairwise(bounds)]
        return (ends[0][0], *inner, ends[-1][1])
