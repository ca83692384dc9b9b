"""The hypothesis language: the columns and their possible values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import MISSING, NominalColumn, NumericColumn
from treewright.data.cut_points import interval_codes, interval_labels
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.plain_text import plain

ANY = -1  # any value, including a missing one
NOTHING = -2  # no value

Hypothesis = tuple[int, ...]
Row = tuple[int, ...]  # category codes; a missing value is negative


def most_specific(n_columns: int) -> Hypothesis:
    """The hypothesis that covers no row.

    >>> most_specific(2)
    (-2, -2)
    """
    return (NOTHING,) * n_columns


def most_general(n_columns: int) -> Hypothesis:
    """The hypothesis that covers every row."""
    return (ANY,) * n_columns


def covers(hypothesis: Hypothesis, row: Row) -> bool:
    """Whether a row meets all conditions of the hypothesis.

    >>> covers((ANY, 1), (0, 1)), covers((0, 1), (0, 2))
    (True, False)
    """
    return all(code in (ANY, value) for code, value in zip(hypothesis, row, strict=True))


def is_at_least_as_general(one: Hypothesis, other: Hypothesis) -> bool:
    """Whether `one` covers every row that `other` covers.

    >>> is_at_least_as_general((ANY, 1), (0, 1)), is_at_least_as_general((0, 1), (ANY, 1))
    (True, False)
    """
    if NOTHING in other:
        return True
    return all(mine in (ANY, theirs) for mine, theirs in zip(one, other, strict=True))


def least_generalization(hypothesis: Hypothesis, row: Row) -> Hypothesis:
    """The most specific hypothesis that covers the row and everything that `hypothesis` covers.

    >>> least_generalization((0, 1), (0, 2))
    (0, -1)
    """
    if NOTHING in hypothesis:
        return tuple(max(value, ANY) for value in row)
    return tuple(
        code if code == value else ANY for code, value in zip(hypothesis, row, strict=True)
    )


def least_specializations(
    hypothesis: Hypothesis, row: Row, n_levels: Sequence[int]
) -> Iterator[Hypothesis]:
    """The most general hypotheses below `hypothesis` that do not cover the row.

    >>> list(least_specializations((ANY, ANY), (0, 1), n_levels=(2, 3)))
    [(1, -1), (-1, 0), (-1, 2)]
    """
    for column, (code, value) in enumerate(zip(hypothesis, row, strict=True)):
        if code != ANY:
            continue
        for level in range(n_levels[column]):
            if level != value:
                yield (*hypothesis[:column], level, *hypothesis[column + 1 :])


MOST_WRITTEN = 8  # columns up to which a hypothesis is written in full

Cuts = tuple[tuple[float, ...] | None, ...]  # of each column; None for nominal ones


@dataclass(frozen=True, slots=True)
class Language:
    """Columns and their values; those of a numeric column are intervals."""

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cuts: Cuts

    @classmethod
    def of(cls, schema: Schema, cuts: Cuts) -> "Language":
        """The language of a table with these cuts."""
        levels = [
            tuple(plain(str(level)) for level in spec.levels) if at is None else intervals(spec, at)
            for spec, at in zip(schema.columns, cuts, strict=True)
        ]
        return cls(tuple(plain(name) for name in schema.names), tuple(levels), cuts)

    @property
    def n_levels(self) -> tuple[int, ...]:
        return tuple(map(len, self.levels))

    def codes(self, rows: Table | NDArray[Any]) -> NDArray[np.int64]:
        """(n_rows, n_columns): the code of each value, -1 if missing."""
        table = rows if isinstance(rows, Table) else Table.of_matrix(rows)
        found = np.empty(table.shape, dtype=np.int64)
        for at, (column, cuts) in enumerate(zip(table.columns, self.cuts, strict=True)):
            if isinstance(column, NominalColumn):
                found[:, at] = np.maximum(column.codes, MISSING)
            elif not cuts:  # one interval for all values: never a condition
                found[:, at] = MISSING
            else:
                found[:, at] = interval_codes(column.values, np.array(cuts, dtype=np.float64))
        return found

    def row_text(self, row: Sequence[int]) -> str:
        """An example: `[red, circle]`; `-` is a missing value."""
        words = [
            levels[code] if code >= 0 else "-"
            for levels, code in zip(self.levels, row, strict=True)
        ]
        return plain(f"[{', '.join(words)}]")

    def text(self, hypothesis: Sequence[int]) -> str:
        """A hypothesis: `[red, any]`, or `[nothing]` for the one that covers no row.

        With many columns only the conditions are written: `[color = red, others any]`.
        """
        if NOTHING in hypothesis:
            return "[nothing]"
        if len(hypothesis) > MOST_WRITTEN:
            words = [f"{name} = {level}" for name, level in self.conditions(hypothesis).items()]
            if len(words) < len(hypothesis):
                words.append("others any" if words else "all any")
            return plain(f"[{', '.join(words)}]")
        words = [
            "any" if code == ANY else levels[code]
            for levels, code in zip(self.levels, hypothesis, strict=True)
        ]
        return plain(f"[{', '.join(words)}]")

    def conditions(self, hypothesis: Sequence[int]) -> dict[str, str]:
        """The conditions of a hypothesis: column and value."""
        return {
            name: levels[code]
            for name, levels, code in zip(self.names, self.levels, hypothesis, strict=True)
            if code != ANY
        }

    def rule(self, label: object, hypothesis: Sequence[int]) -> str:
        """A hypothesis as a rule: `YES if color = red and shape = circle`."""
        columns = zip(self.names, self.levels, self.cuts, hypothesis, strict=True)
        conditions = [
            f"{name} {'=' if cuts is None else 'in'} {levels[code]}"
            for name, levels, cuts, code in columns
            if code != ANY
        ]
        return plain(f"{label} if {' and '.join(conditions)}" if conditions else f"{label} always")


def intervals(spec: ColumnSpec, cuts: tuple[float, ...]) -> tuple[str, ...]:
    """The intervals of a numeric column: none if it is not cut."""
    if not cuts:
        return ()
    column = NumericColumn(spec.name, np.empty(0), spec.unit)
    return interval_labels(column, np.array(cuts, dtype=np.float64), spec.printed)
