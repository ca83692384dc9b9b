"""The worksheet of nearest neighbors: the distance table behind each prediction."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.target import labels_of
from treewright.documents.math import Dots, Fraction, Math, Name, Number, Square, Sum
from treewright.documents.page import (
    Block,
    Document,
    Formula,
    Heading,
    Note,
    Paragraph,
    SheetTable,
)
from treewright.documents.printed import Printed, number_shown
from treewright.explanations.conditions import counted, label
from treewright.neighbors.distances import IN_WORDS
from treewright.neighbors.explanation import (
    RowWork,
    adds,
    cell_texts,
    columns_to_show,
    measure_of,
    part_text,
    prediction_blocks,
    row_work,
    target_of,
)
from treewright.plain_text import number_text, plain
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.neighbors.base import NearestNeighbors

MOST_ROWS = 3  # shown by default
MOST_COLUMNS = 8  # of a distance table
MOST_NEIGHBORS = 30
MORE_ROWS = 3  # that are just too far to count


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NeighborSheet(Printed):
    """The distance tables behind the predictions for some rows.

    `max_steps` is the number of rows shown, 3 by default.
    """

    model: "NearestNeighbors"
    rows: Floats
    y: list[Any] | None  # the true targets; None if they are not known

    @classmethod
    def of(cls, model: "NearestNeighbors", X: Any, y: Any) -> "NeighborSheet":
        """The sheet for the rows of X; for the training rows without X."""
        rows = model.rows_ if X is None else model.state_.matrix(X, model)
        truth = None if y is None or X is None else labels_of(y, "y", len(rows))[0].tolist()
        return cls(model, rows, truth)

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered."""
        n_shown = min(len(self.rows), number_shown(max_steps, MOST_ROWS))
        digits = Digits(decimals)
        blocks = [*self._opening()]
        for at in range(n_shown):
            work = row_work(self.model, self.rows[at], MORE_ROWS)
            blocks += self._row_blocks(at, work, digits)
        if n_shown < len(self.rows):
            blocks.append(Note(f"... {len(self.rows) - n_shown} more rows; max_steps=NUMBER"))
        return Document(f"Worksheet: {type(self.model).__name__}", tuple(blocks))

    def _opening(self) -> Iterator[Block]:
        model = self.model
        weights = "equal weights" if model.weights == "uniform" else "weights 1 / distance"
        yield Paragraph.of(
            f"The {model.n_neighbors} nearest of {counted(model.n_samples_fit_, 'row')} predict, "
            f"with {weights}. Distance {model.distance_}: {IN_WORDS[model.distance_]}."
        )
        lines = tuple(
            (plain(spec.name), difference_words(spec.kind, width))
            for spec, width in zip(model.schema_.columns, model.width_.tolist(), strict=True)
        )
        yield SheetTable(("column", "two values a and b differ by"), lines, "ll")

    def _row_blocks(self, at: int, work: RowWork, digits: Digits) -> Iterator[Block]:
        model = self.model
        yield Heading(2, f"Row {at}", f"row-{at}")
        names = model.schema_.names
        values = cell_texts(model, work.values)
        yield Paragraph.of(
            ", ".join(f"{plain(name)} {value}" for name, value in zip(names, values, strict=True))
        )
        yield self._distance_table(work, digits)
        if len(work.rows) > MOST_NEIGHBORS:
            yield Note(f"... {len(work.rows) - MOST_NEIGHBORS} more rows")
        same = int(work.rows[0])
        if work.distances[0] == 0 and np.array_equal(
            model.rows_[same], self.rows[at], equal_nan=True
        ):
            yield Note(f"training row {same} is identical: its distance is 0, and it counts")
        yield from self._formula(work, digits)
        yield from prediction_blocks(model, work, digits)
        truth = "" if self.y is None else f"; the true target is {label(self.y[at])}"
        yield Paragraph.of(f"prediction: {label(work.prediction)}{truth}")

    def _distance_table(self, work: RowWork, digits: Digits) -> SheetTable:
        model = self.model
        measure = measure_of(model)
        shown = columns_to_show(work, MOST_COLUMNS)
        parts = adds(work, measure)
        others = len(shown) < parts.shape[1]
        sums = np.nansum(parts, axis=1)
        rest = sums - np.nansum(parts[:, shown], axis=1)
        lines = []
        for at, row in enumerate(work.rows[:MOST_NEIGHBORS].tolist()):
            line = [str(row), *(part_text(part, digits) for part in parts[at, shown])]
            line += [digits.text(rest[at])] if others else []
            line += [digits.text(sums[at]), digits.text(work.distances[at])]
            counts = digits.weight(work.counts[at]) if work.counts[at] else "-"
            lines.append((*line, label(target_of(model, row)), counts))
        square = "squared " if measure.squares else ""
        heads = ["row", *(plain(model.schema_.names[at]) for at in shown)]
        heads += ["other columns"] if others else []
        heads += ["sum", "distance", plain(model.target_name_ or "target"), "counts"]
        counting = frozenset(range(min(work.n_counting, MOST_NEIGHBORS)))
        caption = f"{square}differences from training rows, the nearest first"
        align = "r" * (len(heads) - 2) + "lr"
        return SheetTable(tuple(heads), tuple(lines), align, caption, marked=counting)

    def _formula(self, work: RowWork, digits: Digits) -> Iterator[Block]:
        """The distance from the nearest row that differs, term by term."""
        measure = measure_of(self.model)
        at = int(np.argmax(work.distances > 0))
        terms = [
            term
            for column in columns_to_show(work, MOST_COLUMNS)
            if (term := self._term(work, at, int(column), digits)) is not None
        ]
        if measure.squares:
            terms = [Square(term) for term in terms]
        n_known = int(np.count_nonzero(~np.isnan(work.differences[at])))
        if n_known > len(terms):
            terms.append(Dots())
        total: Math = Sum.of(*terms) if len(terms) > 1 else (*terms, Number("0"))[0]
        left: Math = Name("distance")
        if measure.squares:
            left = Square(left)
        elif measure.missing == "left_out" and n_known > 1:
            total = Fraction(total, Number(str(n_known)))
        reached = work.distances[at] ** 2 if measure.squares else work.distances[at]
        yield Paragraph.of(f"The distance from row {work.rows[at]}:")
        yield Formula(left, (total, digits.number(float(reached))))

    def _term(self, work: RowWork, at: int, column: int, digits: Digits) -> Math | None:
        """The difference of one column; None if it is left out."""
        model = self.model
        difference = float(work.differences[at, column])
        if np.isnan(difference):
            return None
        spec, width = model.schema_.columns[column], float(model.width_[column])
        own, other = float(work.values[column]), float(model.rows_[work.rows[at], column])
        if spec.kind == "nominal" or width == 0 or np.isnan(own) or np.isnan(other):
            return Number(part_text(difference, digits))
        high, low = max(own, other), min(own, other)
        apart = Sum.less(Number(number_text(high)), Number(number_text(low)))
        return apart if width == 1 else Fraction(apart, Number(number_text(width)))

    def __repr__(self) -> str:
        return f"<NeighborSheet: {type(self.model).__name__}, {len(self.rows)} rows>"


def difference_words(kind: str, width: float) -> str:
    """How two values of a column are compared."""
    if kind == "nominal":
        return "0 if they are equal, else 1"
    if width == 0:
        return "0: the column has a single value"
    numbers = "|a - b|" if kind == "numeric" else "|a - b|, positions in the order"
    return numbers if width == 1 else f"{numbers} / {number_text(width)}"
