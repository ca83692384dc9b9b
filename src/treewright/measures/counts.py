"""Check count tables and convert them to float arrays and shares.

All measures use shares: squaring tiny weights would underflow to zero.
"""

import numpy as np
from numpy.typing import ArrayLike

from treewright.arrays import Floats
from treewright.errors import DataError


def as_counts(counts: ArrayLike) -> Floats:
    """The weights of the classes in one group, one number per class."""
    return _checked(counts, name="counts", shape="a list with one number per class", ndim=1)


def as_table(table: ArrayLike) -> Floats:
    """The weights of the classes in each branch, shape (n_branches, n_classes)."""
    return _checked(table, name="table", shape="a list of branches of class counts", ndim=2)


def as_costs(costs: ArrayLike, n_classes: int) -> Floats:
    """A cost matrix, row = true class, column = predicted class."""
    matrix = _checked(costs, name="costs", shape="a square matrix", ndim=2)
    if matrix.shape != (n_classes, n_classes):
        raise DataError(
            f"costs of shape {matrix.shape} do not fit {n_classes} classes",
            hint=f"give {n_classes} rows of {n_classes} costs, one row per true class",
        )
    return matrix


def shares(weights: Floats) -> Floats:
    """Weights along the last axis divided by their sum; zeros if there is no weight."""
    # Divided by the largest first: the sum itself could overflow.
    largest = weights.max(axis=-1, keepdims=True, initial=0.0)
    scaled = np.divide(weights, largest, out=np.zeros_like(weights), where=largest > 0)
    total = scaled.sum(axis=-1, keepdims=True)
    part: Floats = np.divide(scaled, total, out=np.zeros_like(weights), where=total > 0)
    return part


def branch_shares(table: Floats, axis: int = 1) -> Floats:
    """The share of each branch in the total weight."""
    largest = table.max(initial=0.0)
    return shares((table / largest if largest > 0 else table).sum(axis=axis))


def class_shares(table: Floats) -> Floats:
    """The share of each class in the total weight."""
    return branch_shares(table, axis=0)


def _checked(values: ArrayLike, *, name: str, shape: str, ndim: int) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"`{name}` is not made of numbers", hint=f"give {shape}") from error
    if array.ndim != ndim:
        raise DataError(f"`{name}` has {array.ndim} dimensions, not {ndim}", hint=f"give {shape}")
    good = np.isfinite(array) & (array >= 0)
    if not good.all():
        place = tuple(int(index) for index in np.argwhere(~good)[0])
        where = ", ".join(map(str, place))
        raise DataError(
            f"`{name}`[{where}] is {array[place]}; a count or cost is finite and at least zero"
        )
    return array
