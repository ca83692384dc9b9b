"""`model.explain(row)` of a clustering: why a row is in its cluster."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.clustering.cells import centre_text, value_text
from treewright.clustering.space import numbers_of
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.documents.page import Block, Document, Note, Paragraph, Run, SheetTable
from treewright.documents.printed import Printed
from treewright.models.rows import row_table
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.clustering.base import ClusterEstimator

Float64Array = NDArray[np.float64]
MOST_COLUMNS = 20  # with a line of their own


@dataclass(frozen=True, slots=True, repr=False)
class NearestCentre(Printed):
    """The cluster of one row, and what each column adds to its squared distances."""

    cluster: int
    runner_up: int | None  # the cluster of the second nearest centre
    distances: Float64Array  # from every centre
    adds: Float64Array  # (n_clusters, n_columns): what a column adds to a squared distance
    row: Table
    centres: Float64Array
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
        n_left = self.row.n_columns - MOST_COLUMNS
        if n_left > 0:
            blocks.append(Note(f"... {n_left} more columns, which tell the two less apart"))
        return Document("Why this cluster", tuple(blocks))

    def columns_table(self, digits: Digits) -> SheetTable:
        """The columns, those first that speak most for the cluster and against the next."""
        shown = [self.cluster] if self.runner_up is None else [self.cluster, self.runner_up]
        against = self.adds[shown[-1]] - self.adds[shown[0]]
        order = np.argsort(-against, kind="stable")[:MOST_COLUMNS]
        lines = []
        for at in order.tolist():
            spec = self.schema.columns[at]
            line = [spec.name, value_text(self.row, spec, at, 0)]
            for k in shown:
                line += [
                    centre_text(spec, float(self.centres[k, at])),
                    digits.text(float(self.adds[k, at])),
                ]
            lines.append(tuple(line))
        sums = [cell for k in shown for cell in ("", digits.text(float(self.distances[k] ** 2)))]
        lines.append(("squared distance", "", *sums))
        heads = [head for k in shown for head in (f"centre {k}", "adds")]
        return SheetTable(("column", "value", *heads), tuple(lines), "ll" + "rr" * len(shown))

    def __repr__(self) -> str:
        return f"<NearestCentre: cluster {self.cluster}>"


def nearest_centre(model: "ClusterEstimator", row: Any) -> NearestCentre:
    """Why a row is in its cluster."""
    given = row_table(row, model.schema_)
    rows = model._encoded(given)
    table = Table.of_matrix(rows) if isinstance(rows, np.ndarray) else rows
    adds = column_squares(model, table)
    space = model._space(given, model.state_)
    distances = np.sqrt(space.all_squares(space.inside(model.cluster_centers_)))[0]
    order = np.argsort(distances, kind="stable").tolist()
    return NearestCentre(
        order[0],
        order[1] if len(order) > 1 else None,
        distances,
        adds,
        table,
        model.cluster_centers_,
        model.schema_,
    )


def column_squares(model: "ClusterEstimator", table: Table) -> Float64Array:
    """(n_clusters, n_columns): what each column adds for the one row of a table."""
    measure = model.state_.measure
    values = np.array([numbers_of(column)[0] for column in table.columns], dtype=np.float64)
    is_hole = np.array([column.is_missing[0] for column in table.columns])
    differences = values - model.cluster_centers_
    squares = measure.squares(differences)
    found: Float64Array = np.where(is_hole, 0.0, squares)
    return found
