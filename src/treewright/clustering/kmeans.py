"""K-Means: clusters of numbers around their means."""

from typing import Any

from treewright.arrays import Floats
from treewright.clustering.base import ClusterEstimator
from treewright.clustering.measure import mean_variance
from treewright.data.column import Column, NominalColumn
from treewright.data.schema import ColumnSpec, all_missing
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.estimators.declaration import param


class KMeans(ClusterEstimator):
    """K-means clustering by Lloyd's algorithm.

    Every row is assigned to the nearest center, and every center moves to the mean of its rows,
    until no row changes its cluster. Bounds skip most distance computations without changing the
    result. Rows with missing values are compared in their known columns, and means are taken over
    the known values.

    Attributes
    ----------
    cluster_centers_
        Cluster means, (n_clusters, n_columns), in the original units.
    labels_
        The cluster of each row.
    inertia_
        The weighted sum of squared distances of the rows from their centers.
    n_iter_
        Number of iterations.
    converged_
        Whether the algorithm converged: no row changed its cluster in the last iteration.
    moves_
        Number of rows that changed their cluster in each iteration.
    start_centers_
        Initial centers.

    Examples
    --------
    >>> import treewright as tw
    >>> X, _ = tw.load_sample("five_points")
    >>> model = tw.KMeans(2, init=X[[1, 3]]).fit(X)
    >>> model.labels_, model.n_iter_
    (array([0, 0, 0, 1, 1], dtype=int32), 2)
    >>> model.cluster_centers_.round(2)
    array([[1.83, 2.33],
           [4.25, 6.  ]])
    """

    categorical_features = None
    handle_unknown = "missing"

    tol: float = param(
        0.0,
        "Stop when the sum of the squared shifts of the centers is at most this fraction of the "
        "mean variance of the columns. 0 continues until no row changes its cluster.",
        low=0,
        before="scale",
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        tags.input_tags.string = False
        return tags

    def _columns_of(self, table: Table) -> Table:
        table = super()._columns_of(table)
        if table.matrix is not None:
            return table
        columns: list[Column] = []
        for column in table.columns:
            if isinstance(column, NominalColumn) and column.levels:
                raise DataError(
                    f"column `{column.name}` is nominal, and KMeans needs numbers",
                    hint="use KPrototypes, which handles nominal columns, or leave the column out",
                )
            is_empty = isinstance(column, NominalColumn)
            columns.append(
                all_missing(ColumnSpec(column.name, "numeric"), len(table)) if is_empty else column
            )
        return Table(columns, table.n_rows, has_names=table.has_names)

    def _least_shift(self, table: Table, weights: Floats | None, divisors: Floats) -> float:
        return self.tol * mean_variance(table, weights, divisors) if self.tol else 0.0
