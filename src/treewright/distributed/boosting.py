"""Boosted trees on a cluster.

Partitions stay on their workers. A round trip is one task for each worker, and all that comes back
are whole numbers, which add up in any order; splits are chosen here, once. A worker keeps its
partitions between tasks, but only as a cache: what is lost is made again from the source, the trees
so far and the steps since.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treewright._kernels.learners import PackedTrees
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.distributed.checkpoints import Checkpoint, check_place, training_record
from treewright.distributed.cluster import Cluster, Task, kept_for
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.ensembles.boosting.partitions import (
    LocalSteps,
    PartitionedRounds,
    PartitionRecipe,
    Step,
    Steps,
    TreeArrays,
    check_partitionable,
    combined,
    planned,
    recipes_of,
    trees_from,
)
from treewright.ensembles.boosting.rounds import RoundPlan
from treewright.estimators.training import TrainingRows


@dataclass(frozen=True, slots=True)
class Partitioning:
    """How the rows are divided, and where the trees so far are stored."""

    partitions: int | None
    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: int


def fit_boosted_trees(
    model: BoostedTrees,
    rows: tuple[Any, Any, Any],
    validation: Any,
    cluster: Cluster | None,
    how: Partitioning,
) -> None:
    """Train a model on a cluster, or without one in this process."""
    checkpoints: list[Checkpoint] = []  # none, or one
    if how.checkpoint is not None:
        check_place(how.checkpoint)

    def make_rounds(
        model: Any, plan: RoundPlan, rows: TrainingRows, start: Floats, kept: PackedTrees | None
    ) -> PartitionedRounds:
        check_partitionable(plan, model)
        bins = planned(rows, int(model.max_bins), plan.n_threads)
        trees = bins
        if how.checkpoint is not None:
            record = training_record(model, plan, rows, start, bins)
            checkpoints.append(Checkpoint(how.checkpoint, how.checkpoint_every, record))
            trees = checkpoints[0].read(Schema.of(rows.table)) or bins
        steps: Steps
        if cluster is None:
            recipes = recipes_of(plan, rows, start, how.partitions or 1, plan.n_threads)
            steps = LocalSteps(recipes, trees)
        else:
            n_workers = len(cluster.workers())
            n_partitions = min(how.partitions or n_workers, n_workers)
            recipes = recipes_of(plan, rows, start, n_partitions, n_threads=1)
            steps = DaskSteps(cluster, recipes, trees)
        for checkpoint in checkpoints:
            checkpoint.check_cells(int(steps.run(("digest",))[0]))
        after_round = checkpoints[0].after_round if checkpoints else None
        return PartitionedRounds(plan, rows, start, steps, trees, after_round)

    model.fit_by(make_rounds, *rows, validation)
    for checkpoint in checkpoints:
        checkpoint.remove()


@dataclass(frozen=True, slots=True)
class Restart:
    """All that brings a partition to where the others are."""

    recipe: PartitionRecipe
    trees: TreeArrays
    begin: int  # the number of the first step that is not part of the trees
    steps: list[Step]


class DaskSteps(Steps):
    """Partitions on the workers of a cluster, one on each until a worker is lost."""

    def __init__(
        self, cluster: Cluster, recipes: Sequence[PartitionRecipe], trees: PackedTrees
    ) -> None:
        self._cluster = cluster
        self._threads = cluster.workers()  # of each worker
        self._recipes = recipes
        live = [*self._threads]  # fewer, if workers have gone since the rows were divided
        self._workers = [live[i % len(live)] for i in range(len(recipes))]  # of each partition
        self._trees: TreeArrays = trees.arrays()
        self._n_done = 0  # steps that all partitions have done
        self._n_trees_done = 0  # steps that are part of the trees
        self._log: list[Step] = []  # since those of the trees
        self._waiting: list[Step] = []

    @property
    def n_bytes_moved(self) -> int:
        return self._cluster.moved.n_bytes

    def begin_round(self, trees: PackedTrees) -> None:
        self._trees = trees.arrays()
        self._n_trees_done = self._n_done + len(self._waiting)
        self._log = []

    def later(self, step: Step) -> None:
        self._waiting.append(step)

    def run(self, step: Step) -> Any:
        new, self._waiting = [*self._waiting, step], []
        begin, self._n_done = self._n_done, self._n_done + len(new)
        n_of_trees = max(0, self._n_trees_done - begin)  # at the head of `new`
        self._log += new[n_of_trees:]
        results = self._on_workers(
            step, range(len(self._recipes)), run_held, lambda i: (self._cluster.job, i, begin, new)
        )
        for _ in range(1 + self._cluster.allowed_failures):
            lost = [i for i, result in enumerate(results) if result is None]
            if not lost:
                return combined(step[0], results)
            self._move_to_live_workers(lost)
            made = self._on_workers(
                step, lost, run_made, lambda i: (self._cluster.job, i, self._since(i))
            )
            for i, result in zip(lost, made, strict=True):
                results[i] = result
        raise self._cluster.too_many_failures(step[0])

    def _on_workers(
        self,
        step: Step,
        partitions: Sequence[int],
        work: Callable[..., Any],
        arguments: Callable[[int], tuple[Any, ...]],
    ) -> list[Any]:
        tasks = [Task(work, arguments(i), [self._workers[i]]) for i in partitions]
        is_first = self._n_done == 1  # so that workers make the partitions
        return self._cluster.run("read-rows" if is_first else step[0], tasks)

    def _since(self, i: int) -> Restart:
        """What makes a partition again whose worker does not have it yet, or no longer."""
        recipe = replace(self._recipes[i], n_threads=self._threads[self._workers[i]])
        return Restart(recipe, self._trees, self._n_trees_done, self._log)

    def _move_to_live_workers(self, partitions: Sequence[int]) -> None:
        """Give partitions whose worker is gone to the workers with the fewest."""
        self._threads = self._cluster.workers()
        for i in partitions:
            if self._workers[i] not in self._threads:
                self._cluster.forget(i, self._workers[i])  # if it only hangs
                self._workers[i] = min(self._threads, key=self._workers.count)


# A worker keeps each partition, how many steps it has done, and the result of the last, in case it
# gets lost on its way.


def run_held(job: str, number: int, begin: int, steps: Sequence[Step]) -> Any:
    """Do steps from number `begin` on; None if the partition is not here as it was then."""
    held = kept_for(job)
    partition, n_done, last = held.pop(number, (None, -1, None))  # gone if a step is interrupted
    if n_done == begin:
        last = partition.run(steps)
    elif n_done != begin + len(steps):
        return None
    held[number] = partition, begin + len(steps), last
    return last


def run_made(job: str, number: int, since: Restart) -> Any:
    """Make a partition that has seen the trees so far, and do the steps since."""
    trees = trees_from(since.trees, since.recipe.levels)
    kept_for(job)[number] = since.recipe.made(trees), since.begin, None
    return run_held(job, number, since.begin, since.steps)
