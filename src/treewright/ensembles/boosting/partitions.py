"""Boosted trees from rows in several places, with the bytes of rows in one memory.

    PartitionRecipe     all that makes a partition, wherever it is needed
    RowPartition        some rows, their scores and their derivatives, beside a worker
    Steps               what is done with all partitions: here in a loop, elsewhere on a cluster
    PartitionedRounds   the rounds: trees grow here, from sums of all partitions

A step is a name and its arguments. Its results are whole numbers, or maxima: they add up in any
order. So a partition that was lost can be made again from its recipe, the trees so far, and the
steps of the current round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import (
    BinnedTable,
    BlockTable,
    LeafPrediction,
    PackedTrees,
    PartitionedTreeGrower,
    TreePartition,
)
from treewright.arrays import Floats
from treewright.data.scanned_table import ScannedTable
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.ensembles.boosting.callbacks import AskedLoss, Callbacks, Round
from treewright.ensembles.boosting.rounds import (
    Gradients,
    RoundPlan,
    ScoredRows,
    ValidationMonitor,
    target_for,
)
from treewright.ensembles.packed import filled_table, planned_bins
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows
from treewright.induction.growth import native_columns
from treewright.tree.predict import schema_levels

Step = tuple[Any, ...]  # the name of a method of RowPartition, and its arguments
TreeArrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class PartitionRecipe:
    """Rows `first` and after of the training rows, and how to begin with them."""

    table: Table  # of these rows alone
    y: Any
    weights: Floats | None
    first: int
    n_rows_of_all: int
    start: Floats  # the initial score of each output
    loss: Any
    levels: NDArray[np.int32]  # of each column, for trees that come as arrays
    n_threads: int

    def made(self, trees: PackedTrees) -> "RowPartition":
        """The partition after these trees, which also tell the bins."""
        partition = RowPartition(self, cells_in_bins(self.table, trees, self.n_threads))
        partition.add_trees(trees)
        return partition


def cells_in_bins(table: Table, bins: PackedTrees, n_threads: int) -> BinnedTable:
    """The rows as bytes, in the bins of trees."""
    if isinstance(table, ScannedTable):
        return filled_table(table, bins, n_threads)
    filled = BlockTable(bins, table.n_rows, n_threads)
    filled.read(native_columns(table), table.n_rows, 0)
    return filled.finished()


class RowPartition:
    """Some rows with their scores, which follow the trees step by step."""

    def __init__(self, recipe: PartitionRecipe, cells: BinnedTable) -> None:
        self._rows = ScoredRows.from_start(cells, recipe.y, recipe.weights, recipe.start)
        self._gradients = Gradients(recipe.loss, self._rows, recipe.n_threads)
        self._tree = TreePartition(cells, recipe.first, recipe.n_threads)
        self._n_rows_of_all = recipe.n_rows_of_all
        self._n_threads = recipe.n_threads

    def add_trees(self, trees: PackedTrees) -> None:
        """Add what trees predict, each to its output, in the order in which they were grown."""
        scores = self._rows.scores
        for at in range(trees.n_trees):
            own = scores[at % len(scores)].reshape(-1, 1)
            value = LeafPrediction.value
            trees.add_values(self._rows.cells, own, self._n_threads, value, at, at + 1)

    def run(self, steps: Sequence[Step]) -> Any:
        """The result of the last of some steps."""
        result = None
        for name, *arguments in steps:
            result = getattr(self, name)(*arguments)
        return result

    def has_missing(self) -> NDArray[np.int64]:
        """Whether each column has missing values: 1 or 0."""
        cells = self._rows.cells
        assert isinstance(cells, BinnedTable)
        return np.array(cells.has_missing(), dtype=np.int64)

    def fill(self) -> None:
        """The derivatives at the current scores."""
        self._gradients.fill()

    def largest(self, output: int) -> Any:
        return self._tree.largest(self._derivatives(output))

    def survey(self, output: int, bounds: Any) -> Any:
        return self._tree.survey(self._derivatives(output), bounds, self._n_rows_of_all)

    def start(self, output: int, units: Any, draw: int) -> Any:
        return self._tree.start(self._derivatives(output), units, draw)

    def divide(self, divisions: list[Any]) -> Any:
        return self._tree.divide(divisions)

    def leaf_sums(self, output: int, nodes: list[int], largest: Any) -> Any:
        derivatives = self._derivatives(output)
        return self._tree.leaf_sums(nodes, derivatives, largest, self._n_rows_of_all)

    def add_values(self, output: int, values: Floats) -> None:
        """Add the values of the leaves of a tree to the scores."""
        self._tree.add_values(values, self._rows.scores[output])

    def _derivatives(self, output: int) -> tuple[Any, ...]:
        own = self._gradients
        second = None if own.second is None else own.second[output]
        return own.first[output], second, self._rows.weights, own.is_logistic


def combined(name: str, results: Sequence[Any]) -> Any:
    """The result of a step for several partitions together; their order does not matter."""
    if name == "largest":
        return tuple(map(max, *results)) if len(results) > 1 else results[0]
    if name == "survey":
        largest, gradients, hessians = zip(*results, strict=True)
        return combined("largest", largest), sum(gradients), sum(hessians)
    if name in ("start", "divide"):
        return tuple(added(parts) for parts in zip(*results, strict=True))
    return added(results)


def added(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    total = arrays[0].copy()
    for one in arrays[1:]:
        total += one
    return total


class Steps(Protocol):
    """Partitions, wherever they are."""

    def begin_round(self, trees: PackedTrees) -> None:
        """What comes before the next steps: a partition can be made from these trees."""

    def later(self, step: Step) -> None:
        """A step without a result, to be done together with the next that has one."""

    def run(self, step: Step) -> Any:
        """The combined result of a step for all partitions."""


class LocalSteps:
    """Partitions of this process, one after the other."""

    def __init__(self, recipes: Sequence[PartitionRecipe], no_trees: PackedTrees) -> None:
        self._partitions = [recipe.made(no_trees) for recipe in recipes]
        self._waiting: list[Step] = []

    def begin_round(self, trees: PackedTrees) -> None:
        pass

    def later(self, step: Step) -> None:
        self._waiting.append(step)

    def run(self, step: Step) -> Any:
        steps, self._waiting = [*self._waiting, step], []
        return combined(step[0], [one.run(steps) for one in self._partitions])


class RowsOfTree:
    """All partitions, as the grower of one tree sees them."""

    def __init__(self, steps: Steps, output: int) -> None:
        self._steps = steps
        self._output = output

    def largest(self) -> Any:
        return self._steps.run(("largest", self._output))

    def survey(self, bounds: Any) -> Any:
        return self._steps.run(("survey", self._output, bounds))

    def start(self, units: Any, draw: int) -> Any:
        return self._steps.run(("start", self._output, units, draw))

    def divide(self, divisions: list[Any]) -> Any:
        return self._steps.run(("divide", divisions))

    def leaf_sums(self, nodes: list[int], largest: Any) -> Any:
        return self._steps.run(("leaf_sums", self._output, nodes, largest))


class PartitionedRounds:
    """The rounds of boosting on partitions, from the first or after trees of the same training."""

    def __init__(
        self,
        plan: RoundPlan,
        rows: TrainingRows,
        start: Floats,
        steps: Steps,
        before: PackedTrees,
        after_round: Callable[[int, PackedTrees], None] | None = None,
    ) -> None:
        self.plan = plan
        self.n_outputs = len(start)
        self._steps = steps
        self._after_round = after_round
        has_missing = (steps.run(("has_missing",)) > 0).tolist()
        n_rows = rows.n_rows
        plan.tree.first_tree = before.n_trees
        self._grower = PartitionedTreeGrower(before, n_rows, has_missing, plan.tree, plan.n_threads)
        self.trees = self._grower.no_trees()
        self.trees.append(before)
        is_logistic = plan.loss.name == "logistic" and rows.weights is None
        self._kind = {
            "weighted": rows.weights is not None,
            "logistic": is_logistic,
            "all_ones": plan.loss.unit_hessian and rows.weights is None,
        }

    def run(self, callbacks: Callbacks, monitor: ValidationMonitor | None) -> None:
        """Trains the remaining rounds, until a callback or early stopping ends it."""
        n_rounds = self.plan.n_rounds
        for number in range(self.trees.n_trees // self.n_outputs + 1, n_rounds + 1):
            if monitor is not None and monitor.is_over:  # before a checkpoint
                break
            self._grow(number)
            loss = None
            if monitor is not None:
                monitor.add_round(number)
                loss = monitor.losses[-1]
            if self._after_round is not None:
                self._after_round(number, self.trees)
            done = Round(number, n_rounds, callbacks.seconds, loss, AskedLoss(no_loss))
            if callbacks and callbacks.want_to_stop(done):
                break

    def _grow(self, number: int) -> None:
        """A tree for each output, on what the scores leave to be done."""
        steps = self._steps
        steps.begin_round(self.trees)
        steps.later(("fill",))
        for output in range(self.n_outputs):
            values = self._grower.grow(self.trees, RowsOfTree(steps, output), **self._kind)
            steps.later(("add_values", output, values))


def no_loss() -> float:
    raise ParameterError(
        "the training loss is not computed for partitions", hint="leave `loss` of a Round alone"
    )


def check_partitionable(plan: RoundPlan, model: Any) -> None:
    """Raise for what partitions cannot do."""
    refused = {
        "warm_start": bool(model.warm_start),
        "subsample below 1": plan.subsample < 1,
        "drop_rate": plan.drop_rate > 0,
        f"loss {plan.loss.name!r}": plan.loss.renewal != "none" or plan.loss.name == "own",
    }
    for what, is_given in refused.items():
        if is_given:
            raise ParameterError(
                f"{what} is not available for partitions", hint="use model.fit(scan)"
            )


def planned(rows: TrainingRows, max_bins: int, n_threads: int) -> PackedTrees:
    """The bins of all rows, as trees that have not begun to grow."""
    table, weights = rows.table, rows.weights
    if weights is not None:
        weights = np.ascontiguousarray(weights)
    if isinstance(table, ScannedTable) and not table.is_small:
        return planned_bins(table, weights, max_bins, n_threads).no_trees()
    cells = BinnedTable(native_columns(table), table.n_rows, weights, max_bins, n_threads)
    return cells.no_trees()


def recipes_of(
    plan: RoundPlan, rows: TrainingRows, start: Floats, n_partitions: int, n_threads: int
) -> list[PartitionRecipe]:
    """Neighboring rows in partitions of about equal size; none is empty."""
    y = target_for(plan.loss, rows)
    edges = np.unique(np.linspace(0, rows.n_rows, n_partitions + 1).astype(np.intp)).tolist()
    return [
        PartitionRecipe(
            table=rows.table[first:end],
            y=y[first:end].copy(),
            weights=None if rows.weights is None else rows.weights[first:end].copy(),
            first=first,
            n_rows_of_all=rows.n_rows,
            start=start,
            loss=plan.loss,
            levels=schema_levels(Schema.of(rows.table)),
            n_threads=n_threads,
        )
        for first, end in pairwise(edges)
    ]


def trees_from(arrays: TreeArrays, levels: NDArray[np.int32]) -> PackedTrees:
    """Trees that came as arrays, on columns of so many categories."""
    return PackedTrees.from_arrays(arrays, 1, False, levels)  # noqa: FBT003
