"""Pessimistic pruning (Quinlan, 1987): training errors, corrected for their optimism.

Every leaf is charged half an error more than it makes, the continuity correction of the binomial
distribution. A subtree becomes a leaf when the leaf's corrected errors are within one standard
error of the subtree's.
"""

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.pruning.bottom_up import ROUNDING, Judgment, judge_bottom_up
from treewright.pruning.report import Pruned, cut_as_judged
from treewright.pruning.risk import error_counts, sums_over_leaves
from treewright.pruning.row_loss import PruningRows
from treewright.tree.tree import Tree

CORRECTION = 0.5  # errors, for each leaf


def pessimistic(
    tree: Tree, rows: PruningRows | None = None, *, standard_errors: float, order: str
) -> Pruned:
    """The tree without subtrees that are no better than a leaf within `standard_errors`.

    From the top down each subtree is judged as it was grown, as Quinlan did; from the bottom up,
    as it is after the cuts below.
    """
    judged = judge(tree, standard_errors=standard_errors, order=order)
    options = {"standard_errors": standard_errors, "order": order}
    return cut_as_judged(tree, judged, "pessimistic", options, "corrected errors")


def judge(tree: Tree, *, standard_errors: float, order: str) -> Judgment:
    """The corrected errors at every node."""
    counts = error_counts(tree)
    as_leaf = counts.errors + CORRECTION * (counts.weight > 0)
    at_inner = counts.stopped_errors + CORRECTION * (counts.stopped_weight > 0)

    def rule(nodes: NDArray[np.intp], as_leaf: Floats, as_subtree: Floats) -> NDArray[np.bool_]:
        weight, errors = counts.weight[nodes], as_subtree[nodes]
        right = np.maximum(weight - errors, 0.0) / np.where(weight > 0, weight, 1.0)
        deviation = np.sqrt(errors) * np.sqrt(right)
        within = (1 + ROUNDING) * errors + standard_errors * deviation
        return np.less_equal(as_leaf[nodes], within)

    if order == "bottom_up":
        return judge_bottom_up(tree, as_leaf, at_inner, rule)
    as_subtree = sums_over_leaves(tree, as_leaf, at_inner)
    cut = rule(np.arange(tree.n_nodes), as_leaf, as_subtree)
    return Judgment(as_leaf, at_inner, as_subtree, as_subtree, cut)
