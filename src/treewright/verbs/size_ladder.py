"""tw.size_ladder: how well smaller and larger versions of a tree predict."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.plain_text import aligned
from treewright.pruning.cost_complexity import cut_at_step
from treewright.pruning.cost_complexity_path import CostComplexityPath, PathRule
from treewright.result import Record, Result
from treewright.single_trees.base import TreeEstimator
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.verbs.prune import cost_complexity_path

SIZES = (5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True)
class Rung:
    """One size: the largest subtree of the pruning path with at most `at_most` leaves."""

    at_most: int | None  # None: the tree that the model has, or all of the tree
    n_leaves: int
    score: float  # by cross-validation
    standard_error: float
    step: int  # on the path
    chosen: bool  # whether it is the tree that the model has


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SizeLadder(Result):
    """Trees of several sizes from one pruning path, with their cross-validated scores."""

    model: TreeEstimator
    path: CostComplexityPath
    measure: str  # what the scores are: "accuracy", "R squared" or "cost"
    rungs: tuple[Rung, ...]

    def of_leaves(self, n_leaves: int, X: Any = None) -> TreeEstimator:
        """A new model with the pruned tree of at most `n_leaves` leaves.

        With X, the training rows, its thresholds are printed as short as these rows allow.
        """
        if n_leaves < 1:
            raise ParameterError(f"n_leaves={n_leaves} is not allowed", hint="use at least 1")
        step = step_of(self.path, n_leaves)
        min_cp = getattr(self.model, "cp", None)
        rule = PathRule(self.path.risk, None if min_cp is None else float(min_cp))
        options = {"alpha": float(self.path.alphas[step]), "risk": rule.risk}
        if rule.min_cp is not None:
            options["min_cp"] = rule.min_cp
        pruned = cut_at_step(self.path, rule, step, options)
        tree, state = pruned.tree, self.model.state_
        if state.cuts_columns:
            return self.model.with_tree(tree, pruned.report)
        if X is not None:
            tree = with_short_thresholds(tree, self.model.tree_rows(X))
        report = replace(pruned.report, tree=tree)
        return self.model.with_state(replace(state, tree=tree, schema=tree.schema, pruning=report))

    def _facts(self) -> Record:
        return {"measure": self.measure, "rungs": self.rungs}

    def to_text(self) -> str:
        """One line for each size; `*` marks the model's own tree."""
        head = ["", "at most", "leaves", self.measure, "+-"]
        cells = [head, *map(line_of, self.rungs)]
        return "\n".join(line.rstrip() for line in aligned(cells, "lrrrr"))

    def __repr__(self) -> str:
        sizes = ", ".join(str(rung.n_leaves) for rung in self.rungs)
        return f"<SizeLadder: trees of {sizes} leaves by {self.measure}>"


def line_of(rung: Rung) -> list[str]:
    at_most = "" if rung.at_most is None else str(rung.at_most)
    score, error = f"{rung.score:.3f}", f"{rung.standard_error:.3f}"
    return ["*" if rung.chosen else "", at_most, f"{rung.n_leaves:,}", score, error]


def size_ladder(
    model: TreeEstimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    sizes: tuple[int, ...] = SIZES,
) -> SizeLadder:
    """Compare pruned versions of a model's tree at several sizes.

    The trees come from the cost-complexity path of the grown tree: each is the best subtree of its
    size on the training rows. The scores are from ten-fold cross-validation. A model that chose its
    size by cross-validation, as `CARTClassifier` does by default, has these scores already; for
    other models, the trees of the folds are grown first.

    Parameters
    ----------
    model
        A fitted estimator of a single tree.
    X, y, sample_weight
        The training rows.
    sizes
        Maximum numbers of leaves; each gives one tree.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("loans")
    >>> X = X.drop("loan")
    >>> ladder = tw.size_ladder(tw.CARTClassifier().fit(X, y), X, y)
    >>> print(ladder)
       at most  leaves  accuracy     +-
    *        5       5     0.865  0.017
            20      13     0.823  0.019
            50      41     0.758  0.021
           100      82     0.748  0.022
    >>> ladder.of_leaves(20).get_n_leaves()
    13
    """
    report = getattr(model, "pruning_", None)
    path = None if report is None else report.path
    if path is None or path.held_out is None:
        path = cost_complexity_path(model, X, y, sample_weight, risk="error")
    own = int(np.argmin(np.abs(path.n_leaves - model.get_n_leaves())))
    rungs = rungs_of(path, sizes, own, measure_of(model))
    return SizeLadder(model, path, measure_of(model), rungs)


def measure_of(model: TreeEstimator) -> str:
    """What the scores of a ladder are."""
    if hasattr(model, "classes_"):
        return "accuracy" if getattr(model, "costs", None) is None else "cost"
    return "R squared" if getattr(model, "criterion", "") == "squared_error" else "error"


def rungs_of(
    path: CostComplexityPath, sizes: tuple[int, ...], own: int, measure: str
) -> tuple[Rung, ...]:
    """One rung for each different tree, the smallest first, that of the model among them."""
    wanted: dict[int, int | None] = {}
    for size in sorted(sizes):
        wanted.setdefault(step_of(path, size), size)
    wanted.setdefault(own, None)
    rungs = [rung_at(path, step, size, own, measure) for step, size in wanted.items()]
    return tuple(sorted(rungs, key=lambda rung: rung.n_leaves))


def step_of(path: CostComplexityPath, n_leaves: int) -> int:
    """The step of the largest tree with at most this many leaves, or else of the smallest tree."""
    fits = path.n_leaves <= n_leaves
    return int(np.argmax(fits)) if fits.any() else len(path) - 1


def rung_at(
    path: CostComplexityPath, step: int, at_most: int | None, own: int, measure: str
) -> Rung:
    assert path.held_out is not None
    risk, error = float(path.held_out.risks[step]), float(path.held_out.standard_errors[step])
    root = path.held_out.root
    if measure == "R squared" and root > 0:
        risk, error = risk / root, error / root
    score = risk if measure in ("cost", "error") else 1.0 - risk
    return Rung(at_most, int(path.n_leaves[step]), score, error, step, chosen=step == own)
