"""Readable trees: the best single tree of few leaves, chosen by cross-validation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from treewright.data.target import ClassTarget, encode_addable_numbers
from treewright.estimators import params as shared
from treewright.estimators.class_costs import cost_matrix
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.pruning.report import PruningReport
from treewright.readable_trees.choice import Chosen, Limits, chosen_trees
from treewright.readable_trees.fitted import Choice, FittedReadableTree
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator, TreeRegressorMixin
from treewright.single_trees.growing import (
    Algorithm,
    Grow,
    growth_settings,
    growth_threads,
    setting,
)
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.tree import Tree

DEEPEST = 1000  # as many leaves as a readable tree may have


def shown_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """Settings for the worksheet; what is searched has its own."""
    return growth_settings(
        model, rows, criterion=model.criterion, missing="learned", chosen_as_a_whole=True
    )


def regrown(model: Any, rows: TrainingRows, settings: GrowthSettings, threads: int) -> Tree:
    tree: Tree = model.learn(rows).tree
    return tree


class ReadableTree(TreeEstimator):
    """A mixin: one tree of few leaves."""

    state_type: ClassVar[Any] = FittedReadableTree
    algorithm = Algorithm(shown_settings, grow=regrown)

    max_leaf_nodes: int = param(
        12,
        "Maximum number of leaves. Fewer are used if that predicts new rows better.",
        low=2,
        high=1000,
    )
    max_depth: int | None = shared.MAX_DEPTH
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF.but(default=5)
    distil: bool = param(
        True,
        "Whether to try trees that approximate boosted trees. They are often the best ones, but "
        "most of the time goes into the boosted trees.",
    )
    handle_unknown: str = shared.HANDLE_UNKNOWN
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS

    candidates_: Choice = set_by_fit()

    def limits(self, rows: TrainingRows) -> Limits:
        """What the parameters ask of the tree."""
        least = self.param_named("min_samples_leaf")
        return Limits(
            min_samples_leaf=setting(least, self.min_samples_leaf, rows, rows.n_counted),
            max_depth=None if self.max_depth is None else int(min(self.max_depth, DEEPEST)),
            distils=bool(self.distil),
            handle_unknown=self.handle_unknown,
            n_threads=growth_threads(self, rows),
            n_jobs=self.n_jobs,
        )

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedReadableTree:
        return self.learn_sizes(rows, [int(self.max_leaf_nodes)])[int(self.max_leaf_nodes)]

    def learn_sizes(
        self, rows: TrainingRows, sizes: Sequence[int]
    ) -> dict[int, FittedReadableTree]:
        """The states for several numbers of leaves, in much less time than one by one."""
        return {
            most: self._state_of(found, rows)
            for most, found in chosen_trees(rows, self.limits(rows), sizes).items()
        }

    def _state_of(self, found: Chosen, rows: TrainingRows) -> FittedReadableTree:
        tree = with_short_thresholds(found.tree, rows.table, growth_threads(self, rows))
        state = FittedReadableTree(
            tree=tree,
            schema=tree.schema,
            classes=rows.target.classes if isinstance(rows.target, ClassTarget) else None,
            notes=(found.choice.verdict,),
            candidates=found.choice,
            shrinkage=found.by.shrinkage,
        )
        costs = getattr(self, "costs", None)
        if costs is None or state.classes is None:
            return state
        return state.with_costs(cost_matrix(costs, state.classes))

    def with_tree(self, tree: Tree, pruning: PruningReport | None = None) -> Self:
        """A new model with another tree, shrunk as strongly as this one."""
        return self.with_state(replace(self.state_, tree=tree, pruning=pruning, notes=()))

    @property
    def cv_score_(self) -> float | None:
        """Log loss or RMSE of the chosen way in cross-validation; None with too few rows."""
        choice = self.candidates_
        return choice.chosen.score if choice.n_folds else None

    @property
    def ensemble_score_(self) -> float | None:
        """The same of boosted trees; None if they were not fitted."""
        return self.candidates_.ensemble_score

    @property
    def optimality_gap_(self) -> float | None:
        """Share of the training rows that the best tree of this depth and size gets right more.

        None where the search would take too long; see `treewright.optimality_gap`.
        """
        return self.candidates_.optimality_gap


class ReadableTreeClassifier(TreeClassifierMixin, ReadableTree):
    """The best classification tree of at most `max_leaf_nodes` leaves that is found.

    Trees are grown in several ways: by CART and C4.5 with pruning, by optimal search where it is
    feasible, with lookahead and refinement of every split, and from the predictions of boosted
    trees. The way with the least log loss in cross-validation makes the tree on all rows. Its
    probabilities are shrunk toward those of the nodes above (hierarchical shrinkage).

    Attributes
    ----------
    tree_
        The fitted `Tree`, with the counts of the training rows.
    classes_
        Class labels, in the column order of `predict_proba`.
    candidates_
        The ways that were compared, with their leaves, shrinkage and score; `print` shows a table.
    cv_score_
        Log loss of the chosen way in cross-validation.
    ensemble_score_
        The same of boosted trees: what giving up the single tree would gain.
    shrinkage_
        The strength of hierarchical shrinkage that was chosen.
    optimality_gap_
        Share of the training rows that the best tree of this depth and size gets right more;
        None where finding it would take too long.
    feature_importances_
        Importance of each column: its share of the total entropy decrease of all splits.

    Notes
    -----
    The choice uses five folds for up to 1,000 rows and three for more. Above 50,000 rows, the tree
    is searched on a sample of 50,000, and its leaves count all rows. Nothing is random: the same
    rows give the same tree.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.ReadableTreeClassifier(max_leaf_nodes=3, distil=False).fit(X, y)
    >>> model.get_n_leaves()
    3
    """

    criterion = "entropy"  # for display; splits are chosen by the loss of the tree

    costs: Any = shared.COSTS_AT_PREDICTION.but(before="handle_unknown")
    class_weight: Any = shared.CLASS_WEIGHT.but(before="handle_unknown")


class ReadableTreeRegressor(TreeRegressorMixin, ReadableTree):
    """The best regression tree of at most `max_leaf_nodes` leaves that is found.

    Trees are grown in several ways: by CART with pruning, with lookahead and refinement of every
    split, and from the predictions of boosted trees. The way with the least squared error in
    cross-validation makes the tree on all rows. Its means are shrunk toward those of the nodes
    above (hierarchical shrinkage).

    Attributes
    ----------
    tree_
        The fitted `Tree`, with the means of the training rows.
    candidates_
        The ways that were compared, with their leaves, shrinkage and score; `print` shows a table.
    cv_score_
        Root mean squared error of the chosen way in cross-validation.
    ensemble_score_
        The same of boosted trees: what giving up the single tree would gain.
    shrinkage_
        The strength of hierarchical shrinkage that was chosen.
    feature_importances_
        Importance of each column: its share of the total decrease of the squared error.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> X = np.arange(100.0).reshape(-1, 1)
    >>> model = tw.ReadableTreeRegressor(max_leaf_nodes=4, distil=False).fit(X, X[:, 0] ** 2)
    >>> model.get_n_leaves()
    4
    """

    criterion = "squared_error"  # for display; splits are chosen by the loss of the tree

    encode_target = staticmethod(encode_addable_numbers)  # type: ignore[misc]
