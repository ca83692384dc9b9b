"""Estimators of a single tree: learning and reshaping.

How they learn is in `growing.py`, and what a fitted tree offers in `reading.py`; the estimators
themselves differ in their `algorithm`.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

from treewright.arrays import Floats
from treewright.data.target import ClassTarget, encode_classes, encode_numbers
from treewright.estimators.base import Model
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.methods import ClassifierMethods, RegressorMethods
from treewright.estimators.training import (
    TrainingRows,
    class_target,
    warn_of_many_classes,
    weighted_by_class,
    with_values,
)
from treewright.pruning.report import PruningReport
from treewright.single_trees.fitted import FittedTree
from treewright.single_trees.growing import (
    Algorithm,
    Grow,
    grown_and_pruned,
    growth_threads,
    pruning_plan,
)
from treewright.single_trees.notebook import fitted_html
from treewright.single_trees.reading import TreeReading
from treewright.single_trees.shrinkage import notes_on_shrinkage, shrinkage_of
from treewright.tree.rebuild import simplify
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.tree import Tree


class TreeEstimator(TreeReading, Model[FittedTree]):
    """A tree with the scikit-learn interface."""

    state_type = FittedTree
    takes_scans = True
    algorithm: ClassVar[Algorithm] = Algorithm()
    laplace: bool = False  # a parameter of some classifiers only

    tree_: Tree = set_by_fit()
    pruning_: PruningReport | None = set_by_fit()  # what was cut; None if the tree is not pruned
    shrinkage_: float = set_by_fit()  # the strength of shrinkage; 0 if there is none

    def check_params(self) -> None:
        super().check_params()
        pruning_plan(self)

    def training_rows(self, X: Any, y: Any, sample_weight: Any = None) -> TrainingRows:
        """The rows of the fit. The values of a scan are read: exact splits compare all of them."""
        return with_values(super().training_rows(X, y, sample_weight))

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedTree:
        tree, report = grown_and_pruned(self, rows, grow)
        tree = with_short_thresholds(tree, rows.table, growth_threads(self, rows))
        report = None if report is None else replace(report, tree=tree)
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        strength = shrinkage_of(self, rows)
        return FittedTree(
            tree=tree,
            schema=tree.schema,
            classes=classes,
            notes=notes_on_shrinkage(strength),
            pruning=report,
            shrinkage=strength,
        )

    def to_depth(self, depth: int) -> Self:
        """A new model without what lies more than `depth` splits below the root."""
        return self.with_tree(self.state_.tree.to_depth(depth))

    def to_leaves(self, n_leaves: int) -> Self:
        """A new model with at most `n_leaves`, made of the splits that gain most.

        It is the model that `max_leaf_nodes=n_leaves` would have grown.
        """
        return self.with_tree(self.state_.tree.to_leaves(n_leaves))

    def simplify(self) -> Self:
        """A new model without splits that change no prediction; probabilities may change."""
        state = self.state_
        return self.with_tree(simplify(state.tree, state.predicting_tree(self)))

    def with_tree(self, tree: Tree, pruning: PruningReport | None = None) -> Self:
        """A new model with another tree, and the report of how it came to be."""
        return self.with_state(replace(self.state_, tree=tree, pruning=pruning))

    def _fitted_html(self) -> str:
        return fitted_html(self)


class TreeClassifierMixin(ClassifierMethods):
    """A tree that predicts a class."""

    criterion: Any
    priors: Any = None  # a parameter of some classifiers only

    encode_target = staticmethod(encode_classes)

    def weighted_rows(self, rows: TrainingRows) -> TrainingRows:
        warn_of_many_classes(class_target(rows))
        rows = weighted_by_class(rows, self.class_weight)
        names_classes = self.costs is not None or self.priors is not None
        return rows if names_classes else rows.without_empty_classes()


class TreeRegressorMixin(RegressorMethods):
    """A tree that predicts a number."""

    encode_target = staticmethod(encode_numbers)

    def predict(self, X: Any) -> Floats:
        """The mean (or median, for absolute error) of the leaf of each row."""
        return super().predict(X)
