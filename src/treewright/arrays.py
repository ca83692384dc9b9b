"""Types of arrays."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


Scalar = TypeVar("Scalar", bound=np.generic)


def distinct(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """The different values of an array, in ascending order.

    ``np.unique`` builds a hash table of whole numbers and of texts, in C++ code that aborts the
    process if the interpreter exits while a daemon thread is in it. This sorts.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered: NDArray[Any] = np.sort(values, axis=None)
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]
