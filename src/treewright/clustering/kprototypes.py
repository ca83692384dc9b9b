"""K-Prototypes after Huang (1997): clusters of mixed columns, with holes."""

from typing import Any

from treewright.arrays import Floats
from treewright.clustering.base import ClusterEstimator
from treewright.clustering.measure import gamma_of
from treewright.clustering.params import KPROTOTYPES_PARAMS
from treewright.data.table import Table


class KPrototypes(ClusterEstimator):
    """Clusters of rows of numbers and words around prototypes: means and commonest levels.

    The squared distance of a row from a prototype is the sum of the squared differences of its
    numbers, each divided by the scale of its column, and of `gamma` for each level that differs. A
    hole adds nothing, and means and commonest levels are taken over the rows that know a value.
    With numbers alone this is K-Means, with words alone K-Modes. Ordered levels count as levels.

    Parameters
    ----------
    n_clusters
        How many clusters the rows are put into; `tw.elbow` helps to choose.
    init
        Where the prototypes start: "k-means++" (rows far apart), "random" (different rows), or a
        table of start points, one row for each cluster.
    n_init
        Starts, of which the one with the least inertia is kept; "auto" is 10, and 1 for
        given points.
    max_iter
        Most rounds of one start.
    scale
        What numbers are divided by before distances are taken: "standard" for the standard
        deviation of a column, "range" for its largest less its least value, None for nothing.
    gamma
        What another level adds to a squared distance. "auto" is the mean variance of the numeric
        columns, as they are divided, over the mean chance that two rows differ in a nominal column:
        columns of both kinds count the same then, on average.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    random_state
        Seed of the starts: the same number gives the same clusters. None draws others each time.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The clusters are always the same.

    Attributes
    ----------
    prototypes_
        A table of the prototypes, one row for each cluster.
    cluster_centers_
        The same as numbers, (n_clusters, n_columns): levels by their code in `schema_`.
    labels_
        The cluster of each row.
    inertia_
        The weighted sum of squared distances of the rows from their prototypes.
    gamma_
        What another level adds to a squared distance.
    n_iter_
        Rounds, the last one included.
    converged_
        Whether no row moved in the last round: no limit ended them before.
    moves_
        Rows that changed their cluster, for each round.

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
