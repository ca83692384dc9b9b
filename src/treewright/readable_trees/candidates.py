"""The ways to a tree of few leaves.

`WAYS` names them. Each looks for the tree with the least loss in training, by the labels of the
rows or by what a boosted model predicts for them; `choice.py` compares them on other rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.column import MISSING, Column, NominalColumn
from treewright.data.row_hash import row_hashes
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import grow_tree, sorted_columns
from treewright.induction.optimal.questions import SUBSET_OF_FEW, questions_about
from treewright.induction.optimal.search import OptimalSettings, optimal_tree
from treewright.induction.settings import GrowthSettings
from treewright.readable_trees.sketches import (
    INFINITE,
    SAME,
    Aim,
    Refinement,
    Rows,
    best_count,
    best_sizes,
    copied,
    cut_to,
    divided,
    leaves_with_rows,
    pruned,
    sketch_of,
    total_loss,
)
from treewright.tree.drafting import Draft, become
from treewright.tree.layout import LEAF
from treewright.tree.tree import Tree

# Of a nominal column: longer sets are hard to read, and with many categories a set fits by chance.
MOST_LEVELS = 32
FEWEST_OF_LEVEL = 3  # rows; rarer categories are treated as missing
LEAST_SHARE = 1e-3  # a class with a smaller share of a row is left out
LARGE = 4  # leaves before pruning, for each leaf that is allowed
ROOT_SPLITS = 6  # that lookahead tries
LEAVES_OF_COLUMN = 4  # of the tree on one column whose splits lookahead tries
ROUNDS = 3  # of refining, growing and pruning
OPTIMAL_DEPTH = 3
OPTIMAL_WORK = 1e7  # rows x splits of the root squared: a few tenths of a second
OPTIMAL_CUTS = (None, 32, 16, 8, 4)  # thresholds of a column, the first that the work allows
TEACHER_SHARE = 0.8  # of the labels; the rest is the label of the row
SAMPLED = 4  # rows made up for each row
MOST_SAMPLED = 20_000
SWAPPED = 0.3  # of the values of a row that is made up are those of another row
WEIGHT_OF_SAMPLED = 0.5  # of all rows that are made up, against all rows

C45_RULES = {"criterion": "gain_ratio", "mdl_correction": True, "average_gain_filter": True}


@dataclass(frozen=True, eq=False)
class Ground:
    """The rows that trees are searched on, and what they should predict for them."""

    table: Table
    classes: NDArray[Any] | None
    labels: Floats  # (n_rows, n_classes): 1 for the class of the row; or (n_rows, 1)
    weights: Floats
    min_leaf: float
    max_depth: int | None
    n_threads: int
    # What the boosted model predicts for each row without knowing its label; None: no teacher.
    taught: Floats | None = None
    teach: Callable[[Table], Floats] | None = None  # the same for rows that are made up

    @cached_property
    def usable(self) -> Table:
        """The table without rare categories."""
        columns = [
            with_frequent_levels(column, self.weights)
            if isinstance(column, NominalColumn)
            else column
            for column in self.table.columns
        ]
        return Table(columns, self.table.n_rows, has_names=self.table.has_names)

    def aim(self, table: Table, wanted: Floats, weights: Floats, **given: float) -> Aim:
        return Aim(
            table,
            wanted,
            weights,
            is_class=self.classes is not None,
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            **given,
        )

    @cached_property
    def by_labels(self) -> "Grower":
        return Grower(self, self.aim(self.usable, self.labels, self.weights))

    @cached_property
    def by_teacher(self) -> "Grower":
        """With the labels that are mostly those of the teacher."""
        assert self.taught is not None
        wanted = TEACHER_SHARE * self.taught + (1.0 - TEACHER_SHARE) * self.labels
        left_out = 1.0 - TEACHER_SHARE
        return Grower(self, self.aim(self.usable, wanted, self.weights, left_out=left_out))

    @cached_property
    def by_teacher_on_more(self) -> "Grower":
        """With the labels of the teacher only, and rows that are made up."""
        assert self.taught is not None
        assert self.teach is not None
        table, weights = more_rows(self)
        wanted = np.concatenate([self.taught, self.teach(table)])
        both = joined(self.usable, table)
        weights = np.concatenate([self.weights, weights])
        return Grower(self, self.aim(both, wanted, weights, left_out=0.0))


def with_frequent_levels(column: NominalColumn, weights: Floats) -> NominalColumn:
    """The column with categories as missing that are rare, or too many."""
    if column.ordered:
        return column
    known = column.codes >= 0
    n_levels = len(column.levels)
    counts = np.bincount(column.codes[known], weights[known], minlength=n_levels)
    kept = counts >= min(FEWEST_OF_LEVEL, counts.sum() / 10)
    if np.count_nonzero(kept) > MOST_LEVELS:
        kept[np.argsort(-counts, kind="stable")[MOST_LEVELS:]] = False
    if kept.all():
        return column
    code = np.append(np.where(kept, np.arange(n_levels), MISSING), MISSING)
    codes = code[np.maximum(column.codes, MISSING)].astype(column.codes.dtype)
    return replace(column, codes=codes)


def more_rows(ground: Ground) -> tuple[Table, Floats]:
    """Rows that are made up: some values of each are those of another row.

    Rows are drawn in the order of their hashes, each as often as its weight says, so neither the
    order of the table nor the number of equal rows has an effect.
    """
    table = ground.usable
    order = np.argsort(row_hashes(table, portable_key(ground.labels), seed=0), kind="stable")
    ends = np.cumsum(ground.weights[order])
    generator = np.random.default_rng(0)
    n_rows = int(min(SAMPLED * round(ends[-1]), MOST_SAMPLED))

    def draw() -> Rows:
        at = np.searchsorted(ends, generator.random(n_rows) * ends[-1], side="right")
        drawn: Rows = order[np.minimum(at, len(order) - 1)]
        return drawn

    rows, others = draw(), draw()
    columns = [
        column.take(np.where(generator.random(n_rows) < SWAPPED, others, rows))
        for column in table.columns
    ]
    weight = WEIGHT_OF_SAMPLED * ends[-1] / max(n_rows, 1)
    return Table(columns, n_rows, has_names=table.has_names), np.full(n_rows, weight)


def portable_key(labels: Floats) -> NDArray[Any]:
    """One number for the label of each row."""
    return labels[:, 0] if labels.shape[1] == 1 else np.argmax(labels, axis=1)


def joined(one: Table, other: Table) -> Table:
    """The rows of two tables of the same columns."""

    def both(first: Column, second: Column) -> Column:
        if isinstance(first, NominalColumn):
            assert isinstance(second, NominalColumn)
            return replace(first, codes=np.concatenate([first.codes, second.codes]))
        assert not isinstance(second, NominalColumn)
        return replace(first, values=np.concatenate([first.values, second.values]))

    columns = [both(*pair) for pair in zip(one.columns, other.columns, strict=True)]
    return Table(columns, one.n_rows + other.n_rows, has_names=one.has_names)


class Grower:
    """Grows sketches for an aim by the compiled grower, on all rows or on some."""

    def __init__(self, ground: Ground, aim: Aim) -> None:
        self.aim = aim
        self.n_threads = ground.n_threads
        self.max_depth = ground.max_depth
        self.target: ClassTarget | NumericTarget
        if ground.classes is None:
            self.origin = np.arange(aim.table.n_rows)
            self.weights = aim.weights
            self.target = NumericTarget(np.ascontiguousarray(aim.wanted[:, 0]))
        else:
            # Class shares: a row stands for each class once, with its share as the weight.
            self.origin, codes = np.nonzero(aim.wanted > LEAST_SHARE)
            self.weights = aim.wanted[self.origin, codes] * aim.weights[self.origin]
            self.target = ClassTarget(codes.astype(np.int32), ground.classes)
        is_same = len(self.origin) == aim.table.n_rows
        self.table = aim.table if is_same else aim.table[self.origin]
        self.in_order = sorted_columns(self.table, self.n_threads)

    def settings(self, max_leaf_nodes: int, rules: dict[str, Any]) -> GrowthSettings:
        settings = GrowthSettings(
            criterion="entropy" if self.aim.is_class else "squared_error",
            nominal="subset",
            missing="learned",
            min_samples_leaf=self.aim.min_leaf,
            limits_by_weight=True,
            max_depth=self.max_depth,
            max_leaf_nodes=max_leaf_nodes,
            n_competitors=0,
        )
        return replace(settings, **rules)

    def grow(self, rows: Rows | None, most: int, **rules: Any) -> Draft:
        """The sketch that best-first growth makes of some of the rows; None: of all."""
        settings = self.settings(most, rules)
        if rows is None:
            table, target, weights, in_order = self.table, self.target, self.weights, self.in_order
        else:
            is_here = np.zeros(self.aim.table.n_rows, dtype=np.bool_)
            is_here[rows] = True
            own = np.flatnonzero(is_here[self.origin])
            table, target = self.table[own], self.target.take(own)
            weights, in_order = self.weights[own], self.in_order.take(own)
        return sketch_of(grow_tree(table, target, weights, settings, self.n_threads, in_order))

    def stump_splits(self, feature: int) -> list[Draft]:
        """The splits of a small tree on one column."""
        table = Table([self.table.columns[feature]], self.table.n_rows)
        settings = self.settings(LEAVES_OF_COLUMN, {})
        tree = grow_tree(table, self.target, self.weights, settings, self.n_threads)
        found, waiting = [], [sketch_of(tree)]
        while waiting:
            draft = waiting.pop()
            if draft.kind != LEAF:
                waiting += draft.children
                draft.feature = feature
                found.append(draft)
        return found


def best_first(ground: Ground, most: int) -> Draft:
    """CART, the best split first until the leaves are used up."""
    rules = {} if ground.classes is None else {"criterion": "gini"}
    return ground.by_labels.grow(None, most, **rules)


def grown_and_pruned(grower: Grower, most: int, **rules: Any) -> Draft:
    """A large tree, pruned to the leaves that help most."""
    return pruned(grower.grow(None, LARGE * most, **rules), grower.aim, most)


def with_lookahead(grower: Grower, most: int) -> Draft:
    """The best of the trees that start with one of the most promising splits of the root."""
    aim = grower.aim
    everything = np.arange(aim.table.n_rows)
    least, best = INFINITE, None
    for split in root_splits(grower):
        sides = divided(split, aim, everything)
        split.children = [grower.grow(rows, most + most // 2) for rows in sides]
        sizes = best_sizes(split, aim, everything, most)
        count = best_count(sizes[id(split)], most)
        loss = sizes[id(split)].losses[count - 1]
        if best is None or loss < least - SAME * abs(least):
            least, best = loss, cut_to(split, sizes, count)
    return grower.grow(None, 1) if best is None else best


def root_splits(grower: Grower) -> list[Draft]:
    """The splits that leave the least loss, of those in small trees on each column."""
    aim = grower.aim
    everything = np.arange(aim.table.n_rows)
    found: list[tuple[float, int, Draft]] = []
    for feature in range(aim.table.n_columns):
        for split in grower.stump_splits(feature):
            loss = sum(aim.leaf_loss(aim.sums(rows)) for rows in divided(split, aim, everything))
            if loss < INFINITE:
                found.append((loss, len(found), split))
    return [split for _, _, split in sorted(found)[:ROOT_SPLITS]]


def refined(root: Draft, grower: Grower, most: int) -> Draft:
    """Choose the splits again, grow the leaves, prune to the best ones; again while it helps."""
    aim = grower.aim
    everything = np.arange(aim.table.n_rows)
    best, least = root, total_loss(root, aim, everything)
    for _ in range(ROUNDS):
        tried = Refinement(copied(best), aim).run()
        for leaf, rows in list(leaves_with_rows(tried, aim, everything)):
            if len(rows) > 1:
                become(leaf, grower.grow(rows, max(4, most // 2)))
        tried = pruned(tried, aim, most)
        loss = total_loss(tried, aim, everything)
        if not loss < least - 1e-6 * abs(least):
            break
        best, least = tried, loss
    return best


def optimal(ground: Ground, most: int) -> Draft | None:
    """The tree of depth 3 with the fewest errors, grown on; None where the search is too long."""
    if ground.classes is None:
        return None
    table, weight = ground.usable, float(ground.weights.sum())
    for cuts in OPTIMAL_CUTS:
        n_splits = questions_about(table, "one_vs_rest", cuts).n_questions
        if n_splits and weight * n_splits**2 <= OPTIMAL_WORK:
            break
    else:
        return None
    target = ClassTarget(np.argmax(ground.labels, axis=1).astype(np.int32), ground.classes)
    settings = OptimalSettings(
        max_depth=min(OPTIMAL_DEPTH, most - 1, ground.max_depth or OPTIMAL_DEPTH),
        max_leaf_nodes=most,
        max_cuts=cuts,
        min_weight_fraction_leaf=min(ground.min_leaf / weight, 0.5),
    )
    tree, _ = optimal_tree(table, target, ground.weights, settings, ground.n_threads)
    root, grower = sketch_of(tree), ground.by_labels
    everything = np.arange(table.n_rows)
    for leaf, rows in list(leaves_with_rows(root, grower.aim, everything)):
        if len(rows) > 1:
            become(leaf, grower.grow(rows, most))
    return pruned(root, grower.aim, most)


def gap_to_optimal(tree: Tree, ground: Ground) -> float | None:
    """Training errors that the best tree of this depth and size saves, as a share of the weight.

    None for numbers, and where the search would take too long.
    """
    if ground.classes is None or not 0 < tree.depth <= OPTIMAL_DEPTH:
        return None
    n_splits = questions_about(ground.table, SUBSET_OF_FEW, None).n_questions
    weight = float(ground.weights.sum())
    if weight * n_splits**2 > OPTIMAL_WORK or tree.n_rows[0] != ground.table.n_rows:
        return None
    settings = OptimalSettings(
        max_depth=tree.depth, max_leaf_nodes=tree.n_leaves, nominal=SUBSET_OF_FEW
    )
    target = ClassTarget(np.argmax(ground.labels, axis=1).astype(np.int32), ground.classes)
    _, proof = optimal_tree(ground.table, target, ground.weights, settings, ground.n_threads)
    wrong = tree.value.sum(axis=1) - tree.value.max(axis=1)
    share = float(wrong[tree.is_leaf].sum()) / float(tree.weight[0])
    return max(0.0, share - proof.least_errors / proof.weight) if proof.proven else None


def lookahead(ground: Ground, most: int) -> Draft:
    return refined(with_lookahead(ground.by_labels, most), ground.by_labels, most)


def distilled(ground: Ground, most: int) -> Draft:
    grower = ground.by_teacher_on_more
    return refined(grown_and_pruned(grower, most), grower, most)


def distilled_with_lookahead(ground: Ground, most: int) -> Draft:
    return refined(with_lookahead(ground.by_teacher, most), ground.by_teacher, most)


Way = Callable[[Ground, int], Draft | None]
WAYS: dict[str, Way] = {
    "CART": best_first,
    "CART, pruned": lambda ground, most: grown_and_pruned(ground.by_labels, most),
    "C4.5, pruned": lambda ground, most: (
        None if ground.classes is None else grown_and_pruned(ground.by_labels, most, **C45_RULES)
    ),
    "optimal": optimal,
    "lookahead": lookahead,
    "distilled": distilled,
    "distilled, lookahead": distilled_with_lookahead,
}
TAUGHT = ("distilled", "distilled, lookahead")  # the ways that need a teacher
