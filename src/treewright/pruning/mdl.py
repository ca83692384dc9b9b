"""MDL pruning (after Quinlan and Rivest, 1989): the shortest description of all classes.

The message to a receiver who knows the columns of all training rows but not their classes has two
parts: the tree, and for each leaf the rows that are exceptions to its class. A subtree goes where
the message is no longer without it. All lengths are in bits:

- each node: 1, whether it is a leaf;
- a leaf that rows came to, and a split at which rows stopped: log2 k, which of the k classes it
  predicts;
- exceptions, e of n rows: log2(n + 1) for their number, log2(n choose e) for which they are,
  e log2(k - 1) for their classes;
- a split: log2 of the number of columns, and `choice_bits` for the question.
"""

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.pruning.bottom_up import Judgment, judge_bottom_up
from treewright.pruning.report import Pruned, cut_as_judged
from treewright.pruning.risk import error_counts
from treewright.pruning.row_loss import PruningRows
from treewright.tree.layout import INTERVALS, OBLIQUE, SUBSET, THRESHOLD
from treewright.tree.tree import Tree

LARGEST = 1e300  # the logarithm of its factorial is still a float


def mdl(tree: Tree, rows: PruningRows | None = None, *, structure: float) -> Pruned:
    """The tree of the shortest message; bits that describe the tree count `structure` times."""
    judged = judge(tree, structure=structure)
    return cut_as_judged(tree, judged, "mdl", {"structure": structure}, "bits")


def judge(tree: Tree, *, structure: float) -> Judgment:
    """The bits of every node as a leaf and with its subtree."""
    counts = error_counts(tree)
    n_classes = tree.n_values
    class_bits = structure * float(portable.log2(n_classes))
    as_leaf = structure + np.where(counts.weight > 0, class_bits, 0.0)
    as_leaf += exception_bits(counts.weight, counts.errors, n_classes)
    at_inner = structure * split_bits(tree) + np.where(counts.stopped_weight > 0, class_bits, 0.0)
    at_inner += exception_bits(counts.stopped_weight, counts.stopped_errors, n_classes)
    return judge_bottom_up(tree, as_leaf, at_inner)


def exception_bits(weight: Floats, errors: Floats, n_classes: int) -> Floats:
    """Bits to describe the exceptions among rows of this weight; 0 where there are no rows."""
    reached = weight > 0
    n, e = weight[reached], np.minimum(errors, weight)[reached]  # rounding may leave more errors
    bits = np.zeros(len(weight))
    of_class = float(portable.log2(max(n_classes - 1, 1)))
    bits[reached] = portable.log2(n + 1) + log2_choose(n, e) + e * of_class
    return bits


def split_bits(tree: Tree) -> Floats:
    """Bits to describe each split: that it is one, its column, its choice; 0 at a leaf."""
    bits = 1.0 + float(portable.log2(tree.schema.n_columns)) + choice_bits(tree)
    return np.where(tree.is_leaf, 0.0, bits)


def choice_bits(tree: Tree) -> Floats:
    """Bits to describe which of the possible splits of its column each node has.

    Between rows of weight n lie at most n - 1 thresholds, between l levels l - 1. Branches leave no
    choice. A set of l levels is one of 2^(l - 1) - 1; c cuts are one choice of c thresholds, and c
    itself is described. A sum of columns describes the column and the weight of each term.
    """
    thresholds = thresholds_to_choose(tree)
    bits = np.zeros(tree.n_nodes)
    at = tree.kind == THRESHOLD
    bits[at] = portable.log2(thresholds[at])
    at = tree.kind == INTERVALS
    n_cuts = np.diff(tree.cut_start)[at].astype(np.float64)
    most = np.maximum(thresholds[at], n_cuts)
    bits[at] = portable.log2(most) + log2_choose(most, n_cuts)
    at = tree.kind == SUBSET
    n_sides = np.maximum(np.diff(tree.level_start)[at], 2) - 1.0
    bits[at] = n_sides + portable.log2(1 - portable.exp2(-n_sides))
    at = tree.kind == OBLIQUE
    n_terms = np.diff(tree.term_start)[at]
    bits[at] = (n_terms + 1) * portable.log2(thresholds[at]) + n_terms * float(
        portable.log2(tree.schema.n_columns)
    )
    return bits


def thresholds_to_choose(tree: Tree) -> Floats:
    """The thresholds that a split of each node could have, at least 1."""
    between_rows = tree.weight - 1
    n_levels = np.array([len(column.levels) for column in tree.schema.columns] + [0])
    between_levels = n_levels[tree.feature] - 1  # -1, several columns, reads the last
    chosen = np.where(between_levels >= 0, between_levels, between_rows)
    return np.maximum(chosen, 1.0)


def log2_choose(n: Floats, k: Floats) -> Floats:
    """log2 of n choose k, for fractions of rows too."""
    return (log_factorial(n) - log_factorial(k) - log_factorial(n - k)) / portable.LOG_2


def log_factorial(n: Floats) -> Floats:
    return portable.log_gamma(np.minimum(n, LARGEST) + 1.0)
