"""`model.explain(row)` of nearest neighbors: who they are, how far, and what each counts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.documents.math import Dots, Fraction, Math, Name, Number, Product, Sum
from treewright.documents.page import Block, Document, Formula, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.estimators.rows import row_table
from treewright.explanations.conditions import counted, label, percent, value_of
from treewright.neighbors.work import (
    RowWork,
    adds,
    cell_texts,
    columns_to_show,
    measure_of,
    part_text,
    row_work,
    target_of,
    target_text,
)
from treewright.plain_text import plain
from treewright.tree.conditions import number_text
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.neighbors.base import NearestNeighbors

MOST_NEIGHBORS = 8  # with a column of their own
MOST_COLUMNS = 20  # of the table, with a line of their own


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowNeighbors(Printed):
    """One row's answer and the training rows that give it; `print` shows them.

    `work` has the numbers: rows, distances, counts, and the differences by column.
    """

    model: "NearestNeighbors"
    work: RowWork

    @classmethod
    def of(cls, model: "NearestNeighbors", row: Any) -> "RowNeighbors":
        """The neighbors of one row, in any of the forms that people have it."""
        values = model.state_.matrix(row_table(row, model.schema_), model)
        return cls(model, row_work(model, values[0]))

    @property
    def answer(self) -> Any:
        """The class or the number."""
        return self.work.answer

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        return Document(f"Why {label(self.answer)}?", tuple(self._blocks(Digits(decimals))))

    def _blocks(self, digits: Digits) -> Iterator[Block]:
        model, work = self.model, self.work
        sure = "" if work.shares is None else f" ({percent(float(work.shares.max()))})"
        yield Paragraph.of(f"prediction: {label(self.answer)}{sure}")
        n_found = len(work.rows)
        wanted = "" if n_found == model.n_neighbors else f" ({model.n_neighbors} wanted)"
        yield Paragraph.of(
            f"{counted(n_found, 'neighbor')}{wanted} among "
            f"{counted(model.n_samples_fit_, 'row')}; distance {model.distance_}:"
        )
        shown = columns_to_show(work, MOST_COLUMNS)
        yield self._values_table(shown, digits)
        left_out = len(work.values) - len(shown)
        if left_out:
            yield Note(f"... {left_out} more columns, which differ less")
        if n_found > MOST_NEIGHBORS:
            yield Note(f"... {n_found - MOST_NEIGHBORS} more neighbors")
        what = "square of the distance" if measure_of(model).squares else "distance"
        if measure_of(model).missing == "left_out":
            what = "sum, which is divided by the number of columns that both rows know"
        yield Paragraph.of(f"What each column adds to the {what}:")
        yield self._adds_table(shown, digits)
        yield from answer_blocks(model, work, digits)

    def _values_table(self, shown: Any, digits: Digits) -> SheetTable:
        model, work = self.model, self.work
        rows = work.rows[:MOST_NEIGHBORS]
        own = cell_texts(model, work.values)
        others = [cell_texts(model, model.rows_[row]) for row in rows]
        lines = [
            (plain(model.schema_.names[at]), own[at], *(other[at] for other in others))
            for at in shown
        ]
        n_columns = len(lines)
        target = model.target_name_ or "target"
        lines += [
            ("distance", "", *map(digits.text, work.distances[:MOST_NEIGHBORS])),
            (plain(target), "", *(target_text(model, row) for row in rows)),
            ("counts", "", *map(digits.weight, work.counts[:MOST_NEIGHBORS])),
        ]
        heads = ("column", "the row", *(f"row {row}" for row in rows))
        marked = frozenset(range(n_columns, len(lines)))
        return SheetTable(heads, tuple(lines), "ll" + "r" * len(rows), marked=marked)

    def _adds_table(self, shown: Any, digits: Digits) -> SheetTable:
        model, work = self.model, self.work
        rows = work.rows[:MOST_NEIGHBORS]
        parts = adds(work, measure_of(model))[:MOST_NEIGHBORS]
        lines = [
            (plain(model.schema_.names[at]), *(part_text(part, digits) for part in parts[:, at]))
            for at in shown
        ]
        sums = np.nansum(parts, axis=1)
        rest = sums - np.nansum(parts[:, shown], axis=1)
        if len(shown) < parts.shape[1]:
            lines.append(("other columns", *map(digits.text, rest)))
        lines.append(("together", *map(digits.text, sums)))
        heads = ("column", *(f"row {row}" for row in rows))
        marked = frozenset({len(lines) - 1})
        return SheetTable(heads, tuple(lines), "l" + "r" * len(rows), marked=marked)

    def to_json(self) -> str:
        """Answer and neighbors as JSON."""
        model, work = self.model, self.work
        shares = None
        if work.shares is not None:
            classes = model.classes_.tolist()
            shares = {str(one): float(part) for one, part in zip(classes, work.shares, strict=True)}
        names = model.schema_.names
        neighbors = [
            {
                "row": int(row),
                "distance": float(work.distances[at]),
                "counts": float(work.counts[at]),
                "target": target_of(model, row),
                "values": {
                    spec.name: value_of(spec, float(value))
                    for spec, value in zip(model.schema_.columns, model.rows_[row], strict=True)
                },
                "differences": {
                    name: None if np.isnan(one) else float(one)
                    for name, one in zip(names, work.differences[at], strict=True)
                },
            }
            for at, row in enumerate(work.rows)
        ]
        data = {"answer": self.answer, "probabilities": shares, "neighbors": neighbors}
        return json.dumps(data, ensure_ascii=False, indent=2, default=str)

    def __repr__(self) -> str:
        return f"<RowNeighbors: {self.answer} by rows {self.work.rows[:MOST_NEIGHBORS].tolist()}>"


def answer_blocks(model: "NearestNeighbors", work: RowWork, digits: Digits) -> Iterator[Block]:
    """How the answer follows from what the neighbors count."""
    n_counting = len(work.counts) if not work.counts.any() else work.n_counting
    rows, counts = work.rows[:n_counting], work.counts[:n_counting]
    if work.shares is None:
        yield mean_formula(model, work, n_counting, digits)
        return
    codes = model.targets_[rows]
    lines = []
    for code, name in enumerate(model.classes_.tolist()):
        of_class = codes == code
        lines.append(
            (
                label(name),
                str(np.count_nonzero(of_class)),
                digits.weight(float(counts[of_class].sum())),
                digits.text(float(work.shares[code])),
            )
        )
    chosen = frozenset({int(work.shares.argmax())})
    heads = ("class", "neighbors", "count", "share")
    yield SheetTable(heads, tuple(lines), "lrrr", marked=chosen)
    smooth = getattr(model, "smooth", None)
    if smooth:
        yield Note(f"Every class counts {smooth:g} more than its neighbors do.")


def mean_formula(
    model: "NearestNeighbors", work: RowWork, n_counting: int, digits: Digits
) -> Formula:
    """The mean of the neighbors' numbers, each as often as it counts."""
    numbers = model.targets_[work.rows[:n_counting]].tolist()
    counts = work.counts[:n_counting].tolist()
    terms: list[Math] = []
    for number, count in zip(numbers, counts, strict=True):
        factor = Number(number_text(number))
        terms.append(factor if count == 1 else Product((Number(digits.weight(count)), factor)))
    if len(terms) > MOST_NEIGHBORS:
        terms = [*terms[: MOST_NEIGHBORS - 1], Dots(), terms[-1]]
    total = Number(digits.weight(float(sum(counts))))
    above = Sum.of(*terms) if len(terms) > 1 else terms[0]
    return Formula(Name("mean"), (Fraction(above, total), digits.number(float(work.answer))))
