"""Training on a Dask cluster: the model file is that of `model.fit`, byte for byte.

Partitions stay on their workers. A round trip is one task for each worker, and all that comes back
are whole numbers, which add up in any order; splits are chosen here, once. A worker keeps its
partitions between tasks, but only as a cache: what is lost is made again from the source, the trees
so far and the steps since.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from treewright._kernels.learners import PackedTrees
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.ensembles.boosting.partitions import (
    LocalSteps,
    PartitionedRounds,
    PartitionRecipe,
    RowPartition,
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
from treewright.errors import DataTypeError, ParameterError, TreewrightError
from treewright.estimators.training import TrainingRows
from treewright.optional import optional_module

AnyModel = TypeVar("AnyModel", bound=BoostedTrees)


def fit(
    model: AnyModel, scan: Any, *, client: Any = None, partitions: int | None = None
) -> AnyModel:
    """Train boosted trees on a cluster, to the bytes of `model.fit(scan)`.

    Parameters
    ----------
    model
        A `BoostedTreesClassifier` or `BoostedTreesRegressor`.
    scan
        What `tw.scan` returns. Workers read the source themselves, so its files must be where
        they are, too.
    client
        A `dask.distributed.Client`. None trains in this process, partition by partition.
    partitions
        The number of parts that the rows are divided into; by default one for each worker. The
        model does not depend on it.

    Returns
    -------
    The fitted model.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("golf")
    >>> model = tw.BoostedTreesClassifier(n_estimators=5, random_state=0)
    >>> model = tw.distributed.fit(model, tw.scan([(X, y)]), partitions=3)
    >>> model.n_estimators_
    5
    """
    if not isinstance(model, BoostedTrees):
        raise DataTypeError(
            f"{type(model).__name__} cannot be trained on a cluster",
            hint="boosted trees can; train others without a cluster",
        )
    if partitions is not None and partitions < 1:
        raise ParameterError(f"partitions={partitions} is below 1")
    made: list[DaskSteps] = []

    def make_rounds(
        model: Any, plan: RoundPlan, rows: TrainingRows, start: Floats, kept: PackedTrees | None
    ) -> PartitionedRounds:
        check_partitionable(plan, model)
        bins = planned(rows, int(model.max_bins), plan.n_threads)
        check_narrow(rows)
        if client is None:
            recipes = recipes_of(plan, rows, start, partitions or 1, plan.n_threads)
            return PartitionedRounds(plan, rows, start, LocalSteps(recipes, bins), bins)
        workers = worker_addresses(client)
        recipes = recipes_of(plan, rows, start, partitions or len(workers), n_threads=1)
        made.append(DaskSteps(client, workers, recipes, bins, Schema.of(rows.table)))
        return PartitionedRounds(plan, rows, start, made[0], bins)

    try:
        return model.fit_by(make_rounds, scan)
    finally:
        for steps in made:
            steps.close()


MOST_CATEGORIES = 255  # of a column whose cells are bytes


def check_narrow(rows: TrainingRows) -> None:
    """Raise for columns whose sums do not fit into bins."""
    for column in Schema.of(rows.table).columns:
        if column.kind == "nominal" and len(column.levels) > MOST_CATEGORIES:
            raise ParameterError(
                f"column `{column.name}` has {len(column.levels):,} categories, "
                f"more than {MOST_CATEGORIES}, which partitions cannot count",
                hint="train without a cluster, or leave the column out",
            )


def worker_addresses(client: Any) -> list[str]:
    """The workers of a cluster, in an order of their own."""
    addresses = sorted(client.scheduler_info(n_workers=-1)["workers"])
    if not addresses:
        raise ParameterError("the cluster has no workers", hint="start one, or wait for it")
    return addresses


@dataclass(frozen=True, slots=True)
class Restart:
    """All that brings a group of partitions to where the others are."""

    recipes: Sequence[PartitionRecipe]
    trees: TreeArrays
    schema: Schema
    begin: int  # the number of the first step that is not part of the trees
    steps: list[Step]


class DaskSteps(Steps):
    """Partitions on the workers of a cluster, a group of neighbors on each."""

    most_trials = 5  # of a step whose workers get lost again and again

    def __init__(
        self,
        client: Any,
        workers: Sequence[str],
        recipes: Sequence[PartitionRecipe],
        bins: PackedTrees,
        schema: Schema,
    ) -> None:
        self._dask = optional_module("distributed", extra="dask", purpose="a cluster")
        self._client = client
        self._schema = schema
        self._fit = uuid.uuid4().hex
        n_groups = min(len(workers), len(recipes))
        self._workers = [*workers[:n_groups]]  # of each group
        edges = [i * len(recipes) // n_groups for i in range(n_groups + 1)]
        self._groups = [recipes[first:end] for first, end in pairwise(edges)]
        self._trees: TreeArrays = bins.arrays()
        self._n_done = 0  # steps that all partitions have done
        self._n_trees_done = 0  # steps that are part of the trees
        self._log: list[Step] = []  # since those of the trees
        self._waiting: list[Step] = []

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
        groups = range(len(self._groups))
        futures = [self._submit(i, step, run_held, (self._fit, i), begin, new) for i in groups]
        results = self._client.gather(futures)
        for _ in range(self.most_trials):
            lost = [i for i in groups if results[i] is None]
            if not lost:
                return combined(step[0], results)
            self._make_again(lost, step, results)
        raise TreewrightError(
            f"workers were lost {self.most_trials} times in one step (`{step[0]}`)",
            hint="look at the logs of the workers; most often they run out of memory",
        )

    def _submit(self, i: int, step: Step, work: Any, *arguments: Any) -> Any:
        return self._client.submit(
            work,
            *arguments,
            key=f"treewright-{step[0]}-{uuid.uuid4().hex}",
            workers=[self._workers[i]],
            allow_other_workers=True,
            pure=False,
        )

    def _make_again(self, lost: Sequence[int], step: Step, results: list[Any]) -> None:
        """The results of groups whose worker does not have them yet, or no longer."""
        self._move_to_live_workers(lost)
        futures = []
        for i in lost:
            since = Restart(
                self._groups[i], self._trees, self._schema, self._n_trees_done, self._log
            )
            # Scattered now: what was scattered earlier may be lost with the worker.
            (sent,) = self._client.scatter([since], workers=[self._workers[i]], hash=False)
            futures.append(self._submit(i, step, run_made, (self._fit, i), sent))
        for i, future in zip(lost, futures, strict=True):
            try:
                results[i] = future.result()
            except self._dask.client.FutureCancelledError:  # the worker is gone with its recipes
                results[i] = None

    def _move_to_live_workers(self, groups: Sequence[int]) -> None:
        """Give groups whose worker is gone to the workers with the fewest."""
        live = worker_addresses(self._client)
        for i in groups:
            if self._workers[i] not in live:
                self._workers[i] = min(live, key=self._workers.count)

    def close(self) -> None:
        """Let workers forget the partitions."""
        self._client.run(forget, self._fit)


# What a worker process keeps: by fit and number of the group, the partitions, how many steps they
# have done, and the result of the last, in case it gets lost on its way.
Place = tuple[str, int]
held: dict[Place, tuple[list[RowPartition], int, Any]] = {}


def run_held(place: Place, begin: int, steps: Sequence[Step]) -> Any:
    """Do steps from number `begin` on; None if the partitions are not here as they were then."""
    partitions, n_done, last = held.pop(place, ([], -1, None))  # gone if a step is interrupted
    if n_done == begin:
        name = steps[-1][0]
        last = combined(name, [one.run(steps) for one in partitions])
    elif n_done != begin + len(steps):
        return None
    held[place] = partitions, begin + len(steps), last
    return last


def run_made(place: Place, since: Restart) -> Any:
    """Make partitions that have seen the trees so far, and do the steps since."""
    trees = trees_from(since.trees, since.schema)
    held[place] = [recipe.made(trees) for recipe in since.recipes], since.begin, None
    return run_held(place, since.begin, since.steps)


def forget(fit: str) -> None:
    """Release the partitions of a fit."""
    for place in [one for one in held if one[0] == fit]:
        del held[place]
