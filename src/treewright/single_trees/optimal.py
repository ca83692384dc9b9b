"""Optimal trees: the tree of limited depth with the fewest training errors, with a proof."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.estimators import params as shared
from treewright.estimators.class_costs import cost_matrix
from treewright.estimators.declaration import param
from treewright.estimators.threads import n_threads
from treewright.estimators.training import TrainingRows, class_target
from treewright.induction.optimal.proof import OptimalityProof
from treewright.induction.optimal.search import OptimalSettings, optimal_tree
from treewright.induction.settings import GrowthSettings
from treewright.pruning.report import PruningReport
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.fitted import FittedTree
from treewright.single_trees.growing import Algorithm, Grow, growth_settings, setting
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.tree import Tree

CELLS_WORTH_THREADS = 1000  # a search tries many splits, so threads pay off even on small tables


def optimal_settings(model: "OptimalTreeClassifier", rows: TrainingRows) -> GrowthSettings:
    """Settings for the worksheet of an optimal tree; the search has its own settings."""
    return growth_settings(model, rows, criterion="gini", missing="learned", chosen_as_a_whole=True)


def search(model: "OptimalTreeClassifier", rows: TrainingRows) -> tuple[Tree, OptimalityProof]:
    """The best tree within the limits, and the proof of its optimality."""
    n_cells = rows.n_rows * rows.table.n_columns
    worth_it = n_cells >= CELLS_WORTH_THREADS and model.max_depth > 2
    threads = n_threads(model.n_jobs, worth_it=worth_it)
    names = OptimalSettings.__dataclass_fields__
    settings = {
        param.name: setting(param, getattr(model, param.name), rows, rows.n_counted)
        for param in model.params
        if param.name in names
    }
    target = class_target(rows)
    costs = None if model.costs is None else costs_of_classes(model, target.classes)
    settings["costs"] = None if target.n_classes == 1 else costs  # an only class has no errors
    return optimal_tree(rows.table, target, rows.weights, OptimalSettings(**settings), threads)


def costs_of_classes(model: "OptimalTreeClassifier", classes: NDArray[Any]) -> Floats:
    """The costs, if the search can use them: it counts an error by the true class alone."""
    costs = cost_matrix(model.costs, classes)
    others = costs + np.diag(costs.max(axis=1))
    if (others != others[:, :1]).any():
        raise ParameterError(
            "the search for an optimal tree takes one cost for all errors on a class",
            hint='give a number for each class, such as costs={"yes": 5, "no": 1}',
        )
    if model.min_weight_fraction_leaf > 0:
        raise ParameterError(
            "costs and min_weight_fraction_leaf cannot be combined", hint="use min_samples_leaf"
        )
    return costs


def searched_tree(
    model: "OptimalTreeClassifier", rows: TrainingRows, settings: GrowthSettings, threads: int
) -> Tree:
    return search(model, rows)[0]


class OptimalTreeClassifier(TreeClassifierMixin, TreeEstimator):
    """Classification tree with the fewest training errors among all trees of its size.

    Other algorithms choose one split at a time. This one searches all trees of at most
    `max_depth`, over all thresholds and categories, by branch and bound. The trees it skips are
    proven to be no better. If the time limit is reached first, the best tree so far is returned,
    with an upper bound on how much better a tree could be.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    proof_
        The `OptimalityProof`: what was found and what was proven; `print` shows it as text. None
        for a model that was pruned after `fit`.
    proven_
        Whether the tree is proven to be optimal within its limits.
    lower_bound_
        Lower bound on the cost of any tree, where cost is error rate + `penalty` x leaves.
    gap_
        The cost of this tree minus `lower_bound_`; 0 if it is proven to be optimal.
    n_searched_
        Number of splits that the search tried above other splits.
    feature_importances_
        Importance of each column: its share of the total Gini decrease of all splits.

    Notes
    -----
    The side for missing values is part of a split: they go where they cause fewer errors.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> print(model.proof_)
    Proven: this tree gets 6 of 150 wrong, and no tree of depth 2 or less gets fewer than 6 wrong.
    The root has 119 possible splits. 118 splits were tried at inner nodes; bounds ruled out ...
    """

    algorithm = Algorithm(optimal_settings, grow=searched_tree)
    criterion = "gini"  # for display only; splits are chosen by the errors of the tree

    max_depth: int = param(
        3,
        "Maximum number of splits from the root to a leaf. The search time grows fast with depth: "
        "2 and 3 usually take seconds; use 4 only on small tables.",
        low=1,
        high=16,
    )
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES.but(
        help="Maximum number of leaves; None for as many as the depth allows."
    )
    penalty: float = param(
        0.0,
        "Cost of a leaf as a fraction of the total weight. The tree minimizes the error rate + "
        "`penalty` x number of leaves. Ties go to the tree with fewer leaves.",
        low=0,
        below=1,
    )
    min_samples_leaf: int | float = shared.MIN_SAMPLES_LEAF
    min_weight_fraction_leaf: float = shared.MIN_WEIGHT_FRACTION_LEAF
    nominal: str = param(
        "one_vs_rest",
        'How a nominal column splits a node: "one_vs_rest" tries each category against the '
        'others, "subset" every set of categories, for columns with at most 12 categories.',
        choices=("one_vs_rest", "subset"),
    )
    max_cuts: int | None = param(
        None,
        "Maximum number of thresholds per numeric column, spread evenly over its rows; None tries "
        "all of them. With a limit, the proof covers only trees with these thresholds, and CART "
        "with all thresholds may be better.",
        low=1,
    )
    time_limit: float | None = param(
        60.0,
        "Seconds after which the search stops and returns the best tree so far; None for no limit.",
        above=0,
    )
    handle_unknown: str = shared.HANDLE_UNKNOWN
    costs: Any = shared.COSTS.but(
        help=f"{shared.COSTS.help} The search minimizes the cost of the errors instead of their "
        "number; all errors on a class must have the same cost.",
        stored_if_set=True,
    )
    class_weight: Any = shared.CLASS_WEIGHT
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS.but(
        help="Number of threads (-1 uses all cores); None chooses by the size of the data. The "
        "tree is always the same, unless the time limit is reached."
    )

    @property
    def proof_(self) -> OptimalityProof | None:
        """What was found and proven; None for a model that was pruned after `fit`."""
        return self.state_.proof

    @property
    def proven_(self) -> bool:
        """Whether the tree is proven to be optimal within its limits."""
        proof = self.proof_
        return proof is not None and proof.proven

    @property
    def lower_bound_(self) -> float | None:
        """Lower bound on the cost of any tree; None for a tree that was pruned after `fit`."""
        proof = self.proof_
        return None if proof is None else proof.lower_bound

    @property
    def gap_(self) -> float | None:
        """Most that a better tree could save; None for a tree that was pruned after `fit`."""
        proof = self.proof_
        return None if proof is None else proof.gap

    @property
    def n_searched_(self) -> int | None:
        """Number of splits that the search tried; None for a tree pruned after `fit`."""
        proof = self.proof_
        return None if proof is None else proof.n_searched

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedTree:
        tree, proof = search(self, rows)
        tree = with_short_thresholds(tree, rows.table)
        classes = class_target(rows).classes
        notes = (proof.verdict,)
        return FittedTree(tree=tree, schema=tree.schema, classes=classes, notes=notes, proof=proof)

    def with_tree(self, tree: Tree, pruning: PruningReport | None = None) -> Self:
        """A new model with another tree, without a proof of optimality."""
        state = replace(self.state_, tree=tree, pruning=pruning, proof=None, notes=())
        return self.with_state(state)
