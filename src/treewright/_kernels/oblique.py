"""The compiled search for sums of columns that part the rows of a node."""

from treewright._kernels._native import (
    ObliqueImpurity,
    ObliqueSettings,
    ObliqueTarget,
    best_sum_cut,
    search_sums,
)

IMPURITIES = {
    "gini": ObliqueImpurity.gini,
    "entropy": ObliqueImpurity.entropy,
}

__all__ = [
    "IMPURITIES",
    "ObliqueSettings",
    "ObliqueTarget",
    "best_sum_cut",
    "search_sums",
]
