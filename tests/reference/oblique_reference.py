"""Sums of columns by definition: every cut and every step tried one by one."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from treewright import measures


def gain_of(sides, codes, weights, n_classes, criterion="gini"):
    """What a split in two takes away, per unit of weight."""
    counts = np.zeros((2, n_classes))
    np.add.at(counts, (sides, codes), weights)
    measure = measures.gini_gain if criterion == "gini" else measures.information_gain
    return measure(counts.tolist())


def best_cut(sums, codes, weights, n_classes, *, min_rows=1, min_gap=0.0, criterion="gini"):
    """(gain, below, above) of the first best cut between different finite sums, or None."""
    best = None
    finite = np.unique(sums[np.isfinite(sums)])
    for below, above in pairwise(finite):
        sides = (sums > below).astype(int)
        if above - below <= min_gap or np.bincount(sides, minlength=2).min() < min_rows:
            continue
        gain = gain_of(sides, codes, weights, n_classes, criterion)
        if best is None or gain > best[0] + 1e-12:
            best = gain, below, above
    return best


def best_pair(x, y, codes, n_classes):
    """The largest Gini gain of any line between the rows of two columns of whole numbers.

    Every way in which a line parts points is met by turning a line through two of them a little,
    so all lines through two points, with the points on it put to either side, are enough.
    """
    points = [(Fraction(int(a)), Fraction(int(b))) for a, b in zip(x, y, strict=True)]
    weights = np.ones(len(points))
    best = 0.0
    for first in points:
        for second in points:
            if first == second:
                continue
            slope = second[1] - first[1], first[0] - second[0]
            along = second[0] - first[0], second[1] - first[1]
            value = [slope[0] * a + slope[1] * b for a, b in points]
            level = slope[0] * first[0] + slope[1] * first[1]
            place = [along[0] * a + along[1] * b for a, b in points]
            for turn in sorted(set(place)):
                for before in (False, True):  # those on the line up to `turn` go left, or right
                    sides = np.array(
                        [
                            v > level or (v == level and (p <= turn) == before)
                            for v, p in zip(value, place, strict=True)
                        ],
                        dtype=int,
                    )
                    if sides.min() != sides.max():
                        best = max(best, gain_of(sides, codes, weights, n_classes))
    return best
