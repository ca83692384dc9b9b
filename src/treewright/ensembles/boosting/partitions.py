"""Boosted trees from rows in several places, with the bytes of rows in one memory.

    PartitionRecipe     all that makes a partition, wherever it is needed
    RowPartition        some rows, their scores and their derivatives, beside a worker
    Steps               what is done with all partitions: here in a loop, elsewhere on a cluster
    PartitionedRounds   the rounds: trees grow here, from sums of all partitions

A step is a name and its arguments. Its results are whole numbers, or maxima: they add up in any
order. So a partition that was lost can be made again from its recipe, the trees so far, and the
steps of the current round.
"""

import math
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
    Renewal,
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
        self._recipe = recipe
        self._cells = cells
        self._rows = ScoredRows.from_start(cells, recipe.y, recipe.weights, recipe.start)
        self._gradients = Gradients(recipe.loss, self._rows, recipe.n_threads)
        self._tree = TreePartition(cells, recipe.first, recipe.n_rows_of_all, recipe.n_threads)
        self._n_drawn_of_all = recipe.n_rows_of_all
        self._drawn: NDArray[np.uint32] | None = None

    def add_trees(self, trees: PackedTrees) -> None:
        """Add what trees predict, each to its output, in the order in which they were grown."""
        for at in range(trees.n_trees):
            self._add_tree(at % len(self._rows.scores), trees, at)

    def _add_tree(self, output: int, trees: PackedTrees, at: int) -> None:
        own = self._rows.scores[output].reshape(-1, 1)
        n_threads = self._recipe.n_threads
        trees.add_values(self._cells, own, n_threads, LeafPrediction.value, at, at + 1)

    def run(self, steps: Sequence[Step]) -> Any:
        """The result of the last of some steps."""
        result = None
        for name, *arguments in steps:
            result = getattr(self, name)(*arguments)
        return result

    def has_missing(self) -> NDArray[np.int64]:
        """Whether each column has missing values: 1 or 0."""
        return np.array(self._cells.has_missing(), dtype=np.int64)

    def digest(self) -> NDArray[np.uint64]:
        """A number that depends on every cell; those of all partitions add up."""
        return np.array([self._cells.digest(self._recipe.first)], dtype=np.uint64)

    def scores(self) -> Floats:
        """The scores of losses that have one."""
        return self._rows.loss_scores

    def draw(self, n_drawn: int, seed: tuple[int, int], limit: float) -> None:
        """Take the rows whose random numbers are below a limit for the trees of a round."""
        numbers = np.random.PCG64(seed)  # those of `default_rng`
        numbers.advance(self._recipe.first)  # one for each row before
        draws = np.random.Generator(numbers).random(len(self._rows.y))
        self._n_drawn_of_all = n_drawn
        self._drawn = np.flatnonzero(draws < limit).astype(np.uint32)

    def fill(self, parameter: float) -> None:
        """The derivatives at the current scores."""
        loss = self._recipe.loss
        if loss.parameter != parameter:  # which follows the scores of all rows
            loss.parameter = parameter
        self._gradients.fill()

    def largest(self, output: int) -> Any:
        """The largest derivatives of the drawn rows, and the largest weight."""
        return self._tree.largest(self._derivatives(output), self._drawn)

    def survey(self, output: int, bounds: Any) -> Any:
        """The largest derivatives, and sums of their sizes, from which units follow."""
        derivatives = self._derivatives(output)
        return self._tree.survey(derivatives, self._drawn, bounds, self._n_drawn_of_all)

    def begin(self, output: int, bounds: Any, units: Any, draw: int, counts_rows: bool) -> Any:  # noqa: FBT001
        """The largest derivatives, and if units fit them, all that begins a tree."""
        largest = self.largest(output)
        of_units = units[-1]
        if any(
            math.frexp(own)[1] > math.frexp(most)[1]
            for own, most in zip(largest, of_units, strict=True)
        ):
            return largest, None
        _, gradient, hessian = self.survey(output, bounds)
        return largest, (gradient, hessian, self.start(output, units, draw, counts_rows))

    def start(self, output: int, units: Any, draw: int, counts_rows: bool) -> Any:  # noqa: FBT001
        """Begin a tree: sums of all rows by bin, and their numbers if wanted."""
        return self._tree.start(self._derivatives(output), self._drawn, units, draw, counts_rows)

    def divide(self, output: int, divisions: list[Any]) -> Any:
        """Divide nodes: sums of the children by bin, as far as they are wanted."""
        return self._tree.divide(self._derivatives(output), divisions)

    def count_rows(self, nodes: NDArray[np.uint32]) -> Any:
        """The numbers of rows of nodes by bin."""
        return self._tree.count_rows(nodes)

    def leaf_of_rows(self, nodes: NDArray[np.uint32]) -> Any:
        """The number of the leaf of each row; `nodes` are those of the leaves."""
        return self._tree.leaf_of_rows(nodes)

    def add_values(self, output: int, nodes: NDArray[np.uint32], values: Floats) -> None:
        """Add the values of the leaves of a tree to the scores of their rows, which are all."""
        self._tree.add_values(nodes, values, self._rows.scores[output])

    def add_tree(self, output: int, arrays: TreeArrays) -> None:
        """Add what a tree predicts, also for rows that it was not grown on."""
        self._add_tree(output, trees_from(arrays, self._recipe.levels), 0)

    def _derivatives(self, output: int) -> tuple[Any, ...]:
        own = self._gradients
        second = None if own.second is None else own.second[output]
        return own.first[output], second, self._rows.weights, own.is_logistic


def combined(name: str, results: Sequence[Any]) -> Any:
    """The result of a step for several partitions together, as they follow each other.

    Where results are not of single rows, their order does not matter.
    """
    if name == "largest":
        return tuple(map(max, *results)) if len(results) > 1 else results[0]
    if name == "survey":
        largest, gradients, hessians = zip(*results, strict=True)
        return combined("largest", largest), sum(gradients), sum(hessians)
    if name == "begin":
        largest, begun = zip(*results, strict=True)
        if any(one is None for one in begun):
            return combined("largest", largest), None
        gradients, hessians, counts = zip(*begun, strict=True)
        rest = sum(gradients), sum(hessians), combined("start", counts)
        return combined("largest", largest), rest
    if name in ("start", "divide"):
        return tuple(added(parts) for parts in zip(*results, strict=True))
    if name in ("scores", "leaf_of_rows"):
        return np.concatenate(results)
    return added(results)


def added(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    total = arrays[0].copy()
    for one in arrays[1:]:
        total += one
    return total


class Steps(Protocol):
    """Partitions, wherever they are."""

    @property
    def n_bytes_moved(self) -> int:
        """Between this process and others, so far."""

    def begin_round(self, trees: PackedTrees) -> None:
        """What comes before the next steps: a partition can be made from these trees."""

    def later(self, step: Step) -> None:
        """A step without a result, to be done together with the next that has one."""

    def run(self, step: Step) -> Any:
        """The combined result of a step for all partitions."""


class LocalSteps:
    """Partitions of this process, one after the other."""

    n_bytes_moved = 0

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

    def begin(self, bounds: Any, units: Any, draw: int, counts_rows: bool) -> Any:  # noqa: FBT001
        return self._steps.run(("begin", self._output, bounds, units, draw, counts_rows))

    def start(self, units: Any, draw: int, counts_rows: bool) -> Any:  # noqa: FBT001
        return self._steps.run(("start", self._output, units, draw, counts_rows))

    def divide(self, divisions: list[Any]) -> Any:
        return self._steps.run(("divide", self._output, divisions))

    def count_rows(self, nodes: NDArray[np.uint32]) -> Any:
        return self._steps.run(("count_rows", nodes))

    def leaf_of_rows(self, nodes: NDArray[np.uint32]) -> Any:
        return self._steps.run(("leaf_of_rows", nodes))


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
        self._n_rows = rows.n_rows
        self._y, self._weights = target_for(plan.loss, rows), rows.weights
        self._renewal = Renewal[plan.loss.renewal]
        if self._renewal is not Renewal.none:
            plan.loss.settle(self._y, np.repeat(start, rows.n_rows), rows.weights)
        has_missing = (steps.run(("has_missing",)) > 0).tolist()
        n_rows = rows.n_rows
        plan.tree.first_tree = self._n_before = before.n_trees
        self._few_rows = few_rows_of(plan.tree.min_samples_leaf)
        self._grower = PartitionedTreeGrower(before, n_rows, has_missing, plan.tree, plan.n_threads)
        self.trees = self._grower.no_trees()
        self.trees.append(before)
        is_unweighted = rows.weights is None
        is_logistic = plan.loss.name == "logistic" and is_unweighted
        self._kind = not is_unweighted, is_logistic, plan.loss.unit_hessian and is_unweighted

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
            if callbacks and callbacks.want_to_stop(done, self._speed(done)):
                break

    def _speed(self, done: Round) -> str:
        """Rows per second, and how much was moved."""
        n_done = done.number - self._n_before // self.n_outputs
        speed = f"{self._n_rows * n_done / max(done.seconds, 1e-9):,.0f} rows/s"
        n_bytes = self._steps.n_bytes_moved
        return f"{speed}, {n_bytes / 1e6:,.1f} MB moved" if n_bytes else speed

    def _grow(self, number: int) -> None:
        """A tree for each output, on what the scores leave to be done."""
        steps, loss = self._steps, self.plan.loss
        steps.begin_round(self.trees)
        n_drawn = self._draw(number)
        renewal = None
        if self._renewal is not Renewal.none:  # which needs all residuals in one place
            scores = steps.run(("scores",))
            loss.adapt(self._y, scores, self._weights)
            renewal = self._renewal, loss.parameter, self._y, scores, self._weights
        steps.later(("fill", loss.parameter))
        for output in range(self.n_outputs):
            tree = self._grower.no_trees()
            nodes, values = self._grower.grow(
                tree,
                RowsOfTree(steps, output),
                output,
                n_drawn,
                self._kind,
                renewal,
                self._few_rows,
            )
            self.trees.append(tree)
            if n_drawn == self._n_rows:
                steps.later(("add_values", output, nodes, values))
            else:
                steps.later(("add_tree", output, tree.arrays()))

    def _draw(self, number: int) -> int:
        """Draw the rows that a round grows on, as `Rounds` does; their number."""
        n_rows = self._n_rows
        n_drawn = max(1, round(self.plan.subsample * n_rows))
        if n_drawn < n_rows:
            seed = self.plan.seed, number
            draws = np.random.default_rng(seed).random(n_rows)
            draws.partition(n_drawn)
            self._steps.later(("draw", n_drawn, seed, float(draws[n_drawn])))
        return n_drawn


def few_rows_of(min_samples_leaf: float) -> int:
    """The most rows of a node whose rows are always counted by bin.

    It changes no result. In larger nodes the sums of second derivatives nearly always show that
    both sides of the best cut have enough rows.
    """
    return max(2**13, int(512 * min_samples_leaf))


def no_loss() -> float:
    raise ParameterError(
        "the training loss is not available in `tw.distributed.fit`",
        hint="do not read `loss` in the callback, or use `model.fit`",
    )


def check_partitionable(plan: RoundPlan, model: Any) -> None:
    """Raise for what partitions cannot do."""
    refused = {
        "warm_start": bool(model.warm_start),
        "drop_rate": plan.drop_rate > 0,
        "a loss function of your own": plan.loss.name == "own",
    }
    for what, is_given in refused.items():
        if is_given:
            raise ParameterError(
                f"{what} is not available in `tw.distributed.fit`", hint="use `model.fit`"
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
