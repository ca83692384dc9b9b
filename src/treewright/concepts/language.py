"""The language of hypotheses: which columns there are, and which values each may ask for."""

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

ANY = -1  # whatever the value is; also what a missing value is covered by
NOTHING = -2  # no value

Hypothesis = tuple[int, ...]
Row = tuple[int, ...]  # level codes; a missing value is below 0


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
    """Whether a row has all that the hypothesis asks.

    >>> covers((ANY, 1), (0, 1)), covers((0, 1), (0, 2))
    (True, False)
    """
    return all(asked in (ANY, value) for asked, value in zip(hypothesis, row, strict=True))


def is_at_least_as_general(one: Hypothesis, other: Hypothesis) -> bool:
    """Whether `one` covers every row that `other` covers.

    >>> is_at_least_as_general((ANY, 1), (0, 1)), is_at_least_as_general((0, 1), (ANY, 1))
    (True, False)
    """
    if NOTHING in other:
        return True
    return all(mine in (ANY, theirs) for mine, theirs in zip(one, other, strict=True))


def least_generalization(hypothesis: Hypothesis, row: Row) -> Hypothesis:
    """The most specific hypothesis that covers the row and all that `hypothesis` covers.

    >>> least_generalization((0, 1), (0, 2))
    (0, -1)
    """
    if NOTHING in hypothesis:
        return tuple(max(value, ANY) for value in row)
    return tuple(
        asked if asked == value else ANY for asked, value in zip(hypothesis, row, strict=True)
    )


def least_specializations(
    hypothesis: Hypothesis, row: Row, n_levels: Sequence[int]
) -> Iterator[Hypothesis]:
    """The most general hypotheses below `hypothesis` that do not cover the row.

    >>> list(least_specializations((ANY, ANY), (0, 1), n_levels=(2, 3)))
    [(1, -1), (-1, 0), (-1, 2)]
    """
    for column, (asked, value) in enumerate(zip(hypothesis, row, strict=True)):
        if asked != ANY:
            continue
        for level in range(n_levels[column]):
            if level != value:
                yield (*hypothesis[:column], level, *hypothesis[column + 1 :])


MOST_WRITTEN = 8  # columns up to which a hypothesis is written in full

Cuts = tuple[tuple[float, ...] | None, ...]  # of each column; None for words


@dataclass(frozen=True, slots=True)
class Language:
    """Columns and their levels; a numeric column has intervals for levels, if it is cut at all."""

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cuts: Cuts

    @classmethod
    def of(cls, schema: Schema, cuts: Cuts) -> "Language":
        """The language of a table whose numbers are cut."""
        levels = [
            tuple(plain(str(level)) for level in spec.levels) if at is None else intervals(spec, at)
            for spec, at in zip(schema.columns, cuts, strict=True)
        ]
        return cls(tuple(plain(name) for name in schema.names), tuple(levels), cuts)

    @property
    def n_levels(self) -> tuple[int, ...]:
        return tuple(map(len, self.levels))

    def codes(self, rows: Table | NDArray[Any]) -> NDArray[np.int64]:
        """(n_rows, n_columns): the level of each cell, -1 where it is missing."""
        table = rows if isinstance(rows, Table) else Table.of_matrix(rows)
        found = np.empty(table.shape, dtype=np.int64)
        for at, (column, cuts) in enumerate(zip(table.columns, self.cuts, strict=True)):
            if isinstance(column, NominalColumn):
                found[:, at] = np.maximum(column.codes, MISSING)
            elif not cuts:  # one interval for all: nothing to ask for
                found[:, at] = MISSING
            else:
                found[:, at] = interval_codes(column.values, np.array(cuts, dtype=np.float64))
        return found

    def row_text(self, row: Sequence[int]) -> str:
        """An example as the notes write it: `[red, circle]`; `-` is a missing value."""
        words = [
            levels[code] if code >= 0 else "-"
            for levels, code in zip(self.levels, row, strict=True)
        ]
        return plain(f"[{', '.join(words)}]")

    def text(self, hypothesis: Sequence[int]) -> str:
        """A hypothesis: `[red, any]`, or `[nothing]` for the one that covers no row.

        Of many columns only those are written that are asked: `[color = red, others any]`.
        """
        if NOTHING in hypothesis:
            return "[nothing]"
        if len(hypothesis) > MOST_WRITTEN:
            asked = [f"{name} = {level}" for name, level in self.asked(hypothesis).items()]
            if len(asked) < len(hypothesis):
                asked.append("others any" if asked else "all any")
            return plain(f"[{', '.join(asked)}]")
        words = [
            "any" if code == ANY else levels[code]
            for levels, code in zip(self.levels, hypothesis, strict=True)
        ]
        return plain(f"[{', '.join(words)}]")

    def asked(self, hypothesis: Sequence[int]) -> dict[str, str]:
        """What a hypothesis asks of which column."""
        return {
            name: levels[code]
            for name, levels, code in zip(self.names, self.levels, hypothesis, strict=True)
            if code != ANY
        }

    def rule(self, label: object, hypothesis: Sequence[int]) -> str:
        """A hypothesis in words: `YES if color = red and shape = circle`."""
        asked = [
            f"{name} = {levels[code]}" if cuts is None else f"{name} in {levels[code]}"
            for name, levels, cuts, code in zip(
                self.names, self.levels, self.cuts, hypothesis, strict=True
            )
            if code != ANY
        ]
        return plain(f"{label} if {' and '.join(asked)}" if asked else f"{label} always")


def intervals(spec: ColumnSpec, cuts: tuple[float, ...]) -> tuple[str, ...]:
    """The levels of a numeric column: none where it is not cut."""
    if not cuts:
        return ()
    column = NumericColumn(spec.name, np.empty(0), spec.unit)
    return interval_labels(column, np.array(cuts, dtype=np.float64), spec.printed)
