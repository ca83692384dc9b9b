"""K-prototypes (Huang 1997): clusters of mixed columns with missing values."""

from typing import Any

from treewright.arrays import Floats
from treewright.clustering.base import INIT, SCALE, ClusterEstimator
from treewright.clustering.measure import gamma_of
from treewright.data.table import Table
from treewright.estimators import params as shared
from treewright.estimators.declaration import param


class KPrototypes(ClusterEstimator):
    """K-prototypes clustering for numeric and nominal columns with missing values.

    A prototype consists of the means of the numeric columns and the most frequent categories of
    the nominal ones. The squared distance of a row from a prototype is the sum of the squared
    differences of its scaled numbers, plus `gamma` for each category that differs. Missing values
    are skipped. With numeric columns only this is k-means, with nominal columns only k-modes.
    Ordered columns are treated as nominal.

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

    init: Any = INIT.but(help=INIT.help.replace("centers", "prototypes"))
    scale: str | None = SCALE.but(default="standard")
    gamma: float | str = param(
        "auto",
        'Contribution of a different category to the squared distance. "auto" is the mean '
        "variance of the scaled numeric columns divided by the mean probability that two rows "
        "differ in a nominal column, so that both kinds of columns have the same influence on "
        "average.",
        low=0,
        below=shared.TOO_LARGE,
        choices=("auto",),
        before="random_state",
    )
    handle_unknown: str = shared.HANDLE_UNKNOWN.but(
        help=shared.MISSING_OR_ERROR.help, before="random_state"
    )
    categorical_features: Any = shared.CATEGORICAL_FEATURES.but(before="random_state")

    def _gamma_for(self, table: Table, weights: Floats | None, divisors: Floats) -> float:
        return gamma_of(table, weights, divisors) if self.gamma == "auto" else float(self.gamma)

    @property
    def prototypes_(self) -> Table:
        """The prototypes as a table, one row for each cluster."""
        state = self.state_
        return state.as_table(state.cluster_centers)
