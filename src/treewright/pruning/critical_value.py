"""Critical value pruning (Mingers, 1987): a split must reach a value, or one below it must.

The value is the one that growth gave the split: what it was chosen by, or its gain. A weak split
stays where a strong one needs it.
"""

import numpy as np

from treewright.arrays import Floats
from treewright.pruning.bottom_up import nodes_by_depth
from treewright.pruning.report import Grounds, Pruned, cut_to_leaves
from treewright.pruning.row_loss import PruningRows
from treewright.tree.tree import Tree


def critical_value(tree: Tree, rows: PruningRows | None = None, *, value: float, by: str) -> Pruned:
    """The tree without subtrees in which no split reaches `value`."""
    highest = highest_below(tree, tree.score if by == "score" else tree.gain)
    grounds = Grounds(
        "critical_value",
        {"value": value, "by": by},
        f"the critical value, and the highest {by} in the subtree",
        as_leaf=np.full(tree.n_nodes, value),
        as_subtree=highest,
    )
    return cut_to_leaves(tree, highest < value, grounds)


def highest_below(tree: Tree, worth: Floats) -> Floats:
    """For every node, the largest `worth` of the splits below and at it; -inf at a leaf."""
    highest = np.where(tree.is_leaf, -np.inf, worth)
    for nodes in reversed(nodes_by_depth(tree)[1:]):
        np.maximum.at(highest, tree.parent[nodes], highest[nodes])
    return highest
