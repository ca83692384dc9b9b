"""Forests that predict a class: class weights, and votes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import encode_classes
from treewright.ensembles.fitted import FittedClassForest
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.out_of_bag import class_agreement, out_of_bag_answers
from treewright.ensembles.forests.voting import vote_shares, votes_of
from treewright.estimators.training import TrainingRows
from treewright.models.class_answers import ClassifierMethods, class_target, weighted_by_class
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


class ForestClassifier(ClassifierMethods, Forest):
    """A mixin: a forest that predicts a class."""

    state_type = FittedClassForest

    voting: str
    class_weight: Any
    classes_: NDArray[Any]
    n_classes_: int
    oob_decision_function_: Float64Array

    encode_target = staticmethod(encode_classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row; of equally good ones the first in `classes_`."""
        state: FittedClassForest = self.state_
        assert state.classes is not None
        labels: NDArray[Any] = state.classes[np.argmax(self._shares(X, state), axis=1)]
        return labels

    def predict_proba(self, X: Any) -> Float64Array:
        """Probability of each class, in the order of `classes_`.

        It is the mean of what the trees say, or with `voting="hard"` the share of their votes.
        """
        return self._shares(X, self.state_)

    def _shares(self, X: Any, state: FittedClassForest) -> Float64Array:
        if self.voting == "soft":
            return self._mean_answers(X, state)
        rows = self._encoded(X, state)
        return vote_shares(state.trees, rows, self._n_predict_threads(len(rows)))

    def votes(self, X: Any) -> NDArray[Any]:
        """(n_rows, n_trees): the class that each tree gives to each row."""
        state: FittedClassForest = self.state_
        rows = self._encoded(X, state)
        best = [votes_of(tree, rows).argmax(axis=1) for tree in state.trees]
        assert state.classes is not None
        labels: NDArray[Any] = state.classes[np.stack(best, axis=1)]
        return labels

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        if not self.oob_score:
            return {}
        answers = out_of_bag_answers(task, trees, hard=self.voting == "hard")
        agreement = class_agreement(answers, class_target(task.rows).codes)
        return {"oob_decision_function": task.rows.spread_out(answers), "oob_score": agreement}

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        return weighted_by_class(rows, self.class_weight).without_empty_classes()
