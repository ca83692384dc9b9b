"""What an ensemble offers once it is fitted: its size, importances and Shapley values."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import LeafPrediction, mean_isolation_depth
from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.ensembles.boosting.losses import OWN
from treewright.ensembles.fitted import (
    FittedBoosting,
    FittedEnsemble,
    FittedForest,
    FittedIsolation,
)
from treewright.ensembles.packed import PackedTreeSequence
from treewright.ensembles.summary import n_leaves_of
from treewright.errors import ExportError, ParameterError
from treewright.estimators.reading import Readable
from treewright.estimators.rows import changed_row
from treewright.explanations.tree_sum import OneRow, Rows, TreeSum, own_predictions
from treewright.exports.sums.program import SumProgram
from treewright.tree.counts import as_shares, column_gains
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.ensembles.row_shares import RowShares

State = TypeVar("State", bound=FittedEnsemble)

# What single trees can do, and how one of many does it.
OF_ONE_TREE = {
    "tree_": "model.trees_[0]",
    "path_of": "model.trees_[0].path_of(table, row)",
    "export_text": "str(model.trees_[0])",
    "draw": "tw.draw(model.trees_[0])",
    "to_depth": "tw.distil(model, X, max_depth=3)",
    "to_leaves": "tw.distil(model, X, max_leaf_nodes=8)",
    "simplify": "model.trees_[0].simplify()",
}


class EnsembleReading(Readable[State]):
    """A mixin: many trees, which predict together."""

    trees_: Sequence[Tree]

    def tree_sum(self, *, has_missing: bool = True) -> TreeSum:
        """How the values of the trees add up to what Shapley values explain."""
        raise NotImplementedError

    def sum_program(self) -> SumProgram:
        """How the values of the trees add up to predictions, for exports."""
        raise ExportError(
            f"{type(self).__name__} cannot be exported as a whole",
            hint="export one of its trees: trees_[0] is the first",
        )

    @property
    def calibration_(self) -> str:
        """What keeps the probabilities of a classifier from being too sure of themselves.

        "shrinkage": leaves are pulled toward their ancestors. "cross_validation" or
        "early_stopping": the rounds end where the loss of rows that were held back is lowest.
        "none": nothing.
        """
        if self.state_.classes is None:
            raise AttributeError(f"{type(self).__name__} has no probabilities to calibrate")
        return self.state_.calibration

    def tree_rows(self, X: Any) -> Table | NDArray[Any]:
        """The rows of X as the trees know their columns."""
        return self.encode_rows(X)

    def summary(self) -> str:
        """Size of the ensemble, its scores if `fit` computed any, and the column importances.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.load_sample("tennis")
        >>> print(tw.ExtraTreesClassifier().fit(X, y).summary().partition(",")[0])
        ExtraTreesClassifier: 100 trees
        """
        from treewright.ensembles.summary import summary_text

        return summary_text(self)

    def get_n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return n_leaves_of(self.state_.trees)

    def get_depth(self) -> int:
        """Depth of the deepest tree."""
        return max((tree.depth for tree in self.state_.trees), default=0)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Explains how to get what only single trees have."""
            if name in OF_ONE_TREE:
                raise AttributeError(
                    f"{type(self).__name__} has many trees and no `{name}`; "
                    f"use `{OF_ONE_TREE[name]}` instead"
                )
            return super().__getattr__(name)

    def explain(self, row: Any, **changes: Any) -> "RowShares":
        """Contribution of each column to the prediction for one row, by Shapley values.

        The row is a dict, a list of values, a row of a data frame, or a table of one row. `changes`
        are other values for some of its columns, by name: what would be predicted then?
        """
        from treewright.ensembles.row_shares import row_shares

        return row_shares(self, changed_row(row, self.schema_, changes))

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the total gain of all splits, averaged over the trees."""
        total = np.zeros(self.state_.n_features_in)
        for gains in self._gains():
            total += as_shares(gains)
        return as_shares(total)

    def _gains(self) -> Iterator[Floats]:
        """(n_columns,) of each tree: what its splits by each column gain, times weight."""
        return (column_gains(tree) for tree in self.state_.trees)


class ForestReading(EnsembleReading[FittedForest]):
    """A mixin: trees that vote, or whose values are averaged."""

    def tree_sum(self, *, has_missing: bool = True) -> TreeSum:
        """What Shapley values are shares of: every tree adds its value, or its vote."""
        state = self.state_
        n_trees = len(state.trees)
        votes = getattr(self, "voting", "soft") == "hard"
        is_packed = isinstance(state.trees, PackedTreeSequence)  # and spreads no rows
        if votes and has_missing and not is_packed and any(t.spreads[0] for t in state.trees):
            raise ParameterError(
                "some values are missing, and the vote of a tree that divides such rows is not a "
                "sum over its leaves",
                hint='use voting="soft", or explain rows without missing values',
            )

        def predictions(tree: Tree) -> Floats:
            own = np.eye(tree.n_values)[tree.node_class] if votes else own_predictions(tree)
            return np.asarray(own / n_trees)

        if state.classes is None:
            names, scale = ("prediction",), "prediction"
        else:
            names = tuple(state.classes.tolist())
            scale = "share of votes" if votes else "probability"
        one_row = mean_of_row(state.trees, votes=votes)
        start = np.zeros(len(names))
        return TreeSum(state.schema, state.trees, names, scale, start, predictions, one_row=one_row)

    def sum_program(self) -> SumProgram:
        """Means of the trees' values, or of their votes."""
        state = self.state_
        votes = getattr(self, "voting", "soft") == "hard"
        is_packed = isinstance(state.trees, PackedTreeSequence)

        def leaf_values(tree: Tree) -> Floats:
            if not votes:
                return own_predictions(tree)
            # Packed trees compare the weights themselves, others shares up to rounding.
            voted = tree.value.argmax(axis=1) if is_packed else tree.node_class
            return np.eye(tree.n_values)[voted]

        return SumProgram(
            state.schema,
            state.trees,
            np.zeros(1 if state.classes is None else len(state.classes)),
            "same",
            leaf_values,
            divisor=float(len(state.trees)),
            classes=None if state.classes is None else tuple(state.classes.tolist()),
            costs=state.costs,
            unseen=state.unseen or "missing",
            title=type(self).__name__,
        )


class BoostingReading(EnsembleReading[FittedBoosting]):
    """A mixin: trees whose values are added up."""

    def tree_sum(self, *, has_missing: bool = True) -> TreeSum:
        """What Shapley values are shares of: scores, to which every tree adds in turn."""
        state = self.state_
        start = np.asarray(state.start, dtype=np.float64)
        if state.classes is None:
            names: tuple[Any, ...] = ("score",)
        else:
            labels = tuple(state.classes.tolist())
            names = labels if len(start) == len(labels) else labels[-1:]
        n_outputs, trees = len(start), state.packed

        def one_row(row: Rows, output: int, n_threads: int) -> tuple[float, Floats] | None:
            return trees.explain_row(row, LeafPrediction.value, (output, n_outputs), n_threads)

        turns = n_outputs > 1
        return TreeSum(
            state.schema, trees, names, "score", start, takes_turns=turns, one_row=one_row
        )

    def sum_program(self) -> SumProgram:
        """Scores, to which every tree adds in turn."""
        state = self.state_
        if state.link == OWN:
            raise ExportError(
                "what scores stand for is said by a loss that is a Python function, and no other "
                "language can call it",
                hint="export a model of one of Treewright's own losses",
            )
        return SumProgram(
            state.schema,
            state.trees,
            np.asarray(state.start, dtype=np.float64),
            state.link,
            own_predictions,
            classes=None if state.classes is None else tuple(state.classes.tolist()),
            costs=state.costs,
            unseen=state.unseen or "missing",
            title=type(self).__name__,
        )

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the total gain of all splits; early trees count most."""
        total = np.zeros(self.state_.n_features_in)
        for gains in self._gains():
            total += gains
        return as_shares(total)


class IsolationReading(EnsembleReading[FittedIsolation]):
    """A mixin: trees that measure how quickly a row is isolated."""

    def tree_sum(self, *, has_missing: bool = True) -> TreeSum:
        """What Shapley values are shares of: the mean number of splits that isolate a row."""
        state = self.state_
        n_trees = len(state.trees)

        def predictions(tree: Tree) -> Floats:
            return own_predictions(tree) / n_trees

        scale, start, one_row = "number of splits", np.zeros(1), mean_of_row(state.trees)
        return TreeSum(
            state.schema, state.trees, (scale,), scale, start, predictions, one_row=one_row
        )

    def sum_program(self) -> SumProgram:
        """The mean number of splits, which the score compares with the usual number."""
        state = self.state_
        usual = mean_isolation_depth(state.n_drawn)
        if not usual > 0:
            raise ExportError("each tree was grown from one row, so every row has the same score")
        return SumProgram(
            state.schema,
            state.trees,
            np.zeros(1),
            "isolation",
            own_predictions,
            divisor=float(len(state.trees)),
            classes=(-1, 1),
            unseen=state.unseen or "missing",
            title=type(self).__name__,
            usual_depth=usual,
            offset=state.offset,
        )

    @property
    def feature_importances_(self) -> Floats:
        """Not available: columns are drawn at random, so there are no importances."""
        raise AttributeError("an IsolationForest picks columns at random, so it has no importances")


def mean_of_row(trees: Sequence[Tree], *, votes: bool = False) -> OneRow | None:
    """How one row is explained if packed trees are averaged, or if they vote."""
    if not isinstance(trees, PackedTreeSequence):
        return None
    shown = LeafPrediction.vote if votes else LeafPrediction.shares
    shown = LeafPrediction.value if trees.classes is None else shown

    def one_row(row: Rows, output: int, n_threads: int) -> tuple[float, Floats] | None:
        found = trees.explain_row(row, shown, (output, trees.packed.n_values), n_threads)
        return None if found is None else (found[0] / len(trees), found[1] / len(trees))

    return one_row
