"""What the trees of a forest answer together."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.ensembles.packed import PackedTreeSequence
from treewright.tree.predict import predict_leaves, predict_values, predicted_classes
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]
Rows = Table | NDArray[Any]


def mean_answers(trees: Sequence[Tree], rows: Rows, n_threads: int) -> Float64Array:
    """(n_rows, n_values): class shares or means, averaged over the trees."""
    if isinstance(trees, PackedTreeSequence):
        if trees.classes is None:
            return trees.mean_values(rows, n_threads)[:, None]
        return trees.mean_shares(rows, n_threads)
    total: Float64Array = sum(
        (predict_values(tree, rows, n_threads) for tree in trees), start=np.zeros(1)
    )
    return total / len(trees)


def vote_shares(trees: Sequence[Tree], rows: Rows, n_threads: int) -> Float64Array:
    """(n_rows, n_classes): the share of the trees that answer with each class."""
    if isinstance(trees, PackedTreeSequence):
        return trees.mean_shares(rows, n_threads, hard=True)
    votes = sum((votes_of(tree, rows, n_threads) for tree in trees), start=np.zeros(1))
    shares: Float64Array = votes / len(trees)
    return shares


def votes_of(tree: Tree, rows: Rows, n_threads: int = 1) -> Float64Array:
    """(n_rows, n_classes): 1 for the class that a tree answers with, 0 for the others."""
    shares = predict_values(tree, rows, n_threads)
    votes = np.zeros_like(shares)
    votes[np.arange(len(votes)), predicted_classes(tree, shares)] = 1.0
    return votes


def leaves_of_trees(trees: Sequence[Tree], rows: Rows, n_threads: int) -> NDArray[np.int32]:
    """(n_rows, n_trees): the node of each tree that answers each row."""
    if isinstance(trees, PackedTreeSequence):
        return trees.leaves(rows, n_threads)
    return np.stack([predict_leaves(tree, rows, n_threads) for tree in trees], axis=1)
