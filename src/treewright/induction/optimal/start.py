"""Where the search for an optimal tree begins: with the tree that CART grows."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.data.weights import are_counts
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.tree.predict import predict_leaves
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.induction.optimal.search import OptimalSettings

Int64Array = NDArray[np.int64]


class Start(NamedTuple):
    """A tree, and its cost in the whole numbers of the search."""

    tree: Tree
    cost: int


def greedy_tree(
    table: Table,
    target: ClassTarget,
    weights: NDArray[np.float64] | None,
    settings: "OptimalSettings",
    n_threads: int,
) -> Tree:
    """The tree that chooses one Gini split after the other from these questions.

    Where a column has too many levels for the search to try all sets, this may be the better tree.
    """
    asked = GrowthSettings(
        criterion="gini",
        nominal="one_vs_rest" if settings.nominal == "one_vs_rest" else "subset",
        missing="learned",
        unseen=settings.unseen,
        max_depth=settings.max_depth,
        max_leaf_nodes=settings.most_leaves,
        min_samples_leaf=settings.min_samples_leaf,
        min_weight_fraction_leaf=settings.min_weight_fraction_leaf,
        weights_are_counts=weights is not None and are_counts(weights),
        n_competitors=0,
    )
    return grow_tree(table, target, weights, asked, n_threads)


def cut_to_least_cost(
    tree: Tree, table: Table, target: ClassTarget, whole: Int64Array, price: int
) -> Start:
    """The tree without splits that save no more errors than their leaves cost."""
    counts = np.zeros((tree.n_nodes, target.n_classes), dtype=np.int64)
    np.add.at(counts, (predict_leaves(tree, table), target.codes), whole)
    for node in range(tree.n_nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    as_leaf = counts.sum(axis=1) - counts.max(axis=1) + price
    below = np.zeros(tree.n_nodes, dtype=np.int64)
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    cost = as_leaf.copy()
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf[node]:
            cut[node] = as_leaf[node] <= below[node]
            cost[node] = min(as_leaf[node], below[node])
        if node:
            below[tree.parent[node]] += cost[node]
    return Start(make_leaves(tree, cut, "collapsed"), int(cost[0]))
