"""The estimates that pruning compared, node by node: of what it cut and of what it kept."""

from collections.abc import Callable
from dataclasses import replace
from math import isclose, nan

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
from treewright.tree.tree import Tree
from treewright.worksheets.work import Estimate, PruningWork

# Methods whose estimates the tree itself tells; reduced-error pruning needs rows held back.
JUDGES: dict[str, Callable[..., Judgment]] = {
    "error_based": error_based.judge,
    "pessimistic": pessimistic.judge,
    "minimum_error": minimum_error.judge,
    "mdl": mdl.judge,
    "cost_complexity": cost_complexity.judge,
}
CLOSE = 1e-9


class PruningWorks:
    """What a report on pruning tells of the nodes of the pruned tree."""

    def __init__(self, report: PruningReport) -> None:
        self.report = report
        self.tree = report.tree
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
            return None  # a saved model has forgotten its subtrees
        return self._of_kept(node)

    def is_raised(self, node: int) -> bool:
        """Whether a node was put where it is by pruning, or stands below one that was."""
        above = self.tree.path_to(node)
        return any(self.cuts[one].became == "branch" for one in above if one in self.cuts)

    @property
    def _judges_as_grown(self) -> bool:
        """Whether subtrees are judged with all that is cut below them."""
        return self.report.options.get("order") == "top_down"

    def _of_cut(self, cut: Cut) -> PruningWork:
        """Where pruning made a leaf, or put a branch in the place of a subtree."""
        before = self.report.before
        branches: tuple[Estimate, ...] = ()
        at_node = nan
        if before is not None and self._before is not None:
            branches = _branches(before, cut.was, self._before, self._counts_before)
            at_node = float(self._before.at_inner[cut.was])
            together = at_node + sum(branch.estimate for branch in branches)
            if not isclose(together, cut.as_subtree, rel_tol=CLOSE, abs_tol=CLOSE):
                branches, at_node = (), nan  # a branch was raised below, and other rows came
        leaf, rows_came = self._leaf_then(cut)
        work = self._work(cut.became, leaf, branches, at_node, cut.as_subtree, cut.as_branch)
        return replace(self._with_raised(work, cut), rows_came=rows_came)

    def _leaf_then(self, cut: Cut) -> tuple[Estimate, bool]:
        """The node as a leaf of the rows it was decided by, and whether it has other rows now."""
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
        """The weight and errors that a cut was decided by; NaN where a saved model forgot them."""
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
        """With the branches of the branch that was raised, if they still are as they were then."""
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
        return self._work("subtree", leaf, branches, at_node, as_subtree, nan)

    def _of_critical_value(self, node: int) -> PruningWork:
        tree, options = self.tree, self.report.options
        worth = tree.score if options["by"] == "score" else tree.gain
        highest = float(highest_below(tree, worth)[node])
        value = float(options["value"])
        leaf = Estimate("", nan, nan, value, value)
        return self._work("subtree", leaf, (), nan, highest, nan)

    def _work(  # noqa: PLR0913 -- the parts of one comparison
        self,
        became: str,
        leaf: Estimate,
        branches: tuple[Estimate, ...],
        at_node: float,
        as_subtree: float,
        as_branch: float,
    ) -> PruningWork:
        report = self.report
        return PruningWork(
            report.method,
            report.measure,
            report.options,
            became,
            leaf,
            branches,
            at_node,
            as_subtree,
            as_branch,
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
        """The number that each node had before."""
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
