"""Impurity and gain at one node, by the criterion of its tree.

The rows of a node add up by the values of a column to lines of sums: number of rows, weight, and
what the criterion needs. Many ways to part the values are measured by such sums at once; what is
printed of a split is worked out by the readable functions of `treewright.measures`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.worksheets.training import Share, Training

BLOCK = 1 << 22  # numbers held at once while sets of levels are added up
N_ROWS, WEIGHT, FURTHER = 0, 1, 2  # the places in a line of sums

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ValuesHere:
    """The values that a column has at a node, and what the rows of each add up to."""

    numbers: Floats  # rising
    sums: Floats  # (n_values, n_sums)
    missing: Floats  # (n_sums,): of the rows that do not know the column
    codes: NDArray[Any]  # of each row
    position: Codes  # among `numbers`, of each code; n_values where missing

    @property
    def n_values(self) -> int:
        return len(self.numbers)

    @property
    def value_of_row(self) -> Codes:
        """Position among `numbers` of each row's value; n_values where it is missing."""
        return np.asarray(self.position[self.codes])

    @property
    def has_missing(self) -> bool:
        return bool(self.missing[N_ROWS] > 0)

    def rows_of(self, value: int) -> Mask:
        """Which of the node's rows have one of the values."""
        return np.asarray(self.value_of_row == value)


@dataclass(frozen=True, slots=True)
class Pile:
    """Rows that belong together, as the criterion sees them."""

    n_rows: int
    weight: float
    counted: float  # the weight as the criterion counts it
    impurity: float  # per unit of that
    counts: tuple[float, ...] = ()  # weight of each class
    mean: float = nan
    median: float = nan


class Scorer(ABC):
    """How mixed some of a node's rows are."""

    def __init__(self, training: Training, share: Share) -> None:
        self.training = training
        self.share = share
        self.is_counted = bool((share.weights == 1).all())

    @cached_property
    def node(self) -> Pile:
        """All rows of the node."""
        return self.piles(np.zeros(self.share.n_rows, dtype=np.intp), 1)[0]

    @abstractmethod
    def sums(self, codes: Codes, n_codes: int) -> Floats:
        """(n_codes, n_sums): what the node's rows of each code add up to."""

    @abstractmethod
    def piles(self, side_of_row: Codes, n_sides: int) -> list[Pile]:
        """The rows of each side of a split; rows of a negative side are left out."""

    def sides(
        self, here: ValuesHere, side_of_value: Codes, n_sides: int
    ) -> tuple[list[Pile], Pile]:
        """The sides of a split by the side of each value, the last one of what is missing.

        A negative side is left out; beside the sides comes what they hold together.
        """
        side_of_row = side_of_value[here.value_of_row]
        whole = self.node
        if (side_of_row < 0).any():
            whole = self.piles(np.minimum(side_of_row, 0), 1)[0]
        return self.piles(side_of_row, n_sides), whole

    def of_values(
        self, here: ValuesHere, *, with_missing: bool, whole: Floats
    ) -> tuple[Floats, Floats]:
        """Sums and totals of each value by itself."""
        sums = here.sums + here.missing if with_missing else here.sums
        return sums, self.totals(sums, whole)

    def gain(self, sides: list[Pile], whole: Pile) -> float:
        """What a split takes away, times weight."""
        return whole.counted * whole.impurity - sum(side.counted * side.impurity for side in sides)

    @abstractmethod
    def totals(self, sums: Floats, whole: Floats) -> Floats:
        """Weight x impurity of groups by their sums, up to what all splits of `whole` share."""

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
        """Sums and totals of sets of values, one line of `sets` each."""
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
    """The position that keeps first place: a later score must exceed it by the tolerance.

    >>> first_best([1.0, 3.0, 3.0 + 1e-15, 2.0], 1e-12)
    1
    """
    numbers = np.asarray(scores, dtype=np.float64)
    # Only a score above all before it can take the place.
    highest = np.maximum.accumulate(numbers)
    best = 0
    for at in np.flatnonzero(highest[1:] > highest[:-1]) + 1:
        if numbers[at] > numbers[best] + tolerance:
            best = int(at)
    return best
