"""The calculation at one node: every column's best split, and the choice among them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import TypeVar

from treewright.pruning.report import PruningReport
from treewright.tree.conditions import conditions_of
from treewright.tree.layout import INTERVALS, KIND_NAMES, OBLIQUE, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.candidates import (
    Detail,
    Division,
    candidate,
    chosen_feature,
    division_of_node,
    sum_candidate,
)
from treewright.worksheets.node_rows import NodeRows, child_of_values
from treewright.worksheets.partitions import NOT_COUNTED, OWN_SIDE
from treewright.worksheets.place import TIE, Place
from treewright.worksheets.scoring import ValuesHere, first_best
from treewright.worksheets.stored import MOST_COMPARED, TreeCalculation, n_nodes_in_time, ranked
from treewright.worksheets.training import Training, check_agreement
from treewright.worksheets.work import CandidateWork, Group, NodeWork

NOTHING_COMPARED = ("pure", "empty", "max_depth", "min_samples_split", "written")
AVERAGE_SLACK = 1e-3
MANY_LEVELS = 0.3  # of the rows: C4.5's average leaves out columns with this many categories

Work = TypeVar("Work", bound=CandidateWork)


class Calculation(TreeCalculation):
    """The calculations of a tree's nodes, each computed when it is needed."""

    def __init__(
        self,
        tree: Tree,
        training: Training,
        pruning: PruningReport | None = None,
        drawn: Mapping[int, Collection[int]] | None = None,
    ) -> None:
        """`drawn` are the columns that a node could choose from, where not from all."""
        super().__init__(tree, training.settings, pruning)
        self._drawn = {} if drawn is None else drawn
        self.training = training
        self.rows = NodeRows(tree, training)
        self.is_wide = training.table.n_columns > MOST_COMPARED

    def n_nodes_at_once(self, *, in_full: bool) -> int:
        training, criterion = self.training, self.settings.criterion
        effort = 1 if training.n_classes else 3  # time per cell, relative to counting classes
        if callable(criterion) or criterion == "absolute_error":
            effort = 250
        n_columns, n_rows = training.table.n_columns, self.tree.n_rows
        return n_nodes_in_time(n_rows, n_columns, training.n_classes, effort, in_full=in_full)

    def node(self, index: int, most: int | None = None) -> NodeWork:
        """The calculation at one node: every column in full, or only the `most` best ones.

        Then the other columns that a page compares have their branches, and the rest their score.
        """
        share = self.rows.of(index)
        path = self._path(index)
        condition = path[-1] if path else ""
        place = Place(self.training, share) if share.n_rows else None
        if place is None:
            group = Group(condition, 0, 0.0, (0.0,) * self.training.n_classes, nan, 0.0)
        else:
            group = place.group(condition)
        check_agreement(self.tree, index, group)
        work = self._bare(index, path, group)
        is_leaf = bool(self.tree.is_leaf[index])
        if place is None or (is_leaf and work.stop_reason in NOTHING_COMPARED):
            return work
        return self._compared(work, place, most)

    def _compared(self, work: NodeWork, place: Place, most: int | None) -> NodeWork:
        features = range(self.training.table.n_columns)
        detail = Detail.EVERYTHING if most is None else Detail.SCORE
        candidates = [self._candidate(work.node, place, feature, detail) for feature in features]
        candidates, averaged, average = judged(place, candidates)
        chosen = chosen_feature(self.tree, work.node)
        if self.tree.kind[work.node] == OBLIQUE:
            candidates.append(sum_candidate(self.tree, work.node, place))
        order = ranked(candidates, chosen)
        if most is not None:
            for rank, feature in enumerate(order[:MOST_COMPARED]):
                if feature not in features:
                    continue
                detail = Detail.EVERYTHING if rank < most else Detail.BRANCHES
                found = self._candidate(work.node, place, feature, detail)
                candidates[feature] = replace(found, refused=candidates[feature].refused)
        work = replace(
            work,
            candidates=tuple(candidates),
            ranked=order,
            average_gain=average,
            averaged=tuple(found.column for found in averaged),
        )
        return self._with_choice(work, self._score_tolerance(place))

    def _with_choice(self, work: NodeWork, tolerance: float) -> NodeWork:
        """The column that the tree chose, and the runner-up."""
        feature = chosen_feature(self.tree, work.node)
        chosen = next((found for found in work.candidates if found.feature == feature), None)
        if chosen is None:
            return work
        others = [found for found in work.candidates if found is not chosen and not found.refused]
        runner_up = None
        if others:
            runner_up = others[first_best([found.score for found in others], tolerance)]
        ties = [found.column for found in others if abs(found.score - chosen.score) <= tolerance]
        return replace(
            work,
            chosen=chosen,
            runner_up=runner_up,
            margin=nan if runner_up is None else chosen.score - runner_up.score,
            ties=tuple(ties),
        )

    def _candidate(self, node: int, place: Place, feature: int, detail: Detail) -> CandidateWork:
        here = place.values(feature)
        if feature == self.tree.feature[node]:
            return candidate(place, feature, here, self._made(node, here), detail)
        found = candidate(place, feature, here, None, detail)
        if feature not in self._drawn.get(node, (feature,)):
            return replace(found, refused="not drawn")
        path = self.tree.path_to(node)[:-1]
        if self.settings.use_once and feature in self.tree.feature[list(path)]:
            return replace(found, refused="used above")
        return found

    def _made(self, node: int, here: ValuesHere) -> Division:
        """The tree's own split of a node."""
        tree = self.tree
        missing = NOT_COUNTED
        children = child_of_values(tree, node, here.numbers)
        if here.has_missing and self.settings.missing == "learned":
            missing = int(tree.missing_child[node])
            if missing > children.max(initial=-1) and tree.kind[node] == INTERVALS:
                missing = OWN_SIDE  # all known values are on the other side
        elif here.has_missing and self.settings.missing == "branch":
            missing = OWN_SIDE
        is_cut = tree.kind[node] == THRESHOLD
        return division_of_node(
            KIND_NAMES[tree.kind[node]],
            children,
            conditions_of(tree, node),
            float(tree.threshold[node]) if is_cut else None,
            missing,
        )

    def _score_tolerance(self, place: Place) -> float:
        if self.settings.criterion == "gain_ratio":
            return TIE
        if self.settings.criterion == "chi2":
            return TIE * place.weight
        return TIE * place.impurity


def judged(place: Place, candidates: Sequence[Work]) -> tuple[list[Work], list[Work], float | None]:
    """The candidates of all columns, refused if their gain is too small.

    C4.5: and those whose gains are averaged, and the average; None if there are none.
    """
    averaged = _averaged(place, candidates)
    average = sum(found.gain for found in averaged) / len(averaged) if averaged else None
    return [_judged(place, found, average) for found in candidates], averaged, average


def _judged(place: Place, found: Work, average: float | None) -> Work:
    settings = place.training.settings
    if found.refused:
        return found
    if not _gains_enough(place, found):
        return replace(found, refused=f"gain is not above {settings.min_gain:g}")
    if not settings.average_gain_filter:
        return found
    if average is None:
        return replace(found, refused="no column with fewer categories gains")
    if found.gain < average - AVERAGE_SLACK:
        return replace(found, refused="gain is below the average")
    return found


def _gains_enough(place: Place, found: CandidateWork) -> bool:
    least = place.training.settings.min_gain
    return least is None or found.gain > least + TIE * place.impurity


def _averaged(place: Place, candidates: Sequence[Work]) -> list[Work]:
    """C4.5: the columns whose gains are averaged, without those of very many categories."""
    training = place.training
    if not training.settings.average_gain_filter:
        return []
    usable = [
        found
        for found in candidates
        if not found.refused and (training.is_nominal(found.feature) or _gains_enough(place, found))
    ]
    if not all(_has_many_levels(training, feature) for feature in range(training.table.n_columns)):
        usable = [found for found in usable if not _has_many_levels(training, found.feature)]
    return usable


def _has_many_levels(training: Training, feature: int) -> bool:
    n_levels = len(training.spec(feature).levels)
    return training.is_nominal(feature) and n_levels >= MANY_LEVELS * training.table.n_rows
