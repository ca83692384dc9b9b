"""K-Means: clusters of numbers around their means."""

from typing import Any

from treewright.arrays import Floats
from treewright.clustering.base import ClusterEstimator
from treewright.clustering.measure import mean_variance
from treewright.clustering.params import KMEANS_PARAMS
from treewright.data.column import Column, NominalColumn
from treewright.data.schema import ColumnSpec, all_missing
from treewright.data.table import Table
from treewright.errors import DataError


class KMeans(ClusterEstimator):
    """Clusters of rows of numbers around their means, by Lloyd's algorithm.

    Every row goes to the nearest center, every center to the mean of its rows, until no row moves.
    The result is exact: bounds spare most distances, never one that could matter. Rows with holes
    are compared in the columns that they know, and means are taken over the rows that know a value.

    Parameters
    ----------
    n_clusters
        How many clusters the rows are put into; `tw.elbow` helps to choose.
    init
        Where the centers start: "k-means++" (rows far apart), "random" (different rows), or a table
        of start points, one row for each cluster.
    n_init
        Starts, of which the one with the least inertia is kept; "auto" is 10, and 1 for
        given points.
    max_iter
        Most rounds of one start.
    tol
        Rounds also end when the squared distances that the centers go add up to no more than this
        share of the mean variance of the columns; 0 goes on until no row moves.
    scale
        What numbers are divided by before distances are taken: None for nothing, "standard" for
        the standard deviation of a column, "range" for its largest less its least value.
    random_state
        Seed of the starts: the same number gives the same clusters. None draws others each time.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The clusters are always the same.

    Attributes
    ----------
    cluster_centers_
        The means, (n_clusters, n_columns), in the units of the columns.
    labels_
        The cluster of each row.
    inertia_
        The weighted sum of squared distances of the rows from their centers.
    n_iter_
        Rounds, the last one included.
    converged_
        Whether no row moved in the last round: no limit ended them before.
    moves_
        Rows that changed their cluster, for each round.
    start_centers_
        Where the centers started.

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

    params = KMEANS_PARAMS
    categorical_features = None
    handle_unknown = "missing"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        scale: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs

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
                    f"column `{column.name}` holds words, which have no mean",
                    hint="KPrototypes takes words as they are; or leave the column out",
                )
            is_empty = isinstance(column, NominalColumn)
            columns.append(
                all_missing(ColumnSpec(column.name, "numeric"), len(table)) if is_empty else column
            )
        return Table(columns, table.n_rows, has_names=table.has_names)

    def _least_shift(self, table: Table, weights: Floats | None, divisors: Floats) -> float:
        return self.tol * mean_variance(table, weights, divisors) if self.tol else 0.0
