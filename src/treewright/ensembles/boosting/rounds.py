"""The rounds of boosting: each fits trees to the gradients at the current scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import (
    BinnedTable,
    GradientTreeGrower,
    GradientTreeSettings,
    LeafPrediction,
    Loss,
    PackedTrees,
    Renewal,
    loss_gradients,
)
from treewright._kernels.predictor import RowArrays
from treewright.arrays import Floats
from treewright.data.stored_table import room_in_folder, stored_array
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.callbacks import AskedLoss, Callbacks, Round
from treewright.ensembles.boosting.losses import ClassLoss
from treewright.ensembles.boosting.validation_rows import EarlyStopping
from treewright.estimators.training import TrainingRows


def target_for(loss: Any, rows: TrainingRows) -> Floats | NDArray[np.int32]:
    """The target as a loss takes it; those of classes are content with codes, half as large."""
    if isinstance(loss, ClassLoss) and isinstance(rows.target, ClassTarget):
        return np.ascontiguousarray(rows.target.codes, dtype=np.int32)
    return target_numbers(rows)


def target_numbers(rows: TrainingRows) -> Floats:
    """The target as any loss takes it: numbers, or codes of classes as numbers."""
    if isinstance(rows.target, ClassTarget):
        return rows.target.codes.astype(np.float64)
    return rows.target.values


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows, their targets, and their scores so far."""

    cells: BinnedTable | RowArrays  # as packed trees read them
    y: Floats | NDArray[np.int32]  # codes of classes for losses that take them
    weights: Floats | None
    scores: Floats  # (n_outputs, n_rows)
    folder: str | None = None  # of numbers for each row; None: memory

    @classmethod
    def from_start(
        cls,
        cells: BinnedTable | RowArrays,
        y: Floats | NDArray[np.int32],
        weights: Floats | None,
        start: Floats,
        folder: str | None = None,
    ) -> "ScoredRows":
        """Rows with the initial scores."""
        shape = len(start), len(y)
        scores = stored_array(len(start) * len(y), np.float64, folder).reshape(shape)
        scores[:] = start[:, np.newaxis]
        return cls(cells, y, weights, scores, folder)

    def numbers_like_scores(self) -> Floats:
        """Room for as many numbers as there are scores."""
        room: Floats = stored_array(self.scores.size, np.float64, self.folder)
        return room.reshape(self.scores.shape)

    @property
    def loss_scores(self) -> Floats:
        """The scores as a loss takes them: without an axis for a single output."""
        single: Floats = self.scores[0]
        return single if len(self.scores) == 1 else self.scores

    def predictions_of(self, trees: PackedTrees, first: int, last: int, n_threads: int) -> Floats:
        """(n_outputs, n_rows): what the trees from `first` to before `last` add up to."""
        added = np.zeros(self.scores.shape[::-1])
        trees.add_values(self.cells, added, n_threads, LeafPrediction.value, first, last)
        return added.T

    def add(self, trees: PackedTrees, first: int, last: int, n_threads: int) -> None:
        """Add what the trees from `first` to before `last` predict, in their order."""
        if len(self.scores) > 1:
            self.scores[:] += self.predictions_of(trees, first, last, n_threads)
            return
        by_row = self.scores.reshape(-1, 1)
        trees.add_values(self.cells, by_row, n_threads, LeafPrediction.value, first, last)

    def mean_loss(self, loss: Any) -> float:
        """The mean loss of a row at its score now, by weight."""
        return float(np.average(loss.row_losses(self.y, self.loss_scores), weights=self.weights))


class Gradients:
    """First and second derivatives by the score, each times the weight of its row."""

    def __init__(self, loss: Any, rows: ScoredRows, n_threads: int) -> None:
        self._loss = loss
        self._compiled = getattr(Loss, loss.name, None)
        self._rows = rows
        self._n_threads = n_threads
        self.first = rows.numbers_like_scores()
        no_weights = rows.weights is None
        # The second follow from the first and need not be stored.
        self.is_logistic = self._compiled is Loss.logistic and no_weights
        is_one = loss.unit_hessian and no_weights
        # None: 1, or these
        self.second = None if is_one or self.is_logistic else rows.numbers_like_scores()

    def fill(self) -> None:
        """Compute them at the current scores of the rows."""
        rows, loss = self._rows, self._loss
        if self._compiled is None:
            self._fill_by_definition()
            return
        loss_gradients(
            self._compiled,
            loss.parameter,
            rows.y,
            rows.scores,
            rows.weights,
            self.first,
            self.second,
            self._n_threads,
        )

    def _fill_by_definition(self) -> None:
        rows = self._rows
        first, second = self._loss.gradients(rows.y, rows.loss_scores)
        factor: Floats | float = 1.0 if rows.weights is None else rows.weights
        np.multiply(first, factor, out=self.first.reshape(first.shape))
        if self.second is not None:
            np.multiply(second, factor, out=self.second.reshape(second.shape))


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """What is done in every round."""

    n_rounds: int  # in all, those of an earlier fit included
    loss: Any
    tree: GradientTreeSettings
    n_threads: int
    subsample: float = 1.0  # share of the rows that a round grows on
    drop_rate: float = 0.0  # chance of an earlier round to be left out of a round
    seed: int = 0


class Rounds:
    """Trees that grow round by round, and the scores of the rows that they grow on."""

    def __init__(
        self, plan: RoundPlan, bins: BinnedTable, rows: ScoredRows, before: PackedTrees | None
    ) -> None:
        self.plan = plan
        self.rows = rows
        self.n_outputs = len(rows.scores)
        self.grower = GradientTreeGrower(bins, plan.tree, plan.n_threads, rows.folder)
        self.trees = self.grower.no_trees()
        plan.loss.settle(rows.y, rows.loss_scores, rows.weights)
        if before is not None:
            self.trees.append(before)
            rows.add(self.trees, 0, before.n_trees, plan.n_threads)
        self.gradients = Gradients(plan.loss, rows, plan.n_threads)
        self.renewal = Renewal[plan.loss.renewal]
        self.monitor: ValidationMonitor | None = None

    def run(self, callbacks: Callbacks, monitor: "ValidationMonitor | None") -> None:
        """Trains the remaining rounds, until a callback or early stopping ends it."""
        self.monitor = monitor
        n_done = self.trees.n_trees // self.n_outputs
        for number in range(n_done + 1, self.plan.n_rounds + 1):
            self.grow(number)
            if monitor is not None:
                monitor.add_round(number)
            if callbacks and callbacks.want_to_stop(self._finished(number, callbacks, monitor)):
                break
            if monitor is not None and monitor.is_over:
                break

    def grow(self, number: int) -> None:
        """One round, of DART if some rounds are to be left out meanwhile."""
        rate, seed = self.plan.drop_rate, self.plan.seed
        left_out = rounds_left_out(number - 1, rate, seed) if rate > 0 else []
        if left_out:
            grow_without(self, left_out, number)
        else:
            self.grow_trees(number)

    def grow_trees(self, number: int) -> None:
        """A tree for each output, on what the scores leave to be done."""
        gradients, rows, loss = self.gradients, self.rows, self.plan.loss
        drawn = self._drawn(number)
        loss.adapt(rows.y, rows.loss_scores, rows.weights)
        gradients.fill()
        for output in range(self.n_outputs):
            with room_in_folder():
                self.grower.grow(
                    self.trees,
                    gradients.first[output],
                    None if gradients.second is None else gradients.second[output],
                    drawn,
                    rows.scores[output],
                    rows.weights,
                    None if self.renewal is Renewal.none else rows.y,
                    self.renewal,
                    loss.parameter,
                    gradients.is_logistic,
                )

    def _drawn(self, number: int) -> NDArray[np.uint32] | None:
        """The rows that a round grows on, ascending; None for all."""
        n_rows, share = len(self.rows.y), self.plan.subsample
        n_drawn = max(1, round(share * n_rows))
        if n_drawn == n_rows:
            return None
        draws = np.random.default_rng((self.plan.seed, number)).random(n_rows)
        return np.flatnonzero(draws < np.partition(draws, n_drawn)[n_drawn]).astype(np.uint32)

    def _finished(
        self, number: int, callbacks: Callbacks, monitor: "ValidationMonitor | None"
    ) -> Round:
        return Round(
            number,
            self.plan.n_rounds,
            callbacks.seconds,
            None if monitor is None else monitor.losses[-1],
            AskedLoss(lambda: self.rows.mean_loss(self.plan.loss)),
        )


def grow_without(rounds: Rounds, left_out: Sequence[int], number: int) -> None:
    """A round of DART: grown without some earlier ones (Rashmi and Gilad-Bachrach, 2015).

    Otherwise late trees only correct what few rows still lack. With k rounds left out, the new
    trees do their work again and add the part of it that the learning rate says. Then the new
    trees count 1 / (k + rate), and the k rounds k / (k + rate) of what they did: together as much
    as before, were the new trees to find just the work that was left out. With a rate of 1 that is
    the paper's rule; with a smaller one, the paper's would let every round take away more than it
    brings.
    """
    rows, trees, n_threads = rounds.rows, rounds.trees, rounds.plan.n_threads
    together = len(left_out) + rounds.plan.tree.learning_rate
    share_left_out, share_new = len(left_out) / together, 1.0 / together
    taken = scores_of(trees, rows, left_out, n_threads)
    rows.scores[:] -= taken
    without = rows.scores.copy()
    rounds.grow_trees(number)
    found = rows.scores - without
    rows.scores[:] = without + share_new * found + share_left_out * taken
    if rounds.monitor is not None:  # the new trees are still to come there
        seen = rounds.monitor.rows
        seen.scores[:] -= (1.0 - share_left_out) * scores_of(trees, seen, left_out, n_threads)
    for old in left_out:
        for at in range(old * rounds.n_outputs, (old + 1) * rounds.n_outputs):
            trees.scale(at, share_left_out)
    for at in range(trees.n_trees - rounds.n_outputs, trees.n_trees):
        trees.scale(at, share_new)


def rounds_left_out(n_rounds: int, rate: float, seed: int) -> list[int]:
    """Each earlier round with probability `rate`; the same for the same seed and round."""
    draws = np.random.default_rng((seed, n_rounds, 1)).random(n_rounds)
    left_out: list[int] = np.flatnonzero(draws < rate).tolist()
    return left_out


def scores_of(
    trees: PackedTrees, rows: ScoredRows, rounds: Sequence[int], n_threads: int
) -> Floats:
    """(n_outputs, n_rows): what some rounds add to the scores."""
    added = np.zeros_like(rows.scores)
    n_outputs = len(added)
    for number in rounds:
        first = number * n_outputs
        added += rows.predictions_of(trees, first, first + n_outputs, n_threads)
    return added


class ValidationMonitor:
    """Validation rows and their mean loss after each round."""

    def __init__(self, rows: ScoredRows, rounds: Rounds, stopping: EarlyStopping) -> None:
        self.rows = rows
        self.stopping = stopping
        self.losses: list[float] = []
        self.is_over = False  # training should stop
        self._rounds = rounds
        for number in range(1, rounds.trees.n_trees // rounds.n_outputs + 1):  # of an earlier fit
            self.add_round(number)

    def add_round(self, number: int) -> None:
        """Adds the trees of a round."""
        rounds, last = self._rounds, number * self._rounds.n_outputs
        self.rows.add(rounds.trees, last - rounds.n_outputs, last, rounds.plan.n_threads)
        self.losses.append(self.rows.mean_loss(rounds.plan.loss))
        self.is_over = self.stopping.is_over(number, self.losses[-1])
