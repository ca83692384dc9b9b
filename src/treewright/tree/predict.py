"""Prediction: rows in, class shares, means, leaves or classes out.

Rows are a float array where every column of the tree's schema is numeric, or a `Table` that
`Schema.encode` has made to fit.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import Predictor
from treewright._kernels.predictor import RowParts
from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.tree.layout import BRANCHES, SPREAD, SUBSET
from treewright.tree.predictions import cheapest_classes

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

KERNEL_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def predict_values(tree: "Tree", rows: Table | NDArray[Any], n_threads: int = 1) -> Floats:
    """(n_rows, n_values): the class shares, or the mean, that the tree predicts for each row."""
    return tree.predictor.values(kernel_rows(rows), n_threads)


def predict_leaves(
    tree: "Tree", rows: Table | NDArray[Any], n_threads: int = 1
) -> NDArray[np.int32]:
    """(n_rows,): the node that predicts each row; of several, the one with the largest share."""
    return tree.predictor.leaves(kernel_rows(rows), n_threads)


def predict_parts(tree: "Tree", rows: Table | NDArray[Any]) -> RowParts:
    """Every node that predicts a part of a row, with its share of the row."""
    return tree.predictor.parts(kernel_rows(rows))


def predicted_classes(tree: "Tree", shares: Floats) -> NDArray[np.intp]:
    """Index into `tree.classes` of the prediction for each row of class shares."""
    return cheapest_classes(shares, tree.costs)


def build_predictor(tree: "Tree", predictions: Floats | None = None) -> Predictor:
    """The compiled form of the tree; with `predictions` (n_nodes, n_values) in place of its own."""
    if predictions is None:
        predictions = tree.value if tree.classes is None else tree.probabilities
    to_majority = tree.unseen == "majority"
    return Predictor(tree, predictions, column_levels(tree), unseen_to_majority=to_majority)


def column_levels(tree: "Tree") -> NDArray[np.int32]:
    """The number of levels of each column as kernels take it: -1 for a numeric one."""
    return schema_levels(tree.schema)


def schema_levels(schema: Schema) -> NDArray[np.int32]:
    """The same for the columns of a schema."""
    n_levels = [-1 if column.kind == "numeric" else len(column.levels) for column in schema.columns]
    return np.array(n_levels, dtype=np.int32)


def kernel_rows(rows: Table | NDArray[Any]) -> NDArray[Any] | list[NDArray[Any]]:
    """The arrays the kernel reads, without copies where the types allow."""
    if isinstance(rows, np.ndarray):
        return rows if rows.dtype in KERNEL_FLOATS else rows.astype(np.float64)
    if rows.matrix is not None:
        return kernel_rows(rows.matrix)
    if not rows.columns:
        return np.empty((len(rows), 0))  # a list of no columns would not say how many rows
    return [
        column.values if isinstance(column, NumericColumn) else column.codes
        for column in rows.columns
    ]


def spreads_levels(tree: "Tree") -> bool:
    """Whether a node takes a level that it does not list for a missing value, and spreads it."""
    asks_levels = (tree.kind == SUBSET) | (tree.kind == BRANCHES)
    nodes = np.flatnonzero(asks_levels & (tree.missing_child == SPREAD) & (tree.other_child < 0))
    n_levels = np.array([len(spec.levels) for spec in tree.schema.columns])[tree.feature[nodes]]
    n_listed = tree.level_start[nodes + 1] - tree.level_start[nodes]
    return bool((n_listed < n_levels).any())
