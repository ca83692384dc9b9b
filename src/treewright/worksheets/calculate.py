"""The calculation at one node: every column's best split, and the choice among them."""

from dataclasses import replace
from math import nan

import numpy as np

from treewright.induction.settings import GrowthSettings
from treewright.pruning.report import PruningReport
from treewright.tree.conditions import conditions_of
from treewright.tree.kinds import KIND_NAMES, OBLIQUE, STOP_REASONS, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.agreement import check_agreement
from treewright.worksheets.candidates import Division, candidate, made_division
from treewright.worksheets.first_best import first_best
from treewright.worksheets.node_rows import NodeRows, child_of_values
from treewright.worksheets.partitions import NOT_COUNTED, OWN_SIDE
from treewright.worksheets.place import TIE, Place
from treewright.worksheets.pruning_work import PruningWorks
from treewright.worksheets.scoring import ValuesHere
from treewright.worksheets.training import Training
from treewright.worksheets.work import CandidateWork, Group, NodeWork

NOTHING_COMPARED = ("pure", "empty", "max_depth", "min_samples_split", "written")
AVERAGE_SLACK = 1e-3
MOST_NODES, MOST_CELLS = 30, 60_000_000  # on one page, unless more are asked for
CELLS_OF_A_COLUMN = 250_000  # that one column of a node takes as long as, however few its rows
MANY_CLASSES = 50  # with so many a column takes twice as long
MANY_LEVELS = 0.3  # of the rows: such a column stays out of C4.5's average


class Calculation:
    """The work behind the nodes of a tree, each done when it is asked for."""

    def __init__(
        self, tree: Tree, training: Training, pruning: PruningReport | None = None
    ) -> None:
        self.tree = tree
        self.training = training
        self.rows = NodeRows(tree, training)
        self.pruning = None if pruning is None else PruningWorks(pruning)

    @property
    def settings(self) -> GrowthSettings:
        """What growth was asked to do."""
        return self.training.settings

    @property
    def n_nodes_at_once(self) -> int:
        """How many nodes, the largest first, are worked out within about a second."""
        largest = -np.sort(-self.tree.n_rows)[:MOST_NODES]
        of_a_column = CELLS_OF_A_COLUMN * (1 + self.training.n_classes / MANY_CLASSES)
        n_cells = np.cumsum(largest * self._effort + of_a_column) * self.training.table.n_columns
        return max(1, int((n_cells <= MOST_CELLS).sum()))

    @property
    def _effort(self) -> int:
        """How much longer a cell takes than one that is counted by class."""
        criterion = self.settings.criterion
        if callable(criterion) or criterion == "absolute_error":
            return 250
        return 1 if self.training.n_classes else 3

    def node(self, index: int) -> NodeWork:
        """The calculation at one node."""
        view = self.tree.node(index)
        share = self.rows.of(index)
        stop_reason = STOP_REASONS[self.tree.stop_reason[index]]
        path = tuple(node.condition for node in view.path[1:])
        condition = path[-1] if path else ""
        place = Place(self.training, share) if share.n_rows else None
        group = place.group(condition) if place else self._nobody(condition)
        check_agreement(self.tree, index, group)
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
            cut=None if self.pruning is None else self.pruning.cuts.get(index),
            is_raised=self.pruning is not None and self.pruning.is_raised(index),
            pruning=None if self.pruning is None else self.pruning.at(index),
        )
        if place is None or (view.is_leaf and stop_reason in NOTHING_COMPARED):
            return work
        if self.tree.kind[index] == OBLIQUE:
            return work
        return self._compared(work, place)

    def _nobody(self, condition: str) -> Group:
        counts = (0.0,) * self.training.n_classes
        return Group(condition, 0, 0.0, counts, nan, 0.0)

    def _compared(self, work: NodeWork, place: Place) -> NodeWork:
        candidates = [
            self._candidate(work.node, place, feature)
            for feature in range(self.training.table.n_columns)
        ]
        averaged = self._averaged(place, candidates)
        average = sum(found.gain for found in averaged) / len(averaged) if averaged else None
        candidates = [self._judged(place, found, average) for found in candidates]
        work = replace(
            work,
            candidates=tuple(candidates),
            average_gain=average,
            averaged=tuple(found.column for found in averaged),
        )
        chosen = next(
            (found for found in candidates if found.feature == self.tree.feature[work.node]), None
        )
        if chosen is None:
            return work
        others = [found for found in candidates if found is not chosen and not found.refused]
        tolerance = self._score_tolerance(place)
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

    def _candidate(self, node: int, place: Place, feature: int) -> CandidateWork:
        here = place.values(feature)
        if feature == self.tree.feature[node]:
            return candidate(place, feature, here, self._made(node, here))
        found = candidate(place, feature, here)
        path = self.tree.path_to(node)[:-1]
        if self.settings.use_once and feature in self.tree.feature[list(path)]:
            return replace(found, refused="asked above")
        return found

    def _made(self, node: int, here: ValuesHere) -> Division:
        """The split of a node of the tree, of the values that it has there."""
        tree = self.tree
        missing = NOT_COUNTED
        if here.has_missing and self.settings.missing == "learned":
            missing = int(tree.missing_child[node])
        elif here.has_missing and self.settings.missing == "branch":
            missing = OWN_SIDE
        is_cut = tree.kind[node] == THRESHOLD
        return made_division(
            KIND_NAMES[tree.kind[node]],
            child_of_values(tree, node, here.numbers),
            conditions_of(tree, node),
            float(tree.threshold[node]) if is_cut else None,
            missing,
        )

    def _judged(self, place: Place, found: CandidateWork, average: float | None) -> CandidateWork:
        """The candidate, refused if its gain does not suffice."""
        if found.refused:
            return found
        if not self._gains_enough(place, found):
            return replace(found, refused=f"gain is not above {self.settings.min_gain:g}")
        if not self.settings.average_gain_filter:
            return found
        if average is None:
            return replace(found, refused="no column of fewer levels gains")
        if found.gain < average - AVERAGE_SLACK:
            return replace(found, refused="gain is below the average")
        return found

    def _gains_enough(self, place: Place, found: CandidateWork) -> bool:
        least = self.settings.min_gain
        return least is None or found.gain > least + TIE * place.impurity

    def _averaged(self, place: Place, candidates: list[CandidateWork]) -> list[CandidateWork]:
        """C4.5: whose gains are averaged: usable columns, those of very many levels left out."""
        if not self.settings.average_gain_filter:
            return []
        usable = [
            found
            for found in candidates
            if not found.refused
            and (self.training.is_nominal(found.feature) or self._gains_enough(place, found))
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
        if self.settings.criterion == "gain_ratio":
            return TIE
        if self.settings.criterion == "chi2":
            return TIE * place.weight
        return TIE * place.impurity
