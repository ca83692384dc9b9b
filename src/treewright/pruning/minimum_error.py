"""Minimum error pruning (Niblett and Bratko, 1986): errors to expect, not errors seen.

A node that predicts n rows with e errors expects a rate of (e + p m) / (n + m): as if m further
rows had come, a share p of them errors. A subtree expects the sum over its leaves. A leaf takes its
place where it expects no more errors.
"""

import numpy as np

from treewright.arrays import Floats
from treewright.pruning.bottom_up import Judgment, judge_bottom_up
from treewright.pruning.report import Pruned, cut_as_judged
from treewright.pruning.risk import ErrorCounts, error_counts
from treewright.pruning.row_loss import PruningRows
from treewright.tree.tree import Tree


def minimum_error(tree: Tree, rows: PruningRows | None = None, *, m: float | None) -> Pruned:
    """The tree whose expected errors are fewest.

    With `m` the further rows are of the classes of the training table, the m-estimate (Cestnik and
    Bratko, 1991); None adds one row of each class, Laplace's estimate.
    """
    return cut_as_judged(tree, judge(tree, m=m), "minimum_error", {"m": m}, "expected errors")


def judge(tree: Tree, *, m: float | None) -> Judgment:
    """The errors to expect at every node."""
    counts = error_counts(tree)
    n_further, errors_further = further_rows(tree, counts, m)
    as_leaf = expected(counts.weight, counts.errors, n_further, errors_further)
    at_inner = expected(counts.stopped_weight, counts.stopped_errors, n_further, errors_further)
    return judge_bottom_up(tree, as_leaf, at_inner)


def further_rows(tree: Tree, counts: ErrorCounts, m: float | None) -> tuple[float, Floats]:
    """How many rows are added to each node, and how many errors its prediction makes among them."""
    if m is None:
        n_further = float(counts.unit.sum())
        by_prediction = counts.errors_among(np.ones(tree.n_values))
    else:
        n_further = m
        by_prediction = counts.errors_among(tree.value[0] / counts.weight[0]) * m
    return n_further, by_prediction[tree.node_class]


def expected(weight: Floats, errors: Floats, n_further: float, errors_further: Floats) -> Floats:
    """Errors to expect of rows of this weight; none where no row came."""
    rate = (errors + errors_further) / np.where(weight > 0, weight + n_further, 1.0)
    return np.where(weight > 0, weight * rate, 0.0)
