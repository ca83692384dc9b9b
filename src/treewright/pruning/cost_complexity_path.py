"""The path of cost-complexity pruning: from the grown tree to its root, one price after another.

At a price alpha for each leaf, the best subtree is the smallest one of least risk + alpha x leaves.
As alpha rises, these subtrees are nested, so that one number per node says it all: the price at
which the node becomes a leaf. Two risks are offered. `impurity` is the criterion of growth, with
Breiman's weakest links: the path of scikit-learn. `error` is what wrong predictions cost, with the
rule of R's rpart, which may miss the best subtree for a price (docs/pruning.md).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.pruning import saving_per_leaf_prices, weakest_link_prices
from treewright.arrays import Floats
from treewright.plain_text import aligned
from treewright.pruning.risk import impurity_risk, node_risk, risk_of_stopped_rows
from treewright.result import Record, Result, records_of
from treewright.tree.counts import leaves_if_cut
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

Int64Array = NDArray[np.int64]

SAME = 1e-9  # prices closer than this share of themselves are one price
NOTHING = 1e-14  # share of the root's risk that is rounding


@dataclass(frozen=True, slots=True)
class PathRule:
    """How a tree is priced."""

    risk: str = "impurity"
    # The cp of rpart from which on its rules hold in full: subtrees worth less are gone from the
    # start, and rows that stop at an inner node cost nothing there.
    min_cp: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class NodePrices:
    """The risks of all nodes, per unit of training weight, and what they lead to."""

    as_leaf: Floats
    stopped: Floats  # of the rows that end at an inner node
    price: Floats  # at which the node becomes a leaf; infinite at leaves


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutRisks:
    """What the subtrees of a path cost rows they were not grown on, per unit of weight."""

    risks: Floats
    standard_errors: Floats
    root: float  # what the root costs the rows it was grown on: the unit of relative figures

    @property
    def best(self) -> int:
        """The tree of least risk; of several, the smallest."""
        return int(np.flatnonzero(self.risks <= self.risks.min() * (1 + SAME))[-1])

    def simplest(self, standard_errors: float = 1.0) -> int:
        """The smallest tree that is no worse than the best by more than so many of its errors."""
        best = self.best
        limit = self.risks[best] + standard_errors * self.standard_errors[best]
        return int(np.flatnonzero(self.risks <= limit * (1 + SAME))[-1])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostComplexityPath(Result):
    """Nested subtrees, from the largest to the root alone; one entry of each array is one of them.

    A subtree is the best one for every price from its own alpha up to the next.
    """

    tree: Tree  # as grown
    risk: str  # "impurity" or "error"
    alphas: Floats  # rising
    risks: Floats  # of the training rows, per unit of their weight
    n_leaves: Int64Array
    n_splits: Int64Array
    cut_at: Int64Array  # for each node of `tree`, the first subtree in which it is a leaf
    held_out: HeldOutRisks | None = None  # by cross-validation

    def __len__(self) -> int:
        return len(self.alphas)

    @property
    def cps(self) -> Floats:
        """The alphas as shares of the root's risk, as rpart gives them."""
        return self._relative(self.alphas)

    @property
    def relative_risks(self) -> Floats:
        """The risks as shares of the root's risk."""
        return self._relative(self.risks)

    def _relative(self, values: Floats) -> Floats:
        root = self.risks[-1]
        return values / root if root > 0 else values

    def tree_at(self, step: int) -> Tree:
        """One of the subtrees, by its position on the path."""
        cut = self.cut_at <= range(len(self))[step]
        return make_leaves(self.tree, cut, "pruned") if cut.any() else self.tree

    def step_for(self, alpha: float) -> int:
        """The position of the best subtree for a price; -1, the grown tree, below all alphas."""
        reached = alpha * (1 + SAME) + NOTHING * self.risks[-1]
        return int(np.searchsorted(self.alphas, reached, side="right")) - 1

    def _facts(self) -> Record:
        columns: dict[str, Any] = {
            "cp": self.cps,
            "alpha": self.alphas,
            "n_splits": self.n_splits,
            "n_leaves": self.n_leaves,
            "risk": self.risks,
            "relative_risk": self.relative_risks,
        }
        if self.held_out is not None:
            columns["held_out"] = self.held_out.risks
            columns["standard_error"] = self.held_out.standard_errors
        return {"risk": self.risk, "subtrees": records_of(columns)}

    def to_text(self) -> str:
        """The table of subtrees, the root first."""
        return path_text(self)

    def __repr__(self) -> str:
        return f"<CostComplexityPath: {len(self)} subtrees by {self.risk}>"


def path_of(tree: Tree, rule: PathRule) -> CostComplexityPath:
    """The path of a grown tree."""
    nodes = node_prices(tree, rule)
    first = least_price(nodes, rule)
    inner = np.flatnonzero(~tree.is_leaf)
    alphas, step = steps_of(nodes.price[inner], first, NOTHING * float(nodes.as_leaf[0]))
    n_steps = len(alphas)
    cut_at = np.full(tree.n_nodes, n_steps)
    cut_at[inner] = step
    start = np.where(tree.is_leaf, 0, cut_at)  # of the subtrees in which the node is a leaf
    end = np.full(tree.n_nodes, n_steps)
    end[1:] = cut_at[tree.parent[1:]]
    risks = amounts(start, end, nodes.as_leaf, n_steps)
    risks += amounts(np.zeros_like(cut_at), cut_at, nodes.stopped, n_steps)
    return CostComplexityPath(
        tree=tree,
        risk=rule.risk,
        alphas=alphas,
        risks=np.maximum(risks, 0.0),
        n_leaves=amounts(start, end, leaves_if_cut(tree), n_steps).astype(np.int64),
        n_splits=len(inner) - np.cumsum(np.bincount(step, minlength=n_steps)),
        cut_at=cut_at,
    )


def node_prices(tree: Tree, rule: PathRule, least: float | None = None) -> NodePrices:
    """The price of every node; `least` in place of the rule's own least price."""
    if rule.risk == "impurity":
        as_leaf, stopped = impurity_risk(tree)
    else:
        as_leaf, stopped = node_risk(tree), risk_of_stopped_rows(tree)
    if rule.min_cp is not None:
        stopped = np.zeros(tree.n_nodes)
    as_leaf, stopped = as_leaf / tree.weight[0], stopped / tree.weight[0]
    if rule.risk == "impurity":
        return NodePrices(as_leaf, stopped, weakest_link_prices(tree, as_leaf, stopped))
    if least is None:
        least = float((rule.min_cp or 0.0) * as_leaf[0])
    prices = saving_per_leaf_prices(tree, as_leaf, stopped, least=least)
    return NodePrices(as_leaf, stopped, prices)


def least_price(nodes: NodePrices, rule: PathRule) -> float:
    """Where the path begins."""
    return float((rule.min_cp or 0.0) * nodes.as_leaf[0])


def steps_of(prices: Floats, first: float, rounding: float) -> tuple[Floats, NDArray[np.intp]]:
    """The distinct prices from `first` on, and the position of each of `prices` among them."""
    order = np.argsort(prices, kind="stable")
    rising = np.maximum(prices[order], first)
    before = np.concatenate([[first], rising[:-1]])
    is_new = rising - before > SAME * before + rounding
    step = np.empty(len(prices), dtype=np.intp)
    step[order] = np.cumsum(is_new)
    return np.concatenate([[first], rising[is_new]]), step


def amounts(
    start: NDArray[np.integer], end: NDArray[np.integer], amount: NDArray[np.generic], n_steps: int
) -> Floats:
    """For each step, the sum of what counts from `start` up to but not including `end`."""
    added = np.bincount(start, amount, minlength=n_steps + 1)
    taken = np.bincount(end, amount, minlength=n_steps + 1)
    sums: Floats = np.cumsum(added - taken)[:n_steps]
    return sums


MOST_SHOWN = 40


def path_text(path: CostComplexityPath) -> str:
    """The table, the root first; in the middle of a long path, lines are left out."""
    head = ["cp", "alpha", "splits", "leaves", "relative risk"]
    if path.held_out is not None:
        head += ["held out", "+-"]
    steps = list(range(len(path)))[::-1]
    shown = steps if len(steps) <= MOST_SHOWN else steps[: MOST_SHOWN // 2] + steps[-10:]
    cells = [head, *(line_of(path, step) for step in shown)]
    lines = aligned(cells, "r" * len(head))
    if len(shown) < len(steps):
        lines.insert(1 + MOST_SHOWN // 2, f"... {len(steps) - len(shown)} more")
    noun = "subtree" if len(path) == 1 else "subtrees"
    return "\n".join([f"{len(path)} {noun} by {path.risk}", *lines])


def line_of(path: CostComplexityPath, step: int) -> list[str]:
    line = [
        f"{path.cps[step]:.6f}",
        f"{path.alphas[step]:.6g}",
        str(path.n_splits[step]),
        str(path.n_leaves[step]),
        f"{path.relative_risks[step]:.5f}",
    ]
    held_out = path.held_out
    if held_out is not None:
        unit = held_out.root if held_out.root > 0 else 1.0
        line.append(f"{held_out.risks[step] / unit:.5f}")
        line.append(f"{held_out.standard_errors[step] / unit:.5f}")
    return line
