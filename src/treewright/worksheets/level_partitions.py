"""Splits of nominal columns: one branch per category, or two sets of categories."""

from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.plain_text import plain
from treewright.tree.conditions import level_condition
from treewright.worksheets.class_scoring import ClassScorer
from treewright.worksheets.number_scoring import DistanceScorer
from treewright.worksheets.partitions import NOT_COUNTED, Cuts, Partitions, Ways
from treewright.worksheets.place import Place
from treewright.worksheets.scoring import FURTHER, WEIGHT, Codes, Mask, ValuesHere

MOST_LEVELS_TRIED = 12  # all sets of this many categories; beyond, cuts of their order
MOST_LEVELS_BY_DISTANCE = 8
ROUNDING = 1e-12  # of the largest: means that differ by less are equal
ORDERED_BY_MEAN = ("squared_error", "poisson")


class TwoSets(Partitions):
    """Two sets of categories."""

    kind = "subset"

    def conditions(self, partition: int) -> tuple[str, ...]:
        sides = self.sides(partition)
        return self._levels(sides == 0), self._levels(sides == 1)

    def first_condition(self, partition: int) -> str:
        sides = self.sides(partition)
        return self._levels(sides == sides[0])

    def _levels(self, is_in: Mask) -> str:
        levels = tuple(self.spec.levels[int(code)] for code in self.here.numbers[is_in])
        return level_condition(plain(self.spec.name), levels)


class LevelOrders(TwoSets):
    """Categories in one or several orders, each cut once."""

    def __init__(self, place: Place, feature: int, here: ValuesHere) -> None:
        super().__init__(place, feature, here)
        self.cuts = [self._cut(order) for order in level_orders(place, here)]

    def _cut(self, order: Codes) -> Cuts:
        cuts = Cuts(self.place, self.feature, self.here)
        cuts.order, cuts.lengths = order, np.arange(1, len(order))
        return cuts

    def measured(self) -> Ways:
        n_cuts = self.here.n_values - 1
        several = [cuts.measured() for cuts in self.cuts]
        return Ways.joined(
            [
                Ways(ways.gains, ways.allowed, ways.partition + number * n_cuts, ways.missing)
                for number, ways in enumerate(several)
            ]
        )

    def sides(self, partition: int) -> Codes:
        number, cut = divmod(partition, self.here.n_values - 1)
        return self.cuts[number].sides(cut)

    def n_first(self, partition: int) -> int:
        return partition + 1 if len(self.cuts) == 1 else 0

    @property
    def levels_in_order(self) -> Codes:
        return self.cuts[0].order if len(self.cuts) == 1 else super().levels_in_order


class LevelSets(TwoSets):
    """Sets of categories against the rest."""

    sets: Mask  # (n_sets, n_values)

    def __init__(self, place: Place, feature: int, here: ValuesHere) -> None:
        super().__init__(place, feature, here)
        # With two categories, both against the rest are the same split.
        if place.training.settings.nominal == "one_vs_rest" and here.n_values > 2:
            self.sets = np.eye(here.n_values, dtype=bool)
        else:
            self.sets = all_sets(here.n_values)

    def measured(self) -> Ways:
        undivided = self._undivided()
        several = [self._with(side, undivided) for side in self._missing_sides(2)]
        ways = Ways.joined(several)
        # Both sides for the missing rows come before the next set.
        in_turn = np.arange(len(ways.gains)).reshape(len(several), -1).T.ravel()
        parts: Any = [part[in_turn] for part in ways]
        return Ways(*parts)

    def _with(self, missing: int, undivided: float) -> Ways:
        inside, inside_totals = self._of_sets(self.sets, with_missing=missing == 0)
        outside, outside_totals = self._of_sets(~self.sets, with_missing=missing == 1)
        allowed = self.limits.are_large(inside) & self.limits.are_large(outside)
        gains = undivided - inside_totals - outside_totals
        return self._ways(gains, allowed, np.arange(len(self.sets)), missing)

    def sides(self, partition: int) -> Codes:
        return np.where(self.sets[partition], 0, 1)


class Branches(Partitions):
    """One branch per category."""

    kind = "branches"

    def measured(self) -> Ways:
        scorer, here = self.place.scorer, self.here
        alone, totals = scorer.of_values(here, with_missing=False, whole=self.whole)
        large, stands = self.limits.are_large(alone), self.limits.can_be_side(alone)
        gain = self._undivided() - float(totals.sum())
        if not self.is_learned:
            n_large = int(large.sum()) + int(self.is_branch and self.limits.are_large(here.missing))
            allowed = np.array([n_large >= 2 and bool(stands.all())])
            return self._ways(np.array([gain]), allowed, np.zeros(1, dtype=np.intp), NOT_COUNTED)
        joined, joined_totals = scorer.of_values(here, with_missing=True, whole=self.whole)
        grown = large.sum() - large + self.limits.are_large(joined)
        others_stand = stands.sum() - stands == len(stands) - 1
        return Ways(
            gain + totals - joined_totals,
            (grown >= 2) & others_stand & self.limits.can_be_side(joined),
            np.zeros(here.n_values, dtype=np.intp),
            np.arange(here.n_values),
        )

    def sides(self, partition: int) -> Codes:
        return np.arange(self.here.n_values)

    def conditions(self, partition: int) -> tuple[str, ...]:
        name = plain(self.spec.name)
        levels = [self.spec.levels[int(code)] for code in self.here.numbers]
        return tuple(level_condition(name, (level,)) for level in levels)


def tries_all_sets(place: Place, here: ValuesHere) -> bool:
    """Whether all sets are tried: no order of the categories is optimal, and they are few."""
    settings, n_classes = place.training.settings, place.training.n_classes
    if n_classes == 0:
        by_distance = settings.criterion not in ORDERED_BY_MEAN
        return by_distance and here.n_values <= MOST_LEVELS_BY_DISTANCE
    in_order = n_classes == 2 and isinstance(settings.criterion, str)
    return not in_order and here.n_values <= MOST_LEVELS_TRIED


def all_sets(n_values: int) -> Mask:
    """Every set that contains the first value, except the set of all values."""
    numbers = np.arange(2 ** (n_values - 1) - 1)[:, np.newaxis]
    others = (numbers >> np.arange(n_values - 1)) & 1
    return np.column_stack([np.ones(len(numbers), dtype=bool), others.astype(bool)])


def level_orders(place: Place, here: ValuesHere) -> list[Codes]:
    """The categories by mean or median of the target, or by the share of each class."""
    scorer = place.scorer
    if isinstance(scorer, DistanceScorer):
        medians = [scorer.median_of(here.rows_of(level)) for level in range(here.n_values)]
        return [in_order(np.array(medians))]
    if not isinstance(scorer, ClassScorer):
        return [in_order(here.sums[:, FURTHER] / here.sums[:, WEIGHT])]
    counted = scorer.counted(here.sums)
    shares = counted / counted.sum(axis=1, keepdims=True)
    seen = counted.sum(axis=0)
    if place.training.settings.missing in ("learned", "branch"):
        seen = seen + scorer.counted(here.missing)
    present = np.flatnonzero(seen > 0)
    if len(present) == 2 and isinstance(place.training.settings.criterion, str):
        present = present[:1]
    return [in_order(shares[:, number]) for number in present]


def in_order(keys: Floats) -> Codes:
    """Positions by ascending key; keys that are equal up to rounding keep their order."""
    order = np.argsort(keys, kind="stable")
    rising = keys[order]
    closest = ROUNDING * max(abs(rising[0]), abs(rising[-1]))
    tie = np.concatenate([[0], np.cumsum(np.diff(rising) > closest)])
    return order[np.lexsort((order, tie))]
