"""What every ensemble shares: fitting and describing.

As with single trees, `fit` checks the parameters, reads the rows, lets the trees grow and only then
changes the estimator: an interrupted fit leaves it as it was.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.data.target import own_name
from treewright.ensembles.fitted import FittedEnsemble, hash_of
from treewright.ensembles.forests.predictions import leaves_of_trees
from treewright.ensembles.packed import with_short_thresholds
from treewright.ensembles.summary import n_leaves_of
from treewright.errors import TreewrightError
from treewright.estimators.base import Model
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.raw_dates import warn_of_raw_dates
from treewright.estimators.training import TrainingRows, warn_of_useless_columns
from treewright.explanations.tree_sum import TreeSum
from treewright.tree.counts import as_shares, column_gains
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.ensembles.row_shares import RowShares


# What single trees can do, and how one of many does it.
OF_ONE_TREE = {
    "tree_": "model.trees_[0]",
    "path_of": "model.trees_[0].path_of(table, row)",
    "export_text": "str(model.trees_[0])",
    "draw": "tw.draw(model.trees_[0])",
    "to_depth": "tw.distil(model, X, max_depth=3)",
    "to_leaves": "tw.distil(model, X, max_leaf_nodes=8)",
    "simplify": "model.trees_[0].simplify()",
}


State = TypeVar("State", bound=FittedEnsemble)


class Ensemble(Model[State]):
    """Many trees with the scikit-learn interface."""

    trees_: Sequence[Tree] = set_by_fit()
    rows_hash_: str = set_by_fit()  # by which `report` knows the training rows again

    def tree_sum(self, *, has_missing: bool = True) -> TreeSum:
        """How the values of the trees add up to what Shapley values explain."""
        raise NotImplementedError

    def tree_rows(self, X: Any) -> Table | NDArray[Any]:
        """The rows of X as the trees know their columns."""
        return self.encode_rows(X)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the trees on the rows of X.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            The target, one value per row.
        sample_weight
            Weights of the rows. Integer weights count identical rows; if any weight is not an
            integer, only their ratios matter. A row of weight 0 is ignored.
        """
        self.check_params()
        given = self._read_rows(X, y, sample_weight)
        rows = self.weighted_rows(given)
        warn_of_useless_columns(rows.table)
        self._state = of_rows(self.learn(rows), given, own_name(y))
        warn_of_raw_dates(self)
        return self

    def is_fit_of(self, X: Any, y: Any, sample_weight: Any = None) -> bool:
        """Whether the last fit was to just these rows, in this order."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows = self._read_rows(X, y, sample_weight)
                table = self.state_.schema.encode(rows.table, "error")
        except TreewrightError:
            return False
        return hash_of(rows, table) == self.rows_hash_

    def summary(self) -> str:
        """Size of the ensemble, its scores if `fit` computed any, and the column importances.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.load_sample("tennis")
        >>> print(tw.ExtraTreesClassifier().fit(X, y).summary().partition(",")[0])
        ExtraTreesClassifier: 100 trees
        """
        from treewright.ensembles.summary import summary_text

        return summary_text(self)

    def get_n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return n_leaves_of(self.state_.trees)

    def get_depth(self) -> int:
        """Depth of the deepest tree."""
        return max((tree.depth for tree in self.state_.trees), default=0)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """(n_rows, n_trees): the node of each tree that predicts each row."""
        state = self.state_
        rows = self.encode_rows(X, state)
        return leaves_of_trees(state.trees, rows, state.threads_for(len(rows), self))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Explains how to get what only single trees have."""
            if name in OF_ONE_TREE:
                raise AttributeError(
                    f"{type(self).__name__} has many trees and no `{name}`; "
                    f"use `{OF_ONE_TREE[name]}` instead"
                )
            return super().__getattr__(name)

    def explain(self, row: Any) -> "RowShares":
        """Contribution of each column to the prediction for one row, by Shapley values.

        The row is a dict, a list of values, a row of a data frame, or a table of one row.
        """
        from treewright.ensembles.row_shares import row_shares

        return row_shares(self, row)

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the total gain of all splits, averaged over the trees."""
        total = np.zeros(self.state_.n_features_in)
        for gains in self._gains():
            total += as_shares(gains)
        return as_shares(total)

    def _gains(self) -> Iterator[Floats]:
        """(n_columns,) of each tree: what its splits by each column gain, times weight."""
        return (column_gains(tree) for tree in self.state_.trees)


def of_rows(state: State, given: TrainingRows, target_name: str | None) -> State:
    """A fitted state that knows the rows it comes from."""
    trees, schema = with_short_thresholds(state.trees, state.schema, given.table)
    own: Any = {"rows_hash": hash_of(given)}
    return replace(state, trees=trees, schema=schema, target_name=target_name, **own)
