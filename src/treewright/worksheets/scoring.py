"""Impurity and gain at one node, by the criterion of its tree.

For each value of a column, the rows of a node are summed: number of rows, weight, and what the
criterion needs. Many splits are scored at once from these sums. What is printed about a split is
computed by the readable functions of `treewright.measures`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.worksheets.training import Share, Training
from treewright.worksheets.work import Group

BLOCK = 1 << 22  # numbers in memory at once while sets of categories are summed
N_ROWS, WEIGHT, FURTHER = 0, 1, 2  # columns of the sums

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ValuesHere:
    """The values of a column at a node, and the sums over the rows of each value."""

    numbers: Floats  # rising
    sums: Floats  # (n_values, n_sums)
    missing: Floats  # (n_sums,): of the rows whose value is missing
    codes: NDArray[Any]  # of each row
    position: Codes  # of each code among `numbers`; n_values if missing

    @property
    def n_values(self) -> int:
        return len(self.numbers)

    @property
    def value_of_row(self) -> Codes:
        """Position of each row's value among `numbers`; n_values if it is missing."""
        return np.asarray(self.position[self.codes])

    @property
    def has_missing(self) -> bool:
        return bool(self.missing[N_ROWS] > 0)

    def sums_by_side(self, side_of_value: Codes, n_sides: int) -> Floats:
        """(n_sides + 1, n_sums): the sums of each side, last those of a negative side.

        `side_of_value` has one more entry for missing values.
        """
        sides = np.where(side_of_value < 0, n_sides, side_of_value)
        lines = np.vstack([self.sums, self.missing])
        return np.column_stack([np.bincount(sides, line, n_sides + 1) for line in lines.T])

    def rows_of(self, value: int) -> Mask:
        """Which of the node's rows have this value."""
        return np.asarray(self.value_of_row == value)


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A group of rows as the criterion counts them."""

    n_rows: int
    weight: float
    counted: float  # the weight as the criterion counts it
    impurity: float  # per unit of that weight
    counts: tuple[float, ...] = ()  # weight of each class
    mean: float = nan
    median: float = nan

    def as_group(self, condition: str) -> Group:
        """The same rows as the worksheet shows them."""
        return Group(
            condition, self.n_rows, self.weight, self.counts, self.mean, self.impurity, self.median
        )


class Sides(NamedTuple):
    """The sides of a split."""

    groups: list[ScoredGroup]
    whole: ScoredGroup  # all of them together
    left_out: float  # weight of the rows without a side
    missing: float  # weight of the rows whose value is missing


class Scorer(ABC):
    """Impurity of groups of a node's rows."""

    def __init__(self, training: Training, share: Share) -> None:
        self.training = training
        self.share = share
        self.is_counted = bool((share.weights == 1).all())

    @cached_property
    def node(self) -> ScoredGroup:
        """All rows of the node."""
        return self.groups(np.zeros(self.share.n_rows, dtype=np.intp), 1)[0]

    @abstractmethod
    def sums(self, codes: Codes, n_codes: int) -> Floats:
        """(n_codes, n_sums): sums over the node's rows of each code."""

    @abstractmethod
    def groups(self, side_of_row: Codes, n_sides: int) -> list[ScoredGroup]:
        """The rows of each side of a split; rows with a negative side are left out."""

    def sides(self, here: ValuesHere, side_of_value: Codes, n_sides: int) -> Sides:
        """The sides of a split; sums run in the order of the rows.

        `side_of_value` has one more entry for missing values. Negative sides are left out.
        """
        side_of_row = side_of_value[here.value_of_row]
        is_left_out = side_of_row < 0
        whole, left_out = self.node, 0.0
        if is_left_out.any():
            whole = self.groups(np.minimum(side_of_row, 0), 1)[0]
            left_out = float(np.cumsum(self.share.weights[is_left_out])[-1])
        missing = float(here.missing[WEIGHT])
        return Sides(self.groups(side_of_row, n_sides), whole, left_out, missing)

    def of_values(
        self, here: ValuesHere, *, with_missing: bool, whole: Floats
    ) -> tuple[Floats, Floats]:
        """Sums and totals of each value alone."""
        sums = here.sums + here.missing if with_missing else here.sums
        return sums, self.totals(sums, whole)

    def gain(self, sides: list[ScoredGroup], whole: ScoredGroup) -> float:
        """Decrease of impurity by a split, times weight."""
        return whole.counted * whole.impurity - sum(side.counted * side.impurity for side in sides)

    @abstractmethod
    def totals(self, sums: Floats, whole: Floats) -> Floats:
        """Weight x impurity of groups, up to a constant that all splits of `whole` share."""

    def of_prefixes(
        self, here: ValuesHere, order: Codes, *, with_missing: bool, whole: Floats
    ) -> tuple[Floats, Floats]:
        """Sums and totals of the first 0, 1, 2 ... values in an order."""
        sums = np.zeros((len(order) + 1, len(whole)))
        np.cumsum(here.sums[order], axis=0, out=sums[1:])
        if with_missing:
            sums += here.missing
        return sums, self.totals(sums, whole)

    def of_sets(
        self, here: ValuesHere, sets: Mask, *, with_missing: bool, whole: Floats
    ) -> tuple[Floats, Floats]:
        """Sums and totals of sets of values, one per row of `sets`."""
        blocks = np.array_split(sets, 1 + sets.size // BLOCK)
        sums = np.vstack([block.astype(np.float64) @ here.sums for block in blocks])
        if with_missing:
            sums += here.missing
        return sums, self.totals(sums, whole)

    def _counted_rows(self, codes: Codes, n_codes: int) -> Floats:
        return np.bincount(codes, minlength=n_codes).astype(np.float64)

    def _added(self, codes: Codes, n_codes: int, numbers: Floats) -> Floats:
        return np.bincount(codes, numbers, n_codes).astype(np.float64)


def first_best(scores: ArrayLike, tolerance: float) -> int:
    """Position of the best score; a later score must exceed it by more than the tolerance.

    >>> first_best([1.0, 3.0, 3.0 + 1e-15, 2.0], 1e-12)
    1
    """
    numbers = np.asarray(scores, dtype=np.float64)
    # Only a score above all earlier ones can be better.
    highest = np.maximum.accumulate(numbers)
    best = 0
    for at in np.flatnonzero(highest[1:] > highest[:-1]) + 1:
        if numbers[at] > numbers[best] + tolerance:
            best = int(at)
    return best
