"""DART: some earlier rounds are left out while a round grows (Rashmi and Gilad-Bachrach, 2015).

Without it, late trees only mend what few rows still lack. With k rounds left out, the new trees
meet their work again and add the part of it that the learning rate says. Then the new trees count
1 / (k + rate), and the k rounds k / (k + rate) of what they did: together as much as before, were
the new trees to find just the work that was left out. With a rate of 1 that is the paper's rule;
with a smaller one, the paper's would let every round take away more than it brings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright._kernels.learners import PackedTrees
from treewright.arrays import Floats
from treewright.ensembles.boosting.scored_rows import ScoredRows


def rounds_left_out(n_rounds: int, rate: float, seed: int) -> list[int]:
    """Each earlier round with probability `rate`; the same for the same seed and round."""
    lots = np.random.default_rng((seed, n_rounds, 1)).random(n_rounds)
    left_out: list[int] = np.flatnonzero(lots < rate).tolist()
    return left_out


def trees_of(rounds: Sequence[int], n_outputs: int) -> list[int]:
    """The numbers of the trees of some rounds."""
    return [number * n_outputs + output for number in rounds for output in range(n_outputs)]


def scores_of(
    trees: PackedTrees, rows: ScoredRows, rounds: Sequence[int], n_threads: int
) -> Floats:
    """(n_outputs, n_rows): what some rounds add to the scores."""
    added = np.zeros_like(rows.scores)
    n_outputs = len(added)
    for number in rounds:
        first = number * n_outputs
        added += rows.answers_of(trees, first, first + n_outputs, n_threads)
    return added


@dataclass(frozen=True, slots=True)
class Shares:
    """What trees count after a round, as parts of what they answered before it."""

    left_out: float  # of the rounds that were left out
    new: float  # of the round that grew meanwhile

    @classmethod
    def of(cls, n_left_out: int, learning_rate: float) -> "Shares":
        together = n_left_out + learning_rate
        return cls(n_left_out / together, 1.0 / together)


def share_out(trees: PackedTrees, rounds: Sequence[int], n_outputs: int, shares: Shares) -> None:
    """Scale the rounds that were left out, and the one that grew meanwhile, which is the last."""
    for number in trees_of(rounds, n_outputs):
        trees.scale(number, shares.left_out)
    for number in range(trees.n_trees - n_outputs, trees.n_trees):
        trees.scale(number, shares.new)
