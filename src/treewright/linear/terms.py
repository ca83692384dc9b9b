"""Terms: what a linear model multiplies by its coefficients.

A number is a term; so is the place in its order of a value of an ordered column (0, 1, 2 ...). Each
level of a nominal column is one that counts 1 in rows of this level and 0 in others, and so are the
missing values of such a column, if training had any.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.column import split_unit
from treewright.data.schema import Schema
from treewright.plain_text import plain


@dataclass(frozen=True)
class NominalPlaces:
    """Where the levels of a nominal column have their slots; the last is for missing values."""

    column: int
    first: int
    n_levels: int

    @property
    def end(self) -> int:
        return self.first + self.n_levels + 1

    @property
    def levels(self) -> slice:
        """All slots but that of missing values."""
        return slice(self.first, self.first + self.n_levels)


@dataclass(frozen=True)
class Terms:
    """The terms of a table's columns, and their places in what the kernels work with.

    Kernels see an intercept, the numbers, then the slots of all levels and missing values. Users
    see a coefficient for each term, in the order of their columns.
    """

    schema: Schema
    missing_columns: tuple[int, ...] = ()  # nominal ones whose missing values are a term

    @cached_property
    def number_columns(self) -> tuple[int, ...]:
        return tuple(
            at for at, spec in enumerate(self.schema.columns) if spec.kind in ("numeric", "ordered")
        )

    @cached_property
    def nominal(self) -> tuple[NominalPlaces, ...]:
        places, first = [], 0
        for at, spec in enumerate(self.schema.columns):
            if spec.kind == "nominal":
                places.append(NominalPlaces(at, first, len(spec.levels)))
                first = places[-1].end
        return tuple(places)

    @property
    def n_numbers(self) -> int:
        return len(self.number_columns)

    @property
    def n_slots(self) -> int:
        return self.nominal[-1].end if self.nominal else 0

    @property
    def n_coefficients(self) -> int:
        """Of one output of the kernels: the intercept, numbers, slots."""
        return 1 + self.n_numbers + self.n_slots

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each term is called."""
        found: list[str] = []
        for at, spec in enumerate(self.schema.columns):
            if spec.kind in ("numeric", "ordered"):
                found.append(spec.name)
                continue
            found += [f"{spec.name} = {level}" for level in spec.levels]
            if at in self.missing_columns:
                found.append(f"{spec.name} missing")
        return tuple(found)

    @cached_property
    def factors(self) -> tuple[str, ...]:
        """What each coefficient is multiplied by: the names, with the unit of dates and times."""
        units = {spec.name: split_unit(spec.unit)[1] for spec in self.schema.columns if spec.unit}
        return tuple(f"{name} in {units[name]}" if name in units else name for name in self.names)

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """The column that each term comes from."""
        counts = [count for _, count in self._runs]
        return np.repeat(np.arange(len(counts), dtype=np.intp), counts)

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """Where the kernels keep the coefficient of each term."""
        runs = [np.arange(first, first + count, dtype=np.intp) for first, count in self._runs]
        return np.concatenate(runs)

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        """Where the coefficients of each column begin in the kernels, and how many they are."""
        number_place = {column: 1 + at for at, column in enumerate(self.number_columns)}
        slots = {places.column: places for places in self.nominal}
        found: list[tuple[int, int]] = []
        for at in range(len(self.schema.columns)):
            if at in number_place:
                found.append((number_place[at], 1))
            else:
                first = 1 + self.n_numbers + slots[at].first
                found.append((first, slots[at].n_levels + (at in self.missing_columns)))
        return found

    def of_column(self, column: int) -> NDArray[np.intp]:
        """The terms that come from a column."""
        return np.flatnonzero(self.columns == column)

    def for_kernels(self, intercepts: Floats, coefficients: Floats) -> Floats:
        """(n_outputs, n_coefficients) out of an intercept and a line of terms for each output."""
        inner = np.zeros((len(intercepts), self.n_coefficients))
        inner[:, 0] = intercepts
        inner[:, self.places] = coefficients
        return inner


def missing_columns_of(terms: Terms, slot_shares: Floats) -> tuple[int, ...]:
    """The nominal columns that have rows without a value."""
    return tuple(
        places.column for places in terms.nominal if slot_shares[places.first + places.n_levels] > 0
    )


MOST_TERMS = 30  # of a line; the largest are shown


def equation_text(
    left: str,
    intercept: float,
    coefficients: NDArray[np.float64],
    names: Sequence[str],
    digits: int = 4,
) -> str:
    """One line; terms of coefficient 0 are left out, and the smallest of very many.

    >>> equation_text("y", 3.25, np.array([2.0, -0.5, 0.0]), ["x", "c = a", "z"])
    'y = 3.25 + 2 x - 0.5 [c = a]'
    """
    parts = [f"{intercept:.{digits}g}"]
    shown = np.flatnonzero(coefficients)
    n_left_out = max(0, len(shown) - MOST_TERMS)
    if n_left_out:
        largest = np.argsort(-np.abs(coefficients[shown]), kind="stable")[:MOST_TERMS]
        shown = np.sort(shown[largest])
    for at in shown.tolist():
        sign, name = "-" if coefficients[at] < 0 else "+", plain(names[at])
        factor = f"[{name}]" if " " in name else name
        parts.append(f"{sign} {abs(coefficients[at]):.{digits}g} {factor}")
    if n_left_out:
        parts.append(f"... ({n_left_out} more terms)")
    return f"{plain(left)} = {' '.join(parts)}"
