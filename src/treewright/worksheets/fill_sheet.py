"""Worksheet of an imputer: what fills each column, and how it was computed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.fill_statistics import Fill, middle_values
from treewright.documents.math import Fraction, Name, Number
from treewright.documents.page import (
    Block,
    Document,
    Formula,
    Heading,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.documents.printed import Printed
from treewright.plain_text import number_text, plain
from treewright.worksheets.digits import Digits

MOST_VALUES = 12  # of a column by frequency
MOST_CLASSES = 12
WAYS = {
    "mean": "Missing numbers are replaced by the mean, and missing categories by the most "
    "frequent one.",
    "median": "Missing numbers are replaced by the median, ordered categories by their median, and "
    "other categories by the most frequent one.",
    "mode": "Missing values are replaced by the most frequent value; if several are equally "
    "frequent, by the first of them in order.",
    "constant": "Missing values are replaced by a constant.",
}


@dataclass(frozen=True, eq=False)
class FillColumn:
    """A column of the training rows, and what fills it."""

    column: Column
    fill: Fill | None  # None: it has no value, or no constant fits it
    by_class: Mapping[Any, Fill]  # class -> fill; empty unless rows are filled by their class


@dataclass(frozen=True, eq=False)
class FillRows:
    """The training rows."""

    columns: tuple[FillColumn, ...]
    weights: Floats
    has_weights: bool  # whether some row counts more or less than once
    codes: NDArray[Any] | None  # class of each row, if rows are filled by their class
    classes: tuple[Any, ...]


class FillSheet(Printed):
    """The fills of an imputer, computed from its training rows.

    `decimals` is 0 to 15, 4 by default.
    """

    def __init__(self, rows: FillRows, strategy: str) -> None:
        self._rows, self._strategy = rows, strategy

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        work = FillWork(self._rows, self._strategy, Digits(decimals))
        return Document("Worksheet: Imputer", tuple(work.blocks()))

    def __repr__(self) -> str:
        return f"<FillSheet: {len(self._rows.columns)} columns>"


class FillWork:
    """One page."""

    def __init__(self, rows: FillRows, strategy: str, digits: Digits) -> None:
        self.rows, self.strategy, self.digits = rows, strategy, digits

    def blocks(self) -> Iterator[Block]:
        yield Paragraph.of(WAYS[self.strategy])
        if self.rows.codes is not None:
            yield Paragraph.of(
                "A training row is filled from the rows of its own class. A new row, whose class "
                "is not known, is filled from all rows."
            )
        yield self.overview()
        if self.strategy == "constant":
            return
        for one in self.rows.columns:
            if one.column.n_missing and one.fill is not None:
                yield from self.column(one)
        complete = [one.column.name for one in self.rows.columns if not one.column.n_missing]
        if complete:
            names = ", ".join(plain(name) for name in complete[:MOST_VALUES])
            more = len(complete) - MOST_VALUES
            names += f" and {more} more" if more > 0 else ""
            yield Note(f"No value is missing in {names}.")

    def overview(self) -> SheetTable:
        """All columns with what fills them."""
        rows = []
        for one in self.rows.columns:
            known = ~np.asarray(one.column.is_missing)
            rows.append(
                (
                    plain(one.column.name),
                    one.column.kind,
                    self.digits.weight(float(self.rows.weights[known].sum())),
                    self.digits.weight(float(self.rows.weights[~known].sum())),
                    "" if one.fill is None else self.value_text(one.column, one.fill),
                )
            )
        marked = frozenset(at for at, one in enumerate(self.rows.columns) if one.column.n_missing)
        unit = "weight" if self.rows.has_weights else "rows"
        titles = ("column", "kind", f"{unit} with a value", f"{unit} without", "filled with")
        return SheetTable(titles, tuple(rows), "llrrl", "", marked)

    def column(self, one: FillColumn) -> Iterator[Block]:
        """How the fill of one column was computed, and that of each class."""
        assert one.fill is not None
        yield Heading(2, plain(one.column.name))
        everywhere = np.ones(len(self.rows.weights), dtype=np.bool_)
        yield from self.computed(one.column, everywhere, one.fill, "")
        for label in [*self.rows.classes][: MOST_CLASSES if one.by_class else 0]:
            yield Heading(3, f"{plain(one.column.name)}, class {plain(str(label))}")
            fill = one.by_class.get(label)
            if fill is None:
                yield Paragraph.of(
                    "No row of this class has a value, so the fill of all rows is used."
                )
                continue
            assert self.rows.codes is not None
            here = self.rows.codes == self.rows.classes.index(label)
            yield from self.computed(one.column, here, fill, f" of class {plain(str(label))}")

    def computed(
        self, column: Column, here: NDArray[np.bool_], fill: Fill, of_class: str
    ) -> Iterator[Block]:
        known = here & ~np.asarray(column.is_missing) & (self.rows.weights > 0)
        weights = self.rows.weights[known]
        by_median = self.strategy == "median" and (
            isinstance(column, NumericColumn) or column.ordered
        )
        if isinstance(column, NumericColumn) and self.strategy == "mean":
            yield self.mean(column, known, fill)
        elif by_median:
            yield from self.median(column, known, weights, fill)
        else:
            yield from self.mode(column, known, weights, fill)
        yield Paragraph.of(
            f"Missing values{of_class} become ", Run(self.value_text(column, fill), "strong"), "."
        )

    def mean(self, column: NumericColumn, known: NDArray[np.bool_], fill: Fill) -> Formula:
        """The sum divided by the number of rows."""
        finite = known & np.isfinite(column.values)
        weights = self.rows.weights[finite]
        total = float((column.values[finite] * weights).sum())
        shares = Fraction(
            Number(self.digits.text(total)), Number(self.digits.weight(float(weights.sum())))
        )
        return Formula(Name("mean"), (shares, Number(self.value_text(column, fill))))

    def median(
        self, column: Column, known: NDArray[np.bool_], weights: Floats, fill: Fill
    ) -> Iterator[Block]:
        """The value in the middle, or the two that it lies between."""
        numbers = column.values if isinstance(column, NumericColumn) else column.codes
        low, high = middle_values(np.asarray(numbers, dtype=np.float64)[known], weights)
        total = self.digits.weight(float(weights.sum()))
        half = f"half of the {'weight of ' if self.rows.has_weights else ''}{total}"
        half += "" if self.rows.has_weights else " rows"
        if isinstance(column, NominalColumn):
            first, last = (plain(str(column.levels[int(one)])) for one in (low, high))
        else:
            first, last = self.value_text(column, low), self.value_text(column, high)
        if low == high or isinstance(column, NominalColumn):
            text = f"In order of size, {half} is reached at {first}, the median."
        else:
            text = (
                f"In order of size, {half} is reached at {first}, and the next value is "
                f"{last}. The median is half-way between them, {self.value_text(column, fill)}."
            )
        yield Paragraph.of(text)

    def mode(
        self, column: Column, known: NDArray[np.bool_], weights: Floats, fill: Fill
    ) -> Iterator[Block]:
        """The values by frequency."""
        if isinstance(column, NominalColumn):
            counts = np.bincount(column.codes[known], weights, minlength=len(column.levels))
            pairs = list(zip(column.levels, counts.tolist(), strict=True))
        else:
            values, place = np.unique(column.values[known], return_inverse=True)
            pairs = list(zip(values.tolist(), np.bincount(place, weights).tolist(), strict=True))
        pairs.sort(key=lambda pair: -pair[1])  # stable: in order among equals
        shown = [pair for pair in pairs if pair[1] > 0][:MOST_VALUES]
        rows = tuple(
            (self.value_text(column, value), self.digits.weight(count)) for value, count in shown
        )
        marked = frozenset(at for at, (value, _) in enumerate(shown) if value == fill)
        unit = "weight" if self.rows.has_weights else "rows"
        yield SheetTable(("value", unit), rows, "lr", "", marked)
        if len(pairs) > MOST_VALUES:
            yield Note(f"... {len(pairs) - MOST_VALUES} more values")

    def value_text(self, column: Column, value: Any) -> str:
        if isinstance(column, NumericColumn):
            if column.unit:
                return str(column.with_unit(value))
            short = number_text(float(value))
            return short if float(short) == value else self.digits.text(float(value))
        return plain(str(value))
