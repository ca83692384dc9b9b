"""The first steps of a descent with all that they are calculated from."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.linear import LinearLoss
from treewright.linear.coded_rows import CodedRows
from treewright.linear.descent import StepSettings, steps_down
from treewright.linear.direct import probabilities
from treewright.linear.objective import Objective

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class StepWork:
    """One step: the rows that it looks at, their errors, the slopes and the new coefficients."""

    number: int  # from 1
    rows: NDArray[np.intp]  # positions
    values: Float64Array  # (n_rows, n_shown) of the terms shown, the intercept's 1 first
    target: Float64Array  # (n_rows,)
    answers: Float64Array  # (n_rows, n_outputs) predictions, or probabilities
    errors: Float64Array  # (n_rows, n_outputs) answer - target
    weights: Float64Array  # (n_rows,) that add up to 1
    cost: float  # over all rows; NaN if the step does not ask for it
    point: Float64Array  # (n_outputs, n_terms) the coefficients before
    slope: Float64Array
    rate: float
    after: Float64Array
    momentum: float
    next_point: Float64Array


def dense(coded: CodedRows, rows: NDArray[np.intp], places: NDArray[np.intp]) -> Float64Array:
    """Some terms of some rows, a column for each."""
    values = np.zeros((len(rows), len(places)))
    for at, place in enumerate(places.tolist()):
        if place < coded.n_numbers:
            values[:, at] = coded.numbers[rows, place]
        else:
            values[:, at] = (coded.slots[rows] == place - coded.n_numbers).any(axis=1)
    return values


def answers_and_errors(
    objective: Objective, scores: Float64Array, target: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """What the scores say, and by how much that is more than the target."""
    if objective.loss == LinearLoss.squared_error:
        return scores, scores - target[:, np.newaxis]
    if objective.loss == LinearLoss.logistic:
        chances = probabilities(scores)[:, 1:]
        return chances, chances - target[:, np.newaxis]
    chances = probabilities(scores) if objective.n_outputs > 1 else np.ones_like(scores)
    return chances, chances - np.eye(objective.n_outputs)[target.astype(np.intp)]


@dataclass(frozen=True, slots=True, eq=False)
class StepRun:
    """A descent to take the first steps of once more."""

    objective: Objective
    settings: StepSettings
    rate: float
    seed: int  # of the order of the rows
    places: NDArray[np.intp]  # of the terms to be shown


def first_steps(run: StepRun) -> Iterator[StepWork]:
    """The steps from the start; of single rows or batches those of one epoch."""
    return steps_of_an_epoch(run) if run.settings.batch_size else steps_over_all_rows(run)


def steps_over_all_rows(run: StepRun) -> Iterator[StepWork]:
    """Steps of the batch descent."""
    objective, coded = run.objective, run.objective.coded
    rows = np.arange(coded.n_rows)
    values = dense(coded, rows, run.places)
    for step in steps_down(objective, run.settings, run.rate):
        scores = np.empty((coded.n_rows, objective.n_outputs))
        objective.rows.scores(np.ascontiguousarray(step.point), scores, objective.n_threads)
        answers, errors = answers_and_errors(objective, scores, objective.target)
        yield StepWork(
            step.number + 1,
            rows,
            values,
            objective.target,
            answers,
            errors,
            coded.shares,
            step.cost,
            step.point,
            step.slope,
            step.rate,
            step.after,
            step.momentum,
            step.next_point,
        )


def steps_of_an_epoch(run: StepRun) -> Iterator[StepWork]:
    """Steps of the first epoch by single rows or batches."""
    objective, settings, rate = run.objective, run.settings, run.rate
    coded, momentum = objective.coded, settings.momentum or 0.0
    order = np.random.default_rng(run.seed).permutation(coded.n_rows)
    every_place = np.arange(coded.n_terms)
    point = before = objective.start()
    for number, begin in enumerate(range(0, coded.n_rows, settings.batch_size), 1):
        rows = order[begin : begin + settings.batch_size]
        values, target = dense(coded, rows, every_place), objective.target[rows]
        answers, errors = answers_and_errors(objective, values @ point.T, target)
        weights = coded.shares[rows] * coded.n_rows / len(rows)
        slope = (errors * weights[:, np.newaxis]).T @ values
        slope[:, 1:] += objective.l2 * point[:, 1:]
        after = objective.shrunk(point - rate * slope, rate)
        on = after + momentum * (after - before)
        yield StepWork(
            number,
            rows,
            values[:, run.places],
            target,
            answers,
            errors,
            weights,
            float("nan"),
            point,
            slope,
            rate,
            after,
            momentum,
            on,
        )
        point, before = on, after
