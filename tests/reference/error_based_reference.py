"""C4.5's pruning (Quinlan 1993): leaf, subtree or raised branch, by an upper limit of errors."""

import math
from dataclasses import dataclass, field, replace
from statistics import NormalDist

from reference.problem import Problem, Rows, weight_of
from reference.prunable import PNode, new_parts
from reference.pruning_units import Prices

SLACK = 0.1  # a smaller tree may be estimated at this much more


def upper_limit(n: float, errors: float, confidence: float) -> float:
    """The number of errors that is exceeded with the probability `confidence`."""
    if n <= 0:
        return 0.0
    if errors < 1:
        none, one = n * (1 - confidence ** (1 / n)), max(upper_limit(n, 1, confidence), 1)
        return none + errors * (one - none)
    if errors + 0.5 >= n:
        return n
    z = NormalDist().inv_cdf(1 - confidence)
    f = (errors + 0.5) / n
    spread = z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * (f + z * z / (2 * n) + spread) / (1 + z * z / n)


@dataclass(frozen=True)
class Verdict:
    """What was compared at a node, and what it became."""

    became: str  # "leaf" or "branch"
    as_leaf: float
    as_subtree: float
    as_branch: float


@dataclass
class ErrorBased:
    """One pruning; `verdicts` holds what the nodes that are still to be seen became."""

    problem: Problem
    prices: Prices
    confidence: float
    raising: bool
    margins: list[float] = field(default_factory=list)  # how narrow the decisions were
    verdicts: dict[int, Verdict] = field(default_factory=dict)

    def prune(self, node: PNode) -> PNode:
        if node.is_leaf:
            return node
        node = replace(node, children=tuple(self.prune(child) for child in node.children))
        largest = largest_branch(node)
        as_leaf, as_subtree = self.limit(node.rows, node.rows), self.estimate(node)
        as_branch = self.estimate(self.with_rows(largest, node.rows)) if self.raising else math.inf
        compared = (as_leaf, as_subtree, as_branch if self.raising else math.nan)
        if self.is_within(as_leaf, as_subtree) and self.is_within(as_leaf, as_branch):
            self.verdicts[node.place] = Verdict("leaf", *compared)
            return node.as_leaf()
        if self.raising and self.is_within(as_branch, as_subtree):
            self.verdicts[node.place] = Verdict("branch", *compared)
            return self.raised(node, largest)
        return node

    def raised(self, node: PNode, branch: PNode) -> PNode:
        """The branch in the place of the node, pruned again."""
        counted = self.with_rows(branch, node.rows)
        return self.prune(replace(counted, raised_to=node.place))

    def shown(self, root: PNode) -> dict[int, Verdict]:
        """What became of the nodes whose place is still to be seen in the pruned tree."""
        places = {node.place for node in root.walk()}
        return {place: verdict for place, verdict in self.verdicts.items() if place in places}

    def is_within(self, smaller: float, larger: float) -> bool:
        self.margins.append(abs(larger + SLACK - smaller))
        return smaller <= larger + SLACK

    def estimate(self, node: PNode) -> float:
        own = self.limit(node.ending, node.rows) if node.ending else 0.0
        return own + sum(self.estimate(child) for child in node.children)

    def limit(self, rows: Rows, predicting: Rows) -> float:
        n, errors = self.prices.counted(rows, predicting)
        return upper_limit(float(n), float(errors), self.confidence)

    def with_rows(self, node: PNode, rows: Rows) -> PNode:
        """The branch with these rows.

        They go down it as new rows would, but missing values are spread by the rows that know
        theirs now, as in C4.5, not by those that did while the tree grew.
        """
        if node.is_leaf:
            return replace(node, rows=rows)
        node = with_a_branch_for_each_level(self.problem, node, rows)
        parts, stopped = new_parts(self.problem, node, rows, None)
        children = map(self.with_rows, node.children, parts)
        children = tuple(replace(child, empty_as=rows) for child in children)
        return replace(node, rows=rows, stopped=stopped, children=children)


def largest_branch(node: PNode) -> PNode:
    """The heaviest child, the last of several."""
    weights = [weight_of(child.rows) for child in node.children]
    return [c for c, w in zip(node.children, weights, strict=True) if w == max(weights)][-1]


def with_a_branch_for_each_level(problem: Problem, node: PNode, rows: Rows) -> PNode:
    """Levels that shared an empty branch and now have rows get one of their own."""
    question = node.question
    values = problem.columns[question.column].values
    new = {values[row] for row, _ in rows} - {None, *question.level_child}
    if not (question.n_unlisted and new):
        return node
    n_listed, missing = len(question.level_child), question.missing_child
    shared = node.children[n_listed]
    level_of = {child: level for level, child in question.level_child.items()}
    by_level = {level: node.children[child] for child, level in level_of.items()}
    by_level |= {level: replace(shared, n_drawn=1) for level in new}
    levels = sorted(by_level)
    children = [by_level[level] for level in levels]
    n_unlisted = question.n_unlisted - len(new)
    if n_unlisted:
        children.append(replace(shared, n_drawn=n_unlisted))
    if missing > n_listed:  # a branch of its own
        children.append(node.children[missing])
        missing = len(children) - 1
    elif missing >= 0:
        missing = levels.index(level_of[missing])
    level_child = {level: at for at, level in enumerate(levels)}
    question = replace(
        question, level_child=level_child, n_unlisted=n_unlisted, missing_child=missing
    )
    return replace(node, question=question, children=tuple(children))
