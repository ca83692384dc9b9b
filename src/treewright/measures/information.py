"""Entropy, information gain, split information, gain ratio; chi-square."""

import numpy as np
from numpy.typing import ArrayLike

from treewright.arrays import Floats
from treewright.measures.counts import as_counts, as_table, branch_shares, class_shares, shares


def entropy(counts: ArrayLike) -> float:
    """Average number of bits that identify the class of a row of the group.

    >>> round(entropy([9, 5]), 10)
    0.9402859587
    >>> round(entropy([6, 2]), 10)
    0.8112781245
    >>> entropy([4, 0]), entropy([3, 3])
    (0.0, 1.0)
    """
    return float(_entropy_of_shares(shares(as_counts(counts))))


def conditional_entropy(table: ArrayLike) -> float:
    """Entropy of the classes given the branch: mean entropy of the branches.

    >>> round(conditional_entropy([[2, 3], [4, 0], [3, 2]]), 10)  # E(play, outlook)
    0.6935361389
    """
    branches = as_table(table)
    return float(branch_shares(branches) @ _entropy_of_shares(shares(branches)))


def information_gain(table: ArrayLike) -> float:
    """Decrease of entropy by a split.

    >>> round(information_gain([[2, 3], [4, 0], [3, 2]]), 10)  # outlook
    0.2467498198
    >>> round(information_gain([[3, 4], [6, 1]]), 10)  # humidity
    0.1518355014
    """
    branches = as_table(table)
    before = float(_entropy_of_shares(class_shares(branches)))
    # Rounding can make the gain slightly negative.
    return max(before - conditional_entropy(branches), 0.0)


def split_information(table: ArrayLike) -> float:
    """Entropy of the branch sizes.

    >>> round(split_information([[3, 1], [4, 2], [2, 2]]), 10)  # income
    1.5566567075
    """
    return float(_entropy_of_shares(branch_shares(as_table(table))))


def gain_ratio(table: ArrayLike) -> float:
    """Information gain per bit of split information; zero for a split into one branch.

    >>> round(gain_ratio([[3, 1], [4, 2], [2, 2]]), 10)  # income
    0.0187726462
    """
    information = split_information(table)
    return information_gain(table) / information if information > 0 else 0.0


def _entropy_of_shares(share: Floats) -> Floats:
    logarithm = np.log2(share, out=np.zeros_like(share), where=share > 0)
    # Adding 0.0 turns the -0.0 of a pure group into 0.0.
    return np.asarray(-(share * logarithm).sum(axis=-1) + 0.0)


def chi_square(table: ArrayLike) -> float:
    """Pearson's chi-square statistic: squared differences from the expected counts over these.

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
