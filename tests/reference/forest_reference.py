"""The largest gain that any split of a node has: every column, every cut, every set of levels.

Plain loops over rows, with the impurities of the textbook. Columns are lists of numbers or of level
codes; None is missing. `least` is the fewest rows of a side.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

Column = Sequence[float | None]


@dataclass(frozen=True)
class ForestProblem:
    columns: list[Column]
    is_nominal: list[bool]
    target: Sequence[float]
    weight: Sequence[float]
    measure: str  # "gini", "entropy", "squared_error"
    least: int = 1

    def impurity(self, rows: Sequence[int]) -> float:
        """Of a node, times its weight."""
        total = sum(self.weight[row] for row in rows)
        if self.measure == "squared_error":
            mean = sum(self.weight[row] * self.target[row] for row in rows) / total
            return sum(self.weight[row] * (self.target[row] - mean) ** 2 for row in rows)
        shares = [
            sum(self.weight[row] for row in rows if self.target[row] == cls) / total
            for cls in sorted({self.target[row] for row in rows})
        ]
        if self.measure == "gini":
            return total * (1 - sum(share**2 for share in shares))
        return -total * sum(share * math.log2(share) for share in shares)

    def gain(self, rows: Sequence[int], left: Sequence[int]) -> float:
        goes_left = set(left)
        right = [row for row in rows if row not in goes_left]
        return self.impurity(rows) - self.impurity(left) - self.impurity(right)

    def best_gain(self, rows: Sequence[int]) -> float | None:
        """None where nothing can be split."""
        gains = [
            self.gain(rows, left)
            for column in range(len(self.columns))
            for left in self._lefts(column, rows)
            if len(left) >= self.least and len(rows) - len(left) >= self.least
        ]
        return max(gains, default=None)

    def _lefts(self, column: int, rows: Sequence[int]) -> Iterator[list[int]]:
        """Rows that may go left, missing values once with and once without them."""
        values = self.columns[column]
        missing = [row for row in rows if values[row] is None]
        found = sorted({values[row] for row in rows if values[row] is not None})
        if self.is_nominal[column]:
            sets = [set(s) for n in range(len(found) + 1) for s in combinations(found, n)]
        else:
            sets = [set(found[:n]) for n in range(len(found) + 1)]
        for chosen in sets:
            left = [row for row in rows if values[row] is not None and values[row] in chosen]
            for together in [left, left + missing] if missing else [left]:
                if 0 < len(together) < len(rows):
                    yield together
