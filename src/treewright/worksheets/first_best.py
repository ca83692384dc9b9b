"""Which of several scores is taken: the first that no later one exceeds by more than rounding."""

import numpy as np
from numpy.typing import ArrayLike


def first_best(scores: ArrayLike, tolerance: float) -> int:
    """The position that keeps first place: a later score must exceed it by the tolerance.

    >>> first_best([1.0, 3.0, 3.0 + 1e-15, 2.0], 1e-12)
    1
    """
    numbers = np.asarray(scores, dtype=np.float64)
    # Only a score above all before it can take the place.
    highest = np.maximum.accumulate(numbers)
    best = 0
    for at in np.flatnonzero(highest[1:] > highest[:-1]) + 1:
        if numbers[at] > numbers[best] + tolerance:
            best = int(at)
    return best
