"""The cp rule: a subtree must lower the risk by `cp` of the root's risk for each of its splits."""

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.risk import node_risk, risk_of_stopped_rows
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

ROUNDING = 1e-12  # share of the root's risk below which a difference of two risks is rounding


def cut_by_cost(tree: Tree, cp: float) -> Tree:
    """The smallest subtree of least risk when every split costs `cp` times the root's risk.

    From the leaves up, a subtree becomes a leaf when
    (risk of its node - risk of its leaves) / (leaves - 1) <= cp x risk of the root,
    so that at `cp=0` splits go that gain nothing.
    """
    useless = subtrees_not_worth(tree, cp)
    return make_leaves(tree, useless, "pruned") if useless.any() else tree


def subtrees_not_worth(tree: Tree, cp: float) -> NDArray[np.bool_]:
    """The inner nodes whose subtree costs more than it saves."""
    as_leaf: list[float] = node_risk(tree).tolist()
    as_subtree: list[float] = risk_of_stopped_rows(tree).tolist()  # the leaves are added below
    n_leaves = [0] * tree.n_nodes
    useless = np.zeros(tree.n_nodes, dtype=np.bool_)
    is_leaf: list[bool] = tree.is_leaf.tolist()
    parent: list[int] = tree.parent.tolist()
    price = cp * as_leaf[0]
    rounding = ROUNDING * as_leaf[0]
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if not is_leaf[node]:
            saved = as_leaf[node] - as_subtree[node]
            useless[node] = saved <= price * (n_leaves[node] - 1) + rounding
        if is_leaf[node] or useless[node]:
            as_subtree[node] = as_leaf[node]
            n_leaves[node] = 1
        if node > 0:
            as_subtree[parent[node]] += as_subtree[node]
            n_leaves[parent[node]] += n_leaves[node]
    return useless
