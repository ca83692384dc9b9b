"""optimal_tree: the best tree of small depth over all questions, with a proof or a gap."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.optimal import OptimalLimits, best_tree
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.induction.optimal_drafts import Ground, planned_tree
from treewright.induction.optimal_proof import OptimalityProof
from treewright.induction.optimal_questions import Questions, questions_about
from treewright.induction.optimal_rows import SearchedRows, searched_rows
from treewright.induction.optimal_start import Start, cut_to_least_cost, greedy_tree
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OptimalSettings:
    """What a tree may look like, and how long it is looked for."""

    max_depth: int = 3
    max_leaf_nodes: int | None = None
    penalty: float = 0.0  # of a leaf, as a share of the whole weight
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    nominal: str = "one_vs_rest"
    max_cuts: int | None = None
    time_limit: float | None = None
    unseen: str = "missing"

    @property
    def most_leaves(self) -> int:
        """Leaves that depth and number allow."""
        by_depth: int = 2**self.max_depth
        return by_depth if self.max_leaf_nodes is None else min(by_depth, self.max_leaf_nodes)


def optimal_tree(
    table: Table,
    target: ClassTarget,
    weights: Float64Array | None,
    settings: OptimalSettings,
    n_threads: int = 1,
) -> tuple[Tree, OptimalityProof]:
    """The tree of least cost, the weight of its errors and the price of its leaves.

    The search starts from the tree that CART grows; where it finds no better one, that is the
    answer.
    """
    questions = questions_about(table, settings.nominal, settings.max_cuts)
    rows = searched_rows(questions, target, weights)
    if settings.penalty:
        rows = rows.in_small_units()
    price = round(settings.penalty * rows.weight)
    start = None
    if not questions.n_left_out:  # CART would ask what was left out
        grown = greedy_tree(table, target, weights, settings, n_threads)
        start = cut_to_least_cost(grown, table, target, rows.of_table, price)
    found = best_tree(
        rows.codes,
        [column.n_values for column in questions.columns],
        [(family.column, family.kind, family.levels) for family in questions.families],
        (rows.classes, rows.weights, rows.n_rows, rows.sure_loss),
        target.n_classes,
        native_limits(settings, rows.weight, start, n_threads),
    )
    if start is not None and start.cost <= found["cost"]:
        tree, cost = start
    else:
        plan = list(zip(found["feature"].tolist(), found["cut"].tolist(), strict=True))
        counted = np.ones(table.n_rows) if weights is None else weights
        ground = Ground(table, target, counted, questions)
        tree, cost = planned_tree(plan, ground, settings.max_depth, settings.unseen), found["cost"]
    return tree, proof_of(tree, cost / rows.weight, found, rows, questions, settings)


def proof_of(  # noqa: PLR0913 -- what the search has to do with
    tree: Tree,
    cost: float,
    found: dict[str, Any],
    rows: SearchedRows,
    questions: Questions,
    settings: OptimalSettings,
) -> OptimalityProof:
    """What the search has found out about a tree."""
    wrong = tree.value.sum(axis=1) - tree.value.max(axis=1)
    return OptimalityProof(
        max_depth=settings.max_depth,
        max_leaf_nodes=settings.most_leaves,
        min_samples_leaf=settings.min_samples_leaf,
        min_weight_fraction_leaf=settings.min_weight_fraction_leaf,
        penalty=settings.penalty,
        n_rows=int(tree.n_rows[0]),
        weight=float(tree.weight[0]),
        errors=float(wrong[tree.is_leaf].sum()),
        n_leaves=tree.n_leaves,
        cost=cost,
        lower_bound=min(found["bound"] / rows.weight, cost),
        proven=found["proven"],
        n_searched=found["n_searched"],
        n_questions=questions.n_questions,
        n_left_out=questions.n_left_out,
    )


def native_limits(
    settings: OptimalSettings, weight: int, start: Start | None, n_threads: int
) -> OptimalLimits:
    """The settings for the compiled search on rows of this weight."""
    limits = OptimalLimits()
    limits.max_depth = settings.max_depth
    limits.max_leaves = settings.most_leaves
    limits.leaf_price = round(settings.penalty * weight)
    limits.min_rows = settings.min_samples_leaf
    limits.min_weight = math.ceil(settings.min_weight_fraction_leaf * weight)
    limits.seconds = settings.time_limit or 0.0
    limits.n_threads = n_threads
    if start is not None:
        limits.start_cost = start.cost
    return limits
