"""Descent by single rows or small batches: one epoch takes every row once, in random order.

The step is that of the batch descent, with the gradient of few rows in place of all. After each
epoch cost and gradient of all rows are computed, so the trace is exact; the best point of all
epochs is the result.
"""

import numpy as np

from treewright._kernels.learners import EpochSettings
from treewright.arrays import Floats
from treewright.linear.descent import (
    Descended,
    Recorder,
    StepSettings,
    refuse_growth,
    safe_rate_of_batches,
    with_halved_rates,
)
from treewright.linear.objective import Objective

LEAST_FALL = 1e-4  # of the cost: less in an epoch is noise
SMALLEST_RATE = 1e-4  # of the first: below it "halving" has arrived
MOST_IDLE_EPOCHS = 10  # without any fall of the best cost: a constant rate has arrived


def descend_by_batches(objective: Objective, settings: StepSettings, seed: int) -> Descended:
    """Epochs until the cost no longer falls; an automatic rate is halved if necessary."""
    rate = settings.rate or safe_rate_of_batches(objective, settings.batch_size)
    return with_halved_rates(
        lambda rate: epochs(objective, settings, rate, np.random.default_rng(seed)),
        objective,
        settings,
        rate,
    )


def epochs(
    objective: Objective, settings: StepSettings, rate: float, generator: np.random.Generator
) -> Descended:
    """The epochs with a rate to begin with."""
    record, first = Recorder(), rate
    point = best = objective.start()
    velocity = np.zeros_like(point)
    best_cost, n_idle, converged = np.inf, 0, False
    for epoch in range(settings.max_iter + 1):
        smooth_cost, slope = objective.smooth(point)
        cost = objective.cost(smooth_cost, point)
        refuse_growth(record, cost, rate)
        fell = cost < best_cost - LEAST_FALL * abs(best_cost) if record.costs else True
        n_idle = 0 if fell else n_idle + 1
        rate = next_rate(settings, first, rate, epoch, fell=fell)
        size = objective.slope_size(point, slope, rate)
        record.add(point, cost, size, rate)
        if cost < best_cost:
            best, best_cost = point.copy(), cost
        converged = has_arrived(settings, size, rate / first, n_idle)
        if converged or epoch == settings.max_iter:
            break
        run_epoch(objective, settings, rate, generator, point, velocity)
    record.close(best)
    return Descended(best, record, converged, first)


def next_rate(
    settings: StepSettings, first: float, rate: float, epoch: int, *, fell: bool
) -> float:
    """The rate of the epoch to come."""
    if settings.rule == "inverse":
        return first / (1 + settings.decay * epoch)
    if settings.rule == "halving" and not fell:
        return rate / 2
    return rate


def has_arrived(settings: StepSettings, size: float, rate_left: float, n_idle: int) -> bool:
    """Whether more epochs would change little."""
    if size <= settings.tol:
        return True
    if settings.rule == "halving":
        return rate_left < SMALLEST_RATE
    return n_idle >= MOST_IDLE_EPOCHS


def run_epoch(
    objective: Objective,
    settings: StepSettings,
    rate: float,
    generator: np.random.Generator,
    point: Floats,
    velocity: Floats,
) -> None:
    """Change point and velocity by one epoch."""
    steps = EpochSettings()
    steps.batch_size = settings.batch_size
    steps.rate = rate
    steps.momentum = settings.momentum or 0.0
    steps.l1, steps.l2 = objective.l1, objective.l2
    order = generator.permutation(objective.coded.n_rows)
    objective.rows.descend(objective.loss, objective.target, order, steps, point, velocity)
