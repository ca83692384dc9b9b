"""The worksheet of a clustering: the distances in each iteration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.clustering.centers import center_text, value_text
from treewright.clustering.measure import COUNTS_NOTHING, check_numbers
from treewright.clustering.rounds import Limits, rounds_from, rows_with_weight, space_of
from treewright.clustering.space import Int32Array, numbers_of
from treewright.data.column import NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.weights import check_weights, in_range
from treewright.documents.math import Call, Dots, Fraction, Letter, Name, Number, Square, Sum
from treewright.documents.page import Block, Document, Formula, Heading, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed, number_shown
from treewright.errors import DataError, ParameterError
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.clustering.base import ClusterEstimator

MOST_ROWS = 30  # with their distances


@dataclass(frozen=True, slots=True)
class RoundTrace:
    """One iteration: the centers, the distances from them, and the new clusters."""

    number: int  # from 1
    centers: Floats  # (n_clusters, n_columns), in the units of the columns
    before: Int32Array | None  # the cluster of each row before; None in the first iteration
    labels: Int32Array  # and after
    distances: Floats  # (rows, n_clusters), of the first rows
    moved: NDArray[np.intp]  # rows that went to another cluster

    @property
    def is_last(self) -> bool:
        """Whether no row moved."""
        return len(self.moved) == 0


@dataclass(frozen=True, slots=True)
class Trace:
    """The training rows and all iterations."""

    model: "ClusterEstimator"
    table: Table  # the rows that count, as the model knows their columns
    weights: Floats | None
    positions: NDArray[np.intp]  # of these rows in X
    rounds: Sequence[RoundTrace]

    @property
    def n_shown(self) -> int:
        """Number of rows with their distances."""
        return min(MOST_ROWS, self.table.n_rows)


def trace_of(model: "ClusterEstimator", X: Any, sample_weight: Any) -> Trace:
    """The iterations of the best run, repeated on the training rows."""
    if X is None:
        raise ParameterError(
            "the worksheet of clusters needs the training rows", hint="give X of the fit"
        )
    given = table_from(X, categorical_features=model.categorical_features)
    weights = check_weights(sample_weight, given.n_rows)
    positions = np.arange(given.n_rows)
    if weights is not None:
        positions = np.flatnonzero(weights)
        given, weights = rows_with_weight(given, weights)
    model.schema_.check_columns(given, model=type(model).__name__)
    table = model.schema_.encode(given, "missing", model=type(model).__name__)
    rounds = list(rounds_again(model, table, in_range(weights)[0]))
    if not matches_fit(model, rounds[-1], positions):
        raise DataError(
            f"these rows do not lead to the clusters of this {type(model).__name__}",
            hint="give the rows of the fit, and their weights if it had some",
        )
    return Trace(model, table, weights, positions, rounds)


def matches_fit(model: "ClusterEstimator", last: RoundTrace, positions: NDArray[np.intp]) -> bool:
    """Whether the iterations end with the labels and centers of the model."""
    if len(model.labels_) <= positions[-1]:
        return False
    away = np.abs(last.centers - model.cluster_centers_) / model.divisors_
    rounding = 1e-9 * np.abs(model.cluster_centers_ / model.divisors_).max(axis=0)
    return bool((away <= rounding).all()) and np.array_equal(last.labels, model.labels_[positions])


def rounds_again(
    model: "ClusterEstimator", table: Table, weights: Floats | None
) -> Sequence[RoundTrace]:
    """The iterations of the fit, and one more if a limit ended it."""
    measure, is_whole = model.state_.measure, check_numbers(table)
    threads = model.n_threads_for(table)
    space = space_of(table, measure, weights, threads, is_whole=is_whole)
    head = space_of(table[:MOST_ROWS], measure, None, 1, is_whole=is_whole)
    found: list[RoundTrace] = []

    def add(centers: Floats) -> None:
        before = found[-1].labels if found else None
        labels = space.labels()
        moved = np.arange(len(labels)) if before is None else np.flatnonzero(before != labels)
        distances = np.sqrt(head.all_squares(centers))
        outside = space.outside(centers)
        found.append(RoundTrace(len(found) + 1, outside, before, labels, distances, moved))

    for one in rounds_from(space, space.inside(model.start_centers_), Limits(model.n_iter_)):
        add(one.centers)
    if not found[-1].is_last:
        space.assign(one.middles)
        add(one.middles)
    return found


MOST_ROUNDS = 6  # on a page by default
MOST_COLUMNS = 8  # of the table, side by side
MOST_TERMS = 6  # of a sum
MOST_VALUES_FIRST = 4  # columns; with more, the distances come first
MOST_LISTED = 20  # rows of a cluster, and moves, that are named
MOST_MEANS = 4  # with their calculation, for each iteration


class ClusterSheet(Printed):
    """The calculation of every iteration; `rounds` has the numbers, unrounded.

    All ways to print it take `decimals` and `max_steps`, the number of iterations shown.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.rounds = trace.rounds

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered."""
        most = number_shown(max_steps, MOST_ROUNDS)
        page = Page(self.trace, Digits(decimals))
        blocks = [*page.opening()]
        for one in self.rounds[:most]:
            blocks += page.round_blocks(one)
        n_more = len(self.rounds) - most
        if n_more > 0:
            blocks.append(Note(f"... {n_more} more iterations; max_steps= shows them"))
        blocks += page.closing()
        return Document(f"Worksheet: {type(self.trace.model).__name__}", tuple(blocks))

    def __repr__(self) -> str:
        return f"<ClusterSheet: {type(self.trace.model).__name__}, {len(self.rounds)} iterations>"


class Page:
    """The blocks of the page."""

    def __init__(self, trace: Trace, digits: Digits) -> None:
        self.trace = trace
        self.model = trace.model
        self.digits = digits
        self.table: Table = trace.table
        self.columns = self.table.columns[:MOST_COLUMNS]
        self.specs = self.model.schema_.columns[:MOST_COLUMNS]
        self.names = tuple(spec.name for spec in self.specs)
        self.clusters = tuple(f"cluster {k}" for k in range(len(self.model.cluster_centers_)))

    def opening(self) -> Iterator[Block]:
        """What happens in each iteration."""
        n_rows, n_columns = self.table.shape
        yield Paragraph.of(
            f"{n_rows} rows, {n_columns} columns, {len(self.clusters)} clusters. In each "
            "iteration every row is assigned to the nearest center, then every center moves to the "
            f"middle of its rows: {self.middle_in_words()}. The algorithm stops when no row moves."
        )
        yield from self.distance_in_words()
        if n_rows > self.trace.n_shown:
            yield Note(f"distances are shown of the first {self.trace.n_shown} rows")
        if n_columns > MOST_COLUMNS:
            yield Note(f"tables show the first {MOST_COLUMNS} of {n_columns} columns")

    def middle_in_words(self) -> str:
        is_nominal = self.model.state_.measure.is_nominal
        means = "the mean of each column" if not is_nominal.all() else ""
        modes = "the most frequent category of each nominal column" if is_nominal.any() else ""
        words = " and ".join(part for part in (means, modes) if part)
        return f"{words}, by weight" if self.trace.weights is not None else words

    def distance_in_words(self) -> Iterator[Block]:
        """The formula of the distance, and the scales."""
        measure = self.model.state_.measure
        if measure.is_nominal.any():
            scaled = " divided by the scale of its column" if self.model.scale else ""
            yield Paragraph.of(
                "A squared distance is the sum of the squared differences of the numbers"
                f"{',' if scaled else ''}{scaled}{',' if scaled else ''} and of gamma = "
                f"{self.digits.text(measure.gamma)} for each category that differs; a missing "
                "value adds nothing."
            )
        else:
            x, c = Letter("x"), Letter("c")
            terms = [Square(Sum.less(Letter("x", at), Letter("c", at))) for at in "12"]
            yield Formula(Square(Call(Name("distance"), (x, c))), (Sum.of(*terms, Dots()),))
        if self.model.scale is not None:
            scales = [
                (name, "no value" if divisor == COUNTS_NOTHING else self.digits.text(divisor))
                for name, divisor, is_nominal in zip(
                    self.names, measure.divisors, measure.is_nominal, strict=False
                )
                if not is_nominal
            ]
            yield SheetTable(("column", "divided by"), tuple(scales), "lr", "Scale")

    def round_blocks(self, one: RoundTrace) -> Iterator[Block]:
        """Centers, distances and moves of one iteration."""
        yield Heading(2, f"Iteration {one.number}", f"iteration-{one.number}")
        if one.number == 1:
            lines = [(str(k), *self.center_cells(one, k)) for k in range(len(self.clusters))]
            yield SheetTable(("cluster", *self.names), tuple(lines), "r" + self.align(), "Start")
            if isinstance(self.model.init, str) and any(c.n_missing for c in self.table.columns):
                yield Note(
                    "missing values of the initial rows are replaced by the mean or the most "
                    "frequent category of all rows"
                )
            yield from self.first_distance(one)
            yield self.distance_table(one, np.arange(self.trace.n_shown), "Distances", None)
        else:
            assert one.before is not None
            yield from self.means(one)
            for k in range(len(self.clusters)):
                members = np.flatnonzero(one.before[: self.trace.n_shown] == k)
                yield self.distance_table(one, members, f"Cluster {k}", k)
        yield from self.moves(one)

    def align(self) -> str:
        return "".join("r" if isinstance(column, NumericColumn) else "l" for column in self.columns)

    def center_cells(self, one: RoundTrace, k: int) -> tuple[str, ...]:
        return tuple(
            center_text(spec, float(one.centers[k, at]), self.digits)
            for at, spec in enumerate(self.specs)
        )

    def row_cells(self, row: int) -> tuple[str, ...]:
        return tuple(
            value_text(self.table, spec, at, row, self.digits) for at, spec in enumerate(self.specs)
        )

    def number(self, number: float) -> Number:
        """A value of a row or a center."""
        return Number(self.digits.weight(number) if number >= 0 else self.digits.text(number))

    def first_distance(self, one: RoundTrace) -> Iterator[Block]:
        """The distance of one row from one center, term by term."""
        is_plain = self.model.scale is None and self.model.schema_.is_plain
        if not is_plain or self.table.n_columns > MOST_TERMS:
            return
        row = int(np.argmax(one.distances[:, 0] > 0))
        values = [float(numbers_of(column)[row]) for column in self.columns]
        if np.isnan(values).any():
            return
        terms = [
            Square(Sum.less(self.number(value), self.number(center)))
            for value, center in zip(values, one.centers[0].tolist(), strict=True)
        ]
        distance = float(one.distances[row, 0])
        left = Square(Call(Name("distance"), (Name(f"row {self.name_of(row)}"), Name("cluster 0"))))
        square = self.digits.number(distance**2)
        yield Formula(left, (Sum.of(*terms), square, Square(self.digits.number(distance))))

    def name_of(self, row: int) -> str:
        return str(self.trace.positions[row])

    def distance_table(
        self, one: RoundTrace, rows: Any, caption: str, cluster: int | None
    ) -> SheetTable:
        """Rows, their distances from every center, and the nearest; rows that move are marked."""
        lines = [
            self.in_order(
                self.name_of(row),
                self.row_cells(row),
                (*map(self.digits.text, one.distances[row].tolist()), str(one.labels[row])),
            )
            for row in rows.tolist()
        ]
        moving: set[int] = set()
        if cluster is not None:
            moving = set(np.flatnonzero(np.isin(rows, one.moved)).tolist())
            blanks = ("",) * (len(self.clusters) + 1)
            lines.append(self.in_order("center", self.center_cells(one, cluster), blanks))
        columns = self.in_order("row", self.names, (*self.clusters, "nearest"))
        align = self.in_order("r", tuple(self.align()), ("r",) * (len(self.clusters) + 1))
        return SheetTable(columns, tuple(lines), "".join(align), caption, frozenset(moving))

    def in_order(
        self, name: str, values: tuple[str, ...], distances: tuple[str, ...]
    ) -> tuple[str, ...]:
        """A row of the table: values first, as in textbooks, unless there are many."""
        if len(self.names) > MOST_VALUES_FIRST:
            return (name, *distances, *values)
        return (name, *values, *distances)

    def means(self, one: RoundTrace) -> Iterator[Block]:
        """The calculation of centers that are means of a few numbers."""
        if self.trace.weights is not None:
            return
        n_written = 0
        for k in range(len(self.clusters)):
            rows = np.flatnonzero(one.before == k)
            for at, column in enumerate(self.columns):
                if not isinstance(column, NumericColumn) or column.unit or not len(rows):
                    continue
                known = [float(value) for value in column.values[rows] if value == value]
                if not 0 < len(known) <= MOST_TERMS or n_written == MOST_MEANS:
                    continue
                if not np.isclose(np.mean(known), one.centers[k, at], rtol=1e-9, atol=0):
                    continue  # one of its rows was moved to an empty cluster
                n_written += 1
                above = Sum.of(*map(self.number, known))
                left = Call(Name("mean"), (Name(f"cluster {k}"), Name(column.name)))
                mean = self.digits.number(float(one.centers[k, at]))
                yield Formula(left, (Fraction(above, Number(str(len(known)))), mean))

    def moves(self, one: RoundTrace) -> Iterator[Block]:
        """The rows that moved."""
        if one.is_last:
            yield Paragraph.of("No row moves: the algorithm stops.")
            return
        if one.before is None:
            listed = [
                f"cluster {k}: {self.rows_in_words(np.flatnonzero(one.labels == k))}"
                for k in range(len(self.clusters))
            ]
            yield Paragraph.of("; ".join(listed) + ".")
            return
        shown = [
            f"row {self.name_of(row)} from {one.before[row]} to {one.labels[row]}"
            for row in one.moved[:MOST_LISTED].tolist()
        ]
        more = len(one.moved) - len(shown)
        tail = f" and {more} more" if more else ""
        n_moved = len(one.moved)
        verb = "row moves" if n_moved == 1 else "rows move"
        yield Paragraph.of(f"{n_moved} {verb}: {', '.join(shown)}{tail}.")

    def rows_in_words(self, rows: Any) -> str:
        if len(rows) > MOST_LISTED:
            return f"{len(rows)} rows"
        names = ", ".join(self.name_of(row) for row in rows.tolist())
        return f"row{'s' if len(rows) != 1 else ''} {names}" if len(rows) else "no rows"

    def closing(self) -> Iterator[Block]:
        """All iterations in one table."""
        yield Heading(2, "All iterations", "all-iterations")
        rows = [(str(one.number), str(len(one.moved))) for one in self.trace.rounds]
        yield SheetTable(("iteration", "rows that moved"), tuple(rows), "rr")
        yield Paragraph.of(
            f"Inertia, the sum of the squared distances of all rows from the center of their "
            f"cluster: {self.digits.text(self.model.inertia_)}."
        )
