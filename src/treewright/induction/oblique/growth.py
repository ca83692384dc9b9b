"""grow_oblique_tree: each node splits by one column or by a sum of a few, whichever is better."""

import heapq
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.induction.growth import grow_tree
from treewright.induction.oblique.node_search import Positions, SumSearch, SumSettings, SumSplit
from treewright.induction.settings import GrowthSettings
from treewright.tree.drafting import Draft, draft_of, drafted_arrays, in_order
from treewright.tree.layout import LEAF, OBLIQUE, STOP, STOP_REASONS
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

MOST_KEPT = 4  # as in growth by one column


COMPETITORS = {  # the competitor arrays of a tree
    "competitor_feature": np.int32,
    "competitor_gain": np.float64,
    "competitor_score": np.float64,
    "competitor_threshold": np.float64,
    "competitor_tied": np.uint8,
}
RunnerUp = tuple[float, ...]  # one entry of each of these arrays


def runners_up(stump: Tree, *, is_beaten: bool) -> list[RunnerUp]:
    """The runners-up of the best split by one column, and this split itself if a sum beat it."""
    end = int(stump.competitor_start[1])
    found = list(zip(*(getattr(stump, name)[:end].tolist() for name in COMPETITORS), strict=True))
    if not is_beaten:
        return found
    found = [(*entry[:-1], 0) for entry in found]  # not tied
    if stump.n_nodes > 1:
        best = stump.feature[0], stump.gain[0], stump.score[0], stump.threshold[0], 0
        found = [best, *found][:MOST_KEPT]
    return found


def with_runners_up(tree: Tree, by_node: list[list[RunnerUp]]) -> Tree:
    """The tree with the runners-up of each of its nodes."""
    entries = [entry for of_node in by_node for entry in of_node]
    ends = np.cumsum([0, *map(len, by_node)]).astype(np.int64)
    arrays: dict[str, Any] = {
        name: np.array([entry[at] for entry in entries], dtype=dtype)
        for at, (name, dtype) in enumerate(COMPETITORS.items())
    }
    return replace(tree, competitor_start=ends, **arrays)


# Stop reasons of one-column growth for which a sum may still find a split.
WORTH_A_SUM = ("no candidate", "min_gain", "min_samples_leaf")


def grow_oblique_tree(  # noqa: PLR0913 -- what a tree is made of
    table: Table,
    target: ClassTarget,
    weights: Floats | None,
    growth: GrowthSettings,
    sums: SumSettings,
    n_threads: int = 1,
) -> Tree:
    """Grow a tree on all rows; weights are positive, None counts every row once."""
    return ObliqueGrowth(table, target, weights, growth, sums, n_threads).tree()


@dataclass(order=True, slots=True)
class Growing:
    """A node that may be split, with its split; the lowest priority value goes first."""

    priority: float
    path: int  # the root is 1, the children of node n are 2 n and 2 n + 1
    draft: Draft = field(compare=False)
    rows: Positions = field(compare=False)
    sides: NDArray[np.int8] = field(compare=False)  # of each of its rows: 0 or 1
    depth: int = field(compare=False)


class ObliqueGrowth:
    """The growth of one tree."""

    def __init__(  # noqa: PLR0913 -- what a tree is made of
        self,
        table: Table,
        target: ClassTarget,
        weights: Floats | None,
        growth: GrowthSettings,
        sums: SumSettings,
        n_threads: int,
    ) -> None:
        self.table = table
        self.target = target
        self.weights = weights
        self.growth = growth
        self.n_threads = n_threads
        self.search = SumSearch(table, target, weights, growth, sums)
        self.total = float(target.n_rows if weights is None else weights.sum())
        self.runners_up: dict[int, list[RunnerUp]] = {}  # by id of the draft
        self.waiting: list[Growing] = []

    def tree(self) -> Tree:
        """The grown tree."""
        root = self._start(np.arange(self.target.n_rows), 0, 1)
        self._split_all()
        schema, target, growth = Schema.of(self.table), self.target, self.growth
        grown = Tree.from_arrays(
            drafted_arrays(root),
            schema=schema,
            classes=target.classes,
            class_factor=growth.factor_in_leaves,
            costs=growth.costs,
            unseen=growth.handle_unknown,
        )
        kept = [self.runners_up[id(draft)] if draft.children else [] for draft in in_order(root)]
        return with_runners_up(grown, kept)

    def _split_all(self) -> None:
        most = min(
            np.inf if self.growth.max_leaf_nodes is None else self.growth.max_leaf_nodes - 1,
            np.inf if self.growth.max_splits is None else self.growth.max_splits,
        )
        n_splits = 0
        while self.waiting and n_splits < most:
            place = heapq.heappop(self.waiting)
            place.draft.split_order = n_splits
            place.draft.children = [
                self._start(place.rows[place.sides == side], place.depth + 1, 2 * place.path + side)
                for side in (0, 1)
            ]
            n_splits += 1
        limits = self.growth.max_leaf_nodes, self.growth.max_splits
        reason = "max_splits" if limits[0] is None or most < limits[0] - 1 else "max_leaf_nodes"
        for place in self.waiting:
            become_leaf(place.draft, reason)

    def _start(self, rows: Positions, depth: int, path: int) -> Draft:
        """A new node: choose its split and put it into the queue."""
        table = self.table[rows]
        stump = self._stump(table, rows)
        draft = draft_of(stump, 0)
        can_split = stump.n_nodes > 1 or STOP_REASONS[draft.stop_reason] in WORTH_A_SUM
        if can_split and depth == self.growth.max_depth:
            return become_leaf(draft, "max_depth")
        axis_gain = draft.gain if stump.n_nodes > 1 else max(0.0, self.growth.min_gain or 0.0)
        found = self.search.best(rows, axis_gain, path, self.n_threads) if can_split else None
        if found is None and stump.n_nodes == 1:
            return draft
        self.runners_up[id(draft)] = runners_up(stump, is_beaten=found is not None)
        if found is None:
            sides = (predict_leaves(stump, table) - 1).astype(np.int8)
        else:
            sides = split_by_sum(draft, found)
        best_first = self.growth.max_leaf_nodes is not None or self.growth.max_splits is not None
        priority = -draft.gain * draft.weight if best_first else 0.0
        heapq.heappush(self.waiting, Growing(priority, path, draft, rows, sides, depth))
        return draft

    def _stump(self, table: Table, rows: Positions) -> Tree:
        """The best split by one column, and the statistics of the node."""
        weights = None if self.weights is None else self.weights[rows]
        here = float(len(rows) if weights is None else weights.sum())
        settings = replace(
            self.growth,
            max_depth=1,
            max_leaf_nodes=None,
            max_splits=None,
            min_weight_fraction_leaf=self.growth.min_weight_fraction_leaf * self.total / here,
        )
        target = replace(self.target, codes=self.target.codes[rows])
        return grow_tree(table, target, weights, settings, self.n_threads)


def split_by_sum(draft: Draft, found: SumSplit) -> NDArray[np.int8]:
    """Give the node a split by a sum; return the side of each row."""
    become_leaf(draft, "")
    draft.kind = OBLIQUE
    draft.threshold = found.threshold
    draft.missing_child = found.missing_child
    draft.gain = draft.score = found.gain
    draft.term_feature = list(found.columns)
    draft.term_weight = list(found.weights)
    return found.sides


def become_leaf(draft: Draft, reason: str) -> Draft:
    """Remove the split of a node."""
    draft.kind, draft.feature, draft.threshold = LEAF, -1, 0.0
    draft.missing_child, draft.gain, draft.score = STOP, 0.0, 0.0
    draft.level_code, draft.level_child = [], []
    draft.term_feature, draft.term_weight = [], []
    draft.split_order, draft.stop_reason = -1, STOP_REASONS.index(reason)
    draft.children = []
    return draft
