"""What boosted trees share: trees grown one after the other, each on what the others leave."""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import metadata_routing

from treewright.data.target import encode_classes, encode_numbers, own_name
from treewright.ensembles.base import EnsembleEstimator, of_rows
from treewright.ensembles.boosting.fitting import boosted
from treewright.ensembles.boosting.links import LINK_OF_LOSS, LINKS, OWN
from treewright.ensembles.boosting.losses import Logistic, Multinomial, NumberLoss
from treewright.ensembles.boosting.named_losses import class_loss, number_loss
from treewright.ensembles.boosting.own_loss import OwnLoss
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import ParameterError
from treewright.models.cautions import warn_of_many_classes, warn_of_useless_columns
from treewright.models.class_answers import (
    ClassifierMethods,
    RegressorMethods,
    class_factors_of_rows,
    class_target,
)
from treewright.models.params import SavedFunction
from treewright.models.training import TrainingRows
from treewright.tree.column_gains import as_shares

Float64Array = NDArray[np.float64]


class BoostedTrees(EnsembleEstimator):
    """Trees whose answers add up to scores."""

    learns = (
        "start_",
        "seed_",
        "link_",
        "learning_rate_",
        "validation_losses_",
        "n_rows_",
        "rows_hash_",
    )
    # Rows to validate with are no metadata that pipelines could hand on row by row.
    __metadata_request__fit: ClassVar = {"validation": metadata_routing.UNUSED}

    loss: Any
    n_estimators: int

    # Set by fit.
    trees_: PackedTreeSequence
    start_: Float64Array  # the scores of a model without trees
    seed_: int  # what all draws come from
    link_: str  # what scores stand for
    learning_rate_: float  # of the last fit
    n_rows_: int  # of the training table, those of weight 0 left out
    validation_losses_: Float64Array  # mean loss after each round, where rows were held back

    def fit(self, X: Any, y: Any, sample_weight: Any = None, validation: Any = None) -> Self:
        """Grow the rounds on the rows of X.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            The target, one value per row.
        sample_weight
            Weights of the rows. Whole numbers are counts of equal rows; if any weight is not
            whole, only their ratios matter. A row of weight 0 counts as absent.
        validation
            Rows to judge the rounds by: (X, y) or (X, y, sample_weight).
        """
        self._check_params()
        given = self._given(X, y, sample_weight)
        rows = self._weighted(given)
        warn_of_useless_columns(rows.table)
        state = boosted(self, given, rows, validation)
        self._become(of_rows(state, given, own_name(y)))
        return self

    @property
    def n_estimators_(self) -> int:
        """Rounds that the model has: fewer than asked for if it was stopped."""
        self._check_is_fitted()
        return len(self.trees_) // len(self.start_)

    @property
    def feature_importances_(self) -> Float64Array:
        """Each column's share of what all splits of all trees gain: early trees count most."""
        self._check_is_fitted()
        total = np.zeros(self.n_features_in_)
        for gains in self._gains():
            total += gains
        return as_shares(total)

    def _row_factors(self, rows: TrainingRows) -> Float64Array | None:
        """What the weight of each row is multiplied by; None: by nothing."""
        return None

    def _loss_for(self, rows: TrainingRows) -> Any:
        """The loss that the parameter names, for these rows."""
        raise NotImplementedError

    def _link_of(self, loss: Any) -> str:
        """How scores become answers."""
        if isinstance(loss, OwnLoss):
            return OWN if callable(getattr(self.loss, "answers", None)) else self._usual_link(loss)
        return LINK_OF_LOSS[loss.name]

    def _usual_link(self, loss: OwnLoss) -> str:
        """How scores become answers where the user's own loss does not say."""
        raise NotImplementedError

    def _answers(self, scores: Float64Array) -> Float64Array:
        """(n_rows,) numbers or (n_rows, n_classes) probabilities from (n_rows, n_outputs)."""
        if self.link_ != OWN:
            return LINKS[self.link_](scores)
        if isinstance(self.loss, SavedFunction):
            raise ParameterError(
                f"what scores stand for was said by the loss `{self.loss.name}`, which a model "
                "file holds by name only",
                hint="give it again: model.set_params(loss=...)",
            )
        as_loss_takes_it = scores[:, 0] if scores.shape[1] == 1 else scores.T
        return np.asarray(self.loss.answers(as_loss_takes_it), dtype=np.float64)

    def _scores(self, X: Any) -> Float64Array:
        """(n_rows, n_outputs): what all trees add up to."""
        rows = self._encoded(X)
        scores = np.repeat(self.start_[np.newaxis], len(rows), axis=0)
        self.trees_.add_values(rows, scores, self._n_predict_threads(len(rows)))
        return scores

    def _staged_scores(self, X: Any) -> Iterator[Float64Array]:
        """The scores after each round."""
        rows = self._encoded(X)
        scores = np.repeat(self.start_[np.newaxis], len(rows), axis=0)
        threads, n_outputs = self._n_predict_threads(len(rows)), len(self.start_)
        for first in range(0, len(self.trees_), n_outputs):
            self.trees_.add_values(rows, scores, threads, first=first, last=first + n_outputs)
            yield scores.copy()


class BoostedClassifier(ClassifierMethods, BoostedTrees):
    """Boosted trees that predict a class."""

    class_weight: Any
    classes_: NDArray[Any]
    n_classes_: int

    _encode_target = staticmethod(encode_classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; of equals the first in `classes_`."""
        return self._most_probable(self.predict_proba(X))

    def predict_proba(self, X: Any) -> Float64Array:
        """Probability of each class, in the order of `classes_`."""
        return self._answers(self._scores(X))

    def decision_function(self, X: Any) -> Float64Array:
        """The scores: of two classes the log-odds of the second, else one column a class."""
        scores = self._scores(X)
        if scores.shape[1] == 2:
            log_odds: Float64Array = scores[:, 1] - scores[:, 0]
            return log_odds
        return scores.reshape(-1) if scores.shape[1] == 1 else scores

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The classes after the first round, the second, and so on.

        With `drop_rate`, later rounds have changed what earlier trees count: the stages are sums
        of the trees as they are in the end.
        """
        for shares in self.staged_predict_proba(X):
            yield self._most_probable(shares)

    def staged_predict_proba(self, X: Any) -> Iterator[Float64Array]:
        """The probabilities after the first round, the second, and so on; see `staged_predict`."""
        for scores in self._staged_scores(X):
            yield self._answers(scores)

    def _most_probable(self, shares: Float64Array) -> NDArray[Any]:
        classes: NDArray[Any] = self.classes_[np.argmax(shares, axis=1)]
        return classes

    def _loss_for(self, rows: TrainingRows) -> Logistic | Multinomial | OwnLoss:
        return class_loss(self, class_target(rows).n_classes)

    def _usual_link(self, loss: OwnLoss) -> str:
        return "logistic" if loss.n_scores == 1 else "softmax"

    def _answers(self, scores: Float64Array) -> Float64Array:
        shares = super()._answers(scores)
        if shares.ndim == 1:  # a loss of the user's that answers for the second class
            return np.stack([1.0 - shares, shares], axis=1)
        return shares if self.link_ != OWN else np.ascontiguousarray(shares.T)

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        warn_of_many_classes(class_target(rows))
        factors = self._row_factors(rows)
        weighted = rows if factors is None else rows.times(factors)
        return weighted.without_empty_classes()

    def _row_factors(self, rows: TrainingRows) -> Float64Array | None:
        return class_factors_of_rows(rows, self.class_weight)


class BoostedRegressor(RegressorMethods, BoostedTrees):
    """Boosted trees that predict a number."""

    _encode_target = staticmethod(encode_numbers)

    def predict(self, X: Any) -> Float64Array:
        """The number of each row."""
        return self._answers(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[Float64Array]:
        """The numbers after the first round, the second, and so on.

        With `drop_rate`, later rounds have changed what earlier trees count: the stages are sums
        of the trees as they are in the end.
        """
        for scores in self._staged_scores(X):
            yield self._answers(scores)

    def _loss_for(self, rows: TrainingRows) -> NumberLoss | OwnLoss:
        return number_loss(self)

    def _usual_link(self, loss: OwnLoss) -> str:
        return "same"
