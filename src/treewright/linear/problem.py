"""A table and a target as a cost to lower, and the way back to the units of the user."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.errors import DataError
from treewright.estimators.training import TrainingRows
from treewright.linear.coded_rows import LARGEST, Scaling, code_rows, scaling_of, shares_of
from treewright.linear.objective import Objective, Task
from treewright.linear.terms import Terms, missing_columns_of

LARGEST_COEFFICIENT = 1e300  # times ordinary numbers, and added up, it is still a number


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A cost over coded rows, and what its coefficients mean."""

    terms: Terms
    scaling: Scaling
    slot_shares: Floats  # (n_slots,) of all weight
    objective: Objective

    @property
    def term_means(self) -> Floats:
        """The mean of each term over the rows: of numbers that, of levels their share."""
        inner = np.concatenate([[1.0], self.scaling.means, self.slot_shares])
        return inner[self.terms.places]

    def in_units(self, points: Floats) -> Floats:
        """(..., n_outputs, 1 + n_terms): intercept and terms as the user's columns have them.

        What all levels of a column share is put to the intercept, so that effects of levels are
        those against a mean row; likewise what all of several classes share is no difference.
        With l1 neither is done: it would make coefficients of exactly 0 something else.
        """
        inner = np.array(points)
        numbers = slice(1, 1 + self.terms.n_numbers)
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            inner[..., numbers] /= self.scaling.scales
            inner[..., 0] -= portable.product(inner[..., numbers], self.scaling.centers)
            if self.objective.l1 == 0:
                self._balance(inner)
        found = np.concatenate([inner[..., :1], inner[..., self.terms.places]], axis=-1)
        self._check_size(found)
        return found

    def _check_size(self, found: Floats) -> None:
        """Refuse columns of numbers so small that their coefficients are beyond all use."""
        if not (np.abs(found) <= LARGEST_COEFFICIENT).all():  # nor is it if one is not a number
            scales = self.scaling.scales
            column = self.terms.number_columns[int(np.argmin(scales))]
            raise DataError(
                f"the numbers of column `{self.terms.schema.names[column]}` differ by "
                f"{scales.min():.3g} only: their coefficient is beyond {LARGEST_COEFFICIENT:g}",
                hint="multiply the column by a power of ten, or leave it out",
            )

    def _balance(self, inner: Floats) -> None:
        first_slot = 1 + self.terms.n_numbers
        for places in self.terms.nominal:
            effects = inner[..., first_slot + places.first : first_slot + places.end]
            shares = self.slot_shares[places.first : places.end]
            mean = portable.product(effects, shares)
            inner[..., 0] += mean
            effects -= mean[..., np.newaxis]
        if self.objective.n_outputs > 1:
            inner -= inner.mean(axis=-2, keepdims=True)


def problem_of(rows: TrainingRows, task: Task, *, standardize: bool, centered: bool) -> Problem:
    """The cost of these rows; `centered` takes the means away even if numbers keep their scale."""
    terms = Terms(Schema.of(rows.table, rows.target.format))
    shares = shares_of(rows.weights, rows.n_rows)
    scaling = scaling_of(terms, rows.table, rows.weights, shares, standardize=standardize)
    if centered:
        scaling = scaling.centered
    coded = code_rows(terms, rows.table, scaling, shares)
    counted = np.repeat(shares[:, np.newaxis], len(terms.nominal), axis=1).ravel()
    slot_shares = np.bincount(coded.slots.ravel(), counted, terms.n_slots).astype(np.float64)
    terms = Terms(terms.schema, missing_columns_of(terms, slot_shares))
    return Problem(terms, scaling, slot_shares, Objective.of(task, coded))


def check_target(values: Floats, name: str) -> None:
    """Refuse numbers whose squares are infinite."""
    too_large = np.abs(values) > LARGEST
    if too_large.any():
        row = int(too_large.argmax())
        raise DataError(
            f"target `{name}`, row {row}: {values[row]:g} is too large to be squared",
            hint="divide the target by a power of ten",
        )


def smallest_slope(problem: Problem, tol: float, target_size: tuple[float, float]) -> float:
    """The slope at which a descent has arrived: tol, in the units of target and terms.

    The target's size is its standard deviation and its mean: less than the last digits of the mean
    no slope can be.
    """
    spread, mean = target_size
    size = float(np.sqrt(problem.objective.largest_square))
    return size * max(tol * spread, 8 * np.finfo(float).eps * abs(mean))


def spread_and_mean(values: Floats, shares: Floats) -> tuple[float, float]:
    """Standard deviation and mean by weight."""
    mean = float((shares * (values - values[0])).sum() + values[0])
    return float(np.sqrt((shares * np.square(values - mean)).sum())), mean


def as_float(value: Any) -> float | None:
    """A number as given, None for the word "auto"."""
    return None if isinstance(value, str) else float(value)
