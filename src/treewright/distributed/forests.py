"""Forests on a cluster: each worker holds all rows in bins and grows some of the trees.

Trees do not depend on each other, and a tree depends on its number alone. So it does not matter who
grows it, or whether it is grown twice.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import (
    BinnedTable,
    ForestSettings,
    IsolationSettings,
    PackedTrees,
    grow_forest,
)
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.distributed.cluster import Cluster, Shared
from treewright.ensembles.boosting.partitions import TreeArrays, cells_in_bins, trees_from
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.growth import ForestTask, target_of
from treewright.ensembles.forests.isolation import IsolationForest, isolation_trees
from treewright.errors import ParameterError
from treewright.tree.predict import schema_levels

GivenRows = tuple[Any, Any, Any]  # X, y and weights as users give them; a scan is an X alone
SHARES_OF_A_WORKER = 4  # of the trees, so that a slow worker does not keep the others waiting


def fit_forest(model: Forest, rows: GivenRows, cluster: Cluster) -> None:
    """Train a forest on a cluster."""
    if model.inductors is not None or model.splits == "exact":
        raise ParameterError(
            'splits="exact" and `inductors` are not available on a cluster',
            hint="train without a cluster",
        )
    model.fit_with(lambda some: model.learn(some, lambda task: grown_there(task, cluster)), *rows)


@dataclass(frozen=True, slots=True)
class ForestRecipe:
    """All that a worker needs for any tree of a forest."""

    table: Table
    bins: TreeArrays
    levels: NDArray[np.int32]
    target: NDArray[Any]
    n_classes: int
    weights: Floats | None


def grown_there(task: ForestTask, cluster: Cluster) -> PackedTrees:
    """The trees that a task asks for, by the workers."""
    rows = task.rows
    target, n_classes = target_of(rows)
    bins = task.table.no_trees().arrays()
    levels = schema_levels(Schema.of(rows.table))
    recipe = ForestRecipe(rows.table, bins, levels, target, n_classes, rows.weights)
    shares = shares_of(task.settings, len(cluster.workers()))
    grown = cluster.spread("grow", Shared(loaded_forest, (recipe,), grown_share), shares)
    n_values, values_are_sums = max(n_classes, 1), n_classes > 0
    trees = PackedTrees.from_arrays(grown[0], n_values, values_are_sums, levels)
    for arrays in grown[1:]:
        trees.append(PackedTrees.from_arrays(arrays, n_values, values_are_sums, levels))
    return trees


Share = dict[str, Any]  # the settings of a part of the trees, which can be sent


def shares_of(settings: Any, n_workers: int) -> list[Share]:
    """Settings of neighboring trees each, in their order."""
    every = {name: getattr(settings, name) for name in dir(settings) if not name.startswith("_")}
    n_shares = min(settings.n_trees, SHARES_OF_A_WORKER * n_workers)
    edges = [i * settings.n_trees // n_shares for i in range(n_shares + 1)]
    return [
        {**every, "first_tree": settings.first_tree + edges[i], "n_trees": edges[i + 1] - edges[i]}
        for i in range(n_shares)
    ]


def as_settings(kind: Any, share: Share) -> Any:
    settings = kind()
    for name, value in share.items():
        setattr(settings, name, value)
    return settings


LoadedForest = tuple[BinnedTable, ForestRecipe, int]


def loaded_forest(recipe: ForestRecipe, n_threads: int) -> LoadedForest:
    """On a worker: the rows in bins."""
    bins = trees_from(recipe.bins, recipe.levels)
    return cells_in_bins(recipe.table, bins, n_threads), recipe, n_threads


def grown_share(forest: LoadedForest, share: Share) -> TreeArrays:
    """On a worker: the trees of a share."""
    cells, own, n_threads = forest
    settings = as_settings(ForestSettings, share)
    trees = grow_forest(cells, own.target, own.weights, own.n_classes, settings, n_threads)
    arrays: TreeArrays = trees.arrays()
    return arrays


def fit_isolation_forest(model: IsolationForest, rows: GivenRows, cluster: Cluster) -> None:
    """Train an isolation forest on a cluster."""

    def grow(
        table: Table, weights: Floats | None, settings: IsolationSettings, n_threads: int
    ) -> list[dict[str, Any]]:
        shares = shares_of(settings, len(cluster.workers()))
        shared = Shared(rows_to_isolate, (table, weights), isolated_share)
        return [tree for grown in cluster.spread("isolate", shared, shares) for tree in grown]

    X, _, weights = rows
    model.fit_by(grow, X, weights)


def rows_to_isolate(table: Table, weights: Floats | None, n_threads: int) -> Any:
    return table, weights


def isolated_share(rows: tuple[Table, Floats | None], share: Share) -> list[dict[str, Any]]:
    """On a worker: the isolation trees of a share, each of a few rows."""
    return isolation_trees(*rows, as_settings(IsolationSettings, share), 1)
