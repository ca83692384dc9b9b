"""Weights of sets of rows, by compiled code.

Sets are bits: eight rows a byte, the first in its highest bit. `weights` has an entry for every
bit, such that sums are exact (`row_masks.summable`); without it, rows are counted.
"""

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native
from treewright.arrays import Floats

Words = NDArray[np.uint64]


def shared_weights(sets: Words, within: Words, weights: Floats | None) -> Floats:
    """(n_within, n_sets): the weight of the rows that each set shares with each of `within`."""
    out = np.empty((len(within), len(sets)))
    _native.shared_weights(np.ascontiguousarray(sets), within, weights, out)
    return out


def weights_without_each(
    parts: Words, everything: Words, wrong: Words, weights: Floats | None
) -> Floats:
    """(2, n_parts + 1): the weight in all parts but the first, but the second ..., and in all.

    Below, how much of that weight is in `wrong`.
    """
    out = np.empty((2, len(parts) + 1))
    _native.weights_without_each(parts, everything, wrong, weights, out)
    return out
