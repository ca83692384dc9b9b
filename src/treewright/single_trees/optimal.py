"""Optimal trees: of all trees of small depth the one with fewest errors, and the proof of it."""

from dataclasses import replace
from typing import Any, Self

from treewright.estimators.methods import class_target
from treewright.estimators.threads import n_threads
from treewright.estimators.training import TrainingRows
from treewright.induction.optimal.proof import OptimalityProof
from treewright.induction.optimal.search import OptimalSettings, optimal_tree
from treewright.induction.settings import GrowthSettings
from treewright.pruning.report import PruningReport
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.fitted import FittedTree
from treewright.single_trees.growing import Algorithm, Grow, growth_settings, setting
from treewright.single_trees.param_tables import OPTIMAL_PARAMS
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.tree import Tree

CELLS_WORTH_THREADS = 1000  # a search tries many questions, so even small tables are worth it


def optimal_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """What the worksheet of an optimal tree shows; the search has settings of its own."""
    return growth_settings(model, rows, criterion="gini", missing="learned", chosen_as_a_whole=True)


def search(model: Any, rows: TrainingRows) -> tuple[Tree, OptimalityProof]:
    """The best tree of its size, and how well that is proven."""
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
    return optimal_tree(rows.table, target, rows.weights, OptimalSettings(**settings), threads)


def searched_tree(model: Any, rows: TrainingRows, settings: GrowthSettings, threads: int) -> Tree:
    return search(model, rows)[0]


class OptimalTreeClassifier(TreeClassifierMixin, TreeEstimator):
    """The classification tree with fewest training errors of all trees of its size.

    Other trees choose one split after the other. This one is chosen as a whole, from all trees of
    at most `max_depth` over all thresholds and levels, by branch and bound: what was not tried is
    proven to be no better. When time runs out first, the best tree so far is kept, with the gap to
    what could be possible at most.

    Parameters
    ----------
    max_depth
        Most splits from the root to a leaf. Work grows fast with depth: 2 and 3 are usually proven
        in seconds, 4 on small tables.
    max_leaf_nodes
        Most leaves; None for as many as the depth allows.
    penalty
        Price of a leaf as a share of the rows' weight: the tree has the least share of errors +
        `penalty` x leaves. Of trees that cost the same, one with fewest leaves is taken.
    min_samples_leaf
        Fewest rows in a leaf; a float below 1 is a share of the rows.
    min_weight_fraction_leaf
        Least share of the whole weight in a leaf.
    nominal
        How nominal columns are asked: "one_vs_rest", each level against all others, or "subset",
        every set of levels, for columns of at most 12 levels.
    max_cuts
        Most thresholds of a numeric column, spread evenly over its rows; None tries all of them.
        The proof then holds for trees of these thresholds, and CART with all of them may be better.
    time_limit
        Seconds after which the best tree so far is taken; None for no limit.
    handle_unknown
        What a level does that training never met: as "missing", to the "majority", or "error".
    class_weight
        Factor on the weight of the rows of a class: a dict, or "balanced".
    categorical_features
        Columns to take as nominal whatever their type: names, positions or a mask.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The tree is always the same,
        unless time runs out.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    proof_
        The `OptimalityProof`: what was found, what was proven, in words by `print`. None for a
        model that was pruned or cut back after its fit.
    proven_
        Whether no tree of the same limits is better.
    lower_bound_
        No tree costs less: share of errors + `penalty` x leaves.
    gap_
        The cost of this tree less `lower_bound_`; 0 if it is proven to be optimal.
    n_searched_
        Questions that the search tried above other questions.
    feature_importances_
        Each column's share of the Gini impurity that all splits take away.

    Notes
    -----
    A missing value goes to the side where it makes fewer errors: the side is part of the question.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> print(model.proof_)
    Proven: this tree gets 6 of 150 wrong, and no tree of depth 2 or less gets fewer than 6 wrong.
    The root may ask 119 questions. 19 were tried above other questions; bounds ruled out the rest.
    """

    params = OPTIMAL_PARAMS
    algorithm = Algorithm(optimal_settings, grow=searched_tree)
    criterion = "gini"  # of the impurities shown; splits are chosen by the errors of the tree

    def __init__(
        self,
        *,
        max_depth: int = 3,
        max_leaf_nodes: int | None = None,
        penalty: float = 0.0,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        nominal: str = "one_vs_rest",
        max_cuts: int | None = None,
        time_limit: float | None = 60.0,
        handle_unknown: str = "missing",
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.penalty = penalty
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.nominal = nominal
        self.max_cuts = max_cuts
        self.time_limit = time_limit
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @property
    def proof_(self) -> OptimalityProof | None:
        """What was found and proven; None for a model that was cut back after its fit."""
        return self.state_.proof

    @property
    def proven_(self) -> bool:
        """Whether no tree of the same limits is better."""
        proof = self.proof_
        return proof is not None and proof.proven

    @property
    def lower_bound_(self) -> float | None:
        """No tree costs less; None for a tree that was cut after its fit."""
        proof = self.proof_
        return None if proof is None else proof.lower_bound

    @property
    def gap_(self) -> float | None:
        """What a better tree could save at most; None for a tree that was cut after its fit."""
        proof = self.proof_
        return None if proof is None else proof.gap

    @property
    def n_searched_(self) -> int | None:
        """Questions that the search tried; None for a tree that was cut after its fit."""
        proof = self.proof_
        return None if proof is None else proof.n_searched

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedTree:
        tree, proof = search(self, rows)
        tree = with_short_thresholds(tree, rows.table)
        classes = class_target(rows).classes
        notes = (proof.verdict,)
        return FittedTree(tree=tree, schema=tree.schema, classes=classes, notes=notes, proof=proof)

    def with_tree(self, tree: Tree, pruning: PruningReport | None = None) -> Self:
        """A new model with another tree, of which nothing is proven."""
        state = replace(self.state_, tree=tree, pruning=pruning, proof=None, notes=())
        return self.with_state(state)
