"""What every forest shares: rows are drawn for each tree, and all trees answer together."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright._kernels.histogram import draw_rows
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget, NumericTarget, encode_classes, encode_numbers
from treewright.ensembles.base import EnsembleEstimator, EnsembleState
from treewright.ensembles.forest_growth import ForestTask
from treewright.ensembles.forest_settings import drawing_learnt, drawing_to_learn, forest_settings
from treewright.ensembles.forest_voting import leaves_of_trees, mean_answers, vote_shares, votes_of
from treewright.ensembles.forest_warm_start import trees_to_keep
from treewright.ensembles.members import check_growth_is_left_to_inductors, inductors_of
from treewright.ensembles.out_of_bag import (
    check_some_are_left_out,
    class_agreement,
    out_of_bag_answers,
    share_explained,
)
from treewright.ensembles.proximity import proximity_of
from treewright.ensembles.quantiles import LeafTargets, checked_shares, interval_shares
from treewright.errors import ParameterError
from treewright.models.class_costs import row_factors
from treewright.models.classification import class_target
from treewright.models.early_stop import seed_of
from treewright.models.threads import n_threads
from treewright.models.training import TrainingRows
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]

CELLS_WORTH_THREADS = 50_000  # of all trees; below this growth takes less time than to wake threads


class Forest(EnsembleEstimator):
    """Trees grown on rows that are drawn, each split on columns that are drawn."""

    random_cuts: ClassVar[bool] = False  # whether a column is cut at random
    learns: ClassVar[tuple[str, ...]] = ("seed_", "n_rows_", "n_drawn_", "drawing_", "oob_score_")

    n_estimators: int
    max_bins: int
    oob_score: bool
    warm_start: bool
    random_state: Any

    inductors: Any = None  # a parameter of some forests only

    # Set by fit.
    seed_: int  # what all draws come from
    n_rows_: int  # of the training table, those of weight 0 left out
    n_drawn_: int  # rows drawn for each tree
    drawing_: str  # and how
    oob_score_: float

    def _check_params(self) -> None:
        super()._check_params()
        check_some_are_left_out(self)
        if self.inductors is not None:
            check_growth_is_left_to_inductors(self)

    def _learn(self, rows: TrainingRows) -> EnsembleState:
        schema = Schema.of(rows.table)
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        kept = trees_to_keep(self, schema, classes)
        seed = self.seed_ if len(kept) else seed_of(self.random_state)
        task = ForestTask(
            rows,
            forest_settings(self, rows, seed, first_tree=len(kept)),
            max_bins=int(self.max_bins),
            unseen=self.unseen,
            n_threads=self._n_growth_threads(rows),
            inductors=inductors_of(self) if self.inductors is not None else (),
        )
        trees = task.grown(kept)
        learned = {**drawing_to_learn(task.settings, rows), **self._learned_beside(trees, task)}
        return EnsembleState(trees, schema, classes, learned=learned)

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        """What is kept beside the trees, by the name of the attribute."""
        raise NotImplementedError

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

    def drawn_rows(self, tree: int) -> NDArray[np.intp]:
        """Positions of the training rows that a tree was grown on; one drawn twice stands twice.

        Rows of weight 0 are not counted.
        """
        self._check_is_fitted()
        number = range(len(self.trees_))[tree]
        settings = drawing_learnt(self.seed_, self.drawing_, self.n_drawn_)
        times = np.asarray(draw_rows(settings, number, self.n_rows_))
        return np.repeat(np.arange(self.n_rows_), times)

    def proximity(self, X: Any, others: Any = None) -> Float64Array:
        """(n_rows, n_others): the share of the trees in which two rows lie in the same leaf.

        Parameters
        ----------
        X
            Rows.
        others
            Rows to compare them with; None compares the rows of X with each other.
        """
        leaves = self.apply(X)
        return proximity_of(leaves, leaves if others is None else self.apply(others))


class ForestClassifier(ClassifierMixin, Forest):  # type: ignore[misc]
    """A forest that predicts a class."""

    learns: ClassVar[tuple[str, ...]] = (*Forest.learns, "oob_decision_function_")

    voting: str
    class_weight: Any
    classes_: NDArray[Any]
    n_classes_: int
    oob_decision_function_: Float64Array

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

    def votes(self, X: Any) -> NDArray[Any]:
        """(n_rows, n_trees): the class that each tree gives to each row."""
        rows = self._encoded(X)
        best = [votes_of(tree, rows).argmax(axis=1) for tree in self.trees_]
        labels: NDArray[Any] = self.classes_[np.stack(best, axis=1)]
        return labels

    def predict_log_proba(self, X: Any) -> Float64Array:
        """Logarithm of the probabilities."""
        with np.errstate(divide="ignore"):
            logarithms: Float64Array = np.log(self.predict_proba(X))
        return logarithms

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        if not self.oob_score:
            return {}
        answers = out_of_bag_answers(task, trees, hard=self.voting == "hard")
        agreement = class_agreement(answers, class_target(task.rows).codes)
        return {"oob_decision_function_": answers, "oob_score_": agreement}

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        if self.class_weight is None:
            return rows
        target = class_target(rows)
        factors = row_factors(self.class_weight, target.codes, target.classes, rows.weights)
        return rows.times(factors)


class ForestRegressor(RegressorMixin, Forest):  # type: ignore[misc]
    """A forest that predicts a number."""

    learns: ClassVar[tuple[str, ...]] = (
        *Forest.learns,
        "oob_prediction_",
        "training_leaves_",
        "training_targets_",
        "training_weights_",
    )

    keep_targets: bool

    _encode_target = staticmethod(encode_numbers)

    oob_prediction_: Float64Array

    # Set by fit where `keep_targets` asks for it.
    training_leaves_: NDArray[np.int32]  # (n_rows, n_trees): where each training row lies
    training_targets_: Float64Array
    training_weights_: Float64Array | None

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
        return self._leaf_targets().quantiles(self.apply(X), shares)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Float64Array:
        """(n_rows, 2): the quantiles between which `coverage` of the weight lies.

        The forest must be fitted with `keep_targets=True`.
        """
        return self.predict_quantiles(X, interval_shares(coverage))

    def _leaf_targets(self) -> LeafTargets:
        self._check_is_fitted()
        if "training_leaves_" not in self.__dict__:
            raise ParameterError(
                "the forest has not kept its training targets, so it knows no quantiles",
                hint="fit it with keep_targets=True",
            )
        return LeafTargets(self.training_leaves_, self.training_targets_, self.training_weights_)

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        rows = task.rows
        assert isinstance(rows.target, NumericTarget)
        learned: dict[str, Any] = {}
        if self.oob_score:
            answers = out_of_bag_answers(task, trees, hard=False)[:, 0]
            learned["oob_prediction_"] = answers
            learned["oob_score_"] = share_explained(answers, rows.target.values)
        if self.keep_targets:
            learned["training_leaves_"] = leaves_of_trees(trees, rows.table, task.n_threads)
            learned["training_targets_"] = rows.target.values
            learned["training_weights_"] = rows.weights
        return learned
