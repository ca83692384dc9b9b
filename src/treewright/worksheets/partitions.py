"""All splits of a node by one column, scored at once."""

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.schema import ColumnSpec
from treewright.worksheets.place import Place
from treewright.worksheets.scoring import WEIGHT, Codes, Mask, ValuesHere

NOT_COUNTED, OWN_SIDE = -1, -2  # missing rows: left out of the gain, or a side of their own


class Ways(NamedTuple):
    """Partitions of the values; each may occur with its missing rows on several sides."""

    gains: Floats  # times weight; in the order that decides ties
    allowed: Mask
    partition: Codes  # number of the partition
    missing: Codes  # the side of the missing rows, NOT_COUNTED or OWN_SIDE

    @classmethod
    def none(cls) -> "Ways":
        nothing = np.zeros(0, dtype=np.intp)
        return cls(np.zeros(0), np.zeros(0, dtype=bool), nothing, nothing)

    @classmethod
    def joined(cls, several: list["Ways"]) -> "Ways":
        return cls(*map(np.concatenate, zip(*several, strict=True)))


class Partitions:
    """All partitions of one kind of the values of a column at a node."""

    kind: str

    def __init__(self, place: Place, feature: int, here: ValuesHere) -> None:
        self.place = place
        self.feature = feature
        self.here = here
        self.limits = place.limits(feature, float(here.missing[WEIGHT]))
        policy = place.training.settings.missing
        self.is_learned = here.has_missing and policy == "learned"
        self.is_branch = here.has_missing and policy == "branch"
        self.whole = here.sums.sum(axis=0)
        if self.is_learned or self.is_branch:
            self.whole = self.whole + here.missing

    @cached_property
    def spec(self) -> ColumnSpec:
        """The column as in the schema of a tree."""
        return ColumnSpec.of(self.place.training.table.columns[self.feature])

    @property
    def can_isolate_missing(self) -> bool:
        """Whether missing values alone can be one side of a split."""
        return {"branches": self.is_branch, "threshold": self.is_learned}.get(self.kind, False)

    def measured(self) -> Ways:
        """Every partition with its gain."""
        raise NotImplementedError

    def sides(self, partition: int) -> Codes:
        """The side of each value."""
        raise NotImplementedError

    def conditions(self, partition: int) -> tuple[str, ...]:
        """The condition of each side."""
        raise NotImplementedError

    def first_condition(self, partition: int) -> str:
        """The condition of the side with the lowest value."""
        return self.conditions(partition)[0]

    def threshold(self, partition: int) -> float | None:
        """The threshold, if there is one."""
        return None

    def n_first(self, partition: int) -> int:
        """The number of categories before the cut, if one order of them is cut; otherwise 0."""
        return 0

    @property
    def levels_in_order(self) -> Codes:
        """The categories in the order that is cut, if there is only one order."""
        return np.zeros(0, dtype=np.intp)

    def _missing_sides(self, n_sides: int) -> range:
        """The sides on which missing rows are tried."""
        return range(n_sides) if self.is_learned else range(-1, 0)

    def _undivided(self) -> float:
        """The total of all sides together, less that of missing rows with a side of their own."""
        everything = np.ones((1, self.here.n_values), dtype=bool)
        together = self._of_sets(everything, with_missing=self.is_learned or self.is_branch)[1][0]
        if self.is_branch:
            together -= self._of_sets(~everything, with_missing=True)[1][0]
        return float(together)

    def _of_sets(self, sets: Mask, *, with_missing: bool) -> tuple[Floats, Floats]:
        scorer = self.place.scorer
        return scorer.of_sets(self.here, sets, with_missing=with_missing, whole=self.whole)

    def _ways(self, gains: Floats, allowed: Mask, partition: Codes, missing: int) -> Ways:
        side = OWN_SIDE if self.is_branch else missing
        if self.is_branch:
            allowed = allowed & bool(self.limits.can_be_side(self.here.missing))
        return Ways(gains, allowed, partition, np.full(len(gains), side))


class Cuts(Partitions):
    """Values in an order, cut once."""

    kind = "subset"
    order: Codes
    lengths: Codes  # values before each cut

    def measured(self) -> Ways:
        undivided = self._undivided()
        return Ways.joined([self._with(side, undivided) for side in self._missing_sides(2)])

    def _with(self, missing: int, undivided: float) -> Ways:
        scorer, here, whole = self.place.scorer, self.here, self.whole
        below, below_totals = scorer.of_prefixes(
            here, self.order, with_missing=missing == 0, whole=whole
        )
        above, above_totals = scorer.of_prefixes(
            here, self.order[::-1], with_missing=missing == 1, whole=whole
        )
        rest = len(self.order) - self.lengths
        gains = undivided - below_totals[self.lengths] - above_totals[rest]
        allowed = self.limits.are_large(below[self.lengths]) & self.limits.are_large(above[rest])
        return self._ways(gains, allowed, np.arange(len(self.lengths)), missing)

    def sides(self, partition: int) -> Codes:
        side = np.ones(self.here.n_values, dtype=np.intp)
        side[self.order[: self.lengths[partition]]] = 0
        return side
