"""tw.optimality_gap: how far a tree is from the best tree of the same size."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.estimators.threads import n_threads
from treewright.estimators.training import class_target
from treewright.induction.optimal.proof import OptimalityProof, amount
from treewright.induction.optimal.questions import MAX_SET_LEVELS, SUBSET_OF_FEW
from treewright.induction.optimal.search import OptimalSettings, optimal_tree
from treewright.result import Record, Result
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.optimal import OptimalTreeClassifier
from treewright.tree.layout import OBLIQUE
from treewright.tree.predict import predict_values, predicted_classes
from treewright.tree.tree import Tree
from treewright.verbs.prune import encoded_rows

LIMITS = {
    name: OptimalTreeClassifier.param_named(name).but(optional=True)
    for name in ("max_depth", "max_leaf_nodes", "time_limit")
}


@dataclass(frozen=True, slots=True, repr=False)
class OptimalityGap(Result):
    """The errors of a tree, and those of the best tree of its size on the same rows."""

    errors: float  # weight that the given tree gets wrong
    best: Tree  # the best tree found
    proof: OptimalityProof  # of that tree
    asks_sums: bool = False  # whether the given tree splits on sums of columns, unlike the search

    @property
    def best_errors(self) -> float:
        """Weight that the best tree found gets wrong."""
        return self.proof.errors

    @property
    def least_errors(self) -> float:
        """A lower bound on the errors of any tree of the size, among the splits searched."""
        return self.proof.least_errors

    @property
    def proven(self) -> bool:
        """Whether the best tree found is proven optimal among all splits on one column."""
        return self.proof.proven and (self.proof.asks_all or self.proof.errors == 0)

    @property
    def gap(self) -> float:
        """Errors that a tree of the size could save, as a share of the weight.

        It is an upper bound among the splits searched. If `proven` is False but `proof.proven` is
        True, some splits were left out, and other trees may save more.
        """
        return max(0.0, (self.errors - self.least_errors) / self.proof.weight)

    def _facts(self) -> Record:
        return {
            "errors": self.errors,
            "best_errors": self.best_errors,
            "least_errors": self.least_errors,
            "weight": self.proof.weight,
            "proven": self.proven,
            "gap": self.gap,
            "proof": self.proof,
        }

    def to_text(self) -> str:
        """What this tree and the best one get wrong, and the gap."""
        return "\n".join(
            [
                f"This tree gets {amount(self.errors)} of {amount(self.proof.weight)} wrong.",
                self._best(),
                *self._cautions(),
                f"Gap: {self._bound()}{self.gap:.3%} of the rows.",
            ]
        )

    def _best(self) -> str:
        proof = self.proof
        size = f"depth {proof.max_depth} and {proof.max_leaf_nodes} leaves"
        wrong = f"{amount(proof.errors)} wrong"
        if self.proven:
            return f"The best tree of {size} gets {wrong} (proven)."
        found = f"The best tree found of {size} gets {wrong}"
        none = "none" if proof.asks_all else "among the splits searched, none"
        return f"{found}; {none} gets fewer than {amount(proof.least_errors)} wrong."

    def _cautions(self) -> list[str]:
        lines = []
        if not self.proven and self.proof.n_one_vs_rest:
            lines.append(
                f"With more than {MAX_SET_LEVELS} categories, not every set was tried: "
                "another tree may be better."
            )
        if self.asks_sums and self.proof.errors > 0:
            lines.append("Only splits on one column were searched.")
        if self.errors < self.proof.errors:
            lines.append("The given tree has splits that were not searched, and it is better.")
        return lines

    def _bound(self) -> str:
        """How the gap shown relates to the gap over all splits."""
        if not self.proof.proven:
            return "at most " if self.proof.asks_all else "by these splits at most "
        return "" if self.proven else "at least "


def optimality_gap(
    model: TreeEstimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    time_limit: float | None = 60.0,
) -> OptimalityGap:
    """Compare a fitted tree with the best tree of the same depth and number of leaves.

    Parameters
    ----------
    model
        A fitted tree classifier. A split with more than two branches counts as its binary form.
    X, y, sample_weight
        The rows to count errors on, usually the training rows. The search tries every threshold and
        every set of categories; of more than 12 categories, each against the rest.
    max_depth, max_leaf_nodes
        The size to compare with; None for that of the tree.
    time_limit
        Seconds for the search; when they are over, the gap is an upper bound. None: no limit.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier(prune=None, max_depth=3).fit(X, y)
    >>> print(tw.optimality_gap(model, X, y))
    This tree gets 4 of 150 wrong.
    The best tree of depth 3 and 5 leaves gets 2 wrong (proven).
    Gap: 1.333% of the rows.
    """
    LIMITS["max_depth"].check(max_depth)
    LIMITS["max_leaf_nodes"].check(max_leaf_nodes)
    LIMITS["time_limit"].check(time_limit)
    tree = classifier_tree(model)
    size = tree.to_binary()
    depth = size.depth if max_depth is None else int(max_depth)
    n_leaves = int(np.count_nonzero(size.is_leaf))
    leaves = n_leaves if max_leaf_nodes is None else int(max_leaf_nodes)
    check_depth(depth)
    rows = encoded_rows(model, X, y, sample_weight)
    target = class_target(rows)
    predictions = predicted_classes(tree, predict_values(tree, rows.table))
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    settings = OptimalSettings(
        max_depth=max(1, depth),
        max_leaf_nodes=leaves,
        nominal=SUBSET_OF_FEW,
        time_limit=time_limit,
    )
    threads = n_threads(None, worth_it=depth > 2)
    best, proof = optimal_tree(rows.table, target, rows.weights, settings, threads)
    errors = float(weights[predictions != target.codes].sum())
    return OptimalityGap(errors, best, proof, bool((tree.kind == OBLIQUE).any()))


def classifier_tree(model: object) -> Tree:
    """The tree of a classifier; an error for other models."""
    if not isinstance(model, TreeEstimator) or model.predicts_by_rules:
        raise ParameterError(
            f"{type(model).__name__} is not a single tree", hint="give a fitted tree classifier"
        )
    tree = model.state_.tree
    if not tree.is_classifier:
        raise ParameterError(
            f"{type(model).__name__} predicts numbers, but errors are counted by class",
            hint="give a fitted tree classifier",
        )
    return model.predicting_tree()


def check_depth(depth: int) -> None:
    """Raise if trees of this depth cannot be searched."""
    most = LIMITS["max_depth"].high
    assert most is not None
    if depth > most:
        raise ParameterError(
            f"the tree has depth {depth}, and the search handles at most {most:g}",
            hint="give max_depth=, or prune the tree first",
        )
