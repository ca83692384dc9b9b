"""The digits that a tree's thresholds need when they are printed.

The training rows try it out: they walk down the tree with its thresholds as they would be printed.
Where a row ends somewhere else, the thresholds that its values lie too close to get one more digit.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.threshold_digits import DigitSearch, ThresholdDigits
from treewright.tree.kinds import THRESHOLD
from treewright.tree.layout import read_only
from treewright.tree.predict import build_predictor, kernel_rows
from treewright.tree.tree import Float64Array, Tree

Searches = Mapping[int, DigitSearch]


def with_short_thresholds(tree: Tree, table: Table, n_threads: int = 1) -> Tree:
    """The tree, knowing how many digits its thresholds need for the rows it was grown on."""
    return replace(tree, schema=short_schema(tree, table, n_threads))


def short_schema(tree: Tree, table: Table, n_threads: int = 1) -> Schema:
    """The schema of the tree, with the digits that thresholds need for the rows of the table."""
    searches = {
        column: search
        for column, thresholds in thresholds_by_column(tree).items()
        if not (search := DigitSearch(thresholds)).is_exact
    }
    if not searches:
        return tree.schema
    rows = kernel_rows(table)
    # A number for each node, so that rows spread over several nodes are told apart as well.
    names = np.random.default_rng(0).random((tree.n_nodes, 1))
    ends = build_predictor(tree, names).values(rows, n_threads)
    while True:
        printed = build_predictor(as_printed(tree, searches), names).values(rows, n_threads)
        astray = np.flatnonzero((printed != ends)[:, 0])
        if not len(astray):
            return tree.schema.with_digits({at: found.found() for at, found in searches.items()})
        for column, search in searches.items():
            search.use_for(numbers_of(table, column)[astray])


def thresholds_by_column(tree: Tree) -> dict[int, Float64Array]:
    """All thresholds that the tree has for each numeric column without a unit."""
    nodes = np.flatnonzero(tree.kind == THRESHOLD)
    cutting = np.repeat(np.arange(tree.n_nodes), np.diff(tree.cut_start))
    features = [tree.feature[nodes], tree.feature[cutting]]
    thresholds = [tree.threshold[nodes], tree.cut]
    features += [tree.surrogate_feature, tree.competitor_feature]
    thresholds += [tree.surrogate_threshold, tree.competitor_threshold]
    feature, threshold = np.concatenate(features), np.concatenate(thresholds)
    return {
        column: threshold[feature == column]
        for column in np.unique(feature).tolist()
        if tree.schema.columns[column].is_numeric and not tree.schema.columns[column].unit
    }


def as_printed(tree: Tree, searches: Searches) -> Tree:
    """The tree with the thresholds that one reads."""
    cutting = np.repeat(np.arange(tree.n_nodes), np.diff(tree.cut_start))
    nodes = np.where(tree.kind == THRESHOLD, tree.feature, -1)
    return replace(
        tree,
        threshold=_printed(nodes, tree.threshold, searches),
        cut=_printed(tree.feature[cutting], tree.cut, searches),
        surrogate_threshold=_printed(tree.surrogate_feature, tree.surrogate_threshold, searches),
    )


def _printed(
    feature: NDArray[np.int32], thresholds: Float64Array, searches: Searches
) -> Float64Array:
    shown = thresholds.copy()
    for column, search in searches.items():
        own = feature == column
        shown[own] = search.shown[np.searchsorted(search.at, thresholds[own])]
    return read_only(shown)


def numbers_of(table: Table, column: int) -> Float64Array:
    """The numbers of a column as the model compares them."""
    found = table.columns[column]
    assert isinstance(found, NumericColumn)
    return np.asarray(found.values, dtype=np.float64)


def digits_for_rows(
    thresholds: Mapping[int, Float64Array], table: Table
) -> dict[int, ThresholdDigits]:
    """The digits for thresholds that part all rows of the table, whichever node they are at."""
    return {
        column: ThresholdDigits.for_rows(numbers, numbers_of(table, column))
        for column, numbers in thresholds.items()
    }
