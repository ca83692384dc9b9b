"""What boosted trees share: trees grown one after the other, each on what the others leave."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.data.schema import Schema
from treewright.data.target import ClassTarget, encode_classes, encode_numbers
from treewright.ensembles.base import EnsembleEstimator, EnsembleState
from treewright.ensembles.binned import binned
from treewright.ensembles.boosting_settings import tree_settings
from treewright.ensembles.losses import Logistic, Multinomial, SquaredError
from treewright.ensembles.packed import PackedTreeSequence
from treewright.ensembles.rounds import RoundPlan, Rounds
from treewright.ensembles.scored_rows import ScoredRows, add_answers
from treewright.models.class_costs import row_factors
from treewright.models.classification import class_target
from treewright.models.threads import n_threads
from treewright.models.training import TrainingRows

Float64Array = NDArray[np.float64]

CELLS_WORTH_THREADS = 200_000  # below this a tree takes less time than threads need to wake


class BoostedTrees(EnsembleEstimator):
    """Trees whose answers add up to scores."""

    learns = ("start_",)

    loss: Any
    n_estimators: int
    max_bins: int

    # Set by fit.
    trees_: PackedTreeSequence
    start_: Float64Array  # the scores of a model without trees

    def _loss_for(self, rows: TrainingRows) -> Any:
        """The loss that the parameter names, for these rows."""
        raise NotImplementedError

    def _learn(self, rows: TrainingRows) -> EnsembleState:
        loss, y = self._loss_for(rows), target_numbers(rows)
        start = loss.start(y, rows.weights)
        n_cells = rows.n_rows * rows.table.n_columns
        threads = n_threads(self.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)
        bins = binned(rows.table, rows.weights, max_bins=int(self.max_bins), n_threads=threads)
        plan = RoundPlan(int(self.n_estimators), loss, tree_settings(self, rows), threads)
        rounds = Rounds(plan, bins, ScoredRows.from_start(rows.table, y, rows.weights, start))
        rounds.run()
        schema = Schema.of(rows.table)
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        trees = PackedTreeSequence(rounds.trees, schema, None, self.unseen)
        return EnsembleState(trees, schema, classes, learned={"start_": start})

    def _scores(self, X: Any) -> Float64Array:
        """(n_outputs, n_rows): what all trees add up to."""
        rows = self._encoded(X)
        scores = np.repeat(self.start_[:, np.newaxis], len(rows), axis=1)
        threads = self._n_predict_threads(len(rows))
        add_answers(self.trees_, rows, scores, 0, len(self.trees_), threads)
        return scores


class BoostedClassifier(ClassifierMixin, BoostedTrees):  # type: ignore[misc]
    """Boosted trees that predict a class."""

    class_weight: Any
    classes_: NDArray[Any]
    n_classes_: int

    _encode_target = staticmethod(encode_classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; of equals the first in `classes_`."""
        shares = self.predict_proba(X)
        classes: NDArray[Any] = self.classes_[np.argmax(shares, axis=1)]
        return classes

    def predict_proba(self, X: Any) -> Float64Array:
        """Probability of each class, in the order of `classes_`."""
        return probabilities(self._scores(X), self.n_classes_)

    def predict_log_proba(self, X: Any) -> Float64Array:
        """Logarithm of the probabilities."""
        with np.errstate(divide="ignore"):
            logarithms: Float64Array = np.log(self.predict_proba(X))
        return logarithms

    def decision_function(self, X: Any) -> Float64Array:
        """The scores: of two classes the log-odds of the second, else one column a class."""
        scores = self._scores(X)
        return scores[0] if len(scores) == 1 else scores.T

    def _loss_for(self, rows: TrainingRows) -> Logistic | Multinomial:
        n_classes = class_target(rows).n_classes
        return (
            Logistic() if n_classes == 2 and self.loss != "multinomial" else Multinomial(n_classes)
        )

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        if self.class_weight is None:
            return rows
        target = class_target(rows)
        factors = row_factors(self.class_weight, target.codes, target.classes, rows.weights)
        return rows.times(factors)


class BoostedRegressor(RegressorMixin, BoostedTrees):  # type: ignore[misc]
    """Boosted trees that predict a number."""

    _encode_target = staticmethod(encode_numbers)

    def predict(self, X: Any) -> Float64Array:
        """The number of each row."""
        answers: Float64Array = self._scores(X)[0]
        return answers

    def _loss_for(self, rows: TrainingRows) -> SquaredError:
        return SquaredError()


def probabilities(scores: Float64Array, n_classes: int) -> Float64Array:
    """(n_rows, n_classes) from scores (n_outputs, n_rows)."""
    if len(scores) == n_classes:
        return np.ascontiguousarray(Multinomial(n_classes).answers(scores).T)
    second = Logistic().answers(scores[0])
    return np.stack([1.0 - second, second], axis=1)


def target_numbers(rows: TrainingRows) -> Float64Array:
    """The target as losses take it: numbers, or codes of classes as numbers."""
    if isinstance(rows.target, ClassTarget):
        return rows.target.codes.astype(np.float64)
    return rows.target.values
