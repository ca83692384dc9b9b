"""How many rounds, and what trees: chosen by cross-validation inside `fit`.

With n_estimators="auto", tables of up to 20,000 rows are cut into three parts. Models grow on two
parts each, in step, and the third says how good they are after each round; large parts judge one or
two such models only. The mean loss of the parts decides on the number of rounds. These models take
up to 250 steps of 0.1. The final model takes twice as many steps of half the size; if the loss
still falls at the end, as it does without noise, it takes 500 steps of 0.1.

Small tables have symmetric trees on samples of the rows, which suits noise. Tables without noise
may be served better by free trees on all rows, so one part compares both.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.model import BoostingModel
from treewright.ensembles.boosting.own_loss import OwnLoss
from treewright.ensembles.boosting.rounds import Rounds, ScoredRows, target_for
from treewright.ensembles.boosting.settings import (
    AUTO,
    USUAL_ROUNDS,
    USUAL_TREES,
    RoundChoice,
    TreeShape,
    round_plan,
    usual_choice,
)
from treewright.ensembles.boosting.target_encoding import encoding_of
from treewright.ensembles.packed import binned
from treewright.estimators.threads import generator_from
from treewright.estimators.training import TrainingRows
from treewright.tree.predict import kernel_rows

FEWEST_ROWS, MOST_ROWS = 20, 20_000  # of tables whose rounds are chosen
FEW_ROWS = 5_000  # up to here, trees are symmetric
NOISY_TREES = TreeShape("symmetric", 32, 1, subsample=0.7, max_features_node=0.5)
CLEAN_TREES = TreeShape("leaf", 31, 5, subsample=1.0, max_features_node=1.0)
N_PARTS = 3
HELD_ROWS = 1_000  # that judge are enough: the first part may do, or two
LARGE_STEP, MOST_STEPS = 0.1, 250  # of the models that are compared
NEAR_THE_END = 0.95  # of these steps: the loss still falls
MUCH_BETTER = 0.9  # times the loss of symmetric trees, on one part: then free trees are taken
AS_GOOD = 0.005  # of what the rounds gain: the last round that is so near the best is taken
PATIENCE, PATIENCE_SHARE = 20, 0.25  # rounds without a lower loss before the search ends


def chooses_rounds(model: BoostingModel, rows: TrainingRows) -> bool:
    """Whether the rounds of a model are left to these rows."""
    return (
        model.n_estimators == AUTO
        and model.n_iter_no_change is None
        and model.validation_fraction is None
        and not model.warm_start
        and model.drop_rate == 0
        and FEWEST_ROWS <= rows.n_rows <= MOST_ROWS
        and not (isinstance(rows.target, ClassTarget) and rows.target.n_classes == 1)
        and not isinstance(model.loss_for(rows), OwnLoss)
    )


def chosen_rounds(model: BoostingModel, rows: TrainingRows, seed: int) -> RoundChoice:
    """The rounds and trees with the least loss on rows that were held back."""
    has_rate = model.learning_rate != AUTO
    trial = RoundChoice(
        n_rounds=USUAL_ROUNDS if has_rate else MOST_STEPS,
        learning_rate=float(model.learning_rate) if has_rate else LARGE_STEP,
        trees=(NOISY_TREES if rows.n_rows <= FEW_ROWS else USUAL_TREES).asked_by(model),
    )
    parts = parts_of(rows, seed)
    parts = parts[: math.ceil(HELD_ROWS / len(parts[-1]))]
    losses = losses_of_parts(model, rows, parts, trial, seed)
    with np.errstate(over="ignore"):
        means: Floats = np.average(losses, axis=1, weights=[len(part) for part in parts])
    other = replace(trial, trees=CLEAN_TREES.asked_by(model))
    if rows.n_rows <= FEW_ROWS and other != trial:
        of_other = losses_of_parts(model, rows, parts[:1], other, seed)[:, 0]
        if 0 <= of_other.min() < MUCH_BETTER * losses[:, 0].min():
            trial, means = other, of_other
    if not np.isfinite(means).all():
        return usual_choice(model, rows)
    as_good = means.min() + AS_GOOD * (means[0] - means.min())
    n_rounds = int(np.flatnonzero(means <= as_good)[-1]) + 1
    found = replace(trial, n_rounds=n_rounds, losses=means)
    if has_rate:
        return found
    if n_rounds >= NEAR_THE_END * MOST_STEPS:
        return replace(found, n_rounds=USUAL_ROUNDS)
    return replace(found, n_rounds=2 * n_rounds, learning_rate=LARGE_STEP / 2)


def parts_of(rows: TrainingRows, seed: int) -> list[NDArray[np.intp]]:
    """Three parts of the rows, with equal shares of each class."""
    generator = generator_from(seed)
    order = np.concatenate([generator.permutation(stratum) for stratum in rows.strata])
    return [np.sort(order[part::N_PARTS]) for part in range(N_PARTS)]


def losses_of_parts(
    model: BoostingModel,
    rows: TrainingRows,
    parts: list[NDArray[np.intp]],
    choice: RoundChoice,
    seed: int,
) -> Floats:
    """(n_rounds, n_parts): the mean loss of each part after each round of the other rows."""
    growths = [PartGrowth(model, rows, part, choice, seed) for part in parts]
    losses: list[list[float]] = []
    best, best_round = math.inf, 0
    for number in range(1, choice.n_rounds + 1):
        with np.errstate(over="ignore"):  # squares of huge numbers
            losses.append([growth.loss_after(number) for growth in growths])
        loss = sum(losses[-1])
        if loss < best:
            best, best_round = loss, number
        if number - best_round >= PATIENCE + PATIENCE_SHARE * best_round:
            break
    return np.array(losses)


class PartGrowth:
    """A model that grows without one part of the rows, and is judged by it."""

    def __init__(
        self,
        model: BoostingModel,
        rows: TrainingRows,
        part: NDArray[np.intp],
        choice: RoundChoice,
        seed: int,
    ) -> None:
        others = np.setdiff1d(np.arange(rows.n_rows), part)
        kept, held = rows.take(others), rows.take(part)
        plan = round_plan(model, kept, seed, choice)
        y = target_for(plan.loss, kept)
        start = plan.loss.start(y, kept.weights)
        encoding, kept = encoding_of(model, kept, seed)
        if encoding is not None:
            encoding.extend(plan.tree)
            held = encoding.rows(held)
        bins = binned(
            kept.table, kept.weights, max_bins=int(model.max_bins), n_threads=plan.n_threads
        )
        self._rounds = Rounds(plan, bins, ScoredRows.from_start(bins, y, kept.weights, start), None)
        self._held = ScoredRows.from_start(
            kernel_rows(held.table), target_for(plan.loss, held), held.weights, start
        )

    def loss_after(self, number: int) -> float:
        """Grow one more round; the mean loss of the part."""
        rounds = self._rounds
        rounds.grow(number)
        last = number * rounds.n_outputs
        self._held.add(rounds.trees, last - rounds.n_outputs, last, rounds.plan.n_threads)
        return self._held.mean_loss(rounds.plan.loss)
