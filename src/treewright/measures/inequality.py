"""The Gini index, with and without misclassification costs."""

import numpy as np
from numpy.typing import ArrayLike

from treewright.arrays import Floats
from treewright.measures.counts import (
    as_costs,
    as_counts,
    as_table,
    branch_shares,
    class_shares,
    shares,
)


def gini(counts: ArrayLike) -> float:
    """Probability that two rows drawn with replacement differ in class.

    >>> round(gini([9, 5]), 10)
    0.4591836735
    >>> gini([4, 0]), gini([3, 3])
    (0.0, 0.5)
    """
    weights = as_counts(counts)
    return float(_expected_cost(shares(weights), _equal_costs(len(weights))))


def gini_gain(table: ArrayLike) -> float:
    """Decrease of the Gini index by a split.

    >>> low_or_medium, high = [7, 3], [2, 2]  # income
    >>> round(gini([9, 5]) - gini_gain([low_or_medium, high]), 10)
    0.4428571429
    """
    branches = as_table(table)
    # Never negative; among subnormal numbers the rounding error is relatively larger.
    return max(0.0, _gain(branches, _equal_costs(branches.shape[1])))


def weighted_gini(counts: ArrayLike, costs: ArrayLike) -> float:
    """Expected cost of predicting the class of a row by that of another random row.

    The sum over i, j of costs[i][j] x share_i x share_j. With two classes, costs only rescale the
    Gini index.

    >>> round(weighted_gini([9, 5], [[0, 1], [1, 0]]), 10)
    0.4591836735
    >>> round(weighted_gini([9, 5], [[0, 1], [5, 0]]) / gini([9, 5]), 10)
    3.0
    """
    weights = as_counts(counts)
    return float(_expected_cost(shares(weights), as_costs(costs, len(weights))))


def weighted_gini_gain(table: ArrayLike, costs: ArrayLike) -> float:
    """Decrease of the expected cost by a split; it can be negative with three or more classes.

    >>> table = [[7, 3], [2, 2]]
    >>> round(weighted_gini_gain(table, [[0, 1], [5, 0]]) / gini_gain(table), 10)
    3.0
    """
    branches = as_table(table)
    return _gain(branches, as_costs(costs, branches.shape[1]))


def _gain(branches: Floats, costs: Floats) -> float:
    before = float(_expected_cost(class_shares(branches), costs))
    after = float(branch_shares(branches) @ _expected_cost(shares(branches), costs))
    rounding = 1e-15 * max(before, after)
    return 0.0 if abs(before - after) <= rounding else before - after


def _equal_costs(n_classes: int) -> Floats:
    """Every error costs one."""
    return 1.0 - np.eye(n_classes)


def _expected_cost(share: Floats, costs: Floats) -> Floats:
    """Over the last axis: sum of costs[i, j] x share[i] x share[j]."""
    return np.asarray(((share @ costs) * share).sum(axis=-1))
