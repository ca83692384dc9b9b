"""Batch gradient descent: every step looks at all rows.

    from the point p with the gradient g:   d' = p - rate x g       (brought nearer to 0 by l1)
                                            p' = d' + momentum x (d' - d)

Without momentum p and d are the same, and this is the descent of the textbooks. With it the
gradient is taken ahead of the last step (Nesterov). "auto" lets momentum grow as the descent goes
on and restarts where it points uphill (O'Donoghue and Candes, 2015).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import DataError, ParameterError
from treewright.linear.objective import LARGEST_CURVATURE, Objective

MOST_POINTS = 1000  # steps whose coefficients are kept; of longer descents every second, fourth ...
MOST_KEPT_NUMBERS = 100_000  # coefficients of all steps together


@dataclass(frozen=True, slots=True, eq=False)
class DescentTrace:
    """Cost, size of the slope and rate of each step, and the coefficients of many.

    Step 0 is the start. Of a long descent the coefficients are kept for evenly spaced steps only,
    and for the last.
    """

    costs: Floats  # (n_steps + 1,)
    slopes: Floats  # (n_steps + 1,) largest entry of the gradient
    rates: Floats  # (n_steps + 1,) of the step that leads on from there
    steps: NDArray[np.int64]  # (n_kept,) those with coefficients
    intercepts: Floats  # (n_kept, n_outputs)
    coefficients: Floats  # (n_kept, n_outputs, n_terms) in the units of the columns

    @property
    def n_steps(self) -> int:
        return len(self.costs) - 1

    def __repr__(self) -> str:
        return (
            f"<DescentTrace: {self.n_steps} steps, cost {self.costs[0]:.6g} -> "
            f"{self.costs[-1]:.6g}, slope {self.slopes[-1]:.3g}>"
        )


@dataclass(eq=False)
class Recorder:
    """Collects a trace during the descent."""

    costs: list[float] = field(default_factory=list)
    slopes: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    points: list[Floats] = field(default_factory=list)
    _spacing: int = 1

    def add(self, point: Floats, cost: float, slope: float, rate: float) -> None:
        """The point where the descent is now, and the rate that it leaves with."""
        step = len(self.costs)
        self.costs.append(cost)
        self.slopes.append(slope)
        self.rates.append(rate)
        if step % self._spacing == 0:
            self._keep(step, point)

    def _keep(self, step: int, point: Floats) -> None:
        self.steps.append(step)
        self.points.append(point.copy())
        most = max(2, min(MOST_POINTS, MOST_KEPT_NUMBERS // point.size))
        if len(self.steps) > most:
            self._spacing *= 2
            kept = [at for at, number in enumerate(self.steps) if number % self._spacing == 0]
            self.steps = [self.steps[at] for at in kept]
            self.points = [self.points[at] for at in kept]

    def close(self, point: Floats) -> None:
        """Keep the last point whatever the spacing is."""
        last = len(self.costs) - 1
        if self.steps and self.steps[-1] == last:
            self.points[-1] = point.copy()
        else:
            self.steps.append(last)
            self.points.append(point.copy())

    @property
    def n_steps(self) -> int:
        return len(self.costs) - 1


MOST_GROWTH = 100.0  # a cost so many times that of the start: the descent goes uphill
MOST_STEPS_ABOVE = 20  # with a cost above that of the start: so does a descent that swings wildly
MOST_HALVINGS = 60
MOST_RATES = 60  # each half of the one before: a smaller one would change no digit
GROWTH = 1.25  # of a rate that was halved as often as it had to be, before the next step


@dataclass(frozen=True, slots=True)
class StepSettings:
    """How a descent goes; the rate is a number, or None for one that is safe."""

    rate: float | None
    rule: str  # "constant", "inverse", "backtracking" or "halving"
    decay: float
    momentum: float | None  # None: grows by itself
    max_iter: int
    tol: float  # in the units of the gradient
    batch_size: int = 0  # 0: all rows


@dataclass(frozen=True, slots=True, eq=False)
class Descended:
    """The result of a descent."""

    point: Floats  # (n_outputs, n_terms)
    record: Recorder
    converged: bool
    rate: float  # of the first step


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step: where it begins, how steep it is there, and where it leads."""

    number: int  # from 0
    point: Floats  # p, (n_outputs, n_terms)
    cost: float
    slope: Floats  # the gradient at p
    size: float  # of the slope
    rate: float
    after: Floats  # d'
    momentum: float
    next_point: Floats  # p'


class Momentum:
    """The share of the last step that the next one begins with."""

    def __init__(self, share: float | None) -> None:
        self._share = share
        self._size = 1.0

    def next(self, down: Floats, moved: Floats) -> float:
        """The share after a step that went `down` by the slope, and on the whole by `moved`."""
        if self._share is not None:
            return self._share
        if float((down * moved).sum()) < 0:  # uphill: what has gathered so far misleads
            self._size = 1.0
        before, self._size = self._size, (1 + math.sqrt(1 + 4 * self._size**2)) / 2
        return (before - 1) / self._size


def descend(objective: Objective, settings: StepSettings) -> Descended:
    """Steps down the cost from coefficients that are all 0, until the slope is almost none."""
    rate = first_rate(objective, settings)
    return with_halved_rates(
        lambda rate: descend_by(objective, settings, rate), objective, settings, rate
    )


def with_halved_rates(
    run: Callable[[float], Descended], objective: Objective, settings: StepSettings, rate: float
) -> Descended:
    """The descent with a rate; an automatic rate is halved as long as it leads uphill."""
    for _ in range(MOST_RATES):
        try:
            return run(rate)
        except Diverged as diverged:
            if settings.rate is not None:
                refuse_rate(objective, settings, diverged)
            start = diverged.costs[0]
            rate /= 2
    raise DataError(
        f"the cost is {start:.4g} at the start, and no rate lowers it: the numbers are too large",
        hint="divide columns and target by powers of ten, or lower l1 and l2",
    )


def first_rate(objective: Objective, settings: StepSettings) -> float:
    """The rate asked for, or the largest that is sure to go down in every direction."""
    if settings.rate is not None:
        return settings.rate
    curvature = objective.curvature()
    return 1.0 / curvature if curvature > 0 else 1.0


class Diverged(Exception):  # noqa: N818 (not yet an error: the rate may be changed)
    """The cost grows without an end."""

    def __init__(self, rate: float, step: int, costs: list[float]) -> None:
        super().__init__(rate, step, costs)
        self.rate, self.step, self.costs = rate, step, costs


def steps_down(objective: Objective, settings: StepSettings, rate: float) -> Iterator[Step]:
    """The steps from coefficients that are all 0, without an end."""
    momentum, first = Momentum(settings.momentum), rate
    point = before = objective.start()
    for number in count():
        smooth_cost, slope = objective.smooth(point)
        if settings.rule == "inverse":
            rate = first / (1 + settings.decay * number)
        elif settings.rule == "backtracking":
            rate = backtracked(objective, point, slope, rate)
        after = objective.shrunk(point - rate * slope, rate)
        moved = after - before
        share = momentum.next(after - point, moved)
        size = objective.slope_size(point, slope, rate)
        cost = objective.cost(smooth_cost, point)
        on = after + share * moved
        yield Step(number, point, cost, slope, size, rate, after, share, on)
        point, before = on, after
        if settings.rule == "backtracking":
            rate *= GROWTH


def descend_by(objective: Objective, settings: StepSettings, rate: float) -> Descended:
    """The descent with a rate to begin with."""
    record = Recorder()
    for step in steps_down(objective, settings, rate):
        refuse_growth(record, step.cost, step.rate)
        record.add(step.point, step.cost, step.size, step.rate)
        has_arrived = step.size <= max(settings.tol, objective.rounding(step.point))
        if has_arrived or step.number == settings.max_iter:
            break
    record.close(step.point)
    return Descended(step.point, record, has_arrived, record.rates[0])


def refuse_growth(record: Recorder, cost: float, rate: float) -> None:
    """Raise if the cost overflows, is many times that of the start, or stays above it."""
    costs = [*record.costs[-MOST_STEPS_ABOVE:], cost]
    start = record.costs[0] if record.costs else cost
    is_above = len(costs) > MOST_STEPS_ABOVE and min(costs) > start
    if not math.isfinite(cost) or cost > MOST_GROWTH * start or is_above:
        raise Diverged(rate, len(record.costs), [*record.costs, cost])


def backtracked(objective: Objective, point: Floats, slope: Floats, rate: float) -> float:
    """The rate, halved until the slope changes no more on the way than such a step allows for."""
    for _ in range(MOST_HALVINGS):
        moved = objective.shrunk(point - rate * slope, rate) - point
        change = objective.smooth(point + moved)[1] - slope
        if float((change * moved).sum()) * rate <= float(np.square(moved).sum()):
            return rate
        rate /= 2
    return rate


def refuse_rate(objective: Objective, settings: StepSettings, diverged: Diverged) -> NoReturn:
    """The error for a rate that goes uphill, with one that would not."""
    curvature = objective.curvature()
    costs = diverged.costs
    safe = 1.0 / curvature if curvature > 0 else 1.0
    if settings.batch_size:
        safe = safe_rate_of_batches(objective, settings.batch_size)
    shown = ", ".join(f"{cost:.4g}" for cost in [*costs[:3], *costs[max(3, len(costs) - 1) :]])
    what = "epoch" if settings.batch_size else "step"
    raise ParameterError(
        f"learning_rate={diverged.rate:g} is too large: the cost grows, after {what} "
        f"{diverged.step} it is {costs[-1]:.4g} (costs from the start: {shown})",
        hint=f'a rate of {safe:.3g} is safe for these rows, and learning_rate="auto" finds it',
    ) from None


def safe_rate_of_batches(objective: Objective, batch_size: int) -> float:
    """A rate at which steps by a few rows go down on the whole."""
    noise = objective.mean_square * LARGEST_CURVATURE[objective.loss] / batch_size
    return 0.5 / (objective.curvature() + noise)
