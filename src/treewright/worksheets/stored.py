"""The work behind a tree without its rows: what the nodes themselves have kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isclose, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import measures
from treewright.induction.settings import GrowthSettings
from treewright.pruning.report import PruningReport
from treewright.tree.conditions import conditions_of
from treewright.tree.layout import KIND_NAMES, STOP_REASONS, THRESHOLD
from treewright.tree.node import Competitor, Node
from treewright.tree.tree import Tree
from treewright.worksheets.pruning_work import PruningWorks
from treewright.worksheets.work import CandidateWork, Group, NodeWork

MOST_COMPARED = 20  # columns in one table


def ranked(candidates: Sequence[CandidateWork], chosen: int) -> tuple[int, ...]:
    """The columns by their numbers: the chosen one, then by score, those without a split last."""

    def rank(found: CandidateWork) -> tuple[bool, bool, bool, float]:
        score = -_rounded(found.score) if found.score == found.score else 0.0
        return found.feature != chosen, found.kind == "", bool(found.refused), score

    return tuple(found.feature for found in sorted(candidates, key=rank))


def _rounded(score: float) -> float:
    """Without the digits in which equal scores differ, however they were added up."""
    return float(f"{score:.10g}")


MOST_NODES, MOST_IN_SUMMARY = 30, 40
MOST_WORKED_OUT = 10  # columns of one node whose calculation is shown

# Time is counted in cells, one row of one column: 60 million take about a second. What a column
# takes however few its rows are was measured by `python -m benchmarks.worksheets`: pages have 4
# nodes of arrhythmia (279 columns), 12 of soybean (35), 17 of Adult (14 columns, 48,842 rows).
MOST_CELLS = 42_000_000
TO_SCORE, TO_COMPARE, TO_SHOW = 22_000, 60_000, 100_000  # one column of a node
MANY_CLASSES = 50  # with so many a column takes twice as long


@dataclass(frozen=True, slots=True)
class Width:
    """What there is to do at every node of a tree."""

    n_columns: int
    n_classes: int

    def cells(self, *, in_full: bool) -> float:
        """The effort that one node takes however few its rows are."""
        scored = TO_SCORE * self.n_columns * (1 + self.n_classes / MANY_CLASSES)
        compared = TO_COMPARE * min(self.n_columns, MOST_COMPARED)
        shown = TO_SHOW * min(self.n_columns, MOST_WORKED_OUT) if in_full else 0
        return scored + compared + shown

    def n_nodes(self, n_rows: NDArray[Any], effort: int, *, in_full: bool) -> int:
        """How many nodes of so many rows, the largest first, take less than the limit."""
        most = MOST_NODES if in_full else MOST_IN_SUMMARY
        largest = -np.sort(-n_rows)[:most]
        effort_of_nodes = largest * self.n_columns * effort + self.cells(in_full=in_full)
        return max(1, int((np.cumsum(effort_of_nodes) <= MOST_CELLS).sum()))


class BareWorks:
    """What is said of the nodes of a tree wherever their numbers come from."""

    def __init__(self, tree: Tree, pruning: PruningReport | None) -> None:
        self.tree = tree
        self.pruning = None if pruning is None else PruningWorks(pruning)

    def path(self, index: int) -> tuple[str, ...]:
        """The conditions from the root to a node."""
        return tuple(node.condition for node in self.tree.node(index).path[1:])

    def of(self, index: int, path: tuple[str, ...], group: Group) -> NodeWork:
        """The node with its rows, and no column compared."""
        pruning = self.pruning
        return NodeWork(
            node=index,
            path=path,
            group=group,
            answer=self.tree.node(index).answer,
            candidates=(),
            chosen=None,
            runner_up=None,
            margin=nan,
            ties=(),
            average_gain=None,
            stop_reason=STOP_REASONS[self.tree.stop_reason[index]],
            cut=None if pruning is None else pruning.cuts.get(index),
            is_raised=pruning is not None and pruning.is_raised(index),
            pruning=None if pruning is None else pruning.at(index),
        )


CLOSE = 1e-9  # of the impurity: the stored gain is that of the branches as they are
NOTE = (
    "Made without the rows of the fit, from what the model keeps of each node: counts, impurity, "
    "the gain of its split and of the best others. Give X and y for every column's calculation."
)


class StoredCalculation:
    """The work behind the nodes of a tree, as far as the tree tells it."""

    def __init__(
        self, tree: Tree, settings: GrowthSettings, pruning: PruningReport | None = None
    ) -> None:
        self.tree = tree
        self.settings = settings
        self._bare = BareWorks(tree, pruning)
        factor = settings.class_factor
        self._factor = np.ones(tree.n_values) if factor is None else factor

    def n_nodes_at_once(self, *, in_full: bool) -> int:
        """How many nodes are shown unless more are asked for."""
        return MOST_NODES if in_full else MOST_IN_SUMMARY

    @property
    def is_wide(self) -> bool:
        """Whether a page cannot show all columns: few are kept."""
        return False

    def node(self, index: int, most: int | None = None) -> NodeWork:
        """What is known of the calculation at one node; nothing is left out, whatever `most`."""
        view = self.tree.node(index)
        path = self._bare.path(index)
        work = self._bare.of(index, path, self._group(index, path[-1] if path else ""))
        if view.is_leaf or view.column is None or view.n_rows == 0:
            return work
        return self._compared(work, view)

    def _compared(self, work: NodeWork, view: Node) -> NodeWork:
        chosen = self._chosen(view, is_raised=work.is_raised)
        others = [self._other(competitor) for competitor in view.competitors]
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
        """The split that was made; its branches where nothing but they makes the gain."""
        tree, index = self.tree, view.index
        assert view.column is not None
        made = self._unknown(int(tree.feature[index]), view.gain, view.score)
        made = replace(made, threshold=view.threshold if tree.kind[index] == THRESHOLD else None)
        if is_raised:  # the score is that of growth, the gain that of the rows here now
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
            return made  # values were missing, or the gain has paid for its threshold
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

    def _other(self, competitor: Competitor) -> CandidateWork:
        feature = self.tree.schema.names.index(competitor.column.name)
        other = self._unknown(feature, competitor.gain, competitor.score)
        return replace(other, threshold=competitor.threshold)

    def _unknown(self, feature: int, gain: float, score: float) -> CandidateWork:
        """A split of which gain and score are known, and of the gain ratio its two parts."""
        by_ratio = self.settings.criterion == "gain_ratio" and score > 0
        return CandidateWork(
            column=self.tree.schema.columns[feature].name,
            feature=feature,
            kind="",
            branches=(),
            threshold=None,
            missing_weight=nan,
            known_share=nan,
            before=nan,
            remainder=nan,
            correction=0.0,
            gain=gain,
            split_information=gain / score if by_ratio else nan,
            score=score,
            tried=(),
            refused="",
        )

    def _counted(self, node: int) -> float:
        """The weight of a node as the measure counts it."""
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
