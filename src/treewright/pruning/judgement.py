"""Judgement: what a pruning method estimates at every node of a tree, and what it would cut."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.bottom_up import Rule, decide_bottom_up, leaf_is_no_worse
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """One entry per node."""

    as_leaf: Float64Array
    at_inner: Float64Array  # what a split adds to its branches, and rows that stop there
    as_subtree: Float64Array
    worth: Float64Array  # what the node adds to the subtree above it
    cut: NDArray[np.bool_]


def judged_bottom_up(
    tree: Tree, as_leaf: Float64Array, at_inner: Float64Array, rule: Rule = leaf_is_no_worse
) -> Judgement:
    """The judgement of a method that decides every inner node, children first."""
    decided = decide_bottom_up(tree, as_leaf, at_inner, rule)
    worth = np.where(decided.cut, as_leaf, decided.as_subtree)
    return Judgement(as_leaf, at_inner, decided.as_subtree, worth, decided.cut)
