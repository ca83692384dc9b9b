"""Impurity measures of a group, and the gain of a split.

`counts` are the class weights of one group; a `table` has one row per branch of a split
and one column per class. Logarithms are to base 2, as in the lecture notes.

>>> from treewright.measures import entropy, information_gain
>>> round(entropy([9, 5]), 3)  # 9 days with a game, 5 without
0.94
>>> outlook = [[2, 3], [4, 0], [3, 2]]  # sunny, overcast, rain
>>> round(information_gain(outlook), 3)
0.247
"""

from treewright.measures.inequality import gini, gini_gain, weighted_gini, weighted_gini_gain
from treewright.measures.information import (
    chi_square,
    conditional_entropy,
    entropy,
    gain_ratio,
    information_gain,
    split_information,
)
from treewright.measures.spread import absolute_error, least_squares, poisson_deviance, variance

__all__ = [
    "absolute_error",
    "chi_square",
    "conditional_entropy",
    "entropy",
    "gain_ratio",
    "gini",
    "gini_gain",
    "information_gain",
    "least_squares",
    "poisson_deviance",
    "split_information",
    "variance",
    "weighted_gini",
    "weighted_gini_gain",
]


def __dir__() -> list[str]:
    return sorted(__all__)
