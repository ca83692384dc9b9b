"""Discretization by minimum description length (MDL), after Fayyad and Irani (1993).

In a range of values, the cut with the lowest entropy is kept if its gain exceeds the cost of
describing it. Then both sides are cut in the same way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.cut_points import midpoint

TIE = 1e-12  # of the total entropy: cuts closer than this are equally good
BLOCK = 1 << 20  # numbers held at once while a column is scanned
MOST_POWERS = 600  # classes up to which 3 to their number is a float


def mdl_cuts(values: ArrayLike, classes: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The cuts of a column, rising; `classes` are codes from 0 upwards.

    >>> mdl_cuts([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 1, 1, 1, 1]).tolist()
    [4.5]
    >>> mdl_cuts([1, 2, 3, 4], [0, 1, 0, 1]).tolist()
    []
    """
    kept = [tried.cut for tried in tried_cuts(values, classes, weights) if tried.is_kept]
    return np.sort(np.array(kept, dtype=np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class TriedCut:
    """The best cut of a range of values: what it gains, what it costs, and whether it is kept."""

    above: float  # the cuts that the range lies between; infinite where there are none
    up_to: float
    cut: float
    # Weight of each class, in the range and on both sides of the cut.
    whole: Floats
    left: Floats
    right: Floats
    n_places: int  # where the range could be cut

    @property
    def total_gain(self) -> float:
        """Weight times gain."""
        sides = float(total_entropy(self.left)) + float(total_entropy(self.right))
        return float(total_entropy(self.whole)) - sides

    @property
    def gain(self) -> float:
        """How much entropy the cut takes away."""
        return self.total_gain / float(self.whole.sum())

    @property
    def places(self) -> float:
        """Between how many rows one could cut; below a weight of two, none to pay for."""
        return max(float(self.whole.sum()) - 1, 1.0)

    @property
    def delta(self) -> float:
        """Bits that describe which classes are on which side."""
        n_present = n_classes_in(self.whole)
        few = n_present < MOST_POWERS
        delta = portable.log2(float(3**n_present - 2)) if few else n_present * portable.log2(3.0)
        sides = entropy_by_class(self.left) + entropy_by_class(self.right)
        return float(delta - (entropy_by_class(self.whole) - sides))

    @property
    def total_cost(self) -> float:
        """Weight times cost: the bits that name the cut."""
        return float(portable.log2(self.places)) + self.delta

    @property
    def cost(self) -> float:
        """What the cut must gain."""
        return self.total_cost / float(self.whole.sum())

    @property
    def is_kept(self) -> bool:
        return self.total_gain > self.total_cost


def tried_cuts(
    values: ArrayLike, classes: ArrayLike, weights: ArrayLike | None = None
) -> list[TriedCut]:
    """Every cut that is tried: of the whole range first, then of the parts that kept cuts leave."""
    groups = ClassGroups.of(values, classes, weights)
    found: list[TriedCut] = []
    waiting = [(0, len(groups.distinct), -np.inf, np.inf)]  # ranges of distinct values
    while waiting:
        start, stop, above, up_to = waiting.pop()
        cut = groups.best_cut(start, stop)
        if cut is None:
            continue
        value = midpoint(groups.distinct[cut - 1], groups.distinct[cut])
        tried = TriedCut(
            above,
            up_to,
            value,
            groups.class_weights(start, stop),
            groups.class_weights(start, cut),
            groups.class_weights(cut, stop),
            stop - start - 1,
        )
        found.append(tried)
        if tried.is_kept:  # the lower side comes off the end first
            waiting += [(cut, stop, value, up_to), (start, cut, above, value)]
    return found


def gains_of_cuts(
    values: ArrayLike, classes: ArrayLike, weights: ArrayLike | None, tried: TriedCut
) -> tuple[Floats, Floats]:
    """All cuts of the range that `tried` was chosen from, and what each would gain."""
    array = np.asarray(values, dtype=np.float64)
    inside = (array > tried.above) & (array <= tried.up_to)
    codes = np.asarray(classes)[inside]
    weight = None if weights is None else np.asarray(weights)[inside]
    groups = ClassGroups.of(array[inside], codes, weight)
    n_groups = len(groups.distinct)
    total = groups.class_weights(0, n_groups)
    left_over = [
        total_entropy(left) + total_entropy(np.maximum(total - left, 0.0))
        for _, left in groups.running_class_weights(0, n_groups - 1)
    ]
    cuts = np.array([midpoint(*pair) for pair in pairwise(groups.distinct.tolist())])
    return cuts, (float(total_entropy(total)) - np.concatenate(left_over)) / float(total.sum())


@dataclass(frozen=True, slots=True)
class ClassGroups:
    """Rows sorted by value. Group g, with one distinct value, is rows first[g] : first[g + 1]."""

    distinct: Floats
    first: NDArray[np.intp]
    classes: NDArray[np.intp]
    weight: Floats
    n_classes: int

    @classmethod
    def of(cls, values: ArrayLike, classes: ArrayLike, weights: ArrayLike | None) -> "ClassGroups":
        array = np.asarray(values, dtype=np.float64)
        codes = np.asarray(classes, dtype=np.intp)
        weight = np.ones(len(array)) if weights is None else np.asarray(weights, dtype=np.float64)
        order = np.argsort(array, kind="stable")
        order = order[~np.isnan(array[order]) & (weight[order] > 0)]
        distinct, first = np.unique(array[order], return_index=True)
        n_classes = int(codes.max(initial=-1)) + 1
        starts = np.append(first, len(order))
        return cls(distinct, starts, codes[order], weight[order], n_classes)

    def class_weights(self, start: int, stop: int) -> Floats:
        """Weight of each class in the groups start : stop."""
        rows = slice(self.first[start], self.first[stop])
        counts = np.bincount(self.classes[rows], self.weight[rows], self.n_classes)
        return np.asarray(counts, dtype=np.float64)

    def best_cut(self, start: int, stop: int) -> int | None:
        """The group above the cut that leaves least entropy; the lowest on a tie."""
        total = self.class_weights(start, stop)
        if stop - start < 2 or np.count_nonzero(total) < 2:
            return None
        best, least = None, np.inf
        tolerance = TIE * float(total_entropy(total))
        for at, left in self.running_class_weights(start, stop - 1):
            left_over = total_entropy(left) + total_entropy(np.maximum(total - left, 0.0))
            lowest = int(np.argmax(left_over <= left_over.min() + tolerance))
            if left_over[lowest] < least - tolerance:
                best, least = at + lowest + 1, float(left_over[lowest])
        return best

    def running_class_weights(self, start: int, stop: int) -> Iterator[tuple[int, Floats]]:
        """(first group, class weights from `start` up to each group) in blocks of groups."""
        before = np.zeros(self.n_classes)
        n_groups = max(1, BLOCK // max(self.n_classes, 1))
        for at in range(start, stop, n_groups):
            end = min(at + n_groups, stop)
            rows = slice(self.first[at], self.first[end])
            group = np.repeat(np.arange(end - at), np.diff(self.first[at : end + 1]))
            cell = group * self.n_classes + self.classes[rows]
            counts = np.bincount(cell, self.weight[rows], (end - at) * self.n_classes)
            running = before + counts.reshape(end - at, self.n_classes).cumsum(axis=0)
            yield at, running
            before = running[-1]


def total_entropy(class_weights: Floats) -> Floats:
    """Weight x entropy over the last axis."""
    total = class_weights.sum(axis=-1)
    return np.asarray(x_log2_x(total) - x_log2_x(class_weights).sum(axis=-1))


def entropy_by_class(class_weights: Floats) -> float:
    """Number of classes present x entropy."""
    mean_entropy = float(total_entropy(class_weights)) / float(class_weights.sum())
    return n_classes_in(class_weights) * mean_entropy


def n_classes_in(class_weights: Floats) -> int:
    """Classes that have weight."""
    return int(np.count_nonzero(class_weights))


def x_log2_x(x: Floats) -> Floats:
    return np.asarray(x * portable.log2(np.where(x > 0, x, 1.0)))
