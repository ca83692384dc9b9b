"""Boosted trees by definition: what a set of rows is worth, and the best of all splits of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.tree.layout import INTERVALS


@dataclass(frozen=True)
class GradientProblem:
    """Columns (NaN, or a negative code, is missing), derivatives of each row, limits."""

    columns: list[np.ndarray]
    is_nominal: list[bool]
    gradient: np.ndarray
    hessian: np.ndarray
    l1: float = 0.0
    l2: float = 0.0
    min_gain: float = 0.0
    min_samples_leaf: int = 1
    min_child_weight: float = 0.0

    def is_missing(self, column: int) -> np.ndarray:
        values = self.columns[column]
        return values < 0 if self.is_nominal[column] else np.isnan(values)

    def worth(self, rows: np.ndarray) -> float:
        """Twice what the best prediction takes off the loss of the rows."""
        if len(rows) == 0:
            return 0.0
        shrunk = max(abs(self.gradient[rows].sum()) - self.l1, 0.0)
        return float(shrunk**2 / (self.hessian[rows].sum() + self.l2))

    def prediction(self, rows: np.ndarray) -> float:
        total = self.gradient[rows].sum()
        shrunk = np.sign(total) * max(abs(total) - self.l1, 0.0)
        return float(-shrunk / (self.hessian[rows].sum() + self.l2))

    def gain(self, left: np.ndarray, right: np.ndarray) -> float:
        both = np.concatenate([left, right])
        return self.worth(left) + self.worth(right) - self.worth(both)

    def is_allowed(self, side: np.ndarray) -> bool:
        return (
            len(side) >= max(self.min_samples_leaf, 1)
            and self.hessian[side].sum() >= self.min_child_weight
        )

    def best_gain(self, rows: np.ndarray) -> float:
        """The largest gain of an allowed split, 0 where there is none."""
        gains = [
            self.gain(left, right)
            for column in range(len(self.columns))
            for left, right in self._splits(rows, column)
            if self.is_allowed(left) and self.is_allowed(right)
        ]
        return max([gain for gain in gains if gain > self.min_gain], default=0.0)

    def _splits(self, rows: np.ndarray, column: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        missing = self.is_missing(column)[rows]
        values = self.columns[column][rows]
        for known_left in self._left_sides(values, ~missing, column):
            for goes_left in (known_left, known_left | missing):
                yield rows[goes_left], rows[~goes_left]

    def _left_sides(
        self, values: np.ndarray, known: np.ndarray, column: int
    ) -> Iterator[np.ndarray]:
        different = np.unique(values[known])
        if not self.is_nominal[column]:
            for value in different:
                yield known & (values <= value)
            return
        for subset in range(1, 2 ** len(different)):
            chosen = [level for i, level in enumerate(different) if subset >> i & 1]
            yield known & np.isin(values, chosen)


def rows_by_node(tree: dict[str, Any], problem: GradientProblem) -> list[np.ndarray]:
    """The rows that come to each node of a grown tree."""
    n_nodes = len(tree["kind"])
    rows: list[np.ndarray] = [np.arange(len(problem.gradient))] + [np.array([], int)] * (
        n_nodes - 1
    )
    for node in range(n_nodes):
        if tree["n_children"][node] == 0:
            continue
        column, first = int(tree["feature"][node]), int(tree["first_child"][node])
        here = rows[node]
        values = problem.columns[column][here]
        child = np.full(len(here), int(tree["missing_child"][node]))
        if problem.is_nominal[column]:
            begin, end = tree["level_start"][node], tree["level_start"][node + 1]
            sides = dict(
                zip(tree["level_code"][begin:end], tree["level_child"][begin:end], strict=True)
            )
            child = np.array([sides.get(v, c) for v, c in zip(values, child, strict=True)], int)
        else:
            known = ~np.isnan(values)
            above = values[known] > tree["threshold"][node]
            child[known] = above & (tree["kind"][node] != INTERVALS)  # no cut: known goes left
        rows[first], rows[first + 1] = here[child == 0], here[child == 1]
    return rows
