"""Leaves as the textbook counts them."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


def leaves_text(tree: "Tree") -> str:
    """`8 leaves`; `697 leaves (512 if empty categories share one)` where some share a leaf."""
    n_nodes, n_textbook = int(tree.is_leaf.sum()), tree.n_leaves
    text = f"{n_textbook:,} {'leaf' if n_textbook == 1 else 'leaves'}"
    if n_textbook == n_nodes:
        return text
    return f"{text} ({n_nodes:,} if empty categories share one)"


def textbook_leaves(tree: "Tree") -> NDArray[np.int64]:
    """The leaves that each node stands for: 0 at a split, 1 at a leaf, more where levels share one.

    The levels that a branches node met in no training row share one empty leaf; a textbook draws a
    leaf for each.
    """
    return np.where(tree.is_leaf, leaves_if_cut(tree), 0)


def leaves_if_cut(tree: "Tree") -> NDArray[np.int64]:
    """The leaves that each node stands for if it is, or becomes, a leaf."""
    counts = np.ones(tree.n_nodes, dtype=np.int64)
    nodes = np.flatnonzero(tree.other_child >= 0)
    if len(nodes):
        n_levels = np.array([len(tree.schema.columns[f].levels) for f in tree.feature[nodes]])
        n_listed = tree.level_start[nodes + 1] - tree.level_start[nodes]
        counts[tree.other_child[nodes]] = np.maximum(n_levels - n_listed, 1)
    return counts


def knows_rows(tree: "Tree") -> bool:
    """Whether nodes count training rows; a tree that was written or imported may not."""
    return bool(tree.n_rows[0] > 0)


def has_weights(tree: "Tree") -> bool:
    """Whether training rows had weights, other than parts of a row with missing values.

    Parts of rows never weigh more than the rows. Weights do at some node, unless they are all 1:
    those that are not whole are scaled to a mean of 1.
    """
    n_rows, weight = tree.n_rows, tree.weight
    is_lighter = abs(float(weight[0]) - int(n_rows[0])) > ROUNDING * int(n_rows[0])
    return is_lighter or bool((weight > n_rows * (1 + ROUNDING)).any())


ROUNDING = 1e-9
LARGEST = np.finfo(np.float64).max  # of the sum over all nodes


def column_gains(tree: "Tree") -> Floats:
    """(n_columns,): the impurity, times weight, that all splits by a column take away.

    The columns of a weighted sum share what it takes away alike.
    """
    inner = np.flatnonzero(tree.feature >= 0)
    with np.errstate(over="ignore"):  # a file may hold such weights and gains
        taken = np.clip(tree.weight * tree.gain, 0.0, LARGEST / tree.n_nodes)
    gains = np.bincount(tree.feature[inner], taken[inner], minlength=tree.schema.n_columns)
    n_terms = np.diff(tree.term_start)
    if n_terms.any():
        part = np.repeat(taken / np.maximum(n_terms, 1), n_terms)
        gains = gains + np.bincount(tree.term_feature, part, minlength=tree.schema.n_columns)
    return gains.astype(np.float64)


def as_shares(gains: Floats) -> Floats:
    """Parts of their sum; zeros if that is zero."""
    total = gains.sum()
    return gains / total if total > 0 else gains
