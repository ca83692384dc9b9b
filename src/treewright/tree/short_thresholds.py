"""What is printed for the thresholds of a tree.

Every training row has to be on the same side of a threshold and of its printed text. That holds at
whatever node the row is, so it stays true when a tree is pruned or its paths become rules.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.data.column import NumericColumn
from treewright.data.printed_thresholds import PrintSearch
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.tree.layout import LEAF, THRESHOLD, owners_of
from treewright.tree.tree import Tree

# With more rows, only splits near the root are printed short: comparing all rows with thousands of
# thresholds would take longer than a tenth of the fit, and nobody reads that far.
FEW_ROWS = 20_000
MOST_SPLITS = 63
MOST_COLUMNS, FIRST_ROWS = 100, 100  # of a table, to look for columns of 0 and 1
NO_CUTS = np.zeros(0)


def with_short_thresholds(tree: Tree, table: Table, n_threads: int = 1) -> Tree:
    """The tree, knowing how to print its thresholds for the rows of the table."""
    if marked := yes_no_columns(tree.schema, table, cuts_by_column(tree)):
        tree = replace(tree, schema=tree.schema.with_yes_no(marked))
    search = print_search(tree, table, n_threads)
    if search.is_exact:
        return tree
    return replace(tree, schema=tree.schema.with_printed(search.found()))


def with_thresholds_shown(tree: Tree) -> Tree:
    """The tree whose conditions show the threshold of columns of 0 and 1 too: `married <= 0.5`."""
    schema = tree.schema.without_yes_no()
    return tree if schema is tree.schema else replace(tree, schema=schema)


def cuts_by_column(tree: Tree) -> dict[int, Floats]:
    """All thresholds that the tree compares each column with, surrogates included."""
    is_cut, stands_in = tree.kind == THRESHOLD, tree.surrogate_kind == THRESHOLD
    columns = np.concatenate([tree.feature[is_cut], tree.surrogate_feature[stands_in]])
    thresholds = np.concatenate([tree.threshold[is_cut], tree.surrogate_threshold[stands_in]])
    return {column: thresholds[columns == column] for column in distinct(columns).tolist()}


def yes_no_columns(schema: Schema, table: Table, cuts: Mapping[int, Floats]) -> list[int]:
    """Columns of numbers that hold only 0 and 1, and that no tree cuts elsewhere.

    Of a wide table only those with `cuts`: looking at all might take longer than the fit.
    """
    found = []
    for column in cuts if table.n_columns > MOST_COLUMNS else range(table.n_columns):
        spec, own = schema.columns[column], cuts.get(column, NO_CUTS)
        if not spec.is_numeric or spec.unit or not ((own >= 0) & (own < 1)).all():
            continue
        numbers = numbers_of(table, column)
        is_flag = are_zeros_and_ones(numbers[:FIRST_ROWS]) and are_zeros_and_ones(numbers)
        if is_flag and (numbers == 0).any() and (numbers == 1).any():
            found.append(column)
    return found


def are_zeros_and_ones(numbers: NDArray[Any]) -> bool:
    """Whether known numbers are all 0 or 1."""
    # By their bits: where subnormal numbers are flushed, they compare as equal to 0.
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    is_zero = numbers.view(np.uint64) << np.uint64(1) == 0
    return bool((is_zero | (numbers == 1) | np.isnan(numbers)).all())


def print_search(tree: Tree, table: Table, n_threads: int = 1) -> PrintSearch:
    """The thresholds of a tree, and what to print for them for the rows of the table."""
    few_rows = table.n_rows <= FEW_ROWS
    nodes = tree.kind != LEAF if few_rows else near_the_root(tree)
    column, threshold = plain_thresholds(tree, nodes, runners_up=few_rows)
    search = PrintSearch(threshold, column)
    if search.is_exact:
        return search
    if not few_rows:  # all others are printed in full, and must look different too
        others, exact = plain_thresholds(tree, tree.kind != LEAF, runners_up=False)
        both = np.concatenate([threshold, exact]), np.concatenate([column, others])
        search = PrintSearch(*both, n_short=len(threshold))
    short = distinct(search.column[search.shown != search.at]).tolist()
    search.use_for({one: numbers_of(table, one) for one in short}, n_threads)
    return search


def near_the_root(tree: Tree) -> NDArray[np.bool_]:
    """The splits of the upper levels, of as many as there are room for."""
    found = np.zeros(tree.n_nodes, dtype=np.bool_)
    level, n_found = np.zeros(1, dtype=np.intp), 0
    while True:
        level = level[tree.kind[level] != LEAF]
        n_found += len(level)
        if len(level) == 0 or (n_found > MOST_SPLITS and found.any()):
            return found
        found[level] = True
        first, n_children = tree.first_child[level], tree.n_children[level]
        place = np.arange(n_children.sum()) - np.repeat(
            np.cumsum(n_children) - n_children, n_children
        )
        level = np.repeat(first, n_children) + place


def plain_thresholds(
    tree: Tree, nodes: NDArray[np.bool_], *, runners_up: bool
) -> tuple[NDArray[np.int32], Floats]:
    """Column and threshold of what the nodes ask, without dates; with runner-up splits or not."""
    asking = nodes & (tree.kind == THRESHOLD)
    columns, thresholds = [tree.feature[asking]], [tree.threshold[asking]]
    if len(tree.cut):
        owners = owners_of(tree.cut_start)
        columns.append(tree.feature[owners[nodes[owners]]])
        thresholds.append(tree.cut[nodes[owners]])
    groups = [("surrogate", tree.surrogate_start)] if len(tree.surrogate_feature) else []
    groups += [("competitor", tree.competitor_start)] if runners_up else []
    for name, start in groups:
        own = np.repeat(nodes, np.diff(start))
        columns.append(getattr(tree, f"{name}_feature")[own])
        thresholds.append(getattr(tree, f"{name}_threshold")[own])
    column, threshold = np.concatenate(columns), np.concatenate(thresholds)
    is_plain = np.array([spec.is_numeric and not spec.unit for spec in tree.schema.columns])
    if is_plain.all():
        return column, threshold
    kept = is_plain[column]
    return column[kept], threshold[kept]


def numbers_of(table: Table, column: int) -> NDArray[Any]:
    """The numbers of a column."""
    found = table.columns[column]
    assert isinstance(found, NumericColumn)
    return found.values
