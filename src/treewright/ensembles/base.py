"""What every ensemble shares: fitting and describing.

As with single trees, `fit` checks the parameters, reads the rows, lets the trees grow and only then
changes the estimator: an interrupted fit leaves it as it was.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import own_name
from treewright.ensembles.fitted import hash_of
from treewright.ensembles.forests.predictions import leaves_of_trees
from treewright.ensembles.packed import with_short_thresholds
from treewright.ensembles.reading import EnsembleReading, State
from treewright.errors import TreewrightError
from treewright.estimators.base import Model
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.fitted import Settings
from treewright.estimators.training import TrainingRows, warn_of_raw_dates, warn_of_useless_columns
from treewright.tree.tree import Tree


class Ensemble(EnsembleReading[State], Model[State]):
    """Many trees with the scikit-learn interface."""

    takes_scans = True

    trees_: Sequence[Tree] = set_by_fit()
    rows_hash_: str = set_by_fit()  # by which `report` knows the training rows again

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train the trees on the rows of X.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`. A
            `scan` brings its own target and weights.
        y
            The target, one value per row.
        sample_weight
            Weights of the rows. Integer weights count identical rows; if any weight is not an
            integer, only their ratios matter. A row of weight 0 is ignored.
        """
        return self.fit_with(self.learn, X, y, sample_weight)

    def fit_with(
        self,
        learn: Callable[[TrainingRows], State],
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """As `fit`, with what `learn` learns of the rows."""
        self.check_params()
        given = self._read_rows(X, y, sample_weight)
        rows = self.weighted_rows(given)
        warn_of_useless_columns(rows.table)
        self._state = of_rows(learn(rows), given, given.target_name or own_name(y), self)
        warn_of_raw_dates(self)
        return self

    def _read_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The rows given to `fit`; their order does not matter for the codes of categories."""
        rows = super()._read_rows(X, y, sample_weight)
        return replace(rows, table=rows.table.sort_levels())

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

    def apply(self, X: Any) -> NDArray[np.int32]:
        """(n_rows, n_trees): the node of each tree that predicts each row."""
        state = self.state_
        rows = self.encode_rows(X, state)
        return leaves_of_trees(state.trees, rows, state.threads_for(len(rows), self))


def of_rows(
    state: State, given: TrainingRows, target_name: str | None, settings: Settings
) -> State:
    """A fitted state that knows the rows it comes from."""
    n_threads = state.threads_for(given.n_rows, settings)
    trees, schema = with_short_thresholds(state.trees, state.schema, given.table, n_threads)
    own: Any = {"rows_hash": hash_of(given)}
    return replace(state, trees=trees, schema=schema, target_name=target_name, **own)
