"""The rows that a tree is pruned by: those it was grown on, or others it has not seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PruningRows:
    """Rows in the columns of a tree, with the truth about each and its weight."""

    table: Table | NDArray[Any]  # as `predict_values` takes it
    codes: NDArray[np.int32] | None  # class of each row, an index into `Tree.classes`
    values: Float64Array | None  # number of each row, where the tree predicts numbers
    weights: Float64Array  # above 0
    criterion: object = None  # what growth minimised, where the tree predicts numbers
    # The tree that the same settings grow, unpruned, on some of these rows (their positions).
    regrow: Callable[[NDArray[np.intp]], Tree] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.weights)
