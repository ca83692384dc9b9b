"""What happened in each step of a descent."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Float64Array = NDArray[np.float64]

MOST_POINTS = 1000  # steps whose coefficients are kept; of longer descents every second, fourth ...
MOST_KEPT_NUMBERS = 100_000  # coefficients of all steps together


@dataclass(frozen=True, slots=True, eq=False)
class DescentTrace:
    """Cost, size of the slope and rate of each step, and the coefficients of many.

    Step 0 is the start. Of a long descent the coefficients are kept for evenly spaced steps only,
    and for the last.
    """

    costs: Float64Array  # (n_steps + 1,)
    slopes: Float64Array  # (n_steps + 1,) largest entry of the gradient
    rates: Float64Array  # (n_steps + 1,) of the step that leads on from there
    steps: NDArray[np.int64]  # (n_kept,) those with coefficients
    intercepts: Float64Array  # (n_kept, n_outputs)
    coefficients: Float64Array  # (n_kept, n_outputs, n_terms) in the units of the columns

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
    """Collects a trace while the descent goes on."""

    costs: list[float] = field(default_factory=list)
    slopes: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    points: list[Float64Array] = field(default_factory=list)
    _spacing: int = 1

    def add(self, point: Float64Array, cost: float, slope: float, rate: float) -> None:
        """The point where the descent is now, and the rate that it leaves with."""
        step = len(self.costs)
        self.costs.append(cost)
        self.slopes.append(slope)
        self.rates.append(rate)
        if step % self._spacing == 0:
            self._keep(step, point)

    def _keep(self, step: int, point: Float64Array) -> None:
        self.steps.append(step)
        self.points.append(point.copy())
        most = max(2, min(MOST_POINTS, MOST_KEPT_NUMBERS // point.size))
        if len(self.steps) > most:
            self._spacing *= 2
            kept = [at for at, number in enumerate(self.steps) if number % self._spacing == 0]
            self.steps = [self.steps[at] for at in kept]
            self.points = [self.points[at] for at in kept]

    def close(self, point: Float64Array) -> None:
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
