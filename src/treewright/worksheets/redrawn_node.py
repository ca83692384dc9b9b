"""One node whose rows are drawn anew: the split that growth makes of those drawn."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.tree.layout import LEAF, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.node_rows import NOWHERE, NodeRows, child_of_values
from treewright.worksheets.number_partitions import threshold_at
from treewright.worksheets.training import Positions, Share, Training

MANY_LEVELS = 0.3  # of the rows
FEW_ROWS = 10  # below this every column has levels for many of them


@dataclass(frozen=True, slots=True)
class Outcome:
    """What growth made of the rows of one draw."""

    winners: tuple[int, ...]  # columns of the best split, several if tied; none without a split
    same: bool  # the node's own column is among them, and parts the rows as in the tree
    thresholds: tuple[float, ...]  # of that column, if it has one


@dataclass(frozen=True, slots=True, eq=False)
class RedrawnNode:
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
            data_value_thresholds=False,  # the whole table is asked for them, not the rows here
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
        """As many rows as there are, each time any of them; or a part of them, each once.

        The share has places among the node's rows. A row that is drawn twice gets twice its weight,
        which growth treats as two rows and gets through in a quarter less time, unless a limit
        counts rows.
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
        """Whether two rows are more to a limit of growth than one row of twice the weight."""
        least_leaf, least_split = self.settings.min_samples_leaf, self.settings.min_samples_split
        return not self.settings.sizes_are_weights and (least_leaf > 1 or least_split > 2)

    def tried(self, drawn: Share) -> Outcome:
        """The choice once more, by the rows drawn."""
        stump = self.split_of(drawn)
        winners = winners_of(stump)
        if self.feature not in winners:
            return Outcome(winners, same=False, thresholds=())
        own = stump if stump.feature[0] == self.feature else self.own_split_of(drawn)
        return Outcome(winners, self.parts_alike(own), tuple(self.threshold_of(own, drawn)))

    def split_of(self, drawn: Share) -> Tree:
        """The one split that growth makes of some of the rows; a leaf if it makes none."""
        return self._grown(self.table, drawn, self.settings)

    def own_split_of(self, drawn: Share) -> Tree:
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

    def _grown(self, table: Table, drawn: Share, settings: GrowthSettings) -> Tree:
        training, rows, weights = self.training, self.rows[drawn.rows], drawn.weights
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
        return grow_tree(table[drawn.rows], target, known_weights, settings)

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

    def threshold_of(self, stump: Tree, drawn: Share) -> Iterator[float]:
        """The threshold of a split, if it has one, as the whole table has it."""
        if stump.kind[0] != THRESHOLD:
            return
        threshold = float(stump.threshold[0])
        if self.training.settings.data_value_thresholds:
            values = self.values[drawn.rows]
            below, above = values[values <= threshold], values[values > threshold]
            if len(above):  # not where the threshold only tells known values from missing ones
                last, first = float(below.max()), float(above.min())
                threshold = threshold_at(self.training, self.feature, last, first)
        yield threshold

    def has_many_levels(self, feature: int) -> bool:
        """Whether a nominal column has levels for so many of the rows that draws favor it."""
        if not self.training.is_nominal(feature) or len(self.rows) < FEW_ROWS:
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
