"""The choice at a node, tried again and again on rows drawn anew."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.tree.conditions import bound_text
from treewright.tree.kinds import KIND_NAMES, LEAF, OBLIQUE, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.node_rows import NOWHERE, NodeRows, child_of_values
from treewright.worksheets.stability import COVERAGE, NodeStability, Win
from treewright.worksheets.thresholds import threshold_at
from treewright.worksheets.training import Floats, Positions, Training

MANY_LEVELS = 0.3  # of the rows


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """How often, and by which seed, the choices of a tree are tried again."""

    tree: Tree
    training: Training
    rows: NodeRows
    n_resamples: int
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
        place = _Place.of(self, index)
        random = np.random.default_rng([self.seed, index])
        wins: defaultdict[int, Fraction] = defaultdict(Fraction)
        same = Fraction()
        thresholds: list[float] = []
        for drawn in (place.draw(random, self.fraction) for _ in range(self.n_resamples)):
            stump = place.split_of(drawn)
            winners = winners_of(stump)
            for winner in winners:  # only the order of the columns decides a tie
                wins[winner] += Fraction(1, len(winners))
            if place.feature in winners:
                own = stump if stump.feature[0] == place.feature else place.own_split_of(drawn)
                same += Fraction(place.parts_alike(own), len(winners))
                thresholds += place.threshold_of(own, drawn)
        found = _summary(place, self.n_resamples, wins, same, thresholds)
        return replace(
            found,
            is_raised=not self.raised.isdisjoint(tree.path_to(index)),
            many_levels=found.many_levels if self.fraction is None else (),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """One node: its rows as a table of its own, and how one split of them is grown."""

    tree: Tree
    node: int
    training: Training
    rows: Positions
    weights: Floats
    table: Table
    values: Floats  # of the column that the node asks, one for each row
    distinct: Floats  # those of them that are known, each once
    settings: GrowthSettings
    n_threads: int

    @classmethod
    def of(cls, bootstrap: Bootstrap, node: int) -> "_Place":
        tree, training = bootstrap.tree, bootstrap.training
        share = bootstrap.rows.of(node)
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
            data_value_thresholds=False,  # the whole table is asked for them, not the rows here
            rows_in_table=training.table.n_rows,
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
            n_threads=bootstrap.n_threads,
        )

    @property
    def feature(self) -> int:
        return int(self.tree.feature[self.node])

    def draw(self, random: np.random.Generator, fraction: float | None = None) -> Positions:
        """As many rows as there are, each time any of them; or a part of them, each once."""
        n_rows = len(self.rows)
        if fraction is None:
            return random.integers(0, n_rows, n_rows)
        return random.permutation(n_rows)[: max(1, round(fraction * n_rows))]

    def split_of(self, drawn: Positions) -> Tree:
        """The one split that growth makes of some of the rows; a leaf if it makes none."""
        return self._grown(self.table, drawn, self.settings)

    def own_split_of(self, drawn: Positions) -> Tree:
        """The split by the node's own column, where another one is as good.

        That it is good enough to be taken has been found in comparison with all columns.
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

    def _grown(self, table: Table, drawn: Positions, settings: GrowthSettings) -> Tree:
        training, rows = self.training, self.rows[drawn]
        weights = self.weights[drawn]
        if settings.min_weight_fraction_leaf:  # it is a share of the whole table's weight
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
        return grow_tree(table[drawn], target, known_weights, settings, self.n_threads)

    def parts_alike(self, stump: Tree) -> bool:
        """Whether a split of drawn rows sends the node's rows the same ways as the node does.

        Levels that were not drawn go nowhere and are not compared. Which of two sides comes first
        does not matter.
        """
        here = child_of_values(self.tree, self.node, self.distinct)
        there = child_of_values(stump, 0, self.distinct)
        known = (here != NOWHERE) & (there != NOWHERE)
        if stump.other_child[0] >= 0:
            known &= there != stump.other_child[0] - stump.first_child[0]
        here, there = here[known], there[known]
        n_pairs = len(np.unique(here * stump.n_children[0] + there))
        return n_pairs == len(np.unique(here)) == len(np.unique(there))

    def threshold_of(self, stump: Tree, drawn: Positions) -> Iterator[float]:
        """The threshold of a split, if it has one, as the whole table has it."""
        if stump.kind[0] != THRESHOLD:
            return
        threshold = float(stump.threshold[0])
        if self.training.settings.data_value_thresholds:
            values = self.values[drawn]
            below, above = values[values <= threshold], values[values > threshold]
            if len(above):  # not where the threshold only tells known values from missing ones
                last, first = float(below.max()), float(above.min())
                threshold = threshold_at(self.training, self.feature, last, first)
        yield threshold

    def has_many_levels(self, feature: int) -> bool:
        """Whether a nominal column has levels for so many of the rows that draws favour it."""
        if not self.training.is_nominal(feature):
            return False
        values = self.training.numbers(feature)[self.rows]
        return len(np.unique(values[~np.isnan(values)])) >= MANY_LEVELS * len(self.rows)


def winners_of(stump: Tree) -> tuple[int, ...]:
    """The columns that made the best split, several if tied; none without a split."""
    if stump.kind[0] == LEAF:
        return ()
    tied = stump.competitor_feature[: stump.competitor_start[1]][
        stump.competitor_tied[: stump.competitor_start[1]] == 1
    ]
    return (int(stump.feature[0]), *tied.tolist())


def _summary(
    place: _Place, n: int, wins: Mapping[int, Fraction], same: Fraction, thresholds: list[float]
) -> NodeStability:
    tree, feature = place.tree, place.feature
    names = [column.name for column in place.table.columns]
    by_share = sorted(wins.items(), key=lambda win: (-win[1], win[0]))
    others = [Win(names[at], float(won / n)) for at, won in by_share if at != feature]
    spec = tree.schema.columns[feature]
    kind = int(tree.kind[place.node])
    threshold = float(tree.threshold[place.node]) if kind == THRESHOLD else None
    low, high = _interval(thresholds) if kind == THRESHOLD else (None, None)
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
        same_split=float(same / n),
        many_levels=tuple(names[at] for at, _ in by_share if place.has_many_levels(at)),
        threshold=threshold,
        low=low,
        high=high,
        threshold_text=_bound_text(spec, threshold),
        bounds=(_bound_text(spec, low), _bound_text(spec, high)),
    )


def _interval(thresholds: list[float]) -> tuple[float, float] | tuple[None, None]:
    """Two of the thresholds that at least 90 % of them lie between."""
    if not thresholds:
        return None, None
    tail = (1 - COVERAGE) / 2
    low = np.quantile(thresholds, tail, method="lower")
    return float(low), float(np.quantile(thresholds, 1 - tail, method="higher"))


def _bound_text(spec: ColumnSpec, bound: float | None) -> str:
    return "" if bound is None else bound_text(spec, bound)


def _without_values(table: Table, features: set[int]) -> Table:
    """The table with some columns emptied: a column that is missing everywhere is never asked."""
    if not features:
        return table
    columns = [
        _emptied(column) if at in features else column for at, column in enumerate(table.columns)
    ]
    return Table(columns, table.n_rows, has_names=table.has_names)


def _emptied(column: Column) -> Column:
    if isinstance(column, NumericColumn):
        return replace(column, values=np.full(len(column), np.nan))
    assert isinstance(column, NominalColumn)
    return replace(column, codes=np.full(len(column), MISSING, dtype=np.int32))
