"""Shrinkage of the trees of a forest: leaves are pulled toward their ancestors.

The strength is chosen by rows that trees have not drawn. Trees that get all rows leave none out, so
there a few smaller trees on half of the rows stand in for them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import BinnedTable, Drawing, add_shrunk_out_of_bag, draw_rows
from treewright.arrays import Floats
from treewright.data.row_hash import Hashes, bits_of_numbers, mix_in, row_hashes
from treewright.data.scanned_table import in_memory
from treewright.data.target import ClassTarget
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.settings import ForestModel, exact_settings, forest_settings
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows
from treewright.single_trees.shrinkage import best_strength, own_predictions, strengths_for
from treewright.tree.shrinkage import shrunk
from treewright.tree.tree import Tree

# Rows of equal class shares at the root of each tree: no probability is 0 or 1, also of a class
# that was not drawn.
PRIOR = 1.0
# More would not change the choice. With these, a random forest takes 9 % longer to grow on 100,000
# rows of 28 columns, and 16 % on 20,000 (forest_100k and forest_20k of benchmarks.run).
MOST_ROWS = 5000
# Where every tree gets all rows: of the trees that get half of them.
MOST_TREES = 24
MOST_DRAWN = 10_000
MANY_ROWS = 200_000  # from here on, rows are told apart by their bins
NOTHING_LEFT_OUT = 1.0  # the strength if no row can tell


def kept_strength(asked: float | str, kept: float) -> float:
    """The strength of trees that are kept, where they are known with shrunk values only."""
    if asked != "auto" and float(asked) != kept:
        raise ParameterError(
            f"warm_start=True, but shrinkage={asked!r}, and the trees of this forest are shrunk "
            f"with a strength of {kept:g}",
            hint=f'use shrinkage="auto" or {kept:g}, or warm_start=False for a new forest',
        )
    return kept


def chosen_strength(model: ForestModel, task: ForestTask, trees: Sequence[Tree]) -> float:
    """The strength with the lowest log loss or squared error on rows that trees have not drawn."""
    if task.settings.drawing == Drawing.all_rows:
        task = on_half_of_the_rows(model, task)
        trees = task.grown()
    rows = task.rows
    n_taken = min(rows.n_rows, MOST_ROWS)
    taken = np.linspace(0, rows.n_rows - 1, n_taken).round().astype(np.intp)  # spread evenly
    sums, n_trees = left_out_predictions(task, trees, taken)
    known = n_trees > 0
    if not known.any():
        return NOTHING_LEFT_OUT
    some = rows.take(taken[known])
    return best_strength(sums[known] / n_trees[known, np.newaxis], some.target, some.weights)


def on_half_of_the_rows(model: ForestModel, task: ForestTask) -> ForestTask:
    """The growth of a few trees, each on half of the rows."""
    rows = different_rows(task, 2 * MOST_DRAWN)
    settings = forest_settings(model, rows, task.settings.seed, first_tree=0)
    settings.drawing = Drawing.without_replacement
    settings.n_drawn = (rows.n_rows + 1) // 2
    settings.n_trees = min(settings.n_trees, MOST_TREES)
    exact = None if task.exact is None else exact_settings(model, rows)
    return replace(task, rows=rows, settings=settings, exact=exact, kept=())


def different_rows(task: ForestTask, most: int) -> TrainingRows:
    """Rows that differ, each with the weight of all that are equal to it, in the order of hashes.

    So no row is predicted by trees that have drawn its copy, a row of weight 2 does the same as two
    rows, and the order of the rows has no effect. Of very many rows, those are equal that the trees
    cannot tell apart: their bins need no ranks of all values.
    """
    rows = task.rows
    if task.grows_on_bins and rows.n_rows > MANY_ROWS:
        hashes = bin_hashes(task.table, rows.target_values)
    else:
        hashes = row_hashes(rows.table, rows.target_values, seed=0)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    weights = np.bincount(group.ravel(), rows.weights)[:most].astype(np.float64)
    some = rows.take(first[:most])
    weights_or_none = None if (weights == 1).all() else weights
    return replace(some, table=in_memory(some.table), weights=weights_or_none)


def bin_hashes(table: BinnedTable, target: NDArray[Any]) -> Hashes:
    """One hash for the bins of each row and its target; equal ones are equal."""
    found: Hashes = np.zeros(table.n_rows, dtype=np.uint64)
    for column in range(table.n_columns):
        content = table.bins(column)
        dtype = np.uint8 if len(content) == table.n_rows else np.uint32
        mix_in(found, np.frombuffer(content, dtype=dtype).astype(np.uint64))
    mix_in(found, bits_of_numbers(target))
    return found


def left_out_predictions(
    task: ForestTask, trees: Sequence[Tree], taken: Any
) -> tuple[Floats, Floats]:
    """Sums (n_rows, n_strengths) over the trees that have not drawn a row, and their number.

    Of class shares only that of the row's own class is added up: the log loss needs no other.
    """
    rows, settings = task.rows, task.settings
    strengths = strengths_for(rows.target)
    sums = np.zeros((len(taken), len(strengths)))
    n_trees = np.zeros(len(taken), dtype=np.uint32)
    if isinstance(trees, PackedTreeSequence):
        codes = rows.target.codes[taken] if isinstance(rows.target, ClassTarget) else None
        add_shrunk_out_of_bag(
            trees.packed,
            task.table,
            settings,
            taken.astype(np.uint32),
            codes,
            strengths,
            PRIOR,
            sums,
            n_trees,
            task.n_threads,
        )
        return sums, n_trees.astype(np.float64)
    for number, tree in enumerate(trees):
        drawn = np.asarray(draw_rows(settings, number, rows.n_rows))[taken]
        left_out = np.flatnonzero(drawn == 0)
        if len(left_out):
            sums[left_out] += own_predictions(tree, rows.take(taken[left_out]), PRIOR)
            n_trees[left_out] += 1
    return sums, n_trees.astype(np.float64)


def with_shrinkage(
    trees: Sequence[Tree], strength: float, n_threads: int, *, first: int = 0
) -> Sequence[Tree]:
    """The trees, those from number `first` on with shrunk values."""
    if strength == 0:
        return trees
    if isinstance(trees, PackedTreeSequence):
        packed = trees.packed.shrunk(first, strength, PRIOR, n_threads)
        return PackedTreeSequence(packed, trees.schema, trees.classes, trees.unseen)
    return (*trees[:first], *(shrunk(tree, strength, PRIOR) for tree in trees[first:]))
