"""The calculations of a tree without its rows: what the nodes themselves store."""

from collections.abc import Sequence
from dataclasses import replace
from math import isclose, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import measures
from treewright.induction.settings import GrowthSettings
from treewright.pruning.report import PruningReport
from treewright.tree.conditions import conditions_of
from treewright.tree.layout import KIND_NAMES, STOP_REASONS, THRESHOLD
from treewright.tree.node import Node
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.tree.tree import Tree
from treewright.worksheets.pruning_work import PruningWorks
from treewright.worksheets.work import CandidateWork, Group, NodeWork

MOST_COMPARED = 20  # columns in one table


def ranked(candidates: Sequence[CandidateWork], chosen: int) -> tuple[int, ...]:
    """Column numbers: the chosen one first, then by score, those without a split last."""

    def rank(found: CandidateWork) -> tuple[bool, bool, bool, float]:
        # Rounded, because equal scores may differ in their last digits.
        score = -float(f"{found.score:.10g}") if found.score == found.score else 0.0
        return found.feature != chosen, found.kind == "", bool(found.refused), score

    return tuple(found.feature for found in sorted(candidates, key=rank))


MOST_NODES, MOST_IN_SUMMARY = 30, 40
MOST_WORKED_OUT = 10  # columns of one node with their calculation

# Time is measured in cells (one row of one column): 60 million take about a second. The fixed cost
# of a column was measured with `python -m benchmarks.worksheets`: pages show 4 nodes for
# arrhythmia (279 columns), 12 for soybean (35), 17 for Adult (14 columns, 48,842 rows).
MOST_CELLS = 42_000_000
TO_SCORE, TO_COMPARE, TO_SHOW = 22_000, 60_000, 100_000  # one column of a node
MANY_CLASSES = 50  # with this many, a column takes twice as long


def n_nodes_in_time(
    n_rows: NDArray[Any], n_columns: int, n_classes: int, effort: int, *, in_full: bool
) -> int:
    """How many nodes with these numbers of rows fit into the time limit, the largest first."""
    most = MOST_NODES if in_full else MOST_IN_SUMMARY
    fixed = TO_SCORE * n_columns * (1 + n_classes / MANY_CLASSES)
    fixed += TO_COMPARE * min(n_columns, MOST_COMPARED)
    fixed += TO_SHOW * min(n_columns, MOST_WORKED_OUT) if in_full else 0
    cells = -np.sort(-n_rows)[:most] * n_columns * effort + fixed
    return max(1, int((np.cumsum(cells) <= MOST_CELLS).sum()))


class TreeCalculation:
    """What is known about the nodes of a tree without comparing columns."""

    is_wide = False  # whether a page cannot show all columns

    def __init__(self, tree: Tree, settings: GrowthSettings, pruning: PruningReport | None) -> None:
        self.tree = with_thresholds_shown(tree)
        self.settings = settings
        self._pruning = None if pruning is None else PruningWorks(pruning)

    def n_nodes_at_once(self, *, in_full: bool) -> int:
        """How many nodes a page shows by default, the largest first."""
        return MOST_NODES if in_full else MOST_IN_SUMMARY

    def node(self, index: int, most: int | None = None) -> NodeWork:
        """The calculation at one node: every column in full, or only the `most` best ones."""
        raise NotImplementedError

    def _path(self, index: int) -> tuple[str, ...]:
        """The conditions from the root to a node."""
        return tuple(node.condition for node in self.tree.node(index).path[1:])

    def _bare(self, index: int, path: tuple[str, ...], group: Group) -> NodeWork:
        """The node and its rows, without columns."""
        pruning = self._pruning
        return NodeWork(
            node=index,
            path=path,
            group=group,
            prediction=self.tree.node(index).prediction,
            stop_reason=STOP_REASONS[self.tree.stop_reason[index]],
            cut=None if pruning is None else pruning.cuts.get(index),
            is_raised=pruning is not None and pruning.is_raised(index),
            pruning=None if pruning is None else pruning.at(index),
        )


CLOSE = 1e-9  # of the impurity: then the stored gain is that of the branches
NOTE = (
    "Made without the training rows, from what the model stores about each node: counts, impurity, "
    "the gain of its split and of the best others. Give X and y for the calculation of every "
    "column."
)


class StoredCalculation(TreeCalculation):
    """The calculations of a tree's nodes, as far as the tree stores them."""

    def __init__(
        self, tree: Tree, settings: GrowthSettings, pruning: PruningReport | None = None
    ) -> None:
        super().__init__(tree, settings, pruning)
        factor = settings.class_factor
        self._factor = np.ones(tree.n_values) if factor is None else factor

    def node(self, index: int, most: int | None = None) -> NodeWork:
        """What is stored about one node; `most` has no effect."""
        view = self.tree.node(index)
        path = self._path(index)
        work = self._bare(index, path, self._group(index, path[-1] if path else ""))
        if view.is_leaf or view.column is None or view.n_rows == 0:
            return work
        return self._compared(work, view)

    def _compared(self, work: NodeWork, view: Node) -> NodeWork:
        chosen = self._chosen(view, is_raised=work.is_raised)
        others = [
            replace(
                self._unknown(self.tree.schema.names.index(one.column.name), one.gain, one.score),
                threshold=one.threshold,
            )
            for one in view.competitors
        ]
        ties = [rival.column.name for rival in view.competitors if rival.is_tied]
        runner_up = others[0] if others else None
        candidates = sorted([chosen, *others], key=lambda found: found.feature)
        return replace(
            work,
            candidates=tuple(candidates),
            ranked=ranked(candidates, chosen.feature),
            chosen=chosen,
            runner_up=runner_up,
            margin=nan if runner_up is None else chosen.score - runner_up.score,
            ties=tuple(ties),
        )

    def _chosen(self, view: Node, *, is_raised: bool) -> CandidateWork:
        """The tree's split, with its branches if they alone explain the gain."""
        tree, index = self.tree, view.index
        assert view.column is not None
        made = self._unknown(int(tree.feature[index]), view.gain, view.score)
        made = replace(made, threshold=view.threshold if tree.kind[index] == THRESHOLD else None)
        if is_raised:  # the score is from growth, the gain from the rows that are here now
            is_gain = self.settings.criterion not in ("gain_ratio", "chi2")
            return replace(made, gain=view.score if is_gain else nan, split_information=nan)
        first = int(tree.first_child[index])
        numbers = [
            first + number
            for number in range(int(tree.n_children[index]))
            if tree.n_rows[first + number]
        ]
        whole = self._counted(index)
        counted = np.array([self._counted(number) for number in numbers])
        remainder = float(counted @ tree.impurity[numbers]) / whole
        is_all = isclose(float(counted.sum()), whole, rel_tol=CLOSE)
        taken = view.impurity - remainder
        if not is_all or abs(taken - view.gain) > CLOSE * view.impurity:
            return made  # values were missing, or the gain was corrected for the threshold
        conditions = conditions_of(tree, index)
        return replace(
            made,
            kind=KIND_NAMES[tree.kind[index]],
            branches=tuple(self._group(number, conditions[number - first]) for number in numbers),
            missing_weight=0.0,
            known_share=1.0,
            before=view.impurity,
            remainder=remainder,
            split_information=measures.entropy(tree.weight[numbers]),
        )

    def _unknown(self, feature: int, gain: float, score: float) -> CandidateWork:
        """A split of which only gain and score are known."""
        by_ratio = self.settings.criterion == "gain_ratio" and score > 0
        return CandidateWork(
            self.tree.schema.columns[feature].name,
            feature,
            gain=gain,
            split_information=gain / score if by_ratio else nan,
            score=score,
        )

    def _counted(self, node: int) -> float:
        """The weight of a node as the criterion counts it."""
        if self.tree.classes is None:
            return float(self.tree.weight[node])
        return float(self.tree.value[node] @ self._factor)

    def _group(self, node: int, condition: str) -> Group:
        tree = self.tree
        n_rows, weight = int(tree.n_rows[node]), float(tree.weight[node])
        has_rows = weight > 0
        impurity = float(tree.impurity[node]) if has_rows else 0.0
        if tree.classes is None:
            center = float(tree.value[node, 0]) if has_rows else nan
            by_distance = self.settings.criterion == "absolute_error"
            mean, median = (nan, center) if by_distance else (center, nan)
            return Group(condition, n_rows, weight, (), mean, impurity, median)
        counts = tree.value[node] if has_rows else np.zeros(tree.n_values)
        return Group(condition, n_rows, weight, tuple(counts.tolist()), nan, impurity)
