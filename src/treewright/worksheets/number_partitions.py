"""Numbers parted by a threshold, or into intervals."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.cut_points import midpoint
from treewright.plain_text import plain
from treewright.tree.conditions import bound_text_among
from treewright.worksheets.intervals import interval_starts
from treewright.worksheets.partitions import NOT_COUNTED, Cuts, Partitions, Ways
from treewright.worksheets.place import Place
from treewright.worksheets.scoring import Codes, ValuesHere
from treewright.worksheets.training import Training

J48_GAP = 1e-5  # J48 does not cut between closer values


def may_cut(training: Training, numbers: Floats) -> NDArray[np.bool_]:
    """Between which neighbors of rising numbers a cut may be made."""
    gap = J48_GAP if training.settings.j48_gaps else 0.0
    return np.asarray(numbers[:-1] + gap < numbers[1:])


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


def threshold_text(training: Training, feature: int, threshold: float) -> str:
    """A threshold as the tree prints it, or in the fewest digits that part the rows alike."""
    return bound_text_among(training.spec(feature), threshold, training.coded(feature).values)


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
