"""Tables as the histogram growers read them."""

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.histogram import BinnedTable, PackedTrees
from treewright.data.table import Table
from treewright.induction.growth import native_columns

Float64Array = NDArray[np.float64]


def binned(
    table: Table,
    weights: Float64Array | None,
    *,
    max_bins: int,
    n_threads: int,
    like: PackedTrees | None = None,
) -> BinnedTable:
    """Every column as bytes: numbers in at most `max_bins` bins of about equal weight.

    With `like`, in the bins of the table that these trees were grown on.
    """
    if weights is not None:
        weights = np.ascontiguousarray(weights)
    return BinnedTable(native_columns(table), table.n_rows, weights, max_bins, n_threads, like)
