"""What every forest shares: rows are drawn for each tree, and all trees answer together."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.data.schema import Schema
from treewright.data.target import ClassTarget, encode_classes, encode_numbers
from treewright.ensembles.base import EnsembleEstimator, EnsembleState
from treewright.ensembles.forest_growth import histogram_forest
from treewright.ensembles.forest_settings import forest_settings
from treewright.ensembles.forest_voting import leaves_of_trees, mean_answers, vote_shares
from treewright.ensembles.forest_warm_start import trees_to_keep
from treewright.models.class_costs import row_factors
from treewright.models.classification import class_target
from treewright.models.early_stop import seed_of
from treewright.models.threads import n_threads
from treewright.models.training import TrainingRows

Float64Array = NDArray[np.float64]

CELLS_WORTH_THREADS = 50_000  # of all trees; below this growth takes less time than to wake threads


class Forest(EnsembleEstimator):
    """Trees grown on rows that are drawn, each split on columns that are drawn."""

    random_cuts: ClassVar[bool] = False  # whether a column is cut at random
    learns = ("seed_",)

    n_estimators: int
    max_bins: int
    warm_start: bool
    random_state: Any

    # Set by fit.
    seed_: int  # what all draws come from

    def _learn(self, rows: TrainingRows) -> EnsembleState:
        kept = trees_to_keep(self, rows)
        seed = self.seed_ if kept else seed_of(self.random_state)
        settings = forest_settings(self, rows, seed, first_tree=len(kept))
        trees = histogram_forest(self, rows, settings, kept) if settings.n_trees else kept
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        return EnsembleState(trees, Schema.of(rows.table), classes, learned={"seed_": seed})

    def _n_growth_threads(self, rows: TrainingRows) -> int:
        n_cells = rows.n_rows * rows.table.n_columns * int(self.n_estimators)
        return n_threads(self.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)

    def _mean_answers(self, X: Any) -> Float64Array:
        rows = self._encoded(X)
        return mean_answers(self.trees_, rows, self._n_predict_threads(len(rows)))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """(n_rows, n_trees): the node of each tree that answers each row."""
        rows = self._encoded(X)
        return leaves_of_trees(self.trees_, rows, self._n_predict_threads(len(rows)))


class ForestClassifier(ClassifierMixin, Forest):  # type: ignore[misc]
    """A forest that predicts a class."""

    voting: str
    class_weight: Any
    classes_: NDArray[Any]
    n_classes_: int

    _encode_target = staticmethod(encode_classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row; of equally good ones the first in `classes_`."""
        best = np.argmax(self.predict_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> Float64Array:
        """Probability of each class, in the order of `classes_`.

        It is the mean of what the trees say, or with `voting="hard"` the share of their votes.
        """
        if self.voting == "soft":
            return self._mean_answers(X)
        rows = self._encoded(X)
        return vote_shares(self.trees_, rows, self._n_predict_threads(len(rows)))

    def predict_log_proba(self, X: Any) -> Float64Array:
        """Logarithm of the probabilities."""
        with np.errstate(divide="ignore"):
            logarithms: Float64Array = np.log(self.predict_proba(X))
        return logarithms

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        if self.class_weight is None:
            return rows
        target = class_target(rows)
        factors = row_factors(self.class_weight, target.codes, target.classes, rows.weights)
        return rows.times(factors)


class ForestRegressor(RegressorMixin, Forest):  # type: ignore[misc]
    """A forest that predicts a number."""

    _encode_target = staticmethod(encode_numbers)

    def predict(self, X: Any) -> Float64Array:
        """The mean of what the trees answer."""
        return self._mean_answers(X)[:, 0]
