"""Worksheet of a discretizer: where columns are cut, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.cut_points import Floats, interval_codes
from treewright.data.intervals import interval_labels
from treewright.data.mdl import TriedCut, tried_cuts
from treewright.data.printed_thresholds import PrintedThresholds, exact_text, text_among
from treewright.documents.page import Block, Document, Heading, Note, Paragraph, Run, SheetTable
from treewright.documents.printed import Printed, number_shown
from treewright.plain_text import plain
from treewright.worksheets.cut_work import CutWork
from treewright.worksheets.digits import Digits

MOST_CUTS = 20  # worked out in full, unless more are asked for
MOST_LINES = 200  # of the table of all cuts
MOST_CLASSES = 10  # with a column of their own
HOW = {
    "equal_width": "Each column is cut into {n} intervals of the same width: its range, from the "
    "least to the largest value, divided by {n}.",
    "equal_frequency": "Each column is cut into {n} intervals with about the same number of rows; "
    "equal values stay together, so a cut lies at the nearest place between two values.",
    "kmeans": "The values of each column are put into {n} clusters with the least sum of squared "
    "distances from their centres; a cut lies half-way between two centres.",
    "given": "The cuts were given.",
}


@dataclass(frozen=True, slots=True, eq=False)
class CutColumn:
    """A numeric column and its cuts."""

    column: NumericColumn
    cuts: Floats
    printed: PrintedThresholds | None = None  # what is printed for the cuts

    @property
    def name(self) -> str:
        return plain(self.column.name)

    @property
    def labels(self) -> tuple[str, ...]:
        """The intervals in words."""
        return interval_labels(self.column, self.cuts, self.printed)

    def text(self, at: float) -> str:
        """A place to cut: as in the labels if it is a cut, otherwise short enough for the rows."""
        if self.printed is not None and self.printed.lists(at):
            return self.printed.text(at)
        values = np.asarray(self.column.values, dtype=np.float64)
        return text_among(at, np.unique(values[~np.isnan(values)]))


@dataclass(frozen=True, slots=True, eq=False)
class CutRows:
    """The columns that are cut, and the class and weight of each row."""

    columns: Sequence[CutColumn]
    weights: Floats | None
    codes: NDArray[np.int32] | None  # of classes; None where there are none
    classes: tuple[str, ...]

    def tried(self, column: CutColumn) -> list[TriedCut]:
        """Every cut that MDL weighs up."""
        assert self.codes is not None
        return tried_cuts(column.column.values, self.codes, self.weights)


class CutSheet(Printed):
    """The cuts of every numeric column; for "mdl" the gain and the cost of each one tried.

    All ways to print it take `decimals`, and `max_steps`: how many cuts are worked out in full, 20
    unless given.
    """

    def __init__(self, rows: CutRows, strategy: str, n_bins: int) -> None:
        self.rows = rows
        self.strategy = strategy
        self.n_bins = n_bins

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered."""
        digits, most = Digits(decimals), number_shown(max_steps, MOST_CUTS)
        if not self.rows.columns:
            blocks: list[Block] = [Paragraph.of("The table has no numeric column to cut.")]
        elif self.strategy == "mdl":
            blocks = [*self.by_mdl(digits, most)]
        else:
            told = HOW[self.strategy].format(n=self.n_bins)
            blocks = [Paragraph.of(told)]
            for column in self.rows.columns:
                blocks += self.opening(column)
                blocks.append(self.interval_table(column, digits))
        return Document("Worksheet: Discretizer", tuple(blocks))

    def by_mdl(self, digits: Digits, most: int) -> Iterator[Block]:
        """Each column: its cuts one after another, then its intervals."""
        work = CutWork(self.rows, digits)
        yield from work.opening()
        n_shown, n_left_out = 0, 0
        lines: list[tuple[str, ...]] = []
        for column in self.rows.columns:
            tried = self.rows.tried(column)
            lines += [work.line(column, one) for one in tried]
            yield from self.opening(column)
            for one in tried[: max(most - n_shown, 0)]:
                yield from work.blocks(column, one)
            n_left_out += max(len(tried) - max(most - n_shown, 0), 0)
            n_shown += len(tried)
            if not tried:
                yield Paragraph.of("One class or one value alone: there is nothing to cut.")
            yield self.interval_table(column, digits)
        if n_left_out:
            yield Note(f"{n_left_out} more cuts were weighed up; max_steps= works them out")
        yield Heading(2, "All cuts tried", "all-cuts")
        header = ("column", "range", "rows", "cut", "gain", "cost", "decision")
        yield SheetTable(header, tuple(lines[:MOST_LINES]), "llrrrrl")
        if len(lines) > MOST_LINES:
            yield Note(f"... {len(lines) - MOST_LINES} more")

    def opening(self, column: CutColumn) -> Iterator[Block]:
        """The heading of a column, and how far it reaches."""
        values = np.asarray(column.column.values, dtype=np.float64)
        known = values[~np.isnan(values)]
        yield Heading(2, column.name)
        if not len(known):
            yield Paragraph.of("The column has no value.")
            return
        n_cuts = len(column.cuts)
        low, high = (column.column.with_unit(float(at)) for at in (known.min(), known.max()))
        holes = len(values) - len(known)
        missing = f", {holes} missing" if holes else ""
        ends = [exact_text(end) if isinstance(end, float) else str(end) for end in (low, high)]
        yield Paragraph.of(
            f"{len(known)} values from {ends[0]} to {ends[1]}, {len(np.unique(known))} "
            f"different{missing}: ",
            Run(f"{n_cuts} cut{'' if n_cuts == 1 else 's'}", "strong"),
            ".",
        )

    def interval_table(self, column: CutColumn, digits: Digits) -> SheetTable:
        """What each interval holds."""
        codes = interval_codes(column.column.values, column.cuts)
        weights = np.ones(len(codes)) if self.rows.weights is None else self.rows.weights
        labels = column.labels
        shown = self.rows.classes if len(self.rows.classes) <= MOST_CLASSES else ()
        lines = []
        for at, label in enumerate(labels):
            inside = codes == at
            cells = [digits.weight(float(weights[inside].sum()))]
            for code in range(len(shown)):
                assert self.rows.codes is not None
                cells.append(
                    digits.weight(float(weights[inside & (self.rows.codes == code)].sum()))
                )
            lines.append((label, *cells))
        header = ("interval", "rows", *shown)
        return SheetTable(header, tuple(lines), "l" + "r" * (len(header) - 1), "Intervals")

    def __repr__(self) -> str:
        return f"<CutSheet: {len(self.rows.columns)} columns, {self.strategy}>"
