"""The cp rule of rpart: a subtree must lower the risk by `cp` of the root's risk for each split."""

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.risk import node_risk
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

ROUNDING = 1e-12  # share of a node's own risk below which a difference of two risks is rounding


def cut_by_cost(tree: Tree, cp: float) -> Tree:
    """The subtree whose every split is worth more than `cp` times the root's risk, as in rpart.

    From the leaves up, a subtree becomes a leaf when
    (risk of its node - risk of its leaves) / (leaves - 1) <= cp x risk of the root,
    so that at `cp=0` splits go that gain nothing. While the nodes above are weighed, a child
    that is worth less for each split than the node with it is taken for a leaf already: this
    is not the textbook's weakest link, but it is what rpart does.
    """
    useless = subtrees_not_worth(tree, cp)
    return make_leaves(tree, useless, "pruned") if useless.any() else tree


def subtrees_not_worth(tree: Tree, cp: float) -> NDArray[np.bool_]:
    """The inner nodes whose subtree costs more than it saves."""
    own_risk = node_risk(tree)
    if own_risk[0] > 0:
        own_risk = own_risk / own_risk[0]
    as_leaf: list[float] = own_risk.tolist()
    as_subtree = list(as_leaf)
    n_splits = [0] * tree.n_nodes
    worth = [0.0] * tree.n_nodes  # risk saved by each split of the subtree
    useless = np.zeros(tree.n_nodes, dtype=np.bool_)
    first_child: list[int] = tree.first_child.tolist()
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():  # children come after their parents
        children = range(first_child[node], first_child[node] + int(tree.n_children[node]))
        risk = sum(as_subtree[child] for child in children)
        splits = 1 + sum(n_splits[child] for child in children)
        rounding = ROUNDING * as_leaf[node]
        saved = (as_leaf[node] - risk) / splits
        for child in sorted(children, key=worth.__getitem__):
            if saved <= worth[child] + rounding:
                break
            risk += as_leaf[child] - as_subtree[child]
            splits -= n_splits[child]
            saved = (as_leaf[node] - risk) / splits
        useless[node] = saved <= cp + rounding
        if not useless[node]:
            as_subtree[node], n_splits[node], worth[node] = risk, splits, saved
    return useless
