"""The fitted state of clusterings: how it predicts, and what a model file may hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.clustering.measure import Measure, check_numbers
from treewright.clustering.rounds import space_of
from treewright.clustering.space import Int32Array, Space
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.errors import ModelFileError
from treewright.estimators.fitted import Fitted, Rows, Settings, learned
from treewright.persistence.values import NUMBER, WHOLE, floats, ints


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClusters(Fitted):
    """Centers, and the clusters of the training rows."""

    reading = "treewright.clustering.reading.ClusterReading"

    cluster_centers: Floats = learned(floats(2))
    labels: Int32Array = learned(ints(1, "int32"))
    inertia: float = learned(NUMBER)
    n_iter: int = learned(WHOLE)
    moves: NDArray[np.int64] = learned(ints(1))
    start_centers: Floats = learned(floats(2))
    divisors: Floats = learned(floats(1))
    gamma: float = learned(NUMBER)

    @property
    def measure(self) -> Measure:
        return Measure.of(self.schema, self.divisors, self.gamma)

    def predict(self, X: Any, settings: Settings) -> Int32Array:
        space = self.space(X, settings)
        space.assign(space.inside(self.cluster_centers))
        return space.labels()

    def space(self, X: Any, settings: Settings) -> Space:
        """The rows of X among the centers."""
        rows = self.encode(X, settings)
        return self.space_of_rows(rows, self.threads_for(len(rows), settings))

    def space_of_rows(self, rows: Rows, n_threads: int) -> Space:
        """New rows among the centers."""
        table = Table.of_matrix(rows) if isinstance(rows, np.ndarray) else rows
        return space_of(table, self.measure, None, n_threads, is_whole=check_numbers(table))

    def as_table(self, points: Floats) -> Table:
        """Points in the columns of the model."""
        columns: list[Column] = []
        for spec, values in zip(self.schema.columns, points.T, strict=True):
            if spec.is_numeric:
                columns.append(NumericColumn(spec.name, values.copy(), spec.unit))
            else:
                codes = (
                    values.astype(np.int32) if spec.levels else np.full(len(values), -1, np.int32)
                )
                columns.append(NominalColumn(spec.name, codes, spec.levels, spec.kind == "ordered"))
        return Table(columns, len(points), has_names=self.schema.has_names)

    def check(self) -> None:
        centers, n_columns = self.cluster_centers, self.n_features_in
        fits = (
            centers.shape == self.start_centers.shape
            and centers.shape[1] == n_columns > 0
            and len(centers) > 0
            and self.divisors.shape == (n_columns,)
            and bool((self.divisors > 0).all())
            and self.gamma >= 0
            and len(self.moves) == self.n_iter > 0
            and self.moves.min() >= 0
            and len(self.labels) > 0
            and 0 <= self.labels.min() <= self.labels.max() < len(centers)
        )
        if not fits:
            raise ModelFileError("learned: centers, labels and columns do not fit together")
        for at, spec in enumerate(self.schema.columns):
            codes = np.concatenate([centers[:, at], self.start_centers[:, at]])
            is_code = (codes == np.floor(codes)) & (codes >= 0) & (codes < len(spec.levels))
            if not spec.is_numeric and spec.levels and not is_code.all():
                raise ModelFileError(f"learned: a center has no level in column `{spec.name}`")
            if not spec.is_numeric and self.divisors[at] != 1.0:
                raise ModelFileError(f"learned: `divisors_` of the words in `{spec.name}` is not 1")
