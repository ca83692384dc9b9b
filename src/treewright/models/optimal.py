"""Optimal trees: of all trees of small depth the one with fewest errors, and the proof of it."""

from dataclasses import replace
from typing import Any

from treewright.induction.optimal.proof import OptimalityProof
from treewright.induction.optimal.search import OptimalSettings, optimal_tree
from treewright.models.base import FittedState
from treewright.models.class_answers import class_target
from treewright.models.classification import ClassificationTree
from treewright.models.growth_settings import setting
from treewright.models.param_tables import OPTIMAL_PARAMS
from treewright.models.threads import n_threads
from treewright.models.training import TrainingRows
from treewright.tree.tree import Tree

CELLS_WORTH_THREADS = 1000  # a search tries many questions, so even small tables are worth it


class OptimalTreeClassifier(ClassificationTree):
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
    unseen
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
    criterion = "gini"  # of the impurities shown; splits are chosen by the errors of the tree

    proof_: OptimalityProof | None

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
        unseen: str = "missing",
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
        self.unseen = unseen
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @property
    def proven_(self) -> bool:
        """Whether no tree of the same limits is better."""
        proof = self._proof()
        return proof is not None and proof.proven

    @property
    def lower_bound_(self) -> float | None:
        """No tree costs less; None for a tree that was cut after its fit."""
        proof = self._proof()
        return None if proof is None else proof.lower_bound

    @property
    def gap_(self) -> float | None:
        """What a better tree could save at most; None for a tree that was cut after its fit."""
        proof = self._proof()
        return None if proof is None else proof.gap

    @property
    def n_searched_(self) -> int | None:
        """Questions that the search tried; None for a tree that was cut after its fit."""
        proof = self._proof()
        return None if proof is None else proof.n_searched

    def _proof(self) -> OptimalityProof | None:
        self._check_is_fitted()
        return self.proof_

    def _learn(self, rows: TrainingRows) -> FittedState:
        tree, proof = self._search(rows)
        tree = self._printable(tree, rows)
        return FittedState(tree, tree.schema, class_target(rows).classes, optimality=proof)

    def _tree_for(self, rows: TrainingRows) -> Tree:
        return self._search(rows)[0]

    def _search(self, rows: TrainingRows) -> tuple[Tree, OptimalityProof]:
        n_cells = rows.n_rows * rows.table.n_columns
        worth_it = n_cells >= CELLS_WORTH_THREADS and self.max_depth > 2
        threads = n_threads(self.n_jobs, worth_it=worth_it)
        settings = self._search_settings(rows)
        return optimal_tree(rows.table, class_target(rows), rows.weights, settings, threads)

    def _search_settings(self, rows: TrainingRows) -> OptimalSettings:
        names = OptimalSettings.__dataclass_fields__
        return OptimalSettings(
            **{
                param.name: setting(param, getattr(self, param.name), rows, rows.n_counted)
                for param in self.params
                if param.name in names
            }
        )

    def _fixed_settings(self, rows: TrainingRows) -> dict[str, Any]:
        return {"criterion": "gini", "missing": "learned", "chosen_as_a_whole": True}

    def _take_on(self, state: FittedState) -> None:
        proof = state.optimality
        super()._take_on(replace(state, notes=() if proof is None else (proof.verdict,)))
        self.proof_ = proof

    def _state(self) -> FittedState:
        return replace(super()._state(), optimality=self.proof_)
