"""The centers of clusters as text: a summary, and why a row is in its cluster."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.arrays import Floats
from treewright.clustering.fitted import FittedClusters
from treewright.clustering.space import numbers_of
from treewright.data.column import NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table, column_lines
from treewright.documents.page import Block, Document, Note, Paragraph, Run, SheetTable
from treewright.documents.printed import Printed
from treewright.estimators.rows import row_table
from treewright.plain_text import number_text, plain
from treewright.tree.conditions import bound_text
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.clustering.reading import ClusterReading

MISSING_TEXT = "?"


def center_text(spec: ColumnSpec, number: float, digits: Digits | None = None) -> str:
    """A mean, a date, or the category of a code.

    >>> center_text(ColumnSpec("day", "numeric", unit="datetime64[D]"), 19000.5)
    '2022-01-08'
    """
    if math.isnan(number) or not (spec.is_numeric or spec.levels):
        return MISSING_TEXT
    if not spec.is_numeric or spec.unit:
        return bound_text(spec, number)
    if digits is None:
        return number_text(number)
    return digits.weight(number) if number >= 0 else digits.text(number)


def value_text(
    table: Table, spec: ColumnSpec, at: int, row: int, digits: Digits | None = None
) -> str:
    """One value of a row."""
    column = table.columns[at]
    if isinstance(column, NumericColumn):
        return center_text(spec, float(column.values[row]), digits)
    return MISSING_TEXT if column.codes[row] < 0 else str(column.levels[column.codes[row]])


MOST_COLUMNS = 8
MOST_CLUSTERS = 30


def summary_text(model: "ClusterReading") -> str:
    """A title, then the size and center of each cluster."""
    state = model.state_
    n_clusters = len(state.cluster_centers)
    counts = np.bincount(state.labels, minlength=n_clusters)
    words = "iterations" if state.n_iter != 1 else "iteration"
    title = (
        f"{type(model).__name__}: {n_clusters} cluster{'s' if n_clusters != 1 else ''} of "
        f"{len(state.labels)} rows, {state.n_iter} {words}, inertia {state.inertia:g}"
    )
    centers = state.cluster_centers[:MOST_CLUSTERS]
    shown = state.schema.columns[:MOST_COLUMNS]
    n_lines = len(centers)
    cells = [
        ["cluster", *map(str, range(n_lines))],
        ["rows", *map(str, counts[:n_lines].tolist())],
        *(
            [spec.name, *[center_text(spec, number) for number in centers[:, at].tolist()]]
            for at, spec in enumerate(shown)
        ),
    ]
    to_right = [True, True, *(spec.is_numeric for spec in shown)]
    lines = [title, *column_lines(cells, to_right)]
    if n_lines < n_clusters:
        lines.append(f"  ... {n_clusters - n_lines} more clusters")
    if len(shown) < state.n_features_in:
        lines.append(f"  ... {state.n_features_in - len(shown)} more columns")
    return "\n".join([*lines, *(f"note: {plain(note)}" for note in state.notes)])


MOST_COLUMN_LINES = 20  # with a line of their own


@dataclass(frozen=True, slots=True, repr=False)
class NearestCenter(Printed):
    """The cluster of one row, and the contribution of each column to its squared distances."""

    cluster: int
    runner_up: int | None  # the cluster of the second nearest center
    distances: Floats  # from every center
    adds: Floats  # (n_clusters, n_columns): contribution of a column to a squared distance
    row: Table
    centers: Floats
    schema: Schema

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        digits = Digits(decimals)
        own = self.distances[self.cluster]
        said: list[str | Run] = [
            "cluster ",
            Run(str(self.cluster), "strong"),
            f": distance {digits.text(own)}",
        ]
        if self.runner_up is not None:
            second = digits.text(self.distances[self.runner_up])
            said.append(f"; next is cluster {self.runner_up}: distance {second}")
        blocks: list[Block] = [Paragraph.of(*said), self.columns_table(digits)]
        n_left = self.row.n_columns - MOST_COLUMN_LINES
        if n_left > 0:
            blocks.append(
                Note(f"... {n_left} more columns, which distinguish the two clusters less")
            )
        return Document("Why this cluster", tuple(blocks))

    def columns_table(self, digits: Digits) -> SheetTable:
        """The columns, ordered by how much they favor the cluster over the next."""
        shown = [self.cluster] if self.runner_up is None else [self.cluster, self.runner_up]
        against = self.adds[shown[-1]] - self.adds[shown[0]]
        order = np.argsort(-against, kind="stable")[:MOST_COLUMN_LINES]
        lines = []
        for at in order.tolist():
            spec = self.schema.columns[at]
            line = [spec.name, value_text(self.row, spec, at, 0)]
            for k in shown:
                line += [
                    center_text(spec, float(self.centers[k, at])),
                    digits.text(float(self.adds[k, at])),
                ]
            lines.append(tuple(line))
        sums = [cell for k in shown for cell in ("", digits.text(float(self.distances[k] ** 2)))]
        lines.append(("squared distance", "", *sums))
        heads = [head for k in shown for head in (f"center {k}", "adds")]
        return SheetTable(("column", "value", *heads), tuple(lines), "ll" + "rr" * len(shown))

    def __repr__(self) -> str:
        return f"<NearestCenter: cluster {self.cluster}>"


def nearest_center(model: "ClusterReading", row: Any) -> NearestCenter:
    """Why a row is in its cluster."""
    state = model.state_
    given = row_table(row, state.schema)
    rows = model.encode_rows(given, state)
    table = Table.of_matrix(rows) if isinstance(rows, np.ndarray) else rows
    adds = column_squares(state, table)
    space = state.space(given, model)
    distances = np.sqrt(space.all_squares(space.inside(state.cluster_centers)))[0]
    order = np.argsort(distances, kind="stable").tolist()
    return NearestCenter(
        order[0],
        order[1] if len(order) > 1 else None,
        distances,
        adds,
        table,
        state.cluster_centers,
        state.schema,
    )


def column_squares(state: FittedClusters, table: Table) -> Floats:
    """(n_clusters, n_columns): the contribution of each column, for a table of one row."""
    measure = state.measure
    values = np.array([numbers_of(column)[0] for column in table.columns], dtype=np.float64)
    is_missing = np.array([column.is_missing[0] for column in table.columns])
    squares = measure.squares(values - state.cluster_centers)
    found: Floats = np.where(is_missing, 0.0, squares)
    return found
