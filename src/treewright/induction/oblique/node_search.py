"""The best split of one node by a sum of columns."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import learners as oblique
from treewright.arrays import Floats, distinct
from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.induction.settings import GrowthSettings

MARGIN = 0.25  # of the gap on each side, so that no row is very close to the line


def threshold_between(below: float, above: float) -> float:
    """The shortest number in the middle half of the gap; `below` <= it < `above`.

    >>> threshold_between(88.0, 94.0), threshold_between(90.5, 91.5)
    (90.0, 91.0)
    >>> threshold_between(0.1234, 0.1299)
    0.127
    """
    gap = above - below
    middle = below + gap / 2
    if math.isfinite(gap):
        for digits in range(1, 17):
            candidate = float(f"{middle:.{digits}g}")
            if below + MARGIN * gap <= candidate <= above - MARGIN * gap:
                return candidate
    return middle if below <= middle < above else below


MOST_ROWS_SEARCHED = 4_000  # larger nodes are sampled; the threshold then uses all rows
MOST_COLUMNS = 32  # that enter sums at a node: those with the best splits
N_STARTS = 3
LOSS_BY_ROUNDING = 0.01  # of the gain


@dataclass(frozen=True, slots=True)
class SumSettings:
    """How long sums may be, and how much a further column must improve the gain."""

    max_terms: int = 3
    term_gain: float = 0.05  # each further term must raise the gain by at least this share
    rows_per_term: int = 10  # rows that a node needs for each term of its sum
    n_jumps: int = 10
    seed: int = 0


Positions = NDArray[np.intp]

LARGEST_VALUE = 1e100  # beyond, squares of differences overflow
SMALLEST_GAP = 1e-9  # between two sums, as a share of the largest: less may be rounding
SMALLEST_WEIGHT = 1e-290  # as a share of the largest
TIE = 1e-12  # of the impurity: gains that differ by less are equal


@dataclass(frozen=True, slots=True)
class SumSplit:
    """A split by a weighted sum of columns."""

    columns: tuple[int, ...]  # numbers of the table's columns
    weights: tuple[float, ...]
    threshold: float
    gain: float  # impurity taken away, per unit of weight
    missing_child: int  # for rows with a missing value
    sides: NDArray[np.int8]  # of each row of the node: 0 or 1


class SumSearch:
    """Searches for sums at the nodes of a tree."""

    def __init__(
        self,
        table: Table,
        target: ClassTarget,
        weights: Floats | None,
        growth: GrowthSettings,
        settings: SumSettings,
    ) -> None:
        unit = 1.0 if weights is None else power_near(weights)
        if weights is None:
            weights = np.ones(table.n_rows)
        else:  # over a power of two, so that squares do not overflow
            weights = np.maximum(weights / unit, SMALLEST_WEIGHT)
        self.columns = summable_columns(table)
        values = [numbers_of(table, at) for at in self.columns]
        self.values = np.array(values).reshape(len(values), table.n_rows)
        self.kind_of_row = row_kinds(self.values)
        self.target = target
        self.weights = weights
        self.growth = growth
        self.settings = settings
        self.score_weights = weights
        if growth.class_factor is not None:
            self.score_weights = weights * growth.class_factor[target.codes]
        self.min_rows = float(growth.min_samples_leaf)
        self.min_weight = growth.min_weight_fraction_leaf * float(weights.sum())
        if growth.weights_are_counts:
            self.min_weight = max(self.min_weight, self.min_rows / unit)
            self.min_rows = 1.0

    def best(self, rows: Positions, axis_gain: float, path: int, n_threads: int) -> SumSplit | None:
        """The best sum, or None if it does not improve enough on `axis_gain`, that of one column.

        `path` identifies the node, so that random choices do not depend on the order of growth.
        """
        # A repeated row counts once, like one row of weight 2.
        n_distinct = len(distinct(self.kind_of_row[rows]))
        most = min(self.settings.max_terms, n_distinct // self.settings.rows_per_term)
        if most < 2 or len(self.columns) < 2:
            return None
        everyone = self._node_target(rows)
        best, n_terms, best_gain = None, 1, axis_gain
        for at, weights in self._searched(rows, most, path, n_threads):
            found = self._split(rows, everyone, at, weights)
            if found is None:
                continue
            factor = 1 + self.settings.term_gain * (len(at) - n_terms)
            if found.gain > best_gain * factor + TIE:
                best, n_terms, best_gain = found, len(at), found.gain
        return best

    def _searched(
        self, rows: Positions, most: int, path: int, n_threads: int
    ) -> list[tuple[list[int], list[float]]]:
        random = np.random.default_rng([self.settings.seed, path])
        asked = oblique.ObliqueSettings()
        asked.max_terms = most
        asked.max_columns = MOST_COLUMNS
        asked.n_starts = N_STARTS
        asked.n_jumps = self.settings.n_jumps
        asked.max_loss = LOSS_BY_ROUNDING
        asked.seed = int(random.integers(2**63))
        share = 1.0
        if len(rows) > MOST_ROWS_SEARCHED:
            share = MOST_ROWS_SEARCHED / len(rows)
            rows = np.sort(random.choice(rows, MOST_ROWS_SEARCHED, replace=False))
        target = self._node_target(rows, share)
        here = np.ascontiguousarray(self.values[:, rows])
        return oblique.search_sums(here, target, asked, n_threads)

    def _node_target(self, rows: Positions, share: float = 1.0) -> oblique.ObliqueTarget:
        """Classes and weights of a `share` of the node's rows; limits are scaled by it."""
        made = oblique.ObliqueTarget(
            oblique.ObliqueImpurity[str(self.growth.criterion)],
            self.target.codes[rows],
            self.target.n_classes,
            self.weights[rows],
            self.score_weights[rows],
        )
        made.min_rows = max(1.0, share * self.min_rows)
        made.min_weight = share * self.min_weight
        return made

    def _split(
        self, rows: Positions, target: oblique.ObliqueTarget, at: list[int], weights: list[float]
    ) -> SumSplit | None:
        """The sum with its best threshold; missing values go to the side with the larger gain."""
        sums = added_up(self.values[at][:, rows], weights)
        known = ~np.isnan(sums)
        if not known.any():
            return None
        min_gap = SMALLEST_GAP * float(np.abs(sums[known]).max())
        sides_of_missing = (0, 1) if not known.all() else (0,)
        best = None
        for side in sides_of_missing:
            filled = np.where(known, sums, (-np.inf, np.inf)[side])
            found = oblique.best_sum_cut(filled, target, min_gap)
            if found is not None and (best is None or found[0] > best[0][0] + TIE):
                best = found, side
        if best is None:
            return None
        (gain, below, above), missing = best
        threshold = threshold_between(below, above)
        with np.errstate(invalid="ignore"):
            sides = np.where(known, sums > threshold, missing == 1).astype(np.int8)
        if known.all():
            weight = np.bincount(sides, self.weights[rows], 2)
            missing = int(weight[1] > weight[0])
        columns = tuple(self.columns[place] for place in at)
        return SumSplit(columns, tuple(weights), threshold, gain, missing, sides)


def added_up(values: Floats, weights: list[float]) -> Floats:
    """The sum of each row, in the same order of terms as in prediction."""
    sums = np.zeros(values.shape[1])
    for line, weight in zip(values, weights, strict=True):
        sums += weight * line
    return sums


def summable_columns(table: Table) -> tuple[int, ...]:
    """Numeric columns that may enter sums: no dates, no infinite or huge values."""
    return tuple(
        at
        for at, column in enumerate(table.columns)
        if isinstance(column, NumericColumn) and not column.unit and is_moderate(column.values)
    )


def row_kinds(values: Floats) -> Positions:
    """A number for each row: the same for rows that are equal in all columns."""
    kinds = np.zeros(values.shape[1], dtype=np.intp)
    for line in values:
        n_before = int(kinds.max(initial=0)) + 1
        _, codes = np.unique(line, return_inverse=True)
        _, kinds = np.unique(codes * n_before + kinds, return_inverse=True)
    return kinds


def power_near(weights: Floats) -> float:
    """A power of two near the largest weight."""
    return math.ldexp(1.0, math.frexp(weights.max())[1] - 1)


def is_moderate(values: NDArray[np.floating]) -> bool:
    known = values[~np.isnan(values)]
    return len(known) > 0 and bool((np.abs(known) < LARGEST_VALUE).all())


def numbers_of(table: Table, at: int) -> Floats:
    column = table.columns[at]
    assert isinstance(column, NumericColumn)
    return column.values.astype(np.float64)
