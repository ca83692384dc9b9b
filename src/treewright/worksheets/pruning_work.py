"""The estimates that pruning compared at each node, pruned or not."""

from collections.abc import Callable
from dataclasses import replace
from math import isclose, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.cached import cached_property
from treewright.pruning import cost_complexity, error_based, mdl, minimum_error, pessimistic
from treewright.pruning.bottom_up import Judgment
from treewright.pruning.critical_value import highest_below
from treewright.pruning.report import Cut, PruningReport
from treewright.pruning.risk import ErrorCounts, error_counts, sums_over_leaves
from treewright.tree.conditions import conditions_of
from treewright.tree.rebuild import below
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.tree.tree import Tree
from treewright.worksheets.work import Estimate, PruningWork

# Methods whose estimates follow from the tree; reduced-error pruning needs held-out rows.
JUDGES: dict[str, Callable[..., Judgment]] = {
    "error_based": error_based.judge,
    "pessimistic": pessimistic.judge,
    "minimum_error": minimum_error.judge,
    "mdl": mdl.judge,
    "cost_complexity": cost_complexity.judge,
}
CLOSE = 1e-9


class PruningWorks:
    """The pruning report, by node of the pruned tree."""

    def __init__(self, report: PruningReport) -> None:
        self.report = report
        self.tree = with_thresholds_shown(report.tree)
        self.cuts: dict[int, Cut] = {cut.node: cut for cut in report.cuts}

    def at(self, node: int) -> PruningWork | None:
        """The estimates compared at a node; None at a leaf that growth made."""
        cut = self.cuts.get(node)
        if cut is not None:
            return self._of_cut(cut)
        if self.tree.is_leaf[node]:
            return None
        if self.report.method == "critical_value":
            return self._of_critical_value(node)
        if self.report.method not in JUDGES:
            return None
        if self._judges_as_grown and self.report.before is None:
            return None  # a saved model does not store its pruned subtrees
        return self._of_kept(node)

    def is_raised(self, node: int) -> bool:
        """Whether pruning raised a node or one of its ancestors."""
        above = self.tree.path_to(node)
        return any(self.cuts[one].became == "branch" for one in above if one in self.cuts)

    @property
    def _judges_as_grown(self) -> bool:
        """Whether subtrees are judged before anything below them is pruned."""
        return self.report.options.get("order") == "top_down"

    def _of_cut(self, cut: Cut) -> PruningWork:
        """At a node that became a leaf, or was replaced by its largest branch."""
        before = self.report.before
        branches: tuple[Estimate, ...] = ()
        at_node = nan
        if before is not None and self._before is not None:
            branches = _branches(before, cut.was, self._before, self._counts_before)
            at_node = float(self._before.at_inner[cut.was])
            together = at_node + sum(branch.estimate for branch in branches)
            if not isclose(together, cut.as_subtree, rel_tol=CLOSE, abs_tol=CLOSE):
                branches, at_node = (), nan  # raising a branch below brought other rows
        leaf, rows_came = self._leaf_then(cut)
        work = self._work(
            cut.became,
            leaf,
            cut.as_subtree,
            branches=branches,
            at_node=at_node,
            as_branch=cut.as_branch,
            rows_came=rows_came,
        )
        return self._with_raised(work, cut)

    def _leaf_then(self, cut: Cut) -> tuple[Estimate, bool]:
        """The node as a leaf with the rows at decision time, and whether it has other rows now."""
        counts = self._counts_after if self.report.method in JUDGES else None
        leaf = _estimate(counts, cut.node, "", cut.as_leaf, cut.as_leaf)
        if self.report.method != "error_based" or not self.report.raised.any():
            return leaf, False
        weight, errors = self._decided_by(cut)
        is_same = isclose(weight, leaf.weight, rel_tol=CLOSE) and isclose(
            errors, leaf.errors, rel_tol=CLOSE, abs_tol=CLOSE * weight
        )
        return (leaf, False) if is_same else (replace(leaf, weight=weight, errors=errors), True)

    def _decided_by(self, cut: Cut) -> tuple[float, float]:
        """The weight and errors that decided a cut; NaN if a saved model does not store them."""
        report, counts = self.report, self._counts_after
        if report.decided_weight is not None and report.decided_errors is not None:
            at = int(np.searchsorted(report.node, cut.node))
            return float(report.decided_weight[at]), float(report.decided_errors[at])
        assert counts is not None
        weight, errors = counts.weight[[cut.node]], counts.errors[[cut.node]]
        now = float(error_based.upper_limits(weight, errors, report.options["confidence"])[0])
        if isclose(now, cut.as_leaf, rel_tol=CLOSE, abs_tol=CLOSE):
            return float(weight[0]), float(errors[0])
        return nan, nan

    def _with_raised(self, work: PruningWork, cut: Cut) -> PruningWork:
        """With the branches of the raised branch, if they are unchanged since then."""
        if cut.became != "branch" or self._after is None or self.tree.is_leaf[cut.node]:
            return work
        raised = _branches(self.tree, cut.node, self._after, self._counts_after)
        at_node = float(self._after.at_inner[cut.node])
        together = at_node + sum(branch.estimate for branch in raised)
        if not isclose(together, cut.as_branch, rel_tol=CLOSE, abs_tol=CLOSE):
            return work
        return replace(work, raised=raised, raised_at_node=at_node)

    def _of_kept(self, node: int) -> PruningWork:
        if self._judges_as_grown:
            assert self.report.before is not None
            assert self._before is not None
            tree, judged, counts = self.report.before, self._before, self._counts_before
            node = int(self._numbers_before[node])
        else:
            assert self._after is not None
            tree, judged, counts = self.tree, self._after, self._counts_after
        leaf = _estimate(counts, node, "", float(judged.as_leaf[node]), float(judged.as_leaf[node]))
        branches = _branches(tree, node, judged, counts)
        at_node, as_subtree = float(judged.at_inner[node]), float(judged.as_subtree[node])
        return self._work("subtree", leaf, as_subtree, branches=branches, at_node=at_node)

    def _of_critical_value(self, node: int) -> PruningWork:
        tree, options = self.tree, self.report.options
        worth = tree.score if options["by"] == "score" else tree.gain
        highest = float(highest_below(tree, worth)[node])
        value = float(options["value"])
        return self._work("subtree", Estimate("", nan, nan, value, value), highest)

    def _work(self, became: str, leaf: Estimate, as_subtree: float, **more: Any) -> PruningWork:
        report = self.report
        return PruningWork(
            report.method, report.measure, report.options, became, leaf, as_subtree, **more
        )

    @cached_property
    def _before(self) -> Judgment | None:
        judge = JUDGES.get(self.report.method)
        before = self.report.before
        return None if judge is None or before is None else judge(before, **self.report.options)

    @cached_property
    def _after(self) -> Judgment | None:
        judge = JUDGES.get(self.report.method)
        if judge is None:
            return None
        judged = judge(self.tree, **self.report.options)
        as_it_stands = sums_over_leaves(self.tree, judged.as_leaf, judged.at_inner)
        return replace(judged, as_subtree=as_it_stands, worth=as_it_stands)

    @cached_property
    def _counts_before(self) -> ErrorCounts | None:
        before = self.report.before
        return error_counts(before) if before is not None and before.is_classifier else None

    @cached_property
    def _counts_after(self) -> ErrorCounts | None:
        return error_counts(self.tree) if self.tree.is_classifier else None

    @cached_property
    def _numbers_before(self) -> NDArray[np.intp]:
        """The number of each node before pruning."""
        assert self.report.before is not None
        cut = np.zeros(self.report.before.n_nodes, dtype=np.bool_)
        cut[self.report.was] = True
        return np.flatnonzero(~below(self.report.before, cut))


def _branches(
    tree: Tree, node: int, judged: Judgment, counts: ErrorCounts | None
) -> tuple[Estimate, ...]:
    first = int(tree.first_child[node])
    return tuple(
        _estimate(
            counts,
            first + number,
            condition,
            float(judged.as_leaf[first + number]),
            float(judged.worth[first + number]),
        )
        for number, condition in enumerate(conditions_of(tree, node))
    )


def _estimate(
    counts: ErrorCounts | None, node: int, condition: str, as_leaf: float, estimate: float
) -> Estimate:
    weight = nan if counts is None else float(counts.weight[node])
    errors = nan if counts is None else float(counts.errors[node])
    return Estimate(condition, weight, errors, as_leaf, estimate)
