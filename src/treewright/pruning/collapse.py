"""C4.5's collapse: a subtree that answers the training rows no better than a leaf goes."""

from treewright.pruning.risk import node_risk, risk_of_stopped_rows, sums_over_leaves
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

TOLERANCE = 1e-3  # in units of row weight, as in C4.5 release 8


def collapse(tree: Tree) -> Tree:
    """The tree without subtrees that make no fewer training errors than a leaf would."""
    if tree.n_nodes == 1:
        return tree
    as_leaf = node_risk(tree)
    as_subtree = sums_over_leaves(tree, as_leaf, risk_of_stopped_rows(tree))
    useless = ~tree.is_leaf & (as_subtree >= as_leaf - TOLERANCE)
    return make_leaves(tree, useless, "collapsed") if useless.any() else tree
