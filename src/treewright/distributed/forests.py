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
from treewright.distributed.cluster import Cluster, Task, kept_for
from treewright.ensembles.boosting.partitions import TreeArrays, cells_in_bins, trees_from
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.growth import ForestTask, target_of
from treewright.ensembles.forests.isolation import IsolationForest, isolation_trees
from treewright.errors import ParameterError
from treewright.tree.predict import schema_levels

SHARES_OF_A_WORKER = 4  # of the trees, so that a slow worker does not keep the others waiting


def fit_forest(model: Forest, scan: Any, cluster: Cluster) -> None:
    """Train a forest on a cluster."""
    if model.inductors is not None or model.splits == "exact":
        raise ParameterError(
            'splits="exact" and `inductors` are not available on a cluster',
            hint="train without a cluster",
        )
    model.fit_with(lambda rows: model.learn(rows, lambda task: grown_there(task, cluster)), scan)


@dataclass(frozen=True, slots=True)
class ForestRecipe:
    """All that a worker needs for any tree of a forest."""

    table: Table
    bins: TreeArrays
    levels: NDArray[np.int32]
    target: NDArray[Any]
    n_classes: int
    weights: Floats | None
    n_threads: int


def grown_there(task: ForestTask, cluster: Cluster) -> PackedTrees:
    """The trees that a task asks for, by the workers."""
    rows = task.rows
    target, n_classes = target_of(rows)
    bins = task.table.no_trees().arrays()
    levels = schema_levels(Schema.of(rows.table))

    def recipe(n_threads: int) -> ForestRecipe:
        return ForestRecipe(rows.table, bins, levels, target, n_classes, rows.weights, n_threads)

    job, workers = cluster.job, cluster.workers()
    loads = [Task(load, (job, recipe(threads)), worker) for worker, threads in workers.items()]
    cluster.run("load", loads)
    shares = shares_of(task.settings, len(workers))
    grown: list[Any] = cluster.run(
        "grow",
        [
            Task(grown_if_loaded, (job, share), [*workers][i % len(workers)])
            for i, share in enumerate(shares)
        ],
    )
    lost = [i for i, share in enumerate(grown) if share is None]
    again = cluster.spread(
        "grow", len(lost), lambda i: Task(grown_anyway, (job, shares[lost[i]], recipe(1)))
    )
    for i, arrays in zip(lost, again, strict=True):
        grown[i] = arrays
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


LOADED = "forest"


def load(job: str, recipe: ForestRecipe) -> bool:
    """On a worker: read the rows into bins."""
    cells = cells_in_bins(recipe.table, trees_from(recipe.bins, recipe.levels), recipe.n_threads)
    kept_for(job)[LOADED] = cells, recipe
    return True


def grown_if_loaded(job: str, share: Share) -> TreeArrays | None:
    """On a worker: the trees of a share; None without the rows."""
    loaded: tuple[BinnedTable, ForestRecipe] | None = kept_for(job).get(LOADED)
    if loaded is None:
        return None
    cells, own = loaded
    settings = as_settings(ForestSettings, share)
    trees = grow_forest(cells, own.target, own.weights, own.n_classes, settings, own.n_threads)
    arrays: TreeArrays = trees.arrays()
    return arrays


def grown_anyway(job: str, share: Share, recipe: ForestRecipe) -> TreeArrays | None:
    """On a worker: the trees of a share, of rows that are read if they are not here."""
    if LOADED not in kept_for(job):
        load(job, recipe)
    return grown_if_loaded(job, share)


def fit_isolation_forest(model: IsolationForest, scan: Any, cluster: Cluster) -> None:
    """Train an isolation forest on a cluster."""

    def grow(
        table: Table, weights: Floats | None, settings: IsolationSettings, n_threads: int
    ) -> list[dict[str, Any]]:
        workers = cluster.workers()
        shares = shares_of(settings, len(workers))
        grown = cluster.spread(
            "isolate", len(shares), lambda i: Task(isolated, (table, weights, shares[i]))
        )
        return [tree for share in grown for tree in share]

    model.fit_by(grow, scan)


def isolated(table: Table, weights: Floats | None, share: Share) -> list[dict[str, Any]]:
    """On a worker: the isolation trees of a share, each of a few rows."""
    return isolation_trees(table, weights, as_settings(IsolationSettings, share), 1)
