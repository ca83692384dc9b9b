"""Base of all forests: rows are sampled for each tree, and all trees predict together."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import PackedTrees, draw_rows
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.target import (
    ClassTarget,
    NumericTarget,
    encode_addable_numbers,
    encode_classes,
)
from treewright.ensembles.base import Ensemble
from treewright.ensembles.fitted import VOTING, FittedClassForest, FittedForest, FittedNumberForest
from treewright.ensembles.forests.growth import (
    ForestTask,
    check_draws_alike,
    check_exact_growth,
    check_growth_is_left_to_inductors,
    check_in_memory,
    grown_here,
    inductors_of,
    trees_to_keep,
)
from treewright.ensembles.forests.out_of_bag import (
    check_some_are_left_out,
    class_agreement,
    out_of_bag_predictions,
    share_explained,
)
from treewright.ensembles.forests.predictions import (
    checked_shares,
    interval_shares,
    leaves_of_trees,
    proximity_of,
    votes_of,
)
from treewright.ensembles.forests.settings import (
    BOOTSTRAP,
    MAX_FEATURES,
    MAX_SAMPLES,
    N_ESTIMATORS,
    WARM_START,
    drawing_learned,
    drawing_to_learn,
    exact_settings,
    forest_settings,
)
from treewright.ensembles.forests.shrinkage import (
    chosen_strength,
    kept_strength,
    with_shrinkage,
)
from treewright.ensembles.packed import PackedTreeSequence
from treewright.ensembles.reading import ForestReading
from treewright.estimators import params as shared
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.fitted import ABSENT
from treewright.estimators.methods import ClassifierMethods, RegressorMethods
from treewright.estimators.threads import n_threads, seed_of
from treewright.estimators.training import TrainingRows, class_target
from treewright.tree.tree import Tree

SHRINKAGE = shared.SHRINKAGE.but(
    default="auto",
    help="Strength of hierarchical shrinkage, in rows: the class shares or means of leaves are "
    "pulled toward those of their ancestors, more so where the parent has few rows, and no "
    'probability is 0 or 1. "auto" chooses the strength by the log loss or squared error of rows '
    "that trees have not seen. 0 for none.",
    in_older_files=0.0,
)
CELLS_WORTH_THREADS = 50_000  # of all trees; below this growth takes less time than to wake threads

if TYPE_CHECKING:
    from treewright.ensembles.forests.sheet import ForestSheet

    class OfEnsemble(ForestReading, Ensemble[Any]):
        """A mixin of ensembles, which type checkers take for one."""

else:
    OfEnsemble = ForestReading


class Forest(OfEnsemble):
    """A mixin: trees trained on sampled rows, with splits on sampled columns."""

    random_cuts: ClassVar[bool] = False  # whether a column is cut at random
    inductors = None  # parameters of some forests only
    splits = "histogram"

    n_estimators: int = N_ESTIMATORS
    criterion: str = shared.GINI_OR_ENTROPY
    max_features: int | float | str | None = MAX_FEATURES
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES.but(
        help="Maximum number of leaves per tree; the best splits are made first. None for no limit."
    )
    min_samples_split: int | float = shared.MIN_SAMPLES_SPLIT
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF.but(
        help="Minimum fraction of the weight sampled for a tree that a leaf must hold."
    )
    min_gain: float | None = shared.MIN_GAIN
    bootstrap: bool = BOOTSTRAP
    max_samples: int | float | None = MAX_SAMPLES
    shrinkage: float | str = SHRINKAGE
    oob_score: bool = param(
        False,
        "Whether to compute the out-of-bag score: each training row is predicted by the trees "
        "that were not trained on it.",
    )
    min_level_rows: int = param(
        2,
        "In columns with more than 255 categories, a category with fewer rows than this in a node "
        "is treated as missing. Otherwise ids and names would dominate the trees.",
        low=0,
    )
    max_bins: int = shared.MAX_BINS
    handle_unknown: str = shared.MISSING_OR_ERROR
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    warm_start: bool = WARM_START
    random_state: Any = shared.RANDOM_STATE
    n_jobs: int | None = shared.N_JOBS

    seed_: int = set_by_fit()  # what all draws come from
    n_rows_: int = set_by_fit()  # of the training table, those of weight 0 left out
    n_drawn_: int = set_by_fit()  # rows drawn for each tree
    drawing_: str = set_by_fit()  # and how
    positions_: NDArray[np.int64] = set_by_fit()  # of the rows that count, if some have weight 0
    shrinkage_: float = set_by_fit()  # the strength that was chosen
    oob_score_: float = set_by_fit()

    def check_params(self) -> None:
        super().check_params()
        if self.inductors is not None:
            check_growth_is_left_to_inductors(self)
        elif self.splits == "exact":
            check_exact_growth(self)

    def learn(
        self, rows: TrainingRows, grow: Callable[[ForestTask], PackedTrees] = grown_here
    ) -> FittedForest:
        if self.inductors is not None or self.splits == "exact":
            check_in_memory(rows)
        schema = Schema.of(rows.table, rows.target.format)
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        kept = trees_to_keep(self, schema, classes, rows.n_rows)
        are_shrunk = len(kept) > 0 and self.state_.unshrunk is None and self.state_.shrinkage > 0
        if len(kept) and not are_shrunk:
            kept = self.state_.unshrunk or kept
        seed = self.state_.seed if len(kept) else seed_of(self.random_state)
        settings = forest_settings(self, rows, seed, first_tree=len(kept))
        if len(kept):
            check_draws_alike(self, settings)
        if self.oob_score:
            check_some_are_left_out(settings)
        task = ForestTask(
            rows,
            settings,
            max_bins=int(self.max_bins),
            unseen=self.handle_unknown,
            n_threads=self._n_growth_threads(rows),
            inductors=inductors_of(self) if self.inductors is not None else (),
            exact=exact_settings(self, rows) if self.splits == "exact" else None,
            kept=kept,
            grow=grow,
        )
        grown = task.grown()
        if are_shrunk:  # a file has no others
            strength, n_shrunk = kept_strength(self.shrinkage, self.state_.shrinkage), len(kept)
        else:
            is_chosen, n_shrunk = self.shrinkage == "auto", 0
            strength = chosen_strength(self, task, grown) if is_chosen else float(self.shrinkage)
        trees = with_shrinkage(grown, strength, task.n_threads, first=n_shrunk)
        learned = {**drawing_to_learn(task.settings, rows), **self._learned_beside(trees, task)}
        kind: Any = self.state_type
        state: FittedForest = kind(
            trees=trees,
            schema=schema,
            classes=classes,
            costs=rows.costs,
            shrinkage=strength,
            unshrunk=grown if self.warm_start and not are_shrunk else None,
            **learned,
        )
        return state

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        """What is stored besides the trees, by the field of the state."""
        raise NotImplementedError

    def _n_growth_threads(self, rows: TrainingRows) -> int:
        n_cells = rows.n_rows * rows.table.n_columns * int(self.n_estimators)
        return n_threads(self.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)

    def drawn_rows(self, tree: int) -> NDArray[np.intp]:
        """Positions of the training rows of a tree; a row sampled twice appears twice."""
        state: FittedForest = self.state_
        number = range(len(state.trees))[tree]
        settings = drawing_learned(state.seed, state.drawing, state.n_drawn)
        times = np.asarray(draw_rows(settings, number, state.n_rows))
        positions = np.arange(state.n_rows) if state.positions is ABSENT else state.positions
        return np.repeat(positions.astype(np.intp, copy=False), times)

    def worksheet(
        self, X: Any, y: Any, sample_weight: Any = None, *, tree: int = 0
    ) -> "ForestSheet":
        """One tree with its drawn rows and columns, and the vote of all trees."""
        from treewright.ensembles.forests.working import forest_sheet

        return forest_sheet(self, X, y, sample_weight, tree)

    def proximity(self, X: Any, others: Any = None) -> Floats:
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


class ForestClassifier(ClassifierMethods, Forest):
    """A mixin: a forest that predicts a class."""

    state_type = FittedClassForest

    voting: str = VOTING.but(before="oob_score")
    costs: Any = shared.COSTS_AT_PREDICTION.but(before="oob_score")
    class_weight: Any = shared.CLASS_WEIGHT.but(before="oob_score")

    classes_: NDArray[Any] = set_by_fit()
    n_classes_: int = set_by_fit()
    oob_decision_function_: Floats = set_by_fit()

    encode_target = staticmethod(encode_classes)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, in the order of `classes_`.

        It is the mean over the trees, or with `voting="hard"` the share of the votes.
        """
        return super().predict_proba(X)

    def votes(self, X: Any) -> NDArray[Any]:
        """(n_rows, n_trees): the class that each tree gives to each row."""
        state: FittedClassForest = self.state_
        rows = self.encode_rows(X, state)
        best = [votes_of(tree, rows).argmax(axis=1) for tree in state.trees]
        assert state.classes is not None
        labels: NDArray[Any] = state.classes[np.stack(best, axis=1)]
        return labels

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        if not self.oob_score:
            return {}
        predictions = out_of_bag_predictions(task, trees, hard=self.voting == "hard")
        agreement = class_agreement(predictions, class_target(task.rows).codes, task.rows.costs)
        return {
            "oob_decision_function": task.rows.for_given_rows(predictions),
            "oob_score": agreement,
        }


class ForestRegressor(RegressorMethods, Forest):
    """A mixin: a forest that predicts a number."""

    state_type = FittedNumberForest

    criterion: str = param(
        "squared_error", 'Split criterion: "squared_error".', choices=("squared_error",)
    )
    max_features: int | float | str | None = MAX_FEATURES.but(default=0.5)
    keep_targets: bool = param(
        False,
        "Whether to store the training targets of each leaf, which is needed to predict quantiles "
        "and intervals.",
        before="min_level_rows",
    )

    encode_target = staticmethod(encode_addable_numbers)

    def predict(self, X: Any) -> Floats:
        """The mean prediction of the trees."""
        return super().predict(X)

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> Floats:
        """(n_rows, n_quantiles): predicted quantiles of the target (quantile regression forest).

        A training row gets weight from each tree where it shares a leaf with the row of X, equal
        to its share of that leaf (Meinshausen, 2006). The quantiles are those of the weighted
        targets. The forest must be fitted with `keep_targets=True`.

        Parameters
        ----------
        X
            Rows.
        quantiles
            Probabilities from 0 to 1.
        """
        shares = checked_shares(quantiles)
        state: FittedNumberForest = self.state_
        leaf_targets = state.leaf_targets
        rows = self.encode_rows(X, state)
        leaves = leaves_of_trees(state.trees, rows, state.threads_for(len(rows), self))
        return leaf_targets.quantiles(leaves, shares)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """(n_rows, 2): prediction interval, the two quantiles that enclose `coverage`.

        The forest must be fitted with `keep_targets=True`.
        """
        return self.predict_quantiles(X, interval_shares(coverage))

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        rows = task.rows
        assert isinstance(rows.target, NumericTarget)
        learned: dict[str, Any] = {}
        if self.oob_score:
            predictions = out_of_bag_predictions(task, trees, hard=False)[:, 0]
            learned["oob_prediction"] = rows.for_given_rows(predictions)
            learned["oob_score"] = share_explained(predictions, rows.target.values)
        if self.keep_targets:
            is_packed = isinstance(trees, PackedTreeSequence)
            cells = task.table if is_packed else rows.table
            learned["training_leaves"] = leaves_of_trees(trees, cells, task.n_threads)
            learned["training_targets"] = rows.target.values
            learned["training_weights"] = rows.weights
        return learned
