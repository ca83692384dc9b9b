"""Hierarchical shrinkage: every node's prediction is pulled toward that of its ancestors.

After Agarwal, Tan, Ronen, Singh and Yu (2022). A leaf of few rows says little about new rows, and
its parent has more of them. The shape of the tree does not change.
"""

from dataclasses import replace

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.tree.layout import read_only
from treewright.tree.predictions import class_shares
from treewright.tree.tree import Tree


def shrunk(tree: Tree, strength: float, prior: float = 0.0) -> Tree:
    """The tree whose nodes predict their parent's shrunk value plus a part of the difference.

    From the root down, value = parent's shrunk value + (own - parent's own) / (1 + strength / n),
    where n is the weight of the parent's training rows. Values are class shares or means. The root
    keeps its own. 0 leaves the tree as it is, and infinity makes every node predict as the root.

    With `prior`, the root has so many rows more, of equal shares of all classes: then no class has
    the share 0 anywhere, even if none of the training rows is of this class.
    """
    if not strength >= 0:
        raise ParameterError(f"the strength of shrinkage is {strength}, not a number from 0 on")
    if strength == 0:
        return tree
    if tree.classes is None:
        return replace(tree, value=read_only(shrunk_values(tree, tree.value, strength)))
    # Shares of the training weight: factors for classes come after them, as without shrinkage.
    total = tree.value.sum(axis=1, keepdims=True)
    shares = class_shares(tree.value, np.ones(tree.n_values))
    shares[0] = (tree.value[0] + prior / tree.n_values) / (total[0] + prior) if prior else shares[0]
    found = np.maximum(shrunk_values(tree, shares, strength), 0.0)  # rounding can go below zero
    return replace(tree, value=read_only(found * np.where(total > 0, total, 1.0)))


def shrunk_values(tree: Tree, value: Floats, strength: float) -> Floats:
    """(n_nodes, n_values): `value` of each node of the tree, shrunk."""
    ancestor = np.maximum(tree.parent, 0)
    weight = tree.weight[ancestor, np.newaxis]
    # Strength 1 at the parent's weight n keeps n / (n + 1) of the difference; nothing of n = 0.
    kept = weight / (weight + strength) if np.isfinite(strength) else np.zeros_like(weight)
    step: Floats = (value - value[ancestor]) * kept
    # Add up the steps from the root to each node. Every round doubles the number of ancestors that
    # are in the sum, so a chain of nodes takes few rounds too.
    while ancestor.any():
        step += step[ancestor]
        ancestor = ancestor[ancestor]
    step += value[0]
    return step
