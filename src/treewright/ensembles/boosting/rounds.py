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
    Loss,
    PackedTrees,
    Renewal,
    loss_gradients,
)
from treewright.arrays import Floats
from treewright.ensembles.boosting.callbacks import AskedLoss, Round, Told
from treewright.ensembles.boosting.dart import Shares, rounds_left_out, scores_of, share_out
from treewright.ensembles.boosting.scored_rows import ScoredRows
from treewright.ensembles.boosting.validation_rows import Patience


class Gradients:
    """First and second derivatives by the score, each times the weight of its row."""

    def __init__(self, loss: Any, rows: ScoredRows, n_threads: int) -> None:
        self._loss = loss
        self._compiled = getattr(Loss, loss.name, None)
        self._rows = rows
        self._n_threads = n_threads
        shape = rows.scores.shape
        self.first = np.empty(shape)
        no_weights = rows.weights is None
        # The second follow from the first, so nobody has to keep them.
        self.is_logistic = self._compiled is Loss.logistic and no_weights
        is_one = loss.unit_hessian and no_weights
        self.second = None if is_one or self.is_logistic else np.empty(shape)  # None: 1, or these

    def fill(self) -> None:
        """Work them out at the scores that the rows have now."""
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
        self.grower = GradientTreeGrower(bins, plan.tree, plan.n_threads)
        self.trees = self.grower.no_trees()
        plan.loss.settle(rows.y, rows.loss_scores, rows.weights)
        if before is not None:
            self.trees.append(before)
            rows.add(self.trees, 0, before.n_trees, plan.n_threads)
        self.gradients = Gradients(plan.loss, rows, plan.n_threads)
        self.renewal = Renewal[plan.loss.renewal]
        self.watched: Watched | None = None

    def run(self, told: Told, watched: "Watched | None") -> None:
        """Trains the remaining rounds, until a callback or early stopping ends it."""
        self.watched = watched
        n_done = self.trees.n_trees // self.n_outputs
        for number in range(n_done + 1, self.plan.n_rounds + 1):
            self.grow(number)
            is_over = watched is not None and watched.has_seen_enough(number)
            if told and told.wants_to_stop(self._finished(number, told, watched)):
                break
            if is_over:
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
        lots = np.random.default_rng((self.plan.seed, number)).random(n_rows)
        return np.flatnonzero(lots < np.partition(lots, n_drawn)[n_drawn]).astype(np.uint32)

    def _finished(self, number: int, told: Told, watched: "Watched | None") -> Round:
        return Round(
            number,
            self.plan.n_rounds,
            told.seconds,
            None if watched is None else watched.losses[-1],
            AskedLoss(lambda: self.rows.mean_loss(self.plan.loss)),
        )


def grow_without(rounds: Rounds, left_out: Sequence[int], number: int) -> None:
    """A round of DART: grown without some earlier ones, which then share the work with it."""
    rows, trees, n_threads = rounds.rows, rounds.trees, rounds.plan.n_threads
    shares = Shares.of(len(left_out), rounds.plan.tree.learning_rate)
    taken = scores_of(trees, rows, left_out, n_threads)
    rows.scores[:] -= taken
    without = rows.scores.copy()
    rounds.grow_trees(number)
    found = rows.scores - without
    rows.scores[:] = without + shares.new * found + shares.left_out * taken
    if rounds.watched is not None:  # the new trees are still to come there
        seen = rounds.watched.rows
        seen.scores[:] -= (1.0 - shares.left_out) * scores_of(trees, seen, left_out, n_threads)
    share_out(trees, left_out, rounds.n_outputs, shares)


class Watched:
    """Validation rows and their mean loss after each round."""

    def __init__(self, rows: ScoredRows, rounds: Rounds, patience: Patience) -> None:
        self.rows = rows
        self.patience = patience
        self.losses: list[float] = []
        self._rounds = rounds
        for number in range(1, rounds.trees.n_trees // rounds.n_outputs + 1):  # of an earlier fit
            self.has_seen_enough(number)

    def has_seen_enough(self, number: int) -> bool:
        """Adds the trees of a round; returns whether training should stop."""
        rounds, last = self._rounds, number * self._rounds.n_outputs
        self.rows.add(rounds.trees, last - rounds.n_outputs, last, rounds.plan.n_threads)
        self.losses.append(self.rows.mean_loss(rounds.plan.loss))
        return self.patience.is_over(number, self.losses[-1])
