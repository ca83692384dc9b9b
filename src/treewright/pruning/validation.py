"""Stopping growth by rows it has not seen: keep the splits up to the best moment.

Growth numbers its splits in the order it makes them. The tree after k splits is the grown tree
without the later ones, so one grown tree holds the whole history and nothing is grown twice.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

NodeLoss = Callable[[NDArray[np.intp], NDArray[np.intp]], Floats]

ROUNDING = 1e-12  # share of the first loss that counts as no gain


def stop_by_validation(
    tree: Tree, leaves: NDArray[np.integer], loss: NodeLoss, *, n_iter_no_change: int
) -> Tree:
    """The tree before `n_iter_no_change` splits in a row without gain on the validation rows.

    `leaves` are the nodes that predict the validation rows, and `loss(rows, nodes)` is what each of
    those rows loses if the node beside it predicts it.
    """
    losses = loss_after_each_split(tree, leaves, loss)
    kept = n_splits_worth(losses, n_iter_no_change=n_iter_no_change)
    late = tree.split_order >= kept
    return make_leaves(tree, late, "validation") if late.any() else tree


def loss_after_each_split(tree: Tree, leaves: NDArray[np.integer], loss: NodeLoss) -> Floats:
    """Total loss of the validation rows after 0, 1, 2 ... splits."""
    rows = np.arange(len(leaves))
    nodes = leaves.astype(np.intp)
    n_splits = int(tree.split_order.max()) + 1
    change = np.zeros(n_splits + 1)
    while len(rows):
        inside = nodes > 0
        change[0] += loss(rows[~inside], nodes[~inside]).sum()
        rows, nodes = rows[inside], nodes[inside]
        above = tree.parent[nodes].astype(np.intp)
        gained = loss(rows, nodes) - loss(rows, above)
        change += np.bincount(tree.split_order[above] + 1, gained, minlength=n_splits + 1)
        nodes = above
    return np.cumsum(change)


def n_splits_worth(losses: Floats, *, n_iter_no_change: int) -> int:
    """How many splits to keep: those before the lowest loss that is found in time."""
    best, lowest = 0, losses[0]
    rounding = ROUNDING * abs(losses[0])
    for n_splits, total in enumerate(losses.tolist()):
        if total < lowest - rounding:
            best, lowest = n_splits, total
        elif n_splits - best >= n_iter_no_change:
            break
    return best
