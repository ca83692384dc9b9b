"""`model.explain(row)` of nearest neighbors: the neighbors, their distances and weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.neighbors import Measure
from treewright.arrays import Floats
from treewright.documents.math import Dots, Fraction, Math, Name, Number, Product, Sum
from treewright.documents.page import Block, Document, Formula, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.estimators.rows import row_table
from treewright.explanations.conditions import (
    chance_text,
    counted,
    label,
    value_of,
    value_text,
)
from treewright.neighbors.distances import MEASURES, column_differences, level_columns
from treewright.plain_text import number_text, plain
from treewright.result import Record
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.neighbors.reading import NeighborsReading

MOST_NEIGHBORS = 8  # with a column of their own
MOST_COLUMNS = 20  # of the table, with a line of their own


@dataclass(frozen=True, slots=True, eq=False)
class RowWork:
    """A row, its neighbors, and their prediction; rows that do not count come last."""

    values: Floats  # of the row: numbers, and codes of categories
    rows: NDArray[np.int64]  # the neighbors, the nearest first
    distances: Floats
    counts: Floats  # 0 for rows that do not count
    differences: Floats  # (n_neighbors, n_columns), scaled; NaN for columns left out
    prediction: Any  # a class or a number
    shares: Floats | None  # of the classes; None for numbers

    @property
    def n_counting(self) -> int:
        return int(np.count_nonzero(self.counts))


def row_work(model: "NeighborsReading", values: Floats, n_more: int = 0) -> RowWork:
    """The neighbors of one row, and `n_more` rows that are just too far to count."""
    state = model.checked_state()
    scale = state.scale
    query = np.ascontiguousarray(scale.apply(values[np.newaxis]))
    near = state.search.neighbors_of(query, state.voting(model))
    rows, distances, counts = near.rows, near.distances, near.counts
    n_wanted = min(len(rows) + n_more, state.n_rows)
    if n_wanted > len(rows):
        nearest, how_far = state.search.nearest(query, n_wanted)
        others = ~np.isin(nearest[0], rows)
        rows = np.concatenate([rows, nearest[0][others]])
        distances = np.concatenate([distances, how_far[0][others]])
        counts = np.concatenate([counts, np.zeros(np.count_nonzero(others))])
    is_level = level_columns(state.schema).astype(bool)
    differences = column_differences(
        query[0], scale.apply(state.rows[rows]), is_level, MEASURES[state.distance].missing
    )
    found = state.predictions(query, model)[0]
    if state.classes is None:
        return RowWork(values, rows, distances, counts, differences, float(found), None)
    predicted = state.class_labels(found[np.newaxis]).tolist()[0]
    return RowWork(values, rows, distances, counts, differences, predicted, found)


def measure_of(model: "NeighborsReading") -> Measure:
    """How the model compares rows."""
    return MEASURES[model.distance_]


def cell_texts(model: "NeighborsReading", values: Floats) -> list[str]:
    """The values of a row as text."""
    columns = model.schema_.columns
    return [value_text(spec, float(value)) for spec, value in zip(columns, values, strict=True)]


def target_of(model: "NeighborsReading", row: int) -> Any:
    """The target of a training row."""
    target = model.targets_[row]
    classes = model.state_.classes
    return float(target) if classes is None else classes.tolist()[int(target)]


def adds(work: RowWork, measure: Measure) -> Floats:
    """(n_neighbors, n_columns): what each column adds to a distance."""
    return np.square(work.differences) if measure.squares else work.differences


def part_text(part: float, digits: Digits) -> str:
    """What a column adds: 0 and 1 if it is exact, "-" for a column left out."""
    return str(int(part)) if part in (0.0, 1.0) else digits.text(part) or "-"


def columns_to_show(work: RowWork, most: int) -> NDArray[np.intp]:
    """All columns, or the `most` ones that differ most, in their order."""
    if work.differences.shape[1] <= most:
        return np.arange(work.differences.shape[1])
    size = np.nan_to_num(work.differences[: work.n_counting]).mean(axis=0)
    return np.sort(np.argsort(-size, kind="stable")[:most])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowNeighbors(Printed):
    """The prediction for one row and the training rows behind it; `print` shows them.

    `work` has the numbers: rows, distances, counts, and the differences by column.
    """

    model: "NeighborsReading"
    work: RowWork

    @classmethod
    def of(cls, model: "NeighborsReading", row: Any) -> "RowNeighbors":
        """The neighbors of one row, in any of the forms that people have it."""
        values = model.state_.matrix(row_table(row, model.schema_), model)
        return cls(model, row_work(model, values[0]))

    @property
    def prediction(self) -> Any:
        """The class or the number."""
        return self.work.prediction

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        return Document(f"Why {self._said()}?", tuple(self._blocks(Digits(decimals))))

    def _said(self) -> str:
        """The prediction; a number as the training table wrote the target."""
        return label(self.prediction, self.model.schema_.target_format)

    def _blocks(self, digits: Digits) -> Iterator[Block]:
        model, work = self.model, self.work
        shares = [] if work.shares is None else work.shares.tolist()
        classes = [] if work.shares is None else model.classes_.tolist()
        sure = chance_text(work.prediction, dict(zip(classes, shares, strict=True)))
        yield Paragraph.of(f"prediction: {self._said()}{sure}")
        n_found = len(work.rows)
        wanted = "" if n_found == model.n_neighbors else f" ({model.n_neighbors} requested)"
        yield Paragraph.of(
            f"{counted(n_found, 'neighbor')}{wanted} among "
            f"{counted(model.n_samples_fit_, 'row')}; distance {model.distance_}:"
        )
        shown = columns_to_show(work, MOST_COLUMNS)
        yield self._values_table(shown, digits)
        left_out = len(work.values) - len(shown)
        if left_out:
            yield Note(f"... {left_out} more columns with smaller differences")
        if n_found > MOST_NEIGHBORS:
            yield Note(f"... {n_found - MOST_NEIGHBORS} more neighbors")
        what = "square of the distance" if measure_of(model).squares else "distance"
        if measure_of(model).missing == "left_out":
            what = "sum, which is divided by the number of columns known in both rows"
        yield Paragraph.of(f"What each column adds to the {what}:")
        yield self._adds_table(shown, digits)
        yield from prediction_blocks(model, work, digits)

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
        target, form = model.target_name_ or "target", model.schema_.target_format
        lines += [
            ("distance", "", *map(digits.text, work.distances[:MOST_NEIGHBORS])),
            (plain(target), "", *(label(target_of(model, row), form) for row in rows)),
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

    def _facts(self) -> Record:
        model, work = self.model, self.work
        shares = None
        if work.shares is not None:
            shares = dict(zip(model.classes_.tolist(), work.shares, strict=True))
        return {
            "prediction": self.prediction,
            "probabilities": shares,
            "neighbors": [
                {
                    "row": row,
                    "distance": work.distances[at],
                    "counts": work.counts[at],
                    "target": target_of(model, row),
                    "values": {
                        spec.name: value_of(spec, float(value))
                        for spec, value in zip(model.schema_.columns, model.rows_[row], strict=True)
                    },
                    "differences": dict(
                        zip(model.schema_.names, work.differences[at], strict=True)
                    ),
                }
                for at, row in enumerate(work.rows)
            ],
        }

    def __repr__(self) -> str:
        return (
            f"<RowNeighbors: {self.prediction} by rows {self.work.rows[:MOST_NEIGHBORS].tolist()}>"
        )


def prediction_blocks(model: "NeighborsReading", work: RowWork, digits: Digits) -> Iterator[Block]:
    """How the prediction follows from the neighbors."""
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
    chosen = frozenset({model.classes_.tolist().index(work.prediction)})
    heads = ("class", "neighbors", "count", "share")
    yield SheetTable(heads, tuple(lines), "lrrr", marked=chosen)
    smooth = getattr(model, "smooth", None)
    if smooth:
        yield Note(f"Each class starts with a count of {smooth:g}.")


def mean_formula(
    model: "NeighborsReading", work: RowWork, n_counting: int, digits: Digits
) -> Formula:
    """The weighted mean of the neighbors' targets."""
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
    return Formula(Name("mean"), (Fraction(above, total), digits.number(float(work.prediction))))
