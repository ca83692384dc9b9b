"""Bootstrap: growth chooses the splits of a tree again, on resampled rows of each node."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from treewright._kernels.shared_work import shared_work
from treewright.arrays import Floats
from treewright.data.schema import ColumnSpec, all_missing
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.intervals import percentile_interval
from treewright.tree.layout import KIND_NAMES, LEAF, OBLIQUE, THRESHOLD
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.tree.tree import Tree
from treewright.worksheets.node_rows import NOWHERE, NodeRows, child_of_values
from treewright.worksheets.number_partitions import threshold_at, threshold_text
from treewright.worksheets.stability import COVERAGE, NodeStability, Win
from treewright.worksheets.training import Positions, Share, Training

LARGE_NODE = 5_000  # rows; from here on, resampling stops as soon as the shares are accurate
DRAWS_AT_ONCE = 20
CELLS_WORTH_THREADS = 20_000  # of a node
MANY_LEVELS = 0.3  # of the rows
FEW_ROWS = 10  # below this every nominal column has categories for many rows


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """How to resample the rows of a tree's nodes."""

    tree: Tree
    training: Training
    rows: NodeRows
    n_resamples: int  # of each node; the maximum for large nodes
    seed: int
    n_threads: int = 1
    fraction: float | None = None  # of the rows, without replacement; None: all, with replacement
    raised: frozenset[int] = frozenset()  # nodes whose split was raised by pruning

    def node(self, index: int) -> NodeStability | None:
        """The stability of the split of a node; None without a split by one column.

        Each node has its own random numbers, so its result does not depend on the other nodes.
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

    def _tally(self, place: "RedrawnNode") -> "Tally":
        random = np.random.default_rng([self.seed, place.node])
        is_large = len(place.rows) >= LARGE_NODE
        tally = Tally()
        while tally.n < self.n_resamples:
            n_draws = min(DRAWS_AT_ONCE, self.n_resamples - tally.n)
            draws = [place.draw(random, self.fraction) for _ in range(n_draws)]
            for outcome in self._tried(place, draws):
                tally.add(outcome, place.feature)
            if is_large and tally.is_as_accurate_as(self.n_resamples, place.feature):
                break
        return tally

    def _tried(self, place: "RedrawnNode", draws: list[Share]) -> "Iterable[Outcome]":
        """The outcome of each draw, in order for any number of threads."""
        is_native = isinstance(place.settings.criterion, str)
        if self.n_threads == 1 or not is_native or place.n_cells < CELLS_WORTH_THREADS:
            return map(place.tried, draws)
        with shared_work(place.tried, draws, self.n_threads) as tried:
            return [*tried]


@dataclass(slots=True, eq=False)
class Tally:
    """The outcomes of the draws of a node, counted."""

    n: int = 0
    wins: defaultdict[int, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    same: Fraction = Fraction()
    thresholds: list[float] = field(default_factory=list)

    def add(self, outcome: "Outcome", own: int) -> None:
        """Count one draw; tied columns each get an equal part."""
        self.n += 1
        for winner in outcome.winners:
            self.wins[winner] += Fraction(1, len(outcome.winners))
        if own in outcome.winners:
            self.same += Fraction(outcome.same, len(outcome.winners))
            self.thresholds += outcome.thresholds

    def is_as_accurate_as(self, n: int, own: int) -> bool:
        """Whether the shares are as accurate as a share of one half after `n` draws.

        Two successes and two failures are added to the variance of a share, so that draws which
        all agree do not look certain.
        """
        for found in (self.wins.get(own, Fraction()), self.same):
            share = float(found + 2) / (self.n + 4)
            if share * (1 - share) / (self.n + 4) > 0.25 / n:
                return False
        return True


def _summary(place: "RedrawnNode", tally: Tally) -> NodeStability:
    tree, feature, n, wins = place.tree, place.feature, tally.n, tally.wins
    names = [column.name for column in place.table.columns]
    by_share = sorted(wins.items(), key=lambda win: (-win[1], win[0]))
    others = [Win(names[at], float(won / n)) for at, won in by_share if at != feature]
    kind, shown = int(tree.kind[place.node]), with_thresholds_shown(tree)
    threshold = float(tree.threshold[place.node]) if kind == THRESHOLD else None
    low = high = None
    if kind == THRESHOLD and tally.thresholds:
        low, high = percentile_interval(tally.thresholds, COVERAGE)
    return NodeStability(
        node=place.node,
        path=tuple(node.condition for node in shown.node(place.node).path[1:]),
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


def _shown(place: "RedrawnNode", threshold: float | None) -> str:
    return "" if threshold is None else threshold_text(place.training, place.feature, threshold)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The split that growth chose for one draw."""

    winners: tuple[int, ...]  # columns of the best split, several if tied; none without a split
    same: bool  # the node's own column is among them, with the same split as in the tree
    thresholds: tuple[float, ...]  # of that column, if it has one


@dataclass(frozen=True, slots=True, eq=False)
class RedrawnNode:
    """One node: its rows as a table, and the settings to grow one split of them."""

    tree: Tree
    node: int
    training: Training
    rows: Positions
    weights: Floats
    table: Table
    values: Floats  # of the node's column, one for each row
    distinct: Floats  # the known ones of them, each once
    settings: GrowthSettings

    @classmethod
    def of(cls, tree: Tree, training: Training, rows: NodeRows, node: int) -> "RedrawnNode":
        share = rows.of(node)
        table = training.table[share.rows]
        if training.settings.use_once:
            asked = {int(tree.feature[above]) for above in tree.path_to(node)[:-1]}
            table = _without_values(table, asked)
        settings = replace(
            training.settings,
            max_depth=1,
            max_leaf_nodes=None,
            max_splits=None,
            max_surrogates=0,
            n_competitors=table.n_columns,
            data_value_thresholds=False,  # these depend on the whole table, not the rows here
            rows_in_table=training.settings.rows_in_table or training.table.n_rows,
        )
        values = training.numbers(int(tree.feature[node]))[share.rows]
        return cls(
            tree=tree,
            node=node,
            training=training,
            rows=share.rows,
            weights=share.weights,
            table=table,
            values=values,
            distinct=np.unique(values[~np.isnan(values)]),
            settings=settings,
        )

    @property
    def feature(self) -> int:
        return int(self.tree.feature[self.node])

    @property
    def n_cells(self) -> int:
        return len(self.rows) * self.table.n_columns

    def draw(self, random: np.random.Generator, fraction: float | None = None) -> Share:
        """A sample of the node's rows, with replacement, or a fraction without.

        The result has positions among the node's rows. A row that is drawn twice gets twice its
        weight. Growth treats that as two rows and takes a quarter less time; this is not done if a
        limit counts rows.
        """
        n_rows = len(self.rows)
        if fraction is not None:
            drawn = random.permutation(n_rows)[: max(1, round(fraction * n_rows))]
            return Share(drawn, self.weights[drawn])
        times = np.bincount(random.integers(0, n_rows, n_rows), minlength=n_rows)
        if self._counts_rows:
            drawn = np.repeat(np.arange(n_rows), times)
            return Share(drawn, self.weights[drawn])
        drawn = np.flatnonzero(times)
        return Share(drawn, self.weights[drawn] * times[drawn])

    @property
    def _counts_rows(self) -> bool:
        """Whether a limit of growth counts rows instead of weight."""
        least_leaf, least_split = self.settings.min_samples_leaf, self.settings.min_samples_split
        return not self.settings.sizes_are_weights and (least_leaf > 1 or least_split > 2)

    def tried(self, drawn: Share) -> Outcome:
        """The choice of growth on the rows drawn."""
        stump = self.split_of(drawn)
        winners = winners_of(stump)
        if self.feature not in winners:
            return Outcome(winners, same=False, thresholds=())
        own = stump if stump.feature[0] == self.feature else self.own_split_of(drawn)
        return Outcome(winners, self.is_same_split(own), tuple(self.threshold_of(own, drawn)))

    def split_of(self, drawn: Share) -> Tree:
        """The split that growth makes of the rows drawn; a leaf if it makes none."""
        return self._grown(self.table, drawn, self.settings)

    def own_split_of(self, drawn: Share) -> Tree:
        """The split by the node's own column, if another column is as good.

        Comparing all columns has shown already that it is good enough.
        """
        others = {*range(self.table.n_columns)} - {self.feature}
        settings = replace(
            self.settings,
            average_gain_filter=False,
            min_gain=None,
            significance=None,
            error_confidence=None,
        )
        return self._grown(_without_values(self.table, others), drawn, settings)

    def _grown(self, table: Table, drawn: Share, settings: GrowthSettings) -> Tree:
        training, rows, weights = self.training, self.rows[drawn.rows], drawn.weights
        if settings.min_weight_fraction_leaf:  # a share of the weight of the whole table
            share = float(training.weights.sum() / weights.sum())
            least = settings.min_weight_fraction_leaf * share
            settings = replace(settings, min_weight_fraction_leaf=least)
        if training.codes is not None:
            classes = np.arange(training.n_classes)
            target: ClassTarget | NumericTarget = ClassTarget(training.codes[rows], classes)
        else:
            assert training.values is not None
            target = NumericTarget(training.values[rows])
        known_weights = None if (weights == 1).all() else weights
        return grow_tree(table[drawn.rows], target, known_weights, settings)

    def is_same_split(self, stump: Tree) -> bool:
        """Whether a split of the rows drawn divides the node's rows as the node does.

        Categories that were not drawn are not compared. The order of the sides does not matter.
        """
        here = child_of_values(self.tree, self.node, self.distinct)
        there = child_of_values(stump, 0, self.distinct)
        known = (here != NOWHERE) & (there != NOWHERE)
        if stump.other_child[0] >= 0:
            known &= there != stump.other_child[0] - stump.first_child[0]
        here, there = here[known], there[known]
        n_pairs = len(np.unique(here * stump.n_children[0] + there))
        return n_pairs == len(np.unique(here)) == len(np.unique(there))

    def threshold_of(self, stump: Tree, drawn: Share) -> Iterator[float]:
        """The threshold of a split, if it has one, by the values of the whole table."""
        if stump.kind[0] != THRESHOLD:
            return
        threshold = float(stump.threshold[0])
        if self.training.settings.data_value_thresholds:
            values = self.values[drawn.rows]
            below, above = values[values <= threshold], values[values > threshold]
            if len(above):  # not if the threshold only separates known from missing values
                last, first = float(below.max()), float(above.min())
                threshold = threshold_at(self.training, self.feature, last, first)
        yield threshold

    def has_many_levels(self, feature: int) -> bool:
        """Whether a nominal column has so many categories that rows drawn twice favor it."""
        if not self.training.is_nominal(feature) or len(self.rows) < FEW_ROWS:
            return False
        values = self.training.numbers(feature)[self.rows]
        return len(np.unique(values[~np.isnan(values)])) >= MANY_LEVELS * len(self.rows)


def winners_of(stump: Tree) -> tuple[int, ...]:
    """The columns of the best split, several if tied; none without a split."""
    if stump.kind[0] == LEAF:
        return ()
    tied = stump.competitor_feature[: stump.competitor_start[1]][
        stump.competitor_tied[: stump.competitor_start[1]] == 1
    ]
    return (int(stump.feature[0]), *tied.tolist())


def _without_values(table: Table, features: set[int]) -> Table:
    """The table with some columns all missing, so that growth does not use them."""
    if not features:
        return table
    columns = list(table.columns)
    for at in features:
        columns[at] = all_missing(ColumnSpec.of(columns[at]), table.n_rows)
    return Table(columns, table.n_rows, has_names=table.has_names)
