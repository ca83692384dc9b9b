"""The cp rule of rpart: a subtree must lower the risk by `cp` of the root's risk for each leaf."""

from treewright.pruning.cost_complexity_path import PathRule, least_price, node_prices
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree


def cut_by_cost(tree: Tree, cp: float) -> Tree:
    """The subtree whose every split is worth more than `cp` times the root's risk, as in rpart.

    From the leaves up, a subtree becomes a leaf when
    (risk of its node - risk of its leaves) / (leaves - 1) <= cp x risk of the root,
    so that at `cp=0` splits go that gain nothing. While the nodes above are weighed, a child
    that is worth less for each split than the node with it is taken for a leaf already: this
    is not the textbook's weakest link, but it is what rpart does.
    """
    rule = PathRule("error", cp)
    nodes = node_prices(tree, rule)
    useless = nodes.price <= least_price(nodes, rule)
    return make_leaves(tree, useless, "pruned") if useless.any() else tree
