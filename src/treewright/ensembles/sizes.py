"""What the trees of an ensemble are together; packed ones are not unpacked for it."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from treewright.ensembles.packed import PackedTreeSequence
from treewright.tree.tree import Tree


def n_nodes_of(trees: Sequence[Tree]) -> int:
    """Nodes of all trees."""
    if isinstance(trees, PackedTreeSequence):
        return trees.packed.n_nodes
    return sum(tree.n_nodes for tree in trees)


def n_leaves_of(trees: Sequence[Tree]) -> int:
    """Leaves of all trees."""
    if isinstance(trees, PackedTreeSequence):  # these have two children at every split
        return (trees.packed.n_nodes + len(trees)) // 2
    return sum(tree.n_leaves for tree in trees)


def n_bytes_of(trees: Sequence[Tree]) -> int:
    """What all trees take in memory, without what they find out when they are asked."""
    if isinstance(trees, PackedTreeSequence):
        return trees.packed.nbytes
    names = [one.name for one in fields(Tree)]
    arrays = (getattr(tree, name) for tree in trees for name in names)
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def unseen_by(trees: Sequence[Tree]) -> str | None:
    """What the trees do with a level that training never met; None where there is no tree."""
    if isinstance(trees, PackedTreeSequence):
        return trees.unseen
    return trees[-1].unseen if len(trees) else None
