"""Every number of a worksheet, found again from the table by slow and exact arithmetic."""

import math
import os
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.candidates import Candidate
from reference.impurity import fifty_digits
from reference.problem import Rows
from reference.prunable import PNode, row_values
from reference.worksheet_cases import FAMILIES, SheetCase, a_case
from reference.worksheet_reference import (
    Choice,
    ColumnNumbers,
    SideNumbers,
    TryNumbers,
    choice_of,
    column_numbers,
    level_set_try,
    side_numbers,
    split_numbers,
)
from treewright.worksheets.work import CandidateWork, Group, NodeWork, Tried

# Seeds per family in a normal run; TREEWRIGHT_WORKSHEET_SEEDS=1000 makes a night of it.
N_SEEDS = int(os.environ.get("TREEWRIGHT_WORKSHEET_SEEDS", "24"))

CLOSE = 1e-12
MOST_TRIED = 30  # ways to split a column that a worksheet keeps

# At these leaves nobody looked at the columns.
UNSEARCHED = ("pure", "max_depth", "min_samples_split", "empty")

REFUSALS = {
    "used": "used above",
    "unknown": "all values are missing here",
    "one value": "one value only",
    "too few rows": "too few rows in a branch",
    "no cut": "no cut pays for itself",
}


def levels_in(condition: str) -> frozenset[int]:
    """The levels of `c0 = level 1` or `c0 in {level 1, level 2}`."""
    return frozenset(int(code) for code in re.findall(r"level (\d+)", condition))


def near(found: float, expected: float) -> None:
    assert math.isfinite(found)
    assert found == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


class Check:
    """One worksheet beside the numbers of the reference."""

    def __init__(self, case: SheetCase) -> None:
        self.case, self.problem = case, case.problem
        self.tree = case.model.tree_

    def nodes(self) -> None:
        works = list(self.case.sheet().nodes)
        assert [work.node for work in works] == list(range(self.tree.n_nodes))
        with fifty_digits():
            for work, node in zip(works, self.case.nodes, strict=True):
                self.node(work, node)

    def node(self, work: NodeWork, node: PNode) -> None:
        stored = self.tree.node(node.number)
        assert work.group.n_rows == stored.n_rows == len(node.rows)
        assert work.stop_reason == stored.stop_reason
        assert work.prediction == stored.prediction
        if not node.rows:
            assert (work.candidates, work.chosen) == ((), None)
            assert (work.group.weight, work.group.impurity) == (0.0, 0.0)
            assert work.group.counts == (0.0,) * self.problem.n_classes
            return
        self.group(work.group, side_numbers(self.problem, node.rows))
        near(work.group.impurity, stored.impurity)
        if work.stop_reason in UNSEARCHED:
            assert work.candidates == ()
            return
        used = frozenset(above.tree.feature[above.index] for above in stored.path[:-1])
        columns = [
            column_numbers(self.problem, column, node.rows, used)
            for column in range(len(self.problem.columns))
        ]
        choice = choice_of(self.problem, node.rows, columns)
        assert [found.feature for found in work.candidates] == list(range(len(columns)))
        if work.is_raised and work.chosen is not None:
            columns[work.chosen.feature] = None
            self.raised_split(work.chosen, node)
        for found, expected in zip(work.candidates, columns, strict=True):
            if expected is not None:
                self.candidate(found, expected, choice, node.rows)
        if not work.is_raised:
            self.choice(work, choice)
            self.stored_split(work, stored)

    def raised_split(self, found: CandidateWork, node: PNode) -> None:
        """The question came from below: its numbers are those of the rows that are here now."""
        question, groups = node.question, {}
        for row, weight in node.rows:
            child = question.child(row_values(self.problem.columns, row))
            groups.setdefault(child, []).append((row, weight))
        is_learned = groups.pop(None, None) and self.problem.settings.missing == "learned"
        joins = question.missing_child if is_learned else None
        sides = [groups[child] for child in sorted(groups)]
        split = Candidate(question.column, question.kind, sides, missing_child=joins)
        unpriced = replace(self.problem.settings, mdl_correction=False)  # nobody chose it here
        expected = split_numbers(replace(self.problem, settings=unpriced), node.rows, split)
        for branch, side in zip(found.branches, expected.sides, strict=True):
            self.group(branch, side)
        for name in ("missing_weight", "known_share", "before", "remainder"):
            near(getattr(found, name), getattr(expected, name))

    def group(self, found: Group, expected: SideNumbers) -> None:
        assert found.n_rows == expected.n_rows
        near(found.weight, expected.weight)
        assert found.counts == pytest.approx(expected.counts, rel=CLOSE, abs=CLOSE)
        for name in ("mean", "median"):
            wanted = pytest.approx(getattr(expected, name), rel=CLOSE, abs=CLOSE, nan_ok=True)
            assert getattr(found, name) == wanted
        near(found.impurity, expected.impurity)

    def candidate(
        self, found: CandidateWork, expected: ColumnNumbers, choice: Choice, rows: Rows
    ) -> None:
        assert found.column == f"c{expected.column}"
        self.tried(found, expected, rows)
        if expected.best is None:
            assert (found.kind, found.branches) == ("", ())
            assert found.refused == REFUSALS[expected.why_none]
            return
        assert found.kind == expected.best.kind
        joins = expected.best.missing_child
        assert len(found.branches) == len(expected.sides)
        for branch, side in zip(found.branches, expected.sides, strict=True):
            self.group(branch, side)
        if found.kind == "threshold":
            near(found.threshold, expected.best.threshold)
            assert found.n_allowed == expected.n_allowed
        for name in ("missing_weight", "known_share", "before", "remainder", "correction"):
            near(getattr(found, name), getattr(expected, name))
        assert found.missing_joins == (-1 if joins is None else joins)
        for name in ("gain", "split_information", "score"):
            near(getattr(found, name), getattr(expected, name))
        assert found.refused in self.refusals(expected.column, choice)

    def refusals(self, column: int, choice: Choice) -> list[str]:
        """The reasons that hold against a column; either may be given."""
        reasons = []
        if column in choice.below_average:
            reasons.append("gain is below the average")
        if column in choice.too_little:
            reasons.append(f"gain is not above {self.problem.settings.min_gain or 0:g}")
        return reasons or [""]

    def tried(self, found: CandidateWork, expected: ColumnNumbers, rows: Rows) -> None:
        """All that was tried, in order; of very many ways the best."""
        if not expected.tried or expected.tried[0].candidate.kind in ("branches", "intervals"):
            assert found.tried == ()  # there is one way only
            return
        ways = {str(numbers.candidate) for numbers in expected.tried}
        assert found.n_tried == len(ways)
        assert len(found.tried) == min(found.n_tried, MOST_TRIED)
        if expected.tried[0].candidate.kind == "subset":
            self.level_sets(found, expected, rows)
            return
        for attempt, numbers in zip(found.tried, expected.tried, strict=True):
            self.attempt(attempt, numbers)
            bound = attempt.condition.removeprefix(f"{found.column} <= ")
            at = numbers.candidate.threshold
            if bound.startswith("level"):
                assert bound == f"level {math.floor(at)}"
            else:
                assert float(bound) == pytest.approx(at, rel=1e-5)

    def level_sets(self, found: CandidateWork, expected: ColumnNumbers, rows: Rows) -> None:
        wanted = {
            frozenset(level for level, child in way.candidate.level_child.items() if child == 0)
            for way in expected.tried
        }
        sets = [levels_in(attempt.condition) for attempt in found.tried]
        assert len(set(sets)) == len(sets)
        assert wanted >= set(sets)
        for attempt, levels in zip(found.tried, sets, strict=True):
            self.attempt(attempt, level_set_try(self.problem, found.feature, rows, levels))
        least = min(attempt.gain for attempt in found.tried)
        for levels in wanted - set(sets):
            left_out = level_set_try(self.problem, found.feature, rows, levels)
            assert left_out.gain <= least + CLOSE

    def attempt(self, found: Tried, expected: TryNumbers) -> None:
        near(found.gain, expected.gain)
        assert found.is_allowed == expected.is_allowed

    def choice(self, work: NodeWork, expected: Choice) -> None:
        if expected.average_gain is None:
            assert work.average_gain is None
        else:
            near(work.average_gain, expected.average_gain)
        assert [int(name[1:]) for name in work.averaged] == list(expected.averaged)
        if work.chosen is None:
            return
        assert work.chosen.feature == expected.winner
        assert work.chosen is work.candidates[expected.winner]
        assert tuple(int(name[1:]) for name in work.ties) == expected.ties
        if expected.runner_up is None:
            assert work.runner_up is None
            assert math.isnan(work.margin)
        else:
            assert work.runner_up.feature == expected.runner_up
            near(work.margin, work.chosen.score - work.candidates[expected.runner_up].score)

    def stored_split(self, work: NodeWork, stored) -> None:
        if work.chosen is None:
            return
        assert work.chosen.column == stored.column.name
        assert work.chosen.kind == stored.kind
        near(work.chosen.gain, stored.gain)
        near(work.chosen.score, stored.score)


@pytest.mark.parametrize("seed", range(N_SEEDS))
@pytest.mark.parametrize("family", FAMILIES)
def test_every_number_is_that_of_the_reference(family, seed):
    Check(a_case(family, seed)).nodes()


@given(family=st.sampled_from(sorted(FAMILIES)), seed=st.integers(0, 2**32 - 1))
def test_every_number_is_that_of_the_reference_for_any_seed(family, seed):
    Check(a_case(family, seed)).nodes()
