"""Single trees on a cluster: the client grows the top, workers grow the subtrees below it.

A subtree depends on the rows of its node and on the table alone, and a tree for a fold of pruning
on the rows that are left. So it does not matter who grows it, or whether it is grown twice.
"""

import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.arrays import Floats
from treewright.distributed.cluster import Cluster, Shared, kept_for
from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.induction.subtrees import HandedNode, SubtreeTable, grow_top, joined
from treewright.pruning.cross_validation import CrossValidation
from treewright.pruning.row_loss import PruningRows
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.growing import grow_by_settings, grows_by_settings, rows_to_regrow
from treewright.tree.tree import Tree

GivenRows = tuple[Any, Any, Any]  # X, y and weights as users give them; a scan is an X alone
NO_ROWS = PruningRows(np.zeros((0, 0)), None, None, np.zeros(0))  # sent in the place of the own
TASKS_OF_A_WORKER = 4  # so that a slow worker does not keep the others waiting
FEWEST_ROWS = 1000  # of a task
FEWEST_ROWS_SENT = 256  # of a node: a column of 30,000 categories makes thousands of smaller ones


def grows_on_cluster(model: object) -> bool:
    """Whether a model is one tree that workers can help to grow."""
    return isinstance(model, TreeEstimator) and grows_by_settings(model)


def fit_tree(model: TreeEstimator, rows: GivenRows, cluster: Cluster) -> None:
    """Train a tree on a cluster."""
    cluster.workers()  # none is an error, also if they turn out not to be needed
    grow = ClusterGrowth(cluster)
    model.fit_with(lambda some: model.learn(some, grow), *rows)


@dataclass(frozen=True, slots=True)
class ClusterGrowth:
    """Growth of trees, and of those without a fold, by the workers of a cluster."""

    cluster: Cluster

    def __call__(
        self, model: Any, rows: TrainingRows, settings: GrowthSettings, n_threads: int
    ) -> Tree:
        """The tree that `grow_by_settings` grows."""
        if callable(settings.criterion):
            return grow_by_settings(model, rows, settings, n_threads)
        return grown_there(rows, settings, n_threads, self.cluster)

    def losses_of_folds(
        self,
        model: Any,
        rows: TrainingRows,
        folds: CrossValidation,
        some: list[int],
        firsts: tuple[int, ...],
    ) -> list[list[Floats]]:
        """The losses of some folds, each from a tree that a worker grows."""
        recipe = FoldRecipe(clone(model), sent_rows(rows))
        judged = replace(folds, rows=NO_ROWS)
        shared = Shared(loaded_folds, (self.cluster.job, recipe, judged, firsts), judged_fold)
        return self.cluster.spread("folds", shared, some)


def sent_rows(rows: TrainingRows) -> TrainingRows:
    """The rows for a worker: without values, if it can read these."""
    table = rows.table if rows.unread is None else rows.table[:0]
    return replace(rows, table=table, positions=None, n_given=None)


@dataclass(frozen=True, slots=True)
class TreeRecipe:
    """All that a worker needs for any subtree of a tree."""

    rows: TrainingRows
    settings: GrowthSettings


def grown_there(
    rows: TrainingRows, settings: GrowthSettings, n_threads: int, cluster: Cluster
) -> Tree:
    """The tree that `grow_by_settings` grows, most of it by the workers."""
    n_tasks = TASKS_OF_A_WORKER * len(cluster.workers())
    most_rows = max(rows.n_rows // n_tasks, FEWEST_ROWS)
    own = rows.table, rows.target, rows.weights, settings
    top, nodes = grow_top(*own, n_threads, most_rows, FEWEST_ROWS_SENT)
    if not nodes:
        return top
    recipe = TreeRecipe(sent_rows(rows), settings)
    tasks = tasks_of([len(node["rows"]) for node in nodes], most_rows)
    shared = Shared(loaded_table, (recipe,), grown_subtrees)
    sent = [pickle.dumps([nodes[i] for i in task]) for task in tasks]
    grown = cluster.spread("subtrees", shared, sent)
    of_node = {
        i: arrays
        for task, of_task in zip(tasks, grown, strict=True)
        for i, arrays in zip(task, pickle.loads(of_task), strict=True)
    }
    return joined(top, [of_node[i] for i in range(len(nodes))])


def tasks_of(sizes: list[int], most_rows: int) -> list[list[int]]:
    """Nodes by their numbers, largest first, small ones together in one task."""
    tasks: list[list[int]] = []
    n_rows = most_rows
    for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        if n_rows + sizes[i] > most_rows:
            tasks.append([])
            n_rows = 0
        tasks[-1].append(i)
        n_rows += sizes[i]
    return tasks


def read_rows(rows: TrainingRows) -> TrainingRows:
    """On a worker: the rows with their values."""
    return rows if rows.unread is None else replace(rows, table=rows.unread.read())


def loaded_table(recipe: TreeRecipe, n_threads: int) -> SubtreeTable:
    """On a worker: the rows, ready to grow subtrees on."""
    rows = read_rows(recipe.rows)
    return SubtreeTable(rows.table, rows.target, rows.weights, recipe.settings, n_threads)


def grown_subtrees(table: SubtreeTable, nodes: bytes) -> bytes:
    """On a worker: the subtrees of some nodes, as a list of `TreeArrays`.

    A column of 30,000 categories makes as many nodes, and Dask would send each of their arrays by
    itself, which takes a minute. So both lists are pickled here.
    """
    given: list[HandedNode] = pickle.loads(nodes)
    return pickle.dumps([table.grow(node) for node in given])


@dataclass(frozen=True, slots=True)
class FoldRecipe:
    """All that a worker needs to grow trees without some rows."""

    model: Any
    rows: TrainingRows

    def made(self, n_threads: int) -> PruningRows:
        """The rows, and how trees grow on some of them."""
        model = self.model.set_params(n_jobs=n_threads)
        return rows_to_regrow(model, read_rows(self.rows))


LoadedFolds = tuple[CrossValidation, tuple[int, ...]]


def loaded_folds(
    job: str, recipe: FoldRecipe, folds: CrossValidation, firsts: tuple[int, ...], n_threads: int
) -> LoadedFolds:
    """On a worker: the cross-validation, with rows that are read once for all its calls."""
    held = kept_for(job)
    held.pop("subtrees", None)  # its columns in order are not needed any more
    if "rows of folds" not in held:
        held["rows of folds"] = recipe.made(n_threads)
    return replace(folds, rows=held["rows of folds"]), firsts


def judged_fold(loaded: LoadedFolds, fold: int) -> list[Floats]:
    """On a worker: the losses of a fold."""
    folds, firsts = loaded
    return folds.losses_of_fold(fold, *firsts)
