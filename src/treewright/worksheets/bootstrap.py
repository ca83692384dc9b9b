"""The choices of a tree, tried again and again on rows drawn anew."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from treewright._kernels.shared_work import shared_work
from treewright.intervals import percentile_interval
from treewright.tree.layout import KIND_NAMES, LEAF, OBLIQUE, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.node_rows import NodeRows
from treewright.worksheets.number_partitions import threshold_text
from treewright.worksheets.redrawn_node import Outcome, RedrawnNode
from treewright.worksheets.stability import COVERAGE, NodeStability, Win
from treewright.worksheets.training import Share, Training

LARGE_NODE = 5_000  # rows; a draw takes so long there that no more are made than are needed
DRAWS_AT_ONCE = 20
CELLS_WORTH_THREADS = 20_000  # of a node


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """How often, and by which seed, the choices of a tree are tried again."""

    tree: Tree
    training: Training
    rows: NodeRows
    n_resamples: int  # of each node; of a large one the most
    seed: int
    n_threads: int = 1
    fraction: float | None = None  # of the rows, each drawn once; None: as many, with replacement
    raised: frozenset[int] = frozenset()  # nodes whose split pruning has put there

    def node(self, index: int) -> NodeStability | None:
        """How stable the split of a node is; None where there is no split by one column.

        Each node has random numbers of its own, so that its figures do not depend on which other
        nodes are looked at.
        """
        tree = self.tree
        if tree.kind[index] in (LEAF, OBLIQUE):
            return None
        place = RedrawnNode.of(tree, self.training, self.rows, index)
        found = _summary(place, self._tally(place))
        return replace(
            found,
            is_raised=not self.raised.isdisjoint(tree.path_to(index)),
            many_levels=found.many_levels if self.fraction is None else (),
        )

    def _tally(self, place: RedrawnNode) -> "Tally":
        random = np.random.default_rng([self.seed, place.node])
        is_large = len(place.rows) >= LARGE_NODE
        tally = Tally()
        while tally.n < self.n_resamples:
            n_draws = min(DRAWS_AT_ONCE, self.n_resamples - tally.n)
            draws = [place.draw(random, self.fraction) for _ in range(n_draws)]
            for outcome in self._tried(place, draws):
                tally.add(outcome, place.feature)
            if is_large and tally.is_as_sure_as(self.n_resamples, place.feature):
                break
        return tally

    def _tried(self, place: RedrawnNode, draws: list[Share]) -> Iterable[Outcome]:
        """What becomes of each draw, in their order whatever the threads."""
        is_native = isinstance(place.settings.criterion, str)
        if self.n_threads == 1 or not is_native or place.n_cells < CELLS_WORTH_THREADS:
            return map(place.tried, draws)
        with shared_work(place.tried, draws, self.n_threads) as tried:
            return [*tried]


@dataclass(slots=True, eq=False)
class Tally:
    """How the draws of a node came out."""

    n: int = 0
    wins: defaultdict[int, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    same: Fraction = Fraction()
    thresholds: list[float] = field(default_factory=list)

    def add(self, outcome: Outcome, own: int) -> None:
        """Count one draw; where columns tie, only their order decides: each gets a part."""
        self.n += 1
        for winner in outcome.winners:
            self.wins[winner] += Fraction(1, len(outcome.winners))
        if own in outcome.winners:
            self.same += Fraction(outcome.same, len(outcome.winners))
            self.thresholds += outcome.thresholds

    def is_as_sure_as(self, n: int, own: int) -> bool:
        """Whether the node's shares are as sure as that of one half after `n` draws.

        By the variance of a share to which two successes and two failures are added, lest draws
        that all agree look certain.
        """
        for found in (self.wins.get(own, Fraction()), self.same):
            share = float(found + 2) / (self.n + 4)
            if share * (1 - share) / (self.n + 4) > 0.25 / n:
                return False
        return True


def _summary(place: RedrawnNode, tally: Tally) -> NodeStability:
    tree, feature, n, wins = place.tree, place.feature, tally.n, tally.wins
    names = [column.name for column in place.table.columns]
    by_share = sorted(wins.items(), key=lambda win: (-win[1], win[0]))
    others = [Win(names[at], float(won / n)) for at, won in by_share if at != feature]
    kind = int(tree.kind[place.node])
    threshold = float(tree.threshold[place.node]) if kind == THRESHOLD else None
    low = high = None
    if kind == THRESHOLD and tally.thresholds:
        low, high = percentile_interval(tally.thresholds, COVERAGE)
    return NodeStability(
        node=place.node,
        path=tuple(node.condition for node in tree.node(place.node).path[1:]),
        column=names[feature],
        kind=KIND_NAMES[kind],
        n_rows=len(place.rows),
        n_resamples=n,
        share=float(wins.get(feature, Fraction()) / n),
        others=tuple(others),
        without_split=float(1 - sum(wins.values(), Fraction()) / n),
        same_split=float(tally.same / n),
        many_levels=tuple(names[at] for at, _ in by_share if place.has_many_levels(at)),
        threshold=threshold,
        low=low,
        high=high,
        threshold_text=_shown(place, threshold),
        bounds=(_shown(place, low), _shown(place, high)),
    )


def _shown(place: RedrawnNode, threshold: float | None) -> str:
    return "" if threshold is None else threshold_text(place.training, place.feature, threshold)
