"""The columns that each node of a forest's tree was allowed to use, drawn again.

A tree draws its columns from a stream of random numbers of its own, node after node, the left
branch before the right one. So the draws can be made again, given the tree, its rows and the bins
of its columns. `native/core/histogram/forest/forest_tree.cpp` makes them the first time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import ForestSettings
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.column import NumericColumn
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import DataError
from treewright.estimators.training import TrainingRows
from treewright.tree.layout import STOP_REASONS
from treewright.tree.tree import Tree
from treewright.worksheets.node_rows import child_of_values

MOST_NARROW = 255  # categories; columns of more keep their codes and set rare ones apart
ALL_BITS = 2**64 - 1
MISSING_BIN = -1


class Random:
    """SplitMix64, as the growers use it.

    >>> random = Random.stream(1, 3)
    >>> random.below(10), random.below(10)
    (3, 8)
    """

    def __init__(self, seed: int) -> None:
        self.state = seed & ALL_BITS

    @classmethod
    def stream(cls, seed: int, part: int) -> "Random":
        """A stream of its own for each part of some work."""
        return cls(cls(seed ^ cls(part).next()).next())

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & ALL_BITS
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & ALL_BITS
        return mixed ^ (mixed >> 31)

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        return ((self.next() >> 32) * n) >> 32


@dataclass(frozen=True, eq=False)
class Draws:
    """What the nodes of one tree drew."""

    columns: dict[int, tuple[int, ...]]  # of each node that might be split, in order
    stop_reasons: NDArray[np.uint8]  # of each node, as `Tree.stop_reason`


@dataclass(frozen=True, eq=False)
class DrawnTree:
    """One tree of a forest with the rows that were drawn for it."""

    trees: PackedTreeSequence
    number: int
    tree: Tree
    rows: TrainingRows  # those drawn, each once
    settings: ForestSettings

    def drawn_again(self) -> Draws | None:
        """The columns of each node; None where the draws cannot be made again."""
        settings, n_rows = self.settings, self.rows.n_rows
        if settings.random_cuts or settings.max_leaf_nodes < n_rows:
            return None  # cuts are drawn too, or nodes come in another order
        found: dict[int, tuple[int, ...]] = {}
        reasons = np.zeros(self.tree.n_nodes, dtype=np.uint8)
        random = Random.stream(settings.seed, 2 * self.number + 1)
        order = list(range(self.tree.schema.n_columns))
        bins = [self._bins(column) for column in range(len(order))]
        open_nodes = [(0, 0, np.arange(n_rows))]
        while open_nodes:
            node, depth, here = open_nodes.pop()
            why = self._why_leaf(depth, here)
            if not why:
                found[node] = self._drawn(here, order, bins, random)
            if self.tree.is_leaf[node]:
                reasons[node] = STOP_REASONS.index(why or "no candidate")
                continue
            if int(self.tree.feature[node]) not in found.get(node, ()):
                raise DataError(
                    f"these are not the training rows: node {node} splits on a column "
                    "that could not be drawn from these rows",
                    hint="give X, y and sample_weight of the fit",
                )
            first = int(self.tree.first_child[node])
            numbers = self._numbers(int(self.tree.feature[node]))[here]
            side = np.full(len(here), int(self.tree.missing_child[node]))
            known = ~np.isnan(numbers)
            found_side = child_of_values(self.tree, node, numbers[known])
            side[known] = np.where(found_side < 0, side[known], found_side)
            open_nodes.append((first + 1, depth + 1, here[side == 1]))
            open_nodes.append((first, depth + 1, here[side == 0]))
        return Draws(found, reasons)

    def _why_leaf(self, depth: int, here: NDArray[np.intp]) -> str:
        """Why nothing is drawn at a node; "" if columns are drawn."""
        settings, values = self.settings, self.rows.target_values
        if not (values[here] != values[here[0]]).any():
            return "pure"
        if depth >= settings.max_depth:
            return "max_depth"
        size = float(len(here))
        if settings.weights_are_counts and self.rows.weights is not None:
            size = float(self.rows.weights[here].sum())
        too_small = size < settings.min_samples_split or size < 2 * settings.min_samples_leaf
        return "min_samples_split" if too_small else ""

    def _drawn(
        self,
        here: NDArray[np.intp],
        order: list[int],
        bins: list[NDArray[np.int64]],
        random: Random,
    ) -> tuple[int, ...]:
        """Draw until enough columns have more than one value here; `order` is changed."""
        wanted = min(int(self.settings.max_features), len(order))
        n_useful = n_drawn = 0
        while n_drawn < len(order) and n_useful < wanted:
            if wanted < len(order):
                other = n_drawn + random.below(len(order) - n_drawn)
                order[n_drawn], order[other] = order[other], order[n_drawn]
            n_useful += self._is_useful(order[n_drawn], bins[order[n_drawn]][here])
            n_drawn += 1
        return tuple(order[:n_drawn])

    def _is_useful(self, column: int, bins: NDArray[np.int64]) -> bool:
        values, counts = np.unique(bins, return_counts=True)
        if len(self.tree.schema.columns[column].levels) <= MOST_NARROW:
            return len(values) > 1
        known = values != MISSING_BIN
        kept = counts[known] >= self.settings.min_level_rows
        has_rest = not known.all() or not kept.all()
        return int(kept.sum()) + has_rest > 1

    def _numbers(self, column: int) -> Floats:
        """A column as numbers or codes, NaN if missing."""
        given = self.rows.table.columns[column]
        if isinstance(given, NumericColumn):
            return np.asarray(given.values, dtype=np.float64)
        return np.where(given.codes < 0, np.nan, given.codes)

    @cached_property
    def _cuts(self) -> list[Floats]:
        """Between the bins of each column."""
        arrays = self.trees.arrays()
        return np.split(arrays["cuts"], arrays["cut_start"][1:-1])

    def _bins(self, column: int) -> NDArray[np.int64]:
        numbers = self._numbers(column)
        known = ~np.isnan(numbers)
        bins = np.full(len(numbers), MISSING_BIN, dtype=np.int64)
        if self.tree.schema.columns[column].is_numeric:
            bins[known] = np.searchsorted(self._cuts[column], numbers[known], side="left")
        else:
            bins[known] = numbers[known].astype(np.int64)
        return bins
