"""Forests that predict a number, and the quantiles around it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import NumericTarget, encode_addable_numbers
from treewright.ensembles.fitted import FittedNumberForest
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.out_of_bag import out_of_bag_answers, share_explained
from treewright.ensembles.forests.quantiles import checked_shares, interval_shares
from treewright.ensembles.forests.voting import leaves_of_trees
from treewright.models.class_answers import RegressorMethods
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


class ForestRegressor(RegressorMethods, Forest):
    """A mixin: a forest that predicts a number."""

    state_type = FittedNumberForest

    keep_targets: bool

    encode_target = staticmethod(encode_addable_numbers)

    def predict(self, X: Any) -> Float64Array:
        """The mean of what the trees answer."""
        return self._mean_answers(X, self.state_)[:, 0]

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> Float64Array:
        """(n_rows, n_quantiles): the least targets that each share of the weight does not exceed.

        Every training row in the same leaf as a row of X weighs its share of that leaf, mean over
        the trees (Meinshausen, 2006). The forest must be fitted with `keep_targets=True`.

        Parameters
        ----------
        X
            Rows.
        quantiles
            Shares from 0 to 1.
        """
        shares = checked_shares(quantiles)
        state: FittedNumberForest = self.state_
        leaf_targets = state.leaf_targets
        rows = self._encoded(X, state)
        leaves = leaves_of_trees(state.trees, rows, self._n_predict_threads(len(rows)))
        return leaf_targets.quantiles(leaves, shares)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Float64Array:
        """(n_rows, 2): the quantiles between which `coverage` of the weight lies.

        The forest must be fitted with `keep_targets=True`.
        """
        return self.predict_quantiles(X, interval_shares(coverage))

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        rows = task.rows
        assert isinstance(rows.target, NumericTarget)
        learned: dict[str, Any] = {}
        if self.oob_score:
            answers = out_of_bag_answers(task, trees, hard=False)[:, 0]
            learned["oob_prediction"] = rows.spread_out(answers)
            learned["oob_score"] = share_explained(answers, rows.target.values)
        if self.keep_targets:
            learned["training_leaves"] = leaves_of_trees(trees, rows.table, task.n_threads)
            learned["training_targets"] = rows.target.values
            learned["training_weights"] = rows.weights
        return learned
