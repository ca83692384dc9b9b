"""Forests that predict a number, and the quantiles around it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import NumericTarget, encode_addable_numbers
from treewright.ensembles.base import EnsembleState
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.out_of_bag import out_of_bag_answers, share_explained
from treewright.ensembles.forests.quantiles import LeafTargets, checked_shares, interval_shares
from treewright.ensembles.forests.voting import leaves_of_trees
from treewright.errors import ParameterError
from treewright.models.class_answers import RegressorMethods
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


class ForestRegressor(RegressorMethods, Forest):
    """A forest that predicts a number."""

    learns: ClassVar[tuple[str, ...]] = (
        *Forest.learns,
        "oob_prediction_",
        "training_leaves_",
        "training_targets_",
        "training_weights_",
    )

    keep_targets: bool

    _encode_target = staticmethod(encode_addable_numbers)

    oob_prediction_: Float64Array

    # Set by fit where `keep_targets` asks for it.
    training_leaves_: NDArray[np.int32]  # (n_rows, n_trees): where each training row lies
    training_targets_: Float64Array
    training_weights_: Float64Array | None

    _leaf_targets: LeafTargets | None = None

    def predict(self, X: Any) -> Float64Array:
        """The mean of what the trees answer."""
        return self._mean_answers(X)[:, 0]

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
        return self._targets_of_leaves().quantiles(self.apply(X), shares)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Float64Array:
        """(n_rows, 2): the quantiles between which `coverage` of the weight lies.

        The forest must be fitted with `keep_targets=True`.
        """
        return self.predict_quantiles(X, interval_shares(coverage))

    def _targets_of_leaves(self) -> LeafTargets:
        """Made when it is first asked for, and never saved."""
        self._check_is_fitted()
        if self._leaf_targets is not None:
            return self._leaf_targets
        if "training_leaves_" not in self.__dict__:
            raise ParameterError(
                "the forest has not kept its training targets, so it knows no quantiles",
                hint="fit it with keep_targets=True",
            )
        self._leaf_targets = LeafTargets(
            self.training_leaves_, self.training_targets_, self.training_weights_
        )
        return self._leaf_targets

    def _take_on(self, state: EnsembleState) -> None:
        super()._take_on(state)
        self.__dict__.pop("_leaf_targets", None)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_leaf_targets", None)
        return state

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        rows = task.rows
        assert isinstance(rows.target, NumericTarget)
        learned: dict[str, Any] = {}
        if self.oob_score:
            answers = out_of_bag_answers(task, trees, hard=False)[:, 0]
            learned["oob_prediction_"] = rows.spread_out(answers)
            learned["oob_score_"] = share_explained(answers, rows.target.values)
        if self.keep_targets:
            learned["training_leaves_"] = leaves_of_trees(trees, rows.table, task.n_threads)
            learned["training_targets_"] = rows.target.values
            learned["training_weights_"] = rows.weights
        return learned
