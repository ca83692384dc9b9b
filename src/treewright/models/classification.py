"""What the classifiers share: class weights, costs and priors, and answers as labels."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.data.target import encode_classes
from treewright.induction.settings import GrowthSettings
from treewright.models.base import FittedState, Float64Array, TreeEstimator
from treewright.models.cautions import warn_of_many_classes
from treewright.models.class_answers import ClassifierMethods, class_target, weighted_by_class
from treewright.models.class_costs import ClassFactors, class_factors
from treewright.models.training import TrainingRows, class_totals, has_holes
from treewright.tree.kinds import BRANCHES, SPREAD, SUBSET
from treewright.tree.layout import read_only
from treewright.tree.predict import predict_leaves, predict_values, predicted_classes
from treewright.tree.tree import Tree

FEW_ROWS = 1000  # below this it costs more to look for holes than to add up shares


class ClassificationTree(ClassifierMethods, TreeEstimator):
    """A tree that predicts a class."""

    criterion: Any
    class_weight: Any
    costs: Any = None  # parameters of some classifiers only
    priors: Any = None
    classes_: NDArray[Any]
    n_classes_: int

    _encode_target = staticmethod(encode_classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the most probable one, or with costs the cheapest.

        Of equal classes the first in `classes_` is taken.
        """
        rows = self._encoded(X)
        tree = self._answering_tree()
        threads = self._n_predict_threads(len(rows))
        if may_spread(tree, rows):
            answers = predicted_classes(tree, predict_values(tree, rows, threads))
        else:  # one node answers for each row, which is half the work
            answers = tree.node_class[predict_leaves(tree, rows, threads)]
        return self.classes_[answers]

    def predict_proba(self, X: Any) -> Float64Array:
        """Probability of each class, in the order of `classes_`."""
        return self._values(X)

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        warn_of_many_classes(class_target(rows))
        rows = weighted_by_class(rows, self.class_weight)
        names_classes = self.costs is not None or self.priors is not None
        return rows if names_classes else rows.without_empty_classes()

    def _growth(self, rows: TrainingRows, **settings: Any) -> GrowthSettings:
        if self.costs is None and self.priors is None:
            return super()._growth(rows, **settings)
        factors = self._class_factors(rows)
        # The notes' cost-weighted Gini has the costs in its formula, the others in the priors.
        in_split = factors.leaf if self.criterion == "cost_gini" else factors.split
        return super()._growth(rows, **settings, costs=factors.costs, class_factor=in_split)

    def _grow(self, rows: TrainingRows, **settings: Any) -> Tree:
        tree = super()._grow(rows, **settings)
        if self.costs is None and self.priors is None:
            return tree
        factors = self._class_factors(rows)
        in_leaf = np.ones(class_target(rows).n_classes) if factors.leaf is None else factors.leaf
        return replace(tree, class_factor=read_only(in_leaf), costs=factors.costs)

    def _class_factors(self, rows: TrainingRows) -> ClassFactors:
        totals = class_totals(rows)
        assert totals is not None
        return class_factors(self.costs, self.priors, totals, class_target(rows).classes)

    def _take_on(self, state: FittedState) -> None:
        super()._take_on(state)
        assert state.classes is not None
        self.classes_ = state.classes
        self.n_classes_ = len(state.classes)

    def _state(self) -> FittedState:
        return replace(super()._state(), classes=self.classes_)


def may_spread(tree: Tree, rows: Table | NDArray[Any]) -> bool:
    """Whether some of the rows may be answered by several leaves; rows are looked at last."""
    found: tuple[bool, bool] | None = tree.__dict__.get("_spreads")
    if found is None:  # beside the tree, as its compiled form is
        spreads = bool((tree.missing_child == SPREAD).any())
        found = tree.__dict__["_spreads"] = (spreads, spreads and spreads_levels(tree))
    spreads, without_holes = found
    return spreads and (without_holes or len(rows) < FEW_ROWS or has_holes(rows))


def spreads_levels(tree: Tree) -> bool:
    """Whether a node takes a level that it does not list for a missing value, and spreads it."""
    asks_levels = (tree.kind == SUBSET) | (tree.kind == BRANCHES)
    nodes = np.flatnonzero(asks_levels & (tree.missing_child == SPREAD) & (tree.other_child < 0))
    n_levels = np.array([len(spec.levels) for spec in tree.schema.columns])[tree.feature[nodes]]
    n_listed = tree.level_start[nodes + 1] - tree.level_start[nodes]
    return bool((n_listed < n_levels).any())
