"""What the training rows of each split look like, by the column that it asks.

Of classes, a histogram of the column: bars of rows, divided by class. Of numbers, a sample of the
rows as points: the target over the column. Categories have a bar, or a strip of points, each.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import ColumnSpec
from treewright.plain_text import number_text
from treewright.tree.conditions import time_text
from treewright.tree.layout import BRANCHES, INTERVALS, SUBSET, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.node_rows import NodeRows
from treewright.worksheets.training import Share, Training

N_BARS = 18  # of a histogram
MOST_CATEGORIES = 12  # with a bar of their own; of more, those with most rows
MOST_POINTS = 70
RARE = 0.01  # of the rows at either end of the column that the end bars take along
ALMOST = 1e-9
DIGITS = 3  # of the numbers at the ends


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """The training rows of one split, by the column that it asks."""

    bars: Floats  # (n_bars, n_classes): weights; (0, 0) of numbers
    points: Floats  # (n_points, 2): 0 to 1, column and target; (0, 2) of classes
    cuts: tuple[float, ...]  # where the column is cut, 0 to 1
    ends: tuple[str, str] = ("", "")  # of the column; blank for categories
    gaps: tuple[int, ...] = ()  # bars of categories before which another branch begins
    n_places: int = 0  # categories that points stand in; 0 for a column of numbers


@dataclass(frozen=True, eq=False)
class Distributions:
    """The distributions of a tree's splits, computed when they are asked for."""

    tree: Tree
    training: Training
    _rows: NodeRows = field(init=False)
    _known: dict[int, Distribution | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", NodeRows(self.tree, self.training))

    def of(self, node: int) -> Distribution | None:
        """The distribution at a split; None at a leaf, a weighted sum, or if no value is known."""
        if node not in self._known:
            self._known[node] = self._found(node)
        return self._known[node]

    def _found(self, node: int) -> Distribution | None:
        kind = int(self.tree.kind[node])
        if kind not in (THRESHOLD, INTERVALS, BRANCHES, SUBSET):
            return None
        share = self._rows.of(node)
        numbers = self.training.numbers(int(self.tree.feature[node]))[share.rows]
        is_known = np.isfinite(numbers) & (share.weights > 0)
        if not is_known.any():
            return None
        rows, numbers = share.where(is_known), numbers[is_known]
        spec = self.training.spec(int(self.tree.feature[node]))
        if kind in (BRANCHES, SUBSET) or not spec.is_numeric:
            return self._of_categories(node, rows, numbers.astype(np.intp))
        return self._of_numbers(node, rows, numbers)

    def _of_numbers(self, node: int, share: Share, numbers: Floats) -> Distribution:
        tree = self.tree
        if tree.kind[node] == THRESHOLD:
            cuts = [float(tree.threshold[node])]
        else:
            cuts = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
        ends = np.quantile(numbers, (RARE, 1 - RARE), method="nearest").tolist()
        edges = edges_at(cuts[0], min(ends[0], *cuts), max(ends[1], *cuts))
        low, width = float(edges[0]), float(edges[-1] - edges[0])
        n_bars = len(edges) - 1
        # A value at an edge is in the bar before it, as a value at the cut goes to the left.
        bar = np.clip(np.searchsorted(edges, numbers, side="left") - 1, 0, n_bars - 1)
        spec = self.training.spec(int(tree.feature[node]))
        return Distribution(
            bars=self._bars(share, bar, n_bars),
            points=self._points(share, np.clip((numbers - low) / width, 0.0, 1.0)),
            cuts=tuple((cut - low) / width for cut in cuts),
            ends=(end_text(spec, ends[0]), end_text(spec, ends[1])),
        )

    def _of_categories(self, node: int, share: Share, codes: NDArray[np.intp]) -> Distribution:
        tree = self.tree
        n_codes = int(codes.max()) + 1
        weights = np.bincount(codes, share.weights, n_codes)
        child_of = self._child_of_codes(node, n_codes)
        frequent = np.argsort(-weights, kind="stable")[:MOST_CATEGORIES]
        shown = sorted(frequent[weights[frequent] > 0].tolist(), key=lambda at: (child_of[at], at))
        place = np.full(n_codes, -1)
        place[shown] = np.arange(len(shown))
        is_shown = place[codes] >= 0
        own, places = share.where(is_shown), place[codes][is_shown]
        spread = (np.arange(len(places)) * 0.618) % 0.6 + 0.2  # points stand side by side
        changes = [
            at for at in range(1, len(shown)) if child_of[shown[at]] != child_of[shown[at - 1]]
        ]
        is_ordered = tree.kind[node] in (THRESHOLD, INTERVALS)
        return Distribution(
            bars=self._bars(own, places, len(shown)),
            points=self._points(own, (places + spread) / len(shown)),
            cuts=tuple(at / len(shown) for at in changes) if is_ordered else (),
            gaps=tuple(changes),
            n_places=len(shown),
        )

    def _child_of_codes(self, node: int, n_codes: int) -> list[int]:
        """The branch of each category, for their order."""
        tree = self.tree
        if tree.kind[node] in (THRESHOLD, INTERVALS):
            own = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]]
            cuts = tree.threshold[node : node + 1] if tree.kind[node] == THRESHOLD else own
            places: list[int] = np.searchsorted(cuts, np.arange(n_codes), side="left").tolist()
            return places
        entries = slice(tree.level_start[node], tree.level_start[node + 1])
        child_of = dict(
            zip(tree.level_code[entries].tolist(), tree.level_child[entries].tolist(), strict=True)
        )
        return [child_of.get(code, len(child_of)) for code in range(n_codes)]

    def _bars(self, share: Share, bar: NDArray[np.intp], n_bars: int) -> Floats:
        codes, n_classes = self.training.codes, self.training.n_classes
        if codes is None:
            return np.zeros((0, 0))
        flat = bar * n_classes + codes[share.rows]
        bars = np.bincount(flat, share.weights, n_bars * n_classes).astype(np.float64)
        return bars.reshape(n_bars, n_classes)

    def _points(self, share: Share, at: Floats) -> Floats:
        """A sample of the rows, always the same one."""
        values = self.training.values
        if values is None:
            return np.zeros((0, 2))
        kept = np.arange(share.n_rows)
        if len(kept) > MOST_POINTS:
            kept = np.sort(np.random.default_rng(0).permutation(len(kept))[:MOST_POINTS])
        low, high = self.target_range
        height = np.clip((values[share.rows[kept]] - low) / (high - low), 0.0, 1.0)
        return np.column_stack([at[kept], height])

    @property
    def target_range(self) -> tuple[float, float]:
        """The numbers of the target at the bottom and at the top of a picture of points."""
        values = self.training.values
        assert values is not None
        low, high = np.quantile(values, (RARE, 1 - RARE), method="nearest").tolist()
        return (low, high) if high > low else (low - 0.5, low + 0.5)


def edges_at(cut: float, low: float, high: float) -> Floats:
    """Edges of bars from low to high, one of them at the cut, so that no bar is on both sides.

    >>> edges_at(2.0, 0.0, 18.0)[:4].tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    width = (high - low) / N_BARS
    if not (width > 0 and np.isfinite(width) and cut + width > cut):
        width = max(abs(cut), 1.0) / N_BARS
    n_below = max(int(np.ceil((cut - low) / width - ALMOST)), 1)
    n_above = max(int(np.ceil((high - cut) / width - ALMOST)), 1)
    return np.asarray(cut + width * np.arange(-n_below, n_above + 1), dtype=np.float64)


def end_text(spec: ColumnSpec, number: float) -> str:
    """A number or a date at an end of a histogram, short."""
    if spec.unit:
        return spec.format.time_text(int(number), spec.unit) or time_text(int(number), spec.unit)
    short = float(f"{number:.{DIGITS}g}")
    return spec.format.bound_text(short, number_text(short))
