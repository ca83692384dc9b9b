"""The distinct values of an array."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


def distinct(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """The distinct values of an array, in ascending order.

    Use this instead of ``np.unique`` for integers and strings. NumPy puts those into a hash table,
    and its C++ code aborts the process if the interpreter exits while a daemon thread runs it.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered: NDArray[Any] = np.sort(values, axis=None)
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]
