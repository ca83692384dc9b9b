"""Reduced-error pruning: rows that growth has not seen say whether a subtree is worth keeping.

From the leaves up, a subtree becomes a leaf where the leaf predicts the validation rows no worse:
with no more wrong weight (or cost), or, for numbers, no larger squared error.
"""

import numpy as np

from treewright.arrays import Floats
from treewright.pruning.bottom_up import judge_bottom_up
from treewright.pruning.report import Grounds, Pruned, cut_to_leaves
from treewright.pruning.row_loss import PruningRows, exponent_of, predictions_of_nodes
from treewright.tree.predict import predict_parts
from treewright.tree.tree import Tree

LARGEST_UNIT = 950  # as a power of two: larger squares are given in this unit, to stay finite


def reduced_error(tree: Tree, rows: PruningRows | None) -> Pruned:
    """The tree without subtrees that predict the rows no better than a leaf would."""
    assert rows is not None
    exponent = 0 if rows.values is None else exponent_of(rows.values, tree.value)
    as_leaf, at_inner = losses_of_nodes(tree, rows, exponent)
    judged = judge_bottom_up(tree, as_leaf, at_inner)
    unit = 2.0 ** min(2 * exponent, LARGEST_UNIT)
    shown = (as_leaf * unit, judged.as_subtree * unit)
    grounds = Grounds("reduced_error", {}, measure_of(tree), *shown)
    return cut_to_leaves(tree, judged.cut, grounds)


def measure_of(tree: Tree) -> str:
    """What is compared, in words."""
    if not tree.is_classifier:
        return "squared error in validation"
    is_plain = tree.costs is None and bool((tree.class_factor == 1).all())
    return "errors in validation" if is_plain else "cost of errors in validation"


def losses_of_nodes(tree: Tree, rows: PruningRows, exponent: int = 0) -> tuple[Floats, Floats]:
    """What the rows lose at every node if it is a leaf, and those that end at an inner node.

    Numbers lose what they would lose if they were divided by 2 ** exponent.
    """
    loss = rows.loss(tree, "squared_error", exponent)
    predictions = predictions_of_nodes(tree)
    as_leaf = np.zeros(tree.n_nodes)
    at_end = None
    parts = predict_parts(tree, rows.table)
    row, node = parts.row, parts.node.astype(np.intp)
    weight = parts.share * rows.weights[row]
    while len(row):  # up from where the rows end: they passed every node above
        each = weight * loss(row, predictions[node])
        lost = np.asarray(np.bincount(node, each, minlength=tree.n_nodes), dtype=np.float64)
        as_leaf += lost
        at_end = lost if at_end is None else at_end
        inside = node > 0
        row, weight, node = row[inside], weight[inside], tree.parent[node[inside]].astype(np.intp)
    return as_leaf, np.where(tree.is_leaf, 0.0, 0.0 if at_end is None else at_end)
