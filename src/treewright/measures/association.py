"""How far a split and the classes are from having nothing to do with each other."""

import numpy as np
from numpy.typing import ArrayLike

from treewright.measures.counts import as_table, branch_shares, class_shares


def chi_square(table: ArrayLike) -> float:
    """Pearson's statistic: squared distance from the expected counts, in units of these.

    Its degrees of freedom are (branches - 1) x (classes - 1), empty ones left out.

    >>> round(chi_square([[2, 3], [4, 0], [3, 2]]), 10)  # outlook
    3.5466666667
    >>> chi_square([[1, 2], [2, 4]])
    0.0
    """
    branches = as_table(table)
    by_branch, by_class = branch_shares(branches), class_shares(branches)
    populated = np.ix_(by_branch > 0, by_class > 0)
    observed = (branches / max(branches.sum(), np.finfo(np.float64).tiny))[populated]
    by_branch, by_class = by_branch[populated[0]], by_class[populated[1]]
    excess = observed - by_branch * by_class
    excess[np.abs(excess) <= 1e-15 * observed] = 0.0  # rounding, where a share is as expected
    return float(branches.sum() * ((excess / by_branch) * (excess / by_class)).sum())
