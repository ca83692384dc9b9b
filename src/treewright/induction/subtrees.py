"""A tree whose subtrees are grown elsewhere: the same tree, wherever the work is done.

grow_top      the top of the tree, and the nodes where it ends
SubtreeTable  grows the subtrees of such nodes, from a copy of the same table
joined        the whole tree
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright._kernels import learners as grower
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.stored_table import folder_of, room_in_folder
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import (
    TreeArrays,
    check_target,
    moderate,
    native_columns,
    rescale,
    tree_of,
)
from treewright.induction.settings import GrowthSettings
from treewright.tree.rebuild import graft_all
from treewright.tree.tree import Tree

HandedNode = dict[str, Any]  # the rows of a node and its place, as the compiled code has them


def grow_top(  # noqa: PLR0913 -- what a tree is made of
    table: Table,
    target: ClassTarget | NumericTarget,
    weights: Floats | None,
    settings: GrowthSettings,
    n_threads: int,
    most_rows: int,
    least_rows: int = 0,
) -> tuple[Tree, list[HandedNode]]:
    """The tree down to nodes of at most `most_rows`, or of somewhat more, and these nodes.

    The subtrees of nodes of fewer than `least_rows` are in the tree.
    The criterion is a name: a function would have to look at rows that are elsewhere. A tree that
    makes its best splits first is whole.
    """
    check_target(target, settings)
    classes = target.classes if isinstance(target, ClassTarget) else None
    weights, scale = moderate(weights)
    with room_in_folder():
        arrays, nodes = grower.grow_top(
            native_columns(table),
            target.codes if isinstance(target, ClassTarget) else target.values,
            weights,
            0 if classes is None else len(classes),
            settings.native(total_weight(target, weights)),
            most_rows,
            least_rows,
            n_threads,
            folder_of(table),
        )
    rescale(arrays, scale, is_classification=classes is not None)
    return tree_of(arrays, Schema.of(table, target.format), classes, settings), nodes


def total_weight(target: ClassTarget | NumericTarget, weights: Floats | None) -> float:
    return float(target.n_rows if weights is None else weights.sum())


class SubtreeTable:
    """A table in order, on which subtrees grow."""

    def __init__(
        self,
        table: Table,
        target: ClassTarget | NumericTarget,
        weights: Floats | None,
        settings: GrowthSettings,
        n_threads: int,
    ) -> None:
        weights, self._scale = moderate(weights)
        self._is_classification = isinstance(target, ClassTarget)
        self._n_threads = n_threads
        with room_in_folder():
            self._kernel = grower.SubtreeTable(
                native_columns(table),
                target.codes if isinstance(target, ClassTarget) else target.values,
                weights,
                len(target.classes) if isinstance(target, ClassTarget) else 0,
                settings.native(total_weight(target, weights)),
                n_threads,
                folder_of(table),
            )

    def grow(self, node: HandedNode) -> TreeArrays:
        """The subtree of a node of `grow_top` with the same table and settings."""
        with room_in_folder():
            arrays: TreeArrays = self._kernel.grow(node, self._n_threads)
        rescale(arrays, self._scale, is_classification=self._is_classification)
        return arrays


def joined(top: Tree, subtrees: Sequence[TreeArrays]) -> Tree:
    """The tree, of its top and of the subtree of each node that was handed over."""
    places = np.flatnonzero(top.is_leaf & (top.split_order >= 0))
    branches = {
        int(place): top.with_arrays(subtrees[number])
        for place, number in zip(places, top.split_order[places], strict=True)
    }
    return graft_all(top, branches)[0]
