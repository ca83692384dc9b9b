"""Numbers made comparable: each column less an origin, divided by a width."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data.weights import weighted_deviation, weighted_mean

Floats = NDArray[np.float64]
LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True)
class Scale:
    """For each column what is taken off, and what the rest is divided by.

    A width of 0 belongs to a column of one value: it says nothing, and all its numbers become 0.
    Columns of levels have origin 0 and width 1: codes stay as they are.
    """

    origin: Floats
    width: Floats

    @classmethod
    def of(
        cls,
        rows: Floats,
        is_level: NDArray[np.uint8],
        how: str | None,
        weights: Floats | None = None,
    ) -> "Scale":
        """The scale of a training table: by "range", by "standard" deviation, or None."""
        n_columns = rows.shape[1]
        origin, width = np.zeros(n_columns), np.ones(n_columns)
        if how is not None:
            ends = by_range if how == "range" else by_deviation
            for at in np.flatnonzero(is_level == 0):
                known = np.isfinite(rows[:, at])
                of_known = None if weights is None else weights[known]
                if known.any():
                    origin[at], width[at] = ends(rows[known, at], of_known)
        return cls(origin, width)

    @property
    def changes(self) -> bool:
        """Whether any number becomes another."""
        return bool(self.origin.any() or (self.width != 1).any())

    def apply(self, rows: Floats) -> Floats:
        """The rows scaled; infinite values stay so."""
        if not self.changes:
            return rows
        with np.errstate(over="ignore"):
            scaled: Floats = (rows - self.origin) / np.where(self.width == 0, 1.0, self.width)
        constant = (self.width == 0) & np.isfinite(rows)
        if constant.any():
            scaled[constant] = 0.0
        return scaled


def by_range(values: Floats, _: Floats | None) -> tuple[float, float]:
    """From 0 for the smallest number to 1 for the largest."""
    low, high = float(values.min()), float(values.max())
    if high - low > LARGEST:  # the range itself is no number any more
        return 0.0, max(-low, high)
    return low, high - low


def by_deviation(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean 0 and standard deviation 1, of the training rows."""
    size = float(np.abs(values).max())
    if size == 0 or (values == values[0]).all():
        return float(values[0]), 0.0
    mean = weighted_mean(values / size, weights) * size  # sums stay in range
    return mean, weighted_deviation(values, weights)
