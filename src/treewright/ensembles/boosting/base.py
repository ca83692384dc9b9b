"""Base of boosted trees: each tree is fitted to the residuals of the previous ones."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import metadata_routing

from treewright.arrays import Floats
from treewright.data.target import encode_classes, encode_numbers, own_name
from treewright.ensembles.base import Ensemble, of_rows
from treewright.ensembles.boosting.callbacks import is_callback_list
from treewright.ensembles.boosting.fitting import MakeRounds, boosted, rounds_in_memory
from treewright.ensembles.boosting.losses import (
    OWN,
    Logistic,
    Multinomial,
    NumberLoss,
)
from treewright.ensembles.boosting.own_loss import OwnLoss, class_loss, is_own_loss, number_loss
from treewright.ensembles.boosting.settings import is_list_of_groups, is_monotone
from treewright.ensembles.fitted import FittedBoosting
from treewright.ensembles.reading import BoostingReading
from treewright.estimators import params as shared
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.methods import (
    ClassifierMethods,
    RegressorMethods,
)
from treewright.estimators.training import (
    TrainingRows,
    class_factors_of_rows,
    class_target,
    warn_of_many_classes,
    warn_of_raw_dates,
    warn_of_useless_columns,
)

if TYPE_CHECKING:

    class OfEnsemble(BoostingReading, Ensemble[Any]):
        """A mixin of ensembles, which type checkers take for one."""

else:
    OfEnsemble = BoostingReading


LOSS = param(
    "auto",
    "Loss function.",
    type=str,
    accepts=is_own_loss,
    accepts_text="a function (y, scores) -> (gradient, hessian), or an object with that method",
)
MONOTONIC_CST = param(
    None,
    "Monotonic constraint of each column: whether the prediction may only rise (1), only fall "
    "(-1) or is free (0) as a column increases. A dict from column to direction, or a list with "
    "one direction per column.",
    optional=True,
    accepts=is_monotone,
    accepts_text="a dict from column to 1, -1 or 0, or a list of such numbers",
)


class BoostedTrees(OfEnsemble):
    """A mixin: trees whose values add up to scores."""

    state_type = FittedBoosting
    # Validation rows are no metadata that pipelines could pass on row by row.
    __metadata_request__fit: ClassVar = {"validation": metadata_routing.UNUSED}

    loss: Any = LOSS
    n_estimators: int | str = param(
        "auto",
        "Number of boosting rounds. Each grows one tree, or one per class. "
        '"auto" chooses up to 500 rounds by cross-validation in tables of 20 to 20,000 rows, and '
        "takes 500 in larger ones.",
        low=1,
        high=10**6,
        choices=("auto",),
    )
    learning_rate: float | str = param(
        "auto",
        'Factor on the values of each tree. "auto" is 0.05 or 0.1 where the rounds are chosen. '
        "Otherwise it depends on the number of rows and rounds: 0.05 for 500 rounds and at least "
        "2,800 rows, smaller for fewer rows, larger for fewer rounds.",
        above=0,
        high=1,
        choices=("auto",),
    )
    max_leaf_nodes: int | str | None = param(
        "auto",
        "Maximum number of leaves per tree; the best splits are made first. None for no limit. "
        '"auto" is 31, or 32 for small tables.',
        low=2,
        choices=("auto",),
    )
    max_depth: int | None = shared.MAX_DEPTH
    growth: str = param(
        "auto",
        'Order of growth: "leaf" splits the node with the largest gain next, "level" splits all '
        'nodes of a level before the next, "symmetric" uses the same split for all nodes of a '
        'level. "auto" is "leaf", or "symmetric" for small tables: see docs/boosting.md.',
        choices=("auto", "leaf", "level", "symmetric"),
    )
    min_samples_leaf: int | float | str = shared.MIN_SAMPLES_LEAF.but(
        default="auto",
        help=f'{shared.MIN_SAMPLES_LEAF.help} "auto" is 20, or 1 or 5 for small tables.',
        choices=("auto",),
    )
    min_child_weight: float = param(
        1e-3, "Minimum sum of second derivatives (Hessian) in a leaf.", low=0
    )
    l1: float = param(
        0.0,
        "L1 regularization: the value of a leaf is (G shrunk toward 0 by `l1`) / (H + `l2`), "
        "where G is the sum of the residuals of its rows (negative first derivatives) and H the "
        "sum of the second derivatives.",
        low=0,
    )
    l2: float = param(
        1.0, "L2 regularization: the term `l2` in the value of a leaf, see `l1`.", low=0
    )
    smoothing: float = param(
        10.0,
        "Regularization of nominal columns with more than four categories, as a number of rows. "
        "So many rows with the mean of the node are added to each category before categories are "
        "sorted, the value is added to `l2` for splits by sets, and categories with fewer than "
        "half as many rows are treated as missing. 0 turns it off.",
        low=0,
    )
    target_encoding: bool | str = param(
        "auto",
        "Whether categories of nominal columns with more than 20 are sorted by their mean target "
        "before the first round, and not in each node anew. The mean of a row's category comes "
        'from other rows. "auto" does it in tables of up to 20,000 rows.',
        choices=("auto",),
    )
    min_gain: float = param(
        0.0, "A node is split only if this lowers the loss by more than this value.", low=0
    )
    subsample: float | str = param(
        "auto",
        "Fraction of the rows used in each round, sampled without replacement. "
        '"auto" is 1, or 0.7 for small tables.',
        above=0,
        high=1,
        choices=("auto",),
    )
    max_features: float = param(
        1.0,
        "Fraction of the columns available to each tree, sampled per tree.",
        above=0,
        high=1,
    )
    max_features_node: float | str = param(
        "auto",
        "Fraction of the tree's columns available to each node, sampled per node. "
        '"auto" is 0.5, or 1 for small tables without noise.',
        above=0,
        high=1,
        choices=("auto",),
    )
    monotonic_cst: Any = MONOTONIC_CST
    interaction_cst: Any = param(
        None,
        "Groups of columns that may interact, by name or position. All columns on a path must "
        "belong to the same group. Columns in no group form a group of their own.",
        optional=True,
        accepts=is_list_of_groups,
        accepts_text="a list of lists of column names or positions",
    )
    max_bins: int = shared.MAX_BINS
    n_iter_no_change: int | None = param(
        None,
        "Number of rounds without a better validation loss before training stops (early "
        "stopping). The model keeps the rounds up to the best one. None turns early stopping off.",
        low=1,
    )
    validation_fraction: float | None = param(
        None,
        "Fraction of the rows held back for validation. None uses the validation rows given to "
        "`fit`, if any.",
        above=0,
        below=1,
    )
    tol: float = param(
        0.0,
        "A round counts as better if it lowers the validation loss by more than this value.",
        low=0,
    )
    drop_rate: float = param(
        0.0,
        "Probability that an earlier round is dropped while a new one is trained (DART). Cannot "
        "be combined with `n_iter_no_change`.",
        low=0,
        below=1,
    )
    handle_unknown: str = shared.MISSING_OR_ERROR
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    warm_start: bool = param(
        False,
        "Whether to keep the rounds of the last fit and add rounds up to `n_estimators`. With "
        'learning_rate="auto", the learning rate is kept too.',
    )
    callbacks: Any = param(
        None,
        "Functions called with each `Round`. Training stops when one returns True.",
        optional=True,
        accepts=is_callback_list,
        accepts_text="a list of functions of a Round",
    )
    verbose: bool = param(False, "Whether to show a progress bar on a terminal.")
    random_state: Any = shared.RANDOM_STATE
    n_jobs: int | None = shared.N_JOBS

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, validation: Any = None) -> Self:
        """Train the boosting rounds on the rows of X.

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
        validation
            Validation rows: (X, y) or (X, y, sample_weight).
        """
        return self.fit_by(rounds_in_memory, X, y, sample_weight, validation)

    def fit_by(
        self,
        make_rounds: MakeRounds,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        validation: Any = None,
    ) -> Self:
        """As `fit`, with rounds on rows that may be elsewhere."""
        self.check_params()
        given = self._read_rows(X, y, sample_weight)
        rows = self.weighted_rows(given)
        warn_of_useless_columns(rows.table)
        state = boosted(self, given, rows, validation, make_rounds)
        self._state = of_rows(state, given, given.target_name or own_name(y), self)
        warn_of_raw_dates(self)
        return self

    @property
    def n_estimators_(self) -> int:
        """Number of rounds; smaller than `n_estimators` after early stopping."""
        state: FittedBoosting = self.state_
        return len(state.trees) // len(state.start)

    def row_factors(self, rows: TrainingRows) -> Floats | None:
        """What the weight of each row is multiplied by; None: by nothing."""
        return None

    def loss_for(self, rows: TrainingRows) -> Any:
        """The loss that the parameter names, for these rows."""
        raise NotImplementedError

    def link_of(self, loss: Any) -> str:
        """How scores become predictions."""
        if isinstance(loss, OwnLoss):
            return (
                OWN if callable(getattr(self.loss, "predictions", None)) else self._usual_link(loss)
            )
        return str(loss.link)

    def _usual_link(self, loss: OwnLoss) -> str:
        """How scores become predictions where a custom loss does not say."""
        raise NotImplementedError

    def _staged_scores(self, X: Any, state: FittedBoosting) -> Iterator[Floats]:
        """The scores after each round."""
        rows = self.encode_rows(X, state)
        scores = np.repeat(state.start[np.newaxis], len(rows), axis=0)
        threads, n_outputs = state.threads_for(len(rows), self), len(state.start)
        trees = state.packed
        for first in range(0, len(trees), n_outputs):
            trees.add_values(rows, scores, threads, first=first, last=first + n_outputs)
            yield scores.copy()


class BoostedClassifier(ClassifierMethods, BoostedTrees):
    """A mixin: boosted trees that predict a class."""

    costs: Any = shared.COSTS_AT_PREDICTION.but(before="handle_unknown")
    class_weight: Any = shared.CLASS_WEIGHT.but(before="handle_unknown")

    classes_: NDArray[Any] = set_by_fit()
    n_classes_: int = set_by_fit()

    encode_target = staticmethod(encode_classes)

    def decision_function(self, X: Any) -> Floats:
        """The scores: for two classes the log-odds of the second, otherwise a column per class."""
        state: FittedBoosting = self.state_
        scores = state.scores(X, self)
        if scores.shape[1] == 2:
            log_odds: Floats = scores[:, 1] - scores[:, 0]
            return log_odds
        return scores.reshape(-1) if scores.shape[1] == 1 else scores

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The classes after the first round, the second, and so on.

        With `drop_rate`, later rounds rescale earlier trees. The stages are sums of the final
        trees.
        """
        state = self.state_
        for scores in self._staged_scores(X, state):
            yield state.class_labels(state.from_scores(scores, self.loss))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The probabilities after the first round, the second, and so on; see `staged_predict`."""
        state = self.state_
        for scores in self._staged_scores(X, state):
            yield state.from_scores(scores, self.loss)

    def loss_for(self, rows: TrainingRows) -> Logistic | Multinomial | OwnLoss:
        return class_loss(self, class_target(rows).n_classes)

    def _usual_link(self, loss: OwnLoss) -> str:
        return "logistic" if loss.n_scores == 1 else "softmax"

    def weighted_rows(self, rows: TrainingRows) -> TrainingRows:
        warn_of_many_classes(class_target(rows))
        return super().weighted_rows(rows)

    def row_factors(self, rows: TrainingRows) -> Floats | None:
        return class_factors_of_rows(rows, self.class_weight)


class BoostedRegressor(RegressorMethods, BoostedTrees):
    """A mixin: boosted trees that predict a number."""

    encode_target = staticmethod(encode_numbers)

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The numbers after the first round, the second, and so on.

        With `drop_rate`, later rounds rescale earlier trees. The stages are sums of the final
        trees.
        """
        state = self.state_
        for scores in self._staged_scores(X, state):
            yield state.from_scores(scores, self.loss)

    def loss_for(self, rows: TrainingRows) -> NumberLoss | OwnLoss:
        return number_loss(self)

    def _usual_link(self, loss: OwnLoss) -> str:
        return "same"
