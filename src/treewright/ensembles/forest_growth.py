"""The trees of a forest, grown on bins."""

from collections.abc import Sequence
from typing import Any

from treewright._kernels.histogram import ForestSettings, grow_forest
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.ensembles.binned import binned
from treewright.ensembles.packed import PackedTreeSequence
from treewright.models.training import TrainingRows
from treewright.tree.tree import Tree


def histogram_forest(
    model: Any, rows: TrainingRows, settings: ForestSettings, kept: Sequence[Tree]
) -> PackedTreeSequence:
    """The trees that are kept, and those that `settings` ask for."""
    threads = model._n_growth_threads(rows)
    table = binned(rows.table, rows.weights, max_bins=int(model.max_bins), n_threads=threads)
    if isinstance(rows.target, ClassTarget):
        target, classes = rows.target.codes, rows.target.classes
        packed = grow_forest(table, target, rows.weights, len(classes), settings, threads)
    else:
        classes = None
        packed = grow_forest(table, rows.target.values, rows.weights, 0, settings, threads)
    if isinstance(kept, PackedTreeSequence):
        every = kept.packed.head(len(kept))
        every.append(packed)
        packed = every
    return PackedTreeSequence(packed, Schema.of(rows.table), classes, model.unseen)
