"""optimal_tree: the best tree of small depth over all candidate splits, with a proof or a gap."""

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import OptimalLimits, best_tree
from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.data.weights import are_counts
from treewright.induction.growth import grow_tree
from treewright.induction.optimal.drafts import Ground, planned_tree
from treewright.induction.optimal.proof import OptimalityProof
from treewright.induction.optimal.questions import SUBSET_OF_FEW, Questions, questions_about
from treewright.induction.optimal.rows import SearchedRows, searched_rows
from treewright.induction.settings import GrowthSettings
from treewright.tree.predict import predict_leaves
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

Int64Array = NDArray[np.int64]


class Start(NamedTuple):
    """A tree, and its cost in the integers of the search."""

    tree: Tree
    cost: int


def greedy_tree(
    table: Table,
    target: ClassTarget,
    weights: NDArray[np.float64] | None,
    settings: "OptimalSettings",
    n_threads: int,
) -> Tree:
    """The tree that growth with the Gini index makes of the same candidate splits.

    If a column has too many categories to search all sets, this may be the better tree.
    """
    growth = GrowthSettings(
        criterion="gini",
        nominal="one_vs_rest" if settings.nominal == "one_vs_rest" else "subset",
        missing="learned",
        handle_unknown=settings.handle_unknown,
        max_depth=settings.max_depth,
        max_leaf_nodes=settings.most_leaves,
        min_samples_leaf=settings.min_samples_leaf,
        min_weight_fraction_leaf=settings.min_weight_fraction_leaf,
        weights_are_counts=weights is not None and are_counts(weights),
        n_competitors=0,
    )
    if settings.price is not None:
        totals = np.bincount(target.codes, weights, target.n_classes)
        factor = settings.price * (totals.sum() / (totals * settings.price).sum())
        plain = np.ones(target.n_classes)
        growth = replace(growth, costs=settings.costs, class_factor=factor, leaf_factor=plain)
    return grow_tree(table, target, weights, growth, n_threads)


def cut_to_least_cost(
    tree: Tree, table: Table, target: ClassTarget, whole: Int64Array, price: int
) -> Start:
    """The tree without splits that save fewer errors than their leaves cost."""
    counts = np.zeros((tree.n_nodes, target.n_classes), dtype=np.int64)
    np.add.at(counts, (predict_leaves(tree, table), target.codes), whole)
    for node in range(tree.n_nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    as_leaf = counts.sum(axis=1) - counts.max(axis=1) + price
    below = np.zeros(tree.n_nodes, dtype=np.int64)
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    cost = as_leaf.copy()
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf[node]:
            cut[node] = as_leaf[node] <= below[node]
            cost[node] = min(as_leaf[node], below[node])
        if node:
            below[tree.parent[node]] += cost[node]
    return Start(make_leaves(tree, cut, "collapsed"), int(cost[0]))


NO_TIME = 1e-9  # seconds; 0 is no limit
MOST_SEARCHED_FIRST = 1_000_000  # rows times splits: up to here CART takes as long as the search


@dataclass(frozen=True, slots=True)
class OptimalSettings:
    """The size limits of a tree, and the time limit of the search."""

    max_depth: int = 3
    max_leaf_nodes: int | None = None
    penalty: float = 0.0  # of a leaf, as a share of the whole weight
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    nominal: str = "one_vs_rest"
    max_cuts: int | None = None
    time_limit: float | None = None  # seconds, including the greedy tree
    handle_unknown: str = "missing"
    # By true and predicted class; those of all errors on a class are the same.
    costs: Floats | None = field(default=None, compare=False)

    @property
    def price(self) -> Floats | None:
        """What an error on each class costs; None if all errors count the same."""
        return None if self.costs is None else np.asarray(self.costs.max(axis=1))

    @property
    def most_leaves(self) -> int:
        """The maximum number of leaves by depth and by `max_leaf_nodes`."""
        by_depth: int = 2**self.max_depth
        return by_depth if self.max_leaf_nodes is None else min(by_depth, self.max_leaf_nodes)


def optimal_tree(
    table: Table,
    target: ClassTarget,
    weights: Floats | None,
    settings: OptimalSettings,
    n_threads: int = 1,
) -> tuple[Tree, OptimalityProof]:
    """The tree with the lowest cost: the weight of its errors plus a penalty for each leaf.

    With costs, an error costs what its row of the matrix says, whatever is predicted.
    The search starts from the tree that CART grows, which is returned if there is no better one. If
    the table is small, CART has its turn only where the search does not end with a proof.
    """
    began = time.monotonic()
    questions = questions_about(table, settings.nominal, settings.max_cuts)
    rows = searched_rows(questions, target, weights, settings.price)

    def tree_of_cart() -> Start | None:
        if questions.n_left_out:  # CART would use the thresholds that were left out
            return None
        grown = greedy_tree(table, target, weights, settings, n_threads)
        return cut_to_least_cost(grown, table, target, rows.of_table, leaf_price(settings, rows))

    searches_first = (
        table.n_rows * questions.n_questions <= MOST_SEARCHED_FIRST
        and settings.nominal != SUBSET_OF_FEW  # CART may use sets that are not searched
    )
    start = None if searches_first else tree_of_cart()
    found = best_tree(
        rows.codes,
        [column.n_values for column in questions.columns],
        [(family.column, family.kind, family.levels) for family in questions.families],
        (rows.classes, rows.weights, rows.n_rows, rows.sure_loss),
        target.n_classes,
        native_limits(settings, rows, start, began, n_threads),
    )
    if searches_first and not found["proven"]:
        start = tree_of_cart()
    if start is not None and start.cost <= found["cost"]:
        tree = start.tree
    else:
        plan = list(zip(found["feature"].tolist(), found["cut"].tolist(), strict=True))
        counted = np.ones(table.n_rows) if weights is None else weights
        ground = Ground(table, target, counted, questions, settings.costs)
        tree = planned_tree(plan, ground, settings.max_depth, settings.handle_unknown)
    return tree, proof_of(tree, found, rows, questions, settings)


def leaf_price(settings: OptimalSettings, rows: SearchedRows) -> int:
    """The cost of a leaf; at least 1, which is negligible, so that fewer leaves win ties."""
    return max(1, round(settings.penalty * rows.weight))


def proof_of(
    tree: Tree,
    found: dict[str, Any],
    rows: SearchedRows,
    questions: Questions,
    settings: OptimalSettings,
) -> OptimalityProof:
    """What the search has proven about a tree."""
    price = settings.price
    value = tree.value if price is None else tree.value * price
    weight = float(tree.weight[0]) if price is None else float(value[0].sum())
    wrong = value.sum(axis=1) - value.max(axis=1)
    errors = float(wrong[tree.is_leaf].sum())
    cost = errors / weight + settings.penalty * tree.n_leaves
    ties = 0 if settings.penalty else settings.most_leaves  # the most that leaves cost here
    bound = max(0.0, (found["bound"] - ties) / rows.weight)
    return OptimalityProof(
        max_depth=settings.max_depth,
        max_leaf_nodes=settings.most_leaves,
        min_samples_leaf=settings.min_samples_leaf,
        min_weight_fraction_leaf=settings.min_weight_fraction_leaf,
        penalty=settings.penalty,
        n_rows=int(tree.n_rows[0]),
        weight=weight,
        errors=errors,
        n_leaves=tree.n_leaves,
        cost=cost,
        lower_bound=cost if found["proven"] else min(bound, cost),
        proven=found["proven"],
        n_searched=found["n_searched"],
        n_questions=questions.n_questions,
        n_left_out=questions.n_left_out,
        n_one_vs_rest=questions.n_one_vs_rest,
        by_costs=price is not None,
    )


def native_limits(
    settings: OptimalSettings,
    rows: SearchedRows,
    start: Start | None,
    began: float,
    n_threads: int,
) -> OptimalLimits:
    """The settings of the compiled search, with the time that is left since `began`."""
    limits = OptimalLimits()
    limits.max_depth = settings.max_depth
    limits.max_leaves = settings.most_leaves
    limits.leaf_price = leaf_price(settings, rows)
    limits.min_rows = settings.min_samples_leaf
    least_weight = settings.min_weight_fraction_leaf * rows.weight
    limits.min_weight = math.ceil(least_weight * (1 - 2**-50))  # 0.07 of 100 is 7, not 8
    if settings.time_limit is not None:
        left = settings.time_limit - (time.monotonic() - began)
        limits.seconds = max(left, NO_TIME)
    limits.n_threads = n_threads
    if start is not None:
        limits.start_cost = start.cost
    return limits
