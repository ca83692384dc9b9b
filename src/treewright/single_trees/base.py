"""Estimators of a single tree: predicting, describing, reshaping.

How they learn is in `growing.py`; the estimators themselves differ in their `algorithm`.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.data.target import ClassTarget, encode_classes, encode_numbers
from treewright.errors import ParameterError
from treewright.estimators.base import Model
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.methods import ClassifierMethods, RegressorMethods
from treewright.estimators.rows import row_for_tree, rows_for_tree
from treewright.estimators.training import (
    TrainingRows,
    class_target,
    warn_of_many_classes,
    weighted_by_class,
)
from treewright.explanations.tree_sum import TreeSum, sum_of_tree
from treewright.plain_text import plain
from treewright.pruning.report import PruningReport
from treewright.single_trees.fitted import FittedTree, over_numbers
from treewright.single_trees.growing import Algorithm, Grow, grown_and_pruned, pruning_plan
from treewright.single_trees.notebook import fitted_html
from treewright.tree.as_text import export_text
from treewright.tree.counts import as_shares, column_gains
from treewright.tree.predict import predict_leaves
from treewright.tree.rebuild import simplify
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.explanations.explanation import Explanation
    from treewright.pictures.picture import Picture


class TreeEstimator(Model[FittedTree]):
    """A tree with the scikit-learn interface."""

    state_type = FittedTree
    algorithm: ClassVar[Algorithm] = Algorithm()
    predicts_by_rules: ClassVar[bool] = False  # whether rules learned from the tree predict
    laplace: bool = False  # a parameter of some classifiers only

    tree_: Tree = set_by_fit()
    pruning_: PruningReport | None = set_by_fit()  # what was cut; None if the tree is not pruned

    def check_params(self) -> None:
        super().check_params()
        pruning_plan(self)

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedTree:
        tree, report = grown_and_pruned(self, rows, grow)
        tree = with_short_thresholds(tree, rows.table)
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        return FittedTree(tree=tree, schema=tree.schema, classes=classes, pruning=report)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The node that predicts each row; of several, the one with the largest share."""
        state = self.state_
        rows = self.encode_rows(X, state)
        return predict_leaves(state.tree, rows, state.threads_for(len(rows), self))

    def path_of(self, X: Any, row: int = 0) -> tuple[int, ...]:
        """The nodes that one row of X passes, from the root to the one that predicts."""
        state = self.state_
        return state.tree.path_of(self.encode_rows(X, state), row)

    def get_depth(self) -> int:
        """Splits on the longest path from the root to a leaf."""
        return self.state_.tree.depth

    def get_n_leaves(self) -> int:
        """Leaves of the tree, one for every level of a split by branches."""
        return self.state_.tree.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the total impurity decrease; zeros without splits."""
        return as_shares(column_gains(self.state_.tree))

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

    def predicting_tree(self) -> Tree:
        """The fitted tree as it predicts: with smoothed probabilities where the model smooths."""
        return self.state_.predicting_tree(self)

    def as_tree(self) -> Tree:
        """One tree that predicts every row of a table as the model does.

        Probabilities are smoothed where the model smooths them, and a column that was cut in
        advance is asked for its numbers.
        """
        state = self.state_
        tree = state.predicting_tree(self)
        return over_numbers(tree, state.schema, state.cut_points) if state.cuts_columns else tree

    def tree_sum(self, *, has_missing: bool = True) -> TreeSum:
        """What Shapley values are shares of: the probabilities or the number of one tree."""
        if self.predicts_by_rules:
            raise ParameterError(
                f"a {type(self).__name__} predicts by rules, not by its tree",
                hint="the tree that the rules were made from is `tree_`",
            )
        return sum_of_tree(self.as_tree())

    def tree_rows(self, X: Any) -> Table:
        """The rows of X as the tree of `as_tree` knows its columns."""
        return rows_for_tree(self.as_tree(), X, self.categorical_features)

    def export_text(
        self,
        *,
        max_depth: int | None = None,
        decimals: int | None = None,
        show_weights: bool = True,
    ) -> str:
        """The tree as indented lines, after the notes on what was done to the data.

        Below `max_depth` nothing is shown; `decimals` rounds thresholds and means.
        """
        text = export_text(
            self.state_.tree, max_depth=max_depth, decimals=decimals, show_weights=show_weights
        )
        return "\n".join([*(f"# {plain(note)}" for note in self.state_.notes), text])

    def explain(
        self,
        row: Any,
        X: Any = None,
        y: Any = None,
        *,
        immutable: Collection[str] | str = (),
        directions: Mapping[str, str] | None = None,
        wanted: Any = None,
        tolerance: float | None = None,
        n_neighbors: int = 3,
    ) -> "Explanation":
        """Explain the prediction for one row, and the smallest change that flips it.

        Parameters
        ----------
        row
            One row: a dict, a list of values, a row of a data frame, or a table of one row.
        X, y
            Training rows, to show the nearest ones and to measure the spread of the columns.
        immutable
            Names of columns that must not change.
        directions
            Column name -> "up" or "down": the only direction in which it may change.
        wanted
            The prediction that the change should lead to: a class; for numbers "up", "down" or a
            pair such as (100, 200) or (100, None). None accepts any other prediction.
        tolerance
            For numbers: the difference up to which predictions count as equal. None uses the
            standard deviation of the tree's predictions.
        n_neighbors
            Number of nearest training rows to show.
        """
        from treewright.explanations.path import Request
        from treewright.single_trees.explaining import TreeFacts, explain

        ways = {} if directions is None else directions
        request = Request(immutable, ways, wanted, tolerance, n_neighbors)
        facts = TreeFacts(
            counts=None if self.state_.cuts_columns else self.state_.tree.value,
            has_variance=getattr(self, "criterion", None) == "squared_error",
            categorical_features=self.categorical_features,
        )
        return explain(self.as_tree(), row, request, facts, X=X, y=y)

    def draw(self, *, row: Any = None, **options: Any) -> "Picture":
        """A picture of the tree; the options are those of `treewright.draw`."""
        from treewright.pictures.tree_picture import tree_picture

        tree = self.as_tree()
        path = None if row is None else row_for_tree(tree, row, self.categorical_features)
        name = type(self).__name__
        return tree_picture(tree, row=path, name=name, fitted=self.state_.tree, **options)

    def _fitted_html(self) -> str:
        return fitted_html(self)


class TreeClassifierMixin(ClassifierMethods):
    """A tree that predicts a class."""

    criterion: Any
    class_weight: Any
    costs: Any = None  # parameters of some classifiers only
    priors: Any = None

    encode_target = staticmethod(encode_classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the most probable one, or with `costs` the one of least cost.

        Ties go to the first class in `classes_`.
        """
        classes: NDArray[Any] = self.state_.predict(X, self)
        return classes

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
