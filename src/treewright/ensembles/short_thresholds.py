"""What is printed for the thresholds of many trees, when one of the trees is printed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.distinct import distinct
from treewright.ensembles.packed import PackedTreeSequence
from treewright.tree.kinds import LEAF
from treewright.tree.short_thresholds import FEW_ROWS, plain_thresholds
from treewright.tree.tree import Float64Array, Tree

MOST_ROWS_OF_BINS = 200_000  # a column has at most 255 bins, so that sorting it is cheap


def with_short_thresholds(
    trees: Sequence[Tree], schema: Schema, table: Table
) -> tuple[Sequence[Tree], Schema]:
    """Trees and schema that know how to print thresholds for the rows of the table.

    All trees share the schema. With very many rows nothing is found out: thresholds are then
    printed exactly.
    """
    is_packed = isinstance(trees, PackedTreeSequence)
    if table.n_rows > (MOST_ROWS_OF_BINS if is_packed else FEW_ROWS):
        return trees, schema
    found = schema.with_cuts(thresholds_by_name(trees, schema), table)
    if isinstance(trees, PackedTreeSequence):
        return PackedTreeSequence(trees.packed, found, trees.classes, trees.unseen), found
    return tuple(replace(tree, schema=found) for tree in trees), found


def thresholds_by_name(trees: Sequence[Tree], schema: Schema) -> dict[str, Float64Array]:
    """All thresholds that trees may ask of each column."""
    if isinstance(trees, PackedTreeSequence):
        arrays = trees.arrays()
        cuts = np.split(arrays["cuts"], arrays["cut_start"][1:-1])
        return {name: own for name, own in zip(schema.names, cuts, strict=True) if len(own)}
    asked = [plain_thresholds(tree, tree.kind != LEAF, runners_up=True) for tree in trees]
    column = np.concatenate([columns for columns, _ in asked])
    threshold = np.concatenate([thresholds for _, thresholds in asked])
    return {schema.names[at]: threshold[column == at] for at in distinct(column).tolist()}
