"""The compiled search for optimal trees."""

from treewright._kernels._native import OptimalLimits, best_tree

# Kinds of question families, as in native/core/optimal/problem.hpp.
MISSING_LAST, MISSING_FIRST, SET, SET_WITH_MISSING = range(4)

__all__ = [
    "MISSING_FIRST",
    "MISSING_LAST",
    "SET",
    "SET_WITH_MISSING",
    "OptimalLimits",
    "best_tree",
]
