"""How many nodes a page shows unless it is told: as many as are worked out within a second."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.worksheets.ranking import MOST_COMPARED

MOST_NODES, MOST_IN_SUMMARY = 30, 40
MOST_WORKED_OUT = 10  # columns of one node whose calculation is shown

# Time is counted in cells, one row of one column: 60 million take about a second. What a column
# takes however few its rows are was measured by `python -m benchmarks.worksheets`: pages have 4
# nodes of arrhythmia (279 columns), 12 of soybean (35), 17 of Adult (14 columns, 48,842 rows).
MOST_CELLS = 42_000_000
TO_SCORE, TO_COMPARE, TO_SHOW = 22_000, 60_000, 100_000  # one column of a node
MANY_CLASSES = 50  # with so many a column takes twice as long


@dataclass(frozen=True, slots=True)
class Width:
    """What there is to do at every node of a tree."""

    n_columns: int
    n_classes: int

    def cells(self, *, in_full: bool) -> float:
        """The effort that one node takes however few its rows are."""
        scored = TO_SCORE * self.n_columns * (1 + self.n_classes / MANY_CLASSES)
        compared = TO_COMPARE * min(self.n_columns, MOST_COMPARED)
        shown = TO_SHOW * min(self.n_columns, MOST_WORKED_OUT) if in_full else 0
        return scored + compared + shown

    def n_nodes(self, n_rows: NDArray[Any], effort: int, *, in_full: bool) -> int:
        """How many nodes of so many rows, the largest first, take less than the limit."""
        most = MOST_NODES if in_full else MOST_IN_SUMMARY
        largest = -np.sort(-n_rows)[:most]
        effort_of_nodes = largest * self.n_columns * effort + self.cells(in_full=in_full)
        return max(1, int((np.cumsum(effort_of_nodes) <= MOST_CELLS).sum()))
