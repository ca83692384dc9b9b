"""The calculation at one node: every column's best split, and the choice among them."""

from dataclasses import replace
from math import nan

from treewright.pruning.report import PruningReport
from treewright.tree.conditions import conditions_of
from treewright.tree.kinds import OBLIQUE, STOP_REASONS
from treewright.tree.tree import Tree
from treewright.worksheets.candidates import TIE, Place, candidate
from treewright.worksheets.node_rows import NodeRows, child_of_rows
from treewright.worksheets.partitions import split_of
from treewright.worksheets.scoring import scorer_for
from treewright.worksheets.training import Training
from treewright.worksheets.work import CandidateWork, NodeWork

NOTHING_COMPARED = ("pure", "empty", "max_depth", "min_samples_split", "written")
AVERAGE_SLACK = 1e-3
MANY_LEVELS = 0.3  # of the rows: such a column stays out of C4.5's average


class Calculation:
    """The work behind the nodes of a tree, each done when it is asked for."""

    def __init__(
        self, tree: Tree, training: Training, pruning: PruningReport | None = None
    ) -> None:
        self.tree = tree
        self.training = training
        self.scorer = scorer_for(training)
        self.rows = NodeRows(tree, training)
        self._cuts = {} if pruning is None else {cut.node: cut for cut in pruning.cuts}

    def node(self, index: int) -> NodeWork:
        """The calculation at one node."""
        view = self.tree.node(index)
        place = Place(self.training, self.scorer, self.rows.of(index))
        stop_reason = STOP_REASONS[self.tree.stop_reason[index]]
        path = tuple(node.condition for node in view.path[1:])
        group = place.group(path[-1] if path else "", place.share)
        work = NodeWork(
            node=index,
            path=path,
            group=group,
            answer=view.answer,
            candidates=(),
            chosen=None,
            runner_up=None,
            margin=nan,
            ties=(),
            average_gain=None,
            stop_reason=stop_reason,
            cut=self._cuts.get(index),
            is_raised=any(
                above in self._cuts and self._cuts[above].became == "branch"
                for above in self.tree.path_to(index)
            ),
        )
        if place.share.n_rows == 0 or (view.is_leaf and stop_reason in NOTHING_COMPARED):
            return work
        if self.tree.kind[index] == OBLIQUE:
            return work
        return self._compared(work, place)

    def _compared(self, work: NodeWork, place: Place) -> NodeWork:
        candidates = [
            self._candidate(work.node, place, feature)
            for feature in range(self.training.table.n_columns)
        ]
        averaged = self._averaged(candidates)
        average = sum(found.gain for found in averaged) / len(averaged) if averaged else None
        work = replace(work, averaged=tuple(found.column for found in averaged))
        candidates = [self._judged(place, found, average) for found in candidates]
        chosen = next(
            (found for found in candidates if found.feature == self.tree.feature[work.node]), None
        )
        if chosen is None:
            return replace(work, candidates=tuple(candidates), average_gain=average)
        others = [found for found in candidates if found is not chosen and not found.refused]
        runner_up = max(others, key=lambda found: found.score, default=None)
        margin = nan if runner_up is None else chosen.score - runner_up.score
        tolerance = self._score_tolerance(place)
        ties = [found.column for found in others if abs(found.score - chosen.score) <= tolerance]
        return replace(
            work,
            candidates=tuple(candidates),
            average_gain=average,
            chosen=chosen,
            runner_up=runner_up,
            margin=margin,
            ties=tuple(ties),
        )

    def _candidate(self, node: int, place: Place, feature: int) -> CandidateWork:
        tree, training = self.tree, self.training
        if feature == tree.feature[node]:
            children = child_of_rows(tree, training, node, place.share.rows)
            made = split_of(tree, node, children, place.share, conditions_of(tree, node))
            return candidate(place, feature, made)
        path = tree.path_to(node)[:-1]
        if training.settings.use_once and feature in tree.feature[list(path)]:
            used = candidate(place, feature)
            return replace(used, refused="asked above")
        return candidate(place, feature)

    def _judged(self, place: Place, found: CandidateWork, average: float | None) -> CandidateWork:
        """The candidate, refused if its gain does not suffice."""
        least = self.training.settings.min_gain
        if found.refused:
            return found
        if least is not None and not found.gain > least + TIE * self.scorer.impurity(place.share):
            return replace(found, refused=f"gain is not above {least:g}")
        if average is not None and found.gain < average - AVERAGE_SLACK:
            return replace(found, refused="gain is below the average")
        return found

    def _averaged(self, candidates: list[CandidateWork]) -> list[CandidateWork]:
        """C4.5: whose gains are averaged: usable columns, those of very many levels left out."""
        settings = self.training.settings
        if not settings.average_gain_filter:
            return []
        least = 0.0 if settings.min_gain is None else settings.min_gain
        usable = [
            found
            for found in candidates
            if not found.refused and (self.training.is_nominal(found.feature) or found.gain > least)
        ]
        n_columns = self.training.table.n_columns
        if not all(self._has_many_levels(feature) for feature in range(n_columns)):
            usable = [found for found in usable if not self._has_many_levels(found.feature)]
        return usable

    def _has_many_levels(self, feature: int) -> bool:
        n_levels = len(self.tree.schema.columns[feature].levels)
        n_rows = self.training.table.n_rows
        return self.training.is_nominal(feature) and n_levels >= MANY_LEVELS * n_rows

    def _score_tolerance(self, place: Place) -> float:
        criterion = self.training.settings.criterion
        if criterion == "gain_ratio":
            return TIE
        if criterion == "chi2":
            return TIE * self.scorer.weight(place.share)
        return TIE * self.scorer.impurity(place.share)
