"""K-prototypes (Huang 1997): clusters of mixed columns with missing values."""

from typing import Any

from treewright.arrays import Floats
from treewright.clustering.base import ClusterEstimator
from treewright.clustering.measure import gamma_of
from treewright.clustering.params import KPROTOTYPES_PARAMS
from treewright.data.table import Table


class KPrototypes(ClusterEstimator):
    """K-prototypes clustering for numeric and nominal columns with missing values.

    A prototype consists of the means of the numeric columns and the most frequent categories of
    the nominal ones. The squared distance of a row from a prototype is the sum of the squared
    differences of its scaled numbers, plus `gamma` for each category that differs. Missing values
    are skipped. With numeric columns only this is k-means, with nominal columns only k-modes.
    Ordered columns are treated as nominal.

    Parameters
    ----------
    n_clusters
        Number of clusters; `tw.elbow` helps to choose it.
    init
        Initial prototypes: "k-means++" (rows far apart), "random" (distinct random rows), or a
        table with one row per cluster.
    n_init
        Number of runs with different initial centers; the one with the lowest inertia is kept.
        "auto" is 10, or 1 if `init` is a table.
    max_iter
        Maximum number of iterations per run.
    scale
        How to scale numeric columns before computing distances: "standard" divides by the standard
        deviation, "range" by the range. None does not scale.
    gamma
        Contribution of a different category to the squared distance. "auto" is the mean variance
        of the scaled numeric columns divided by the mean probability that two rows differ in a
        nominal column, so that both kinds of columns have the same influence on average.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    random_state
        Random seed: the same number gives the same clusters. None gives different ones each time.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The clusters
        are always the same.

    Attributes
    ----------
    prototypes_
        A table of the prototypes, one row for each cluster.
    cluster_centers_
        The same as numbers, (n_clusters, n_columns): categories by their code in `schema_`.
    labels_
        The cluster of each row.
    inertia_
        The weighted sum of squared distances of the rows from their prototypes.
    gamma_
        Contribution of a different category to the squared distance.
    n_iter_
        Number of iterations.
    converged_
        Whether the algorithm converged: no row changed its cluster in the last iteration.
    moves_
        Number of rows that changed their cluster in each iteration.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("loans")
    >>> model = tw.KPrototypes(2).fit(X.drop("loan"))
    >>> model.prototypes_.names[:3], len(model.labels_)
    (('age', 'work', 'home'), 400)
    """

    params = KPROTOTYPES_PARAMS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        scale: str | None = "standard",
        gamma: float | str = "auto",
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.scale = scale
        self.gamma = gamma
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _gamma_for(self, table: Table, weights: Floats | None, divisors: Floats) -> float:
        return gamma_of(table, weights, divisors) if self.gamma == "auto" else float(self.gamma)

    @property
    def prototypes_(self) -> Table:
        """The prototypes as a table, one row for each cluster."""
        state = self.state_
        return state.as_table(state.cluster_centers)
